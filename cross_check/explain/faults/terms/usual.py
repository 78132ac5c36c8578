"""Faults in the terms of the equations of motion: gravity, velocities, inertia, armature, damping, geometry, the tree; and those
that concern one kind of joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.coordinates.joints import BALLS, W_FIRST
from cross_check.explain.faults.edits import faults_of
from cross_check.explain.faults.fault import Fault, slip
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind

TERMS = faults_of("usual")

NO_ARMATURE, NO_DAMPING = (one for one in TERMS if one.name in ("armature is ignored", "damping is ignored"))


COMPOUND: tuple[Kind, ...] = tuple(
    kind for kind in MOVING if JOINT_KINDS[kind].compound and sum(x.turns for x in JOINT_KINDS[kind].coordinates) > 1
)
"""Kinds whose motions do not commute. With at most one turn, their order and the turning of axes make no difference."""

TESTED, AFTER = "if link.compound", "Xk.after(X)"


def carries(kind: Kind, m: Mechanism) -> bool:
    """Whether another joint is outboard of a joint of this kind."""
    return any(λ >= 0 and m.bodies[λ].joint.kind == kind for λ in m.parents)


def _of(kind: Kind) -> Iterator[Fault]:
    """What can be wrong with joints of every kind."""
    group, kinds, this = f"{kind} joints", (kind,), f"link.joint.kind == {kind!r}"
    inverse = ": its quaternion is that of the inverse rotation" if kind in BALLS else ""
    words = f"the position of a {kind} joint has the wrong sign{inverse}"
    yield Fault(words, group, state=ws.reversed_position(kind), kinds=kinds)
    words = f"the velocity of a {kind} joint has the wrong sign"
    yield Fault(words, group, state=ws.velocity_by(partial(ws.negative, kind)), kinds=kinds)
    if kind in COMPOUND:
        for words, right, wrong, modules in (
            ("the axes of a {} joint stay where they are at zero", "(Xk @ s for s", f"(s if {this} else Xk @ s for s", ["jcalc"]),
            ("the motions of a {} joint are made in reverse order", AFTER, f"X.after(Xk) if {this} else {AFTER}", ["jcalc"]),
            ("the velocity product of a {} joint is left out", TESTED, f"{TESTED} and not {this}", ["rnea", "aba", "kinematics"]),
        ):
            yield slip(words.format(kind), group, right, wrong, *modules, kinds=kinds)


def _joints() -> Iterator[Fault]:
    for kind in MOVING:
        yield from _of(kind)
    for kind in MOVING:
        words, passed = f"forces from bodies outboard of {kind} joints are lost", "X[i].T @ f[i]"
        kept = f"{passed} * (λ < 0 or model.links[λ].joint.kind != {kind!r})"
        yield slip(words, "outboard joints", passed, kept, "rnea", needs=partial(carries, kind))
    exchanged = ws.in_slots("circle", np.fliplr)
    circles = Fault("cosine and sine are exchanged", "continuous joints", state=exchanged, kinds=("continuous",))
    yield from faults_of("joints", [circles])
    yield from W_FIRST.faults()
    yield Fault("the sign of w is lost", "quaternions", state=ws.in_slots("quaternion", ws.positive_w), kinds=BALLS)


JOINTS = tuple(_joints())
