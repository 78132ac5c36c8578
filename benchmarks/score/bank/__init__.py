"""The entries, one module for each class. Two faults at once are to have both causes named, and nothing else."""

from score.bank import (
    arithmetic,
    conditions,
    conventions,
    disguises,
    formulations,
    history,
    misread,
    quantities,
    terms,
    trackers,
)
from score.entry import pair

__all__ = [
    "arithmetic",
    "conditions",
    "conventions",
    "disguises",
    "formulations",
    "history",
    "misread",
    "quantities",
    "terms",
    "trackers",
]

for first, second in (
    ("armature left out", "gyroscopic sign"),
    ("gravity sign", "damping left out"),
    ("coriolis left out", "com off by one millimetre"),
    ("armature twice", "parallel axes twice"),
    ("gyroscopic left out", "mass one per cent low"),
    ("com sign", "tangential left out"),
    ("axis sign", "gravity left out"),
    ("degrees of one joint", "inertia of wrist left out"),
    ("ixy sign", "gravity vertical"),
    ("quaternion conjugate", "damping of slide left out"),
    ("damping sign", "exchanged moments"),
    ("linear velocity in first", "com of camera left out"),
):
    pair(first, second)
