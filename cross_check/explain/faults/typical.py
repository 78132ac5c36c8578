"""Faults that dynamics code has, as data: variants of the reference in which exactly one thing is wrong; and conventions.

Every name completes the sentence "The code is wrong in this: …". Groups are the terms of the equations of motion; a group that
ends in "joints" concerns one kind of joint.

Conventions are ways to read q, v, a and forces, to mean an answer, and to read a mechanism, that differ from ours throughout. A
convention of coordinates is *kept* where what code reads and what it answers change together. Code that keeps it only where
it reads, or only where it answers, is a hypothesis of its own. ``Fault.inverse`` has the source of a wrapper that undoes the
convention (:mod:`cross_check.explain.faults.changes.wrappers`).

On a mechanism that uses every parameter all of them are different functions. Some are the same on simpler ones:

- without armature, damping, gravity, products of inertia or bodies without mass, hypotheses on these say nothing;
- where placements turn about one axis at a time, as in ur5, the order of roll, pitch and yaw makes no difference;
- where two moments of inertia of every body are equal, as in ur5, their exchange makes none;
- M alone does not tell an order of joints that is kept from one in the answers only, if q reads the same;
- at w < 0, a quaternion whose w has lost its sign is that of the inverse rotation.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from cross_check.explain.faults.answers.conventions import ANSWERS, FRAMES_OF_FORCES
from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.coordinates.joints import (
    ORDERS,
    along_the_joint,
    in_units,
    of_angles,
    of_free_joints,
    of_order,
    of_quaternions,
)
from cross_check.explain.faults.coordinates.special_states import STATES
from cross_check.explain.faults.edits import faults_of
from cross_check.explain.faults.fault import Fault, only
from cross_check.explain.faults.readings.mechanisms import WHOLE
from cross_check.explain.faults.terms.usual import JOINTS, TERMS
from mechanisms.quantities import QUANTITIES, USUAL

OTHERS = (
    *(
        Fault(name, "external forces", state=ws.column("f", change))
        for name, change in (
            ("forces on bodies have the wrong sign", np.negative),
            ("moments on bodies are ignored", lambda f: f * [0, 0, 0, 1, 1, 1]),
            ("only the last body feels its force", lambda f: f * (np.arange(f.shape[1]) == f.shape[1] - 1)[:, None]),
        )
    ),
    *faults_of("others"),
    *(
        Fault(f"{QUANTITIES[name].title} is off by a billionth", "each quantity", answer=only(name, lambda x: x * (1 + 1e-9)))
        for name in USUAL
    ),
)
"""Faults in external forces, energies, kinematics and derivatives, and one for every quantity alone."""

FAULTS = (*TERMS, *JOINTS, *STATES, *OTHERS)


ARGUMENTS = tuple(
    Fault(f"{one} and {other} are exchanged".replace("tau", "τ"), "arguments", state=ws.exchanged(one, other))
    for one, other in combinations(("q", "v", "a", "tau"), 2)
)
"""Arguments in another order: no convention, because code that answers in it answers another question."""

CONVENTIONS: tuple[Fault, ...] = (
    *of_free_joints(),
    *of_quaternions(),
    *in_units(),
    *of_angles(),
    *along_the_joint(),
    *(fault for words, order in ORDERS for fault in of_order(words, order)),
    *FRAMES_OF_FORCES,
    *ANSWERS,
    *WHOLE,
)
