"""Faults that concern one kind of joint."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Edit, Fault, everywhere
from cross_check.explain.faults.joint_coordinates import BALLS, W_FIRST
from implementations.conventions.rates import along_joint
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind

COMPOUND: tuple[Kind, ...] = tuple(
    kind for kind in MOVING if JOINT_KINDS[kind].compound and sum(x.turns for x in JOINT_KINDS[kind].coordinates) > 1
)
"""Kinds whose motions do not commute. With at most one turn, their order and the turning of axes make no difference."""

INVERSE = ": its quaternion is that of the inverse rotation"

COMPOUND_TEST = "if link.compound:"


def carries(kind: Kind, m: Mechanism) -> bool:
    """Whether another joint is outboard of a joint of this kind."""
    return any(λ >= 0 and m.bodies[λ].joint.kind == kind for λ in m.parents)


JOINTS = (
    *(
        Fault(
            f"the position of a {k} joint has the wrong sign{INVERSE if k in BALLS else ''}",
            f"{k} joints",
            state=ws.reversed_position(k),
            kinds=(k,),
        )
        for k in MOVING
    ),
    *(
        Fault(
            f"the velocity of a {k} joint has the wrong sign",
            f"{k} joints",
            state=ws.velocity_by(partial(ws.negative, k)),
            kinds=(k,),
        )
        for k in MOVING
    ),
    *(
        Fault(
            f"the axes of a {k} joint stay where they are at zero",
            f"{k} joints",
            (Edit("jcalc", "*(Xk @ s for s in S)", f"*(s if link.joint.kind == {k!r} else Xk @ s for s in S)"),),
            kinds=(k,),
        )
        for k in COMPOUND
    ),
    *(
        Fault(
            f"the motions of a {k} joint are made in reverse order",
            f"{k} joints",
            (Edit("jcalc", "X, S = Xk.after(X)", f"X, S = X.after(Xk) if link.joint.kind == {k!r} else Xk.after(X)"),),
            kinds=(k,),
        )
        for k in COMPOUND
    ),
    *(
        Fault(
            f"the velocity product of a {k} joint is left out",
            f"{k} joints",
            everywhere(COMPOUND_TEST, f"if link.compound and link.joint.kind != {k!r}:", "rnea", "aba", "kinematics"),
            kinds=(k,),
        )
        for k in COMPOUND
    ),
    *(
        Fault(
            f"forces from bodies outboard of {k} joints are lost",
            "outboard joints",
            (Edit("rnea", "X[i].T @ f[i]", f"X[i].T @ f[i] * (λ < 0 or model.links[λ].joint.kind != {k!r})"),),
            needs=partial(carries, k),
        )
        for k in MOVING
    ),
    Fault(
        "the components of a planar joint's velocity are rotated",
        "planar joints",
        state=ws.velocity_by(partial(along_joint, "planar", True, True)),
        kinds=("planar",),
    ),
    Fault(
        "ω of a spherical joint is read in the parent's axes",
        "spherical joints",
        state=ws.velocity_by(partial(along_joint, "spherical", True, True)),
        kinds=("spherical",),
    ),
    Fault("cosine and sine are exchanged", "continuous joints", state=ws.in_slots("circle", np.fliplr), kinds=("continuous",)),
    Fault(
        "the pitch has the wrong sign in the position",
        "helical joints",
        (Edit("jcalc", "link.S[3:, k] * field.angle(x)", "-link.S[3:, k] * field.angle(x)"),),
        kinds=("helical",),
    ),
    Fault("the pitch is ignored", "helical joints", mechanism=wm.scaled("pitch", 0), kinds=("helical",)),
    Fault(
        "the pitch is taken per turn",
        "helical joints",
        mechanism=wm.scaled("pitch", Fraction(1 / (2 * np.pi))),
        kinds=("helical",),
    ),
    Fault(
        "the second axis is ignored",
        "universal joints",
        mechanism=wm.joint(wm.default_second_axis, ("universal",)),
        kinds=("universal",),
    ),
    Fault(
        "the second axis is made perpendicular",
        "axes not at right angles",
        mechanism=wm.joint(wm.right_angled_second_axis, ("universal",)),
        kinds=("universal",),
    ),
    *W_FIRST.faults(),
    Fault("the sign of w is lost", "quaternions", state=ws.in_slots("quaternion", ws.positive_w), kinds=BALLS),
)
