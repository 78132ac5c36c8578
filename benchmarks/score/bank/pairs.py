"""Two faults at once, of other classes: both causes are to be named, and nothing else."""

from __future__ import annotations

from score.bank import conventions, misread, terms  # noqa: F401  (their faults are combined)
from score.entry import pair

pair("armature left out", "gyroscopic sign")
pair("gravity sign", "damping left out")
pair("coriolis left out", "com off by one millimetre")
pair("armature twice", "parallel axes twice")
pair("gyroscopic left out", "mass one per cent low")
pair("com sign", "tangential left out")
pair("axis sign", "gravity left out")
pair("degrees of one joint", "inertia of wrist left out")
pair("ixy sign", "gravity vertical")
pair("quaternion conjugate", "damping of slide left out")
pair("damping sign", "exchanged moments")
pair("linear velocity in first", "com of camera left out")
