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
from cross_check.vectors import conditions as when
from cross_check.vectors.conditions import Condition
from mechanisms import EARTH, Mechanism
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.quantities import Quantity

BY_NAME = {fault.name: fault for fault in FAULTS}

Where = Callable[[Mechanism], bool]


def _on_all(mechanism: Mechanism) -> bool:
    return True


@dataclass(frozen=True)
class Flag:
    """``meaning`` completes the sentence "In this vector …". ``mechanism`` says which mechanisms have the flag, and ``state``
    which states (batch,) of these."""

    name: str
    meaning: str
    fault: Fault
    mechanism: Where = _on_all
    state: Condition | None = None


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


def _flag(name: str, meaning: str, fault: Fault | str, where: Where = _on_all, state: Condition | None = None) -> Flag:
    """A flag with a fault, or with the name of a typical one."""
    return Flag(name, meaning, BY_NAME[fault] if isinstance(fault, str) else fault, where, state)


def _joint_flag(kind: Kind) -> Flag:
    return _flag(
        f"{kind}-joint", f"a joint is {kind}", f"the velocity of a {kind} joint has the wrong sign", when.has_joint(kind)
    )


FLAGS: tuple[Flag, ...] = (
    # The mechanism
    *map(_joint_flag, MOVING),
    _flag("armature", "a joint has rotor inertia", "armature is ignored", has_armature),
    _flag("damping", "a joint has damping", "damping is ignored", has_damping),
    _flag(
        "products-of-inertia",
        "an inertia about the centre of mass is not diagonal",
        "products of inertia are left out",
        lambda m: any(any(body.inertia.about_com[3:]) for body in m.bodies),
    ),
    _flag(
        "offset-centre-of-mass",
        "a centre of mass is not at its body's origin",
        "the centre of mass is ignored",
        lambda m: any(any(body.inertia.com) for body in m.bodies),
    ),
    _flag(
        "unequal-moments",
        "Iyy and Izz of a body differ",
        "Iyy and Izz are exchanged",
        lambda m: any(body.inertia.about_com[1] != body.inertia.about_com[2] for body in m.bodies),
    ),
    _flag("skew-axis", "a joint's axis is not along x, y or z", "axes are snapped to x, y or z", when.has_skew_axis),
    _flag(
        "oblique-axes",
        "the two axes of a universal joint are not at right angles",
        "the second axis is made perpendicular",
        when.has_oblique_axes,
    ),
    _flag("turned-frame", "a joint's frame is rotated in its parent's", "placements are not rotated", when.has_turned_frame),
    _flag(
        "shifted-frame",
        "a joint's origin is not its parent's",
        "placements are not translated",
        lambda m: any(any(body.joint.placement.translation) for body in m.bodies),
    ),
    _flag(
        "branching",
        "a body carries several others",
        Fault("every body that is not on the root hangs on the one before", "branching", mechanism=hung(when.on_the_one_before)),
        branches,
    ),
    _flag("several-roots", "several bodies hang on the root", "there is only one root", has_several_roots),
    _flag(
        "body-without-mass", "a body without mass carries others", "what hangs on a body without mass is lost", has_massless_link
    ),
    _flag("unusual-gravity", "gravity is not 9.81 m/s² along −z", "gravity always points along −z", lambda m: m.gravity != EARTH),
    *(
        _flag(f"more-than-{n}-coordinates", f"there are more than {n} velocities", name, lambda m, n=n: m.nv > n)  # type: ignore[misc]
        for n, name in ((32, "coordinates beyond the 32nd stand still"), (64, "coordinates beyond the 64th stand still"))
    ),
    # What moves
    _flag(
        "at-rest",
        "v is zero, and a is zero if the quantity depends on it",
        Fault("at rest every answer is zero", "rest", answer=when.nothing_at_rest),
        state=when.at_rest,
    ),
    _flag("acceleration-alone", "v is zero and a is not", "where v is zero, a is ignored", state=when.rates(v=False, a=True)),
    _flag("velocity-alone", "a is zero and v is not", "where a is zero, v is ignored", state=when.rates(v=True, a=False)),
    _flag(
        "velocity-and-acceleration",
        "neither v nor a is zero",
        Fault("where a is not zero, v is ignored", "rest", state=ws.where("v", lambda state: when.moves(state, "a"))),
        state=when.rates(v=True, a=True),
    ),
    _flag(
        "force-alone",
        "v is zero and τ is not",
        Fault("where v is zero, τ is ignored", "rest", state=ws.where(["tau"], ws.at_rest)),
        state=when.force_alone,
    ),
    _flag(
        "several-velocities",
        "two velocities or more are not zero",
        "Coriolis and centrifugal terms are left out",
        state=when.with_v(when.several_move),
    ),
    _flag(
        "one-velocity-alone",
        "of several velocities one is not zero",
        "where one velocity of several moves, none does",
        state=when.with_v(ws.one_velocity_moves),
    ),
    _flag(
        "one-velocity-zero",
        "of several velocities one is zero",
        "where one velocity of several is zero, all are",
        state=when.with_v(ws.one_velocity_is_zero),
    ),
    _flag(
        "turning-free-base",
        "a free joint turns and slides at once",
        "the acceleration is taken for the classical one",
        when.has_joint("free"),
        state=when.turns_and_slides,
    ),
    _flag(
        "forces-on-bodies",
        "external forces act on bodies",
        "forces on bodies have the wrong sign",
        state=when.some("f", when.rows_with),
    ),
    # Sizes
    _flag(
        "long-velocity",
        "a velocity has more than 24 significant bits",
        "velocities are rounded to single precision",
        state=when.some("v", when.is_long),
    ),
    _flag("small-velocity", "a velocity is below 10⁻³", "velocities below 10⁻³ are zero", state=when.some("v", when.below(1e-3))),
    _flag(
        "small-acceleration",
        "an acceleration is below 10⁻³",
        "accelerations below 10⁻³ are zero",
        state=when.some("a", when.below(1e-3)),
    ),
    _flag(
        "large-velocity",
        "a velocity is above 100",
        Fault("velocities are clipped to ±100", "limits", state=ws.column("v", ws.clipped(100))),
        state=when.some("v", when.above(100)),
    ),
    _flag(
        "large-acceleration",
        "an acceleration is above 100",
        Fault("accelerations are clipped to ±100", "limits", state=ws.column("a", ws.clipped(100))),
        state=when.some("a", when.above(100)),
    ),
    _flag(
        "small-angle", "an angle is below 10⁻³ rad", "angles below 10⁻³ are zero", state=when.in_slots("angle", when.below(1e-3))
    ),
    _flag(
        "large-angle", "an angle is above 200 rad", "angles are clipped to ±200", state=when.in_slots("angle", when.above(200))
    ),
    _flag(
        "large-distance",
        "a joint slides by more than 10 m",
        Fault("distances are clipped to ±10", "limits", state=ws.in_slots("distance", ws.clipped(10))),
        state=when.in_slots("distance", when.above(10)),
    ),
    # Turns
    _flag(
        "quarter-turn",
        "an angle is ±π/2, rounded",
        Fault("angles whose cosine vanishes are zero", "turns", state=ws.in_slots("angle", when.no_quarter_turn)),
        state=when.in_slots("angle", when.is_quarter_turn),
    ),
    _flag(
        "half-turn",
        "an angle is ±π, rounded",
        Fault("angles whose sine vanishes are zero", "turns", state=ws.in_slots("angle", when.no_half_turn)),
        state=when.in_slots("angle", when.is_half_turn),
    ),
    _flag(
        "gimbal-lock",
        "the second of three Euler angles is ±π/2, rounded",
        Fault("Euler angles are kept away from gimbal lock by a millionth", "turns", state=when.unlocked),
        state=when.is_locked,
    ),
    _flag(
        "small-turn",
        "a quaternion turns by less than 10⁻³ rad",
        "turns of quaternions below 10⁻³ are none",
        state=when.in_slots("quaternion", when.is_small_turn(1e-3)),
    ),
    _flag(
        "half-turn-quaternion",
        "a quaternion has w = 0",
        "half turns of quaternions are none",
        state=when.in_slots("quaternion", lambda e: np.less(np.abs(e[:, 3]), 1e-6)),
    ),
    _flag(
        "negative-w",
        "a quaternion has w < 0",
        "the sign of w is lost",
        state=when.in_slots("quaternion", lambda e: np.less(e[:, 3], 0)),
    ),
    _flag(
        "near-position",
        "q is nearly that of an earlier vector of the file, and not the same",
        "q is kept while it stays the same to six decimals",
        state=when.nearly_again,
    ),
    _flag(
        "same-position",
        "q is that of an earlier vector of the file, and v is not",
        "velocities are kept while q stays the same",
        state=when.with_v(when.again),
    ),
)
