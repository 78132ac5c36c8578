"""Flags of test vectors: what a vector stresses, and the fault that only vectors with this flag catch.

Flags are computed from the mechanism and the state, so that no vector lacks a flag that it deserves. A flag's fault is a variant
of the reference (:mod:`cross_check.faults`). It shows at vectors with the flag, and at no others:
:mod:`cross_check.vectors.adequacy` tries this, and docs/vectors.md has the outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cross_check.faults import wrong_states as ws
from cross_check.faults.fault import Fault
from cross_check.faults.terms import branches, has_armature, has_damping, has_massless_link, has_several_roots
from cross_check.faults.typical import FAULTS
from cross_check.faults.wrong_mechanisms import hung
from cross_check.memory import Array
from cross_check.vectors import conditions as when
from mechanisms import EARTH, Mechanism
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.quantities import Quantity

BY_NAME = {fault.name: fault for fault in FAULTS}


@dataclass(frozen=True)
class Flag:
    """``meaning`` completes the sentence "In this vector …". ``mechanism`` says which mechanisms have the flag, and ``state``
    which states (batch,) of these."""

    name: str
    meaning: str
    fault: Fault
    mechanism: Callable[[Mechanism], bool] = lambda mechanism: True
    state: Callable[[Mechanism, ws.State], Array] | None = None


def flags_of(mechanism: Mechanism, quantity: Quantity, columns: ws.State) -> list[tuple[Flag, ...]]:
    """The flags of every state; ``columns`` has q, v, a, tau and f, batch first."""
    state = {name: columns[name] for name in quantity.arguments}
    everywhere = np.ones(len(columns["q"]), bool)
    rows = [
        (flag, everywhere if flag.state is None else everywhere & flag.state(mechanism, state))
        for flag in FLAGS
        if flag.mechanism(mechanism)
    ]
    return [tuple(flag for flag, at in rows if at[k]) for k in range(len(everywhere))]


def _fault(name: str, group: str, state: ws.Wrong) -> Fault:
    return Fault(name, group, state=state)


def _joint_flag(kind: Kind) -> Flag:
    fault = BY_NAME[f"the velocity of a {kind} joint has the wrong sign"]
    return Flag(f"{kind}-joint", f"a joint is {kind}", fault, when.has_joint(kind))


FLAGS: tuple[Flag, ...] = (
    # The mechanism
    *map(_joint_flag, MOVING),
    Flag("armature", "a joint has rotor inertia", BY_NAME["armature is ignored"], has_armature),
    Flag("damping", "a joint has damping", BY_NAME["damping is ignored"], has_damping),
    Flag(
        "products-of-inertia",
        "an inertia about the centre of mass is not diagonal",
        BY_NAME["products of inertia are left out"],
        lambda m: any(any(body.inertia.about_com[3:]) for body in m.bodies),
    ),
    Flag(
        "offset-centre-of-mass",
        "a centre of mass is not at its body's origin",
        BY_NAME["the centre of mass is ignored"],
        lambda m: any(any(body.inertia.com) for body in m.bodies),
    ),
    Flag(
        "unequal-moments",
        "Iyy and Izz of a body differ",
        BY_NAME["Iyy and Izz are exchanged"],
        lambda m: any(body.inertia.about_com[1] != body.inertia.about_com[2] for body in m.bodies),
    ),
    Flag("skew-axis", "a joint's axis is not along x, y or z", BY_NAME["axes are snapped to x, y or z"], when.has_skew_axis),
    Flag(
        "oblique-axes",
        "the two axes of a universal joint are not at right angles",
        BY_NAME["the second axis is made perpendicular"],
        when.has_oblique_axes,
    ),
    Flag(
        "turned-frame", "a joint's frame is rotated in its parent's", BY_NAME["placements are not rotated"], when.has_turned_frame
    ),
    Flag(
        "shifted-frame",
        "a joint's origin is not its parent's",
        BY_NAME["placements are not translated"],
        lambda m: any(any(body.joint.placement.translation) for body in m.bodies),
    ),
    Flag(
        "branching",
        "a body carries several others",
        Fault("every body that is not on the root hangs on the one before", "branching", mechanism=hung(when.on_the_one_before)),
        branches,
    ),
    Flag("several-roots", "several bodies hang on the root", BY_NAME["there is only one root"], has_several_roots),
    Flag(
        "body-without-mass",
        "a body without mass carries others",
        BY_NAME["what hangs on a body without mass is lost"],
        has_massless_link,
    ),
    Flag(
        "unusual-gravity",
        "gravity is not 9.81 m/s² along −z",
        BY_NAME["gravity always points along −z"],
        lambda m: m.gravity != EARTH,
    ),
    *(
        Flag(f"more-than-{n}-coordinates", f"there are more than {n} velocities", BY_NAME[name], lambda m, n=n: m.nv > n)  # type: ignore[misc]
        for n, name in ((32, "coordinates beyond the 32nd stand still"), (64, "coordinates beyond the 64th stand still"))
    ),
    # What moves
    Flag(
        "at-rest",
        "v is zero, and a is zero if the quantity depends on it",
        Fault("at rest every answer is zero", "rest", answer=when.nothing_at_rest),
        state=when.at_rest,
    ),
    Flag(
        "acceleration-alone",
        "v is zero and a is not",
        BY_NAME["where v is zero, a is ignored"],
        state=when.rates(v=False, a=True),
    ),
    Flag("velocity-alone", "a is zero and v is not", BY_NAME["where a is zero, v is ignored"], state=when.rates(v=True, a=False)),
    Flag(
        "velocity-and-acceleration",
        "neither v nor a is zero",
        _fault("where a is not zero, v is ignored", "rest", ws.where("v", lambda state: when.moves(state, "a"))),
        state=when.rates(v=True, a=True),
    ),
    Flag(
        "force-alone",
        "v is zero and τ is not",
        _fault("where v is zero, τ is ignored", "rest", ws.where(["tau"], ws.at_rest)),
        state=when.force_alone,
    ),
    Flag(
        "several-velocities",
        "two velocities or more are not zero",
        BY_NAME["Coriolis and centrifugal terms are left out"],
        state=when.with_v(when.several_move),
    ),
    Flag(
        "one-velocity-alone",
        "of several velocities one is not zero",
        BY_NAME["where one velocity of several moves, none does"],
        state=when.with_v(ws.one_velocity_moves),
    ),
    Flag(
        "one-velocity-zero",
        "of several velocities one is zero",
        BY_NAME["where one velocity of several is zero, all are"],
        state=when.with_v(ws.one_velocity_is_zero),
    ),
    Flag(
        "turning-free-base",
        "a free joint turns and slides at once",
        BY_NAME["the acceleration is taken for the classical one"],
        when.has_joint("free"),
        when.turns_and_slides,
    ),
    Flag(
        "forces-on-bodies",
        "external forces act on bodies",
        BY_NAME["forces on bodies have the wrong sign"],
        state=when.some("f", when.rows_with),
    ),
    # Sizes
    Flag(
        "long-velocity",
        "a velocity has more than 24 significant bits",
        BY_NAME["velocities are rounded to single precision"],
        state=when.some("v", when.is_long),
    ),
    Flag(
        "small-velocity",
        "a velocity is below 10⁻³",
        BY_NAME["velocities below 10⁻³ are zero"],
        state=when.some("v", when.below(1e-3)),
    ),
    Flag(
        "small-acceleration",
        "an acceleration is below 10⁻³",
        BY_NAME["accelerations below 10⁻³ are zero"],
        state=when.some("a", when.below(1e-3)),
    ),
    Flag(
        "large-velocity",
        "a velocity is above 100",
        _fault("velocities are clipped to ±100", "limits", ws.column("v", ws.clipped(100))),
        state=when.some("v", when.above(100)),
    ),
    Flag(
        "large-acceleration",
        "an acceleration is above 100",
        _fault("accelerations are clipped to ±100", "limits", ws.column("a", ws.clipped(100))),
        state=when.some("a", when.above(100)),
    ),
    Flag(
        "small-angle",
        "an angle is below 10⁻³ rad",
        BY_NAME["angles below 10⁻³ are zero"],
        state=when.in_slots("angle", when.below(1e-3)),
    ),
    Flag(
        "large-angle",
        "an angle is above 200 rad",
        BY_NAME["angles are clipped to ±200"],
        state=when.in_slots("angle", when.above(200)),
    ),
    Flag(
        "large-distance",
        "a joint slides by more than 10 m",
        _fault("distances are clipped to ±10", "limits", ws.in_slots("distance", ws.clipped(10))),
        state=when.in_slots("distance", when.above(10)),
    ),
    # Turns
    Flag(
        "quarter-turn",
        "an angle is ±π/2, rounded",
        _fault(
            "angles whose cosine vanishes are zero",
            "turns",
            ws.in_slots("angle", when.no_quarter_turn),
        ),
        state=when.in_slots("angle", when.is_quarter_turn),
    ),
    Flag(
        "half-turn",
        "an angle is ±π, rounded",
        _fault(
            "angles whose sine vanishes are zero",
            "turns",
            ws.in_slots("angle", when.no_half_turn),
        ),
        state=when.in_slots("angle", when.is_half_turn),
    ),
    Flag(
        "gimbal-lock",
        "the second of three Euler angles is ±π/2, rounded",
        _fault("Euler angles are kept away from gimbal lock by a millionth", "turns", when.unlocked),
        state=when.is_locked,
    ),
    Flag(
        "small-turn",
        "a quaternion turns by less than 10⁻³ rad",
        BY_NAME["turns of quaternions below 10⁻³ are none"],
        state=when.in_slots("quaternion", when.is_small_turn(1e-3)),
    ),
    Flag(
        "half-turn-quaternion",
        "a quaternion has w = 0",
        BY_NAME["half turns of quaternions are none"],
        state=when.in_slots("quaternion", lambda e: np.less(np.abs(e[:, 3]), 1e-6)),
    ),
    Flag(
        "negative-w",
        "a quaternion has w < 0",
        BY_NAME["the sign of w is lost"],
        state=when.in_slots("quaternion", lambda e: np.less(e[:, 3], 0)),
    ),
    Flag(
        "near-position",
        "q is nearly that of an earlier vector of the file, and not the same",
        BY_NAME["q is kept while it stays the same to six decimals"],
        state=when.nearly_again,
    ),
    Flag(
        "same-position",
        "q is that of an earlier vector of the file, and v is not",
        BY_NAME["velocities are kept while q stays the same"],
        state=when.with_v(when.again),
    ),
)
