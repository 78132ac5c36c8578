"""Flags of test vectors: what a vector stresses, and the fault that only vectors with this flag catch.

A flag's fault is a variant of the reference (:mod:`cross_check.explain.faults`). A vector has the flag where the fault changes
the mechanism or the arguments of the quantity. The fault shows at vectors with the flag, and at no others;
:mod:`cross_check.explain.coverage.measured` tries this, and docs/vectors.md has the outcome. A fault of an algorithm or of the
answer does not say where it acts: its flag has conditions of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.changes.mechanisms import branches, has_massless_link, has_several_roots, hung, is_other
from cross_check.explain.faults.coordinates.special_states import clipped
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.typical import FAULTS
from cross_check.memory import Array
from mechanisms import Mechanism, Rotation
from mechanisms.joint_kinds import MOVING, Kind
from mechanisms.quantities import Quantity

BY_NAME = {fault.name: fault for fault in FAULTS}

LOCKED = 1e-9
"""An angle whose cosine is smaller is a quarter turn, and one whose sine is smaller is none or a half turn."""


@dataclass(frozen=True)
class VectorFlag:
    """``meaning`` completes the sentence "In this vector …". Where the fault does not say it, ``mechanism`` says which mechanisms
    have the flag, and ``state`` which states (batch,)."""

    name: str
    meaning: str
    fault: Fault
    mechanism: Callable[[Mechanism], bool] | None = None
    state: Callable[[Mechanism, ws.State], Array] | None = None

    def at(self, mechanism: Mechanism, state: ws.State) -> Array:
        """Which states (batch,) have the flag; ``state`` has the arguments of the quantity, batch first."""
        rows = np.ones(len(state["q"]), bool)
        if self.mechanism is not None:
            return rows & self.mechanism(mechanism)
        if self.state is not None:
            return rows & self.state(mechanism, state)
        wrong, read = self.fault.mechanism_read(mechanism), self.fault.state_read(mechanism, state)
        return rows & (is_other(wrong, mechanism) | np.any([_rows_with(read[name] != state[name]) for name in state], axis=0))


def flags_of(mechanism: Mechanism, quantity: Quantity, columns: ws.State) -> list[tuple[VectorFlag, ...]]:
    """The flags of every state; ``columns`` has q, v, a, tau and f, batch first."""
    state = {name: columns[name] for name in quantity.arguments}
    rows = [(flag, flag.at(mechanism, state)) for flag in FLAGS]
    return [tuple(flag for flag, at in rows if at[k]) for k in range(len(state["q"]))]


def _rows_with(passes: Array) -> Array:
    """The rows (batch,) that contain something true, or another number than zero."""
    return np.asarray(passes.reshape(len(passes), -1).any(axis=1))


def _moves(state: ws.State, name: str) -> Array:
    """The argument is there, and not zero."""
    return _rows_with(state[name]) if name in state else np.zeros(len(state["q"]), bool)


# Conditions and faults of flags alone


def _has_turned_frame(m: Mechanism) -> bool:
    # One rotation has quaternions of every length, so the rotations themselves may differ.
    straight = Rotation.identity().matrix
    return any(body.joint.placement.rotation.matrix != straight for body in m.bodies)


def _several_move(m: Mechanism, state: ws.State) -> Array:
    return np.greater(np.count_nonzero(state["v"], axis=1), 1) if "v" in state else _moves(state, "v")


def _at_rest(m: Mechanism, state: ws.State) -> Array:
    """v is zero, and a is if the quantity depends on it. At given forces, nothing needs to stay at rest."""
    if "v" not in state or "tau" in state:
        return np.zeros(len(state["q"]), bool)
    return np.logical_not(np.logical_or(_moves(state, "v"), _moves(state, "a")))


def _nothing_at_rest(m: Mechanism, quantity: str, state: ws.State, answer: Array) -> Array:
    """The fault that every answer at rest is zero."""
    return np.where(_at_rest(m, state).reshape(-1, *[1] * (answer.ndim - 1)), 0, answer)


def _nearly_again(m: Mechanism, state: ws.State) -> Array:
    """q is nearly that of an earlier state, and differs from it: no number by more than a millionth."""
    steps = np.abs(state["q"][:, None] - state["q"][None, :]).max(axis=2)
    return _rows_with(np.tril(np.logical_and(steps > 0, steps <= 1e-6)))


def _vanishing(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """The fault that angles at which a function vanishes are zero."""
    return lambda angle: np.where(np.abs(function(angle)) < LOCKED, 0, angle)


def _unlocked(m: Mechanism, state: ws.State) -> ws.State:
    """The fault that Euler joints are kept away from gimbal lock by a millionth."""
    q = state["q"].copy()
    for body, own in zip(m.bodies, m.q_slices, strict=True):
        if (k := body.joint.description.singular_angle) is not None:
            angle = q[:, own.start + k]
            q[:, own.start + k] = np.where(np.abs(np.cos(angle)) < LOCKED, angle * (1 - 1e-6), angle)
    return {**state, "q": q}


def _on_the_one_before(m: Mechanism, i: int) -> int:
    """The fault that every body hangs on the one before, but for those on the root."""
    return i - 1 if m.parents[i] >= 0 else -1


def _flag(name: str, meaning: str, fault: Fault | str, **conditions: Callable[..., Any]) -> VectorFlag:
    """A flag with a fault, or with the name of a typical one."""
    return VectorFlag(name, meaning, BY_NAME[fault] if isinstance(fault, str) else fault, **conditions)


def _joint_flag(kind: Kind) -> VectorFlag:
    fault = BY_NAME[f"the velocity of a {kind} joint has the wrong sign"]
    return VectorFlag(f"{kind}-joint", f"a joint is {kind}", fault, fault.changes)


FLAGS: tuple[VectorFlag, ...] = (
    # The mechanism
    *map(_joint_flag, MOVING),
    _flag("armature", "a joint has rotor inertia", "armature is ignored"),
    _flag("damping", "a joint has damping", "damping is ignored"),
    _flag("products-of-inertia", "an inertia about the centre of mass is not diagonal", "products of inertia are left out"),
    _flag("offset-centre-of-mass", "a centre of mass is not at its body's origin", "the centre of mass is ignored"),
    _flag("unequal-moments", "Iyy and Izz of a body differ", "Iyy and Izz are exchanged"),
    _flag("skew-axis", "a joint's axis is not along x, y or z", "axes are snapped to x, y or z"),
    _flag("oblique-axes", "the two axes of a universal joint are not at right angles", "the second axis is made perpendicular"),
    _flag(
        "turned-frame",
        "a joint's frame is rotated in its parent's",
        "placements are not rotated",
        mechanism=_has_turned_frame,
    ),
    _flag("shifted-frame", "a joint's origin is not its parent's", "placements are not translated"),
    _flag(
        "branching",
        "a body carries several others",
        Fault("every body that is not on the root hangs on the one before", "branching", mechanism=hung(_on_the_one_before)),
        mechanism=branches,
    ),
    _flag("several-roots", "several bodies hang on the root", "there is only one root", mechanism=has_several_roots),
    _flag(
        "body-without-mass",
        "a body without mass carries others",
        "what hangs on a body without mass is lost",
        mechanism=has_massless_link,
    ),
    _flag("unusual-gravity", "gravity is not 9.81 m/s² along −z", "gravity always points along −z"),
    *(
        _flag(f"more-than-{n}-coordinates", f"there are more than {n} velocities", name, mechanism=lambda m, n=n: m.nv > n)
        for n, name in ((32, "coordinates beyond the 32nd stand still"), (64, "coordinates beyond the 64th stand still"))
    ),
    # What moves
    _flag(
        "at-rest",
        "v is zero, and a is zero if the quantity depends on it",
        Fault("at rest every answer is zero", "rest", answer=_nothing_at_rest),
        state=_at_rest,
    ),
    _flag("acceleration-alone", "v is zero and a is not", "where v is zero, a is ignored"),
    _flag("velocity-alone", "a is zero and v is not", "where a is zero, v is ignored"),
    _flag(
        "velocity-and-acceleration",
        "neither v nor a is zero",
        Fault("where a is not zero, v is ignored", "rest", state=ws.where("v", lambda state: _moves(state, "a"))),
    ),
    _flag(
        "force-alone",
        "v is zero and τ is not",
        Fault("where v is zero, τ is ignored", "rest", state=ws.where(["tau"], ws.at_rest)),
    ),
    _flag(
        "several-velocities",
        "two velocities or more are not zero",
        "Coriolis and centrifugal terms are left out",
        state=_several_move,
    ),
    _flag("one-velocity-alone", "of several velocities one is not zero", "where one velocity of several moves, none does"),
    _flag("one-velocity-zero", "of several velocities one is zero", "where one velocity of several is zero, all are"),
    _flag("turning-free-base", "a free joint turns and slides at once", "the acceleration is taken for the classical one"),
    _flag("forces-on-bodies", "external forces act on bodies", "forces on bodies have the wrong sign"),
    # Sizes
    _flag("long-velocity", "a velocity has more than 24 significant bits", "velocities are rounded to single precision"),
    _flag("small-velocity", "a velocity is below 10⁻³", "velocities below 10⁻³ are zero"),
    _flag("small-acceleration", "an acceleration is below 10⁻³", "accelerations below 10⁻³ are zero"),
    _flag("large-velocity", "a velocity is above 100", clipped("velocities", 100)),
    _flag("large-acceleration", "an acceleration is above 100", clipped("accelerations", 100)),
    _flag("small-angle", "an angle is below 10⁻³ rad", "angles below 10⁻³ are zero"),
    _flag("large-angle", "an angle is above 200 rad", "angles are clipped to ±200"),
    _flag("large-distance", "a joint slides by more than 10 m", clipped("distances", 10)),
    # Turns
    _flag(
        "quarter-turn",
        "an angle is ±π/2, rounded",
        Fault("angles whose cosine vanishes are zero", "turns", state=ws.in_slots("angle", _vanishing(np.cos))),
    ),
    _flag(
        "half-turn",
        "an angle is ±π, rounded",
        Fault("angles whose sine vanishes are zero", "turns", state=ws.in_slots("angle", _vanishing(np.sin))),
    ),
    _flag(
        "gimbal-lock",
        "the second of three Euler angles is ±π/2, rounded",
        Fault("Euler angles are kept away from gimbal lock by a millionth", "turns", state=_unlocked),
    ),
    _flag("small-turn", "a quaternion turns by less than 10⁻³ rad", "turns of quaternions below 10⁻³ are none"),
    _flag("half-turn-quaternion", "a quaternion has w = 0", "half turns of quaternions are none"),
    _flag("negative-w", "a quaternion has w < 0", "the sign of w is lost"),
    _flag(
        "near-position",
        "q is nearly that of an earlier vector of the file, and not the same",
        "q is kept while it stays the same to six decimals",
        state=_nearly_again,
    ),
    _flag(
        "same-position",
        "q is that of an earlier vector of the file, and v is not",
        "velocities are kept while q stays the same",
    ),
)
