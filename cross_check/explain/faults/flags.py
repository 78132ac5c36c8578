"""Flags of test vectors: what a vector stresses, and the fault that only vectors with this flag catch.

A flag's fault is a variant of the reference (:mod:`cross_check.explain.faults`). A vector has the flag where the fault changes
the mechanism or the arguments of the quantity. The fault shows at vectors with the flag, and at no others;
docs/write_vectors.py tries this, and docs/vectors.md has the outcome. A fault of an algorithm or of the
answer does not say where it acts: its flag has conditions of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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


OWN = (
    Fault("every body that is not on the root hangs on the one before", "branching", mechanism=hung(_on_the_one_before)),
    Fault("at rest every answer is zero", "rest", answer=_nothing_at_rest),
    Fault("where a is not zero, v is ignored", "rest", state=ws.where("v", lambda state: _moves(state, "a"))),
    Fault("where v is zero, τ is ignored", "rest", state=ws.where(["tau"], ws.at_rest)),
    *(clipped(what, limit) for what, limit in (("velocities", 100), ("accelerations", 100), ("distances", 10))),
    Fault("angles whose cosine vanishes are zero", "turns", state=ws.in_slots("angle", _vanishing(np.cos))),
    Fault("angles whose sine vanishes are zero", "turns", state=ws.in_slots("angle", _vanishing(np.sin))),
    Fault("Euler angles are kept away from gimbal lock by a millionth", "turns", state=_unlocked),
)
"""Faults of flags that are no typical ones."""

BY_NAME = {fault.name: fault for fault in (*FAULTS, *OWN)}

MECHANISMS: dict[str, Callable[[Mechanism], bool]] = {
    "turned-frame": _has_turned_frame,
    "branching": branches,
    "several-roots": has_several_roots,
    "body-without-mass": has_massless_link,
    "more-than-32-coordinates": lambda m: m.nv > 32,
    "more-than-64-coordinates": lambda m: m.nv > 64,
}
STATES = {"at-rest": _at_rest, "several-velocities": _several_move, "near-position": _nearly_again}
"""By flag: the conditions that its fault does not say."""


def _joint_flag(kind: Kind) -> VectorFlag:
    fault = BY_NAME[f"the velocity of a {kind} joint has the wrong sign"]
    return VectorFlag(f"{kind}-joint", f"a joint is {kind}", fault, fault.changes)


FLAGS: tuple[VectorFlag, ...] = (
    *map(_joint_flag, MOVING),
    *(
        VectorFlag(name, row["meaning"], BY_NAME[row["fault"]], MECHANISMS.get(name), STATES.get(name))
        for name, row in tomllib.loads(Path(__file__).with_name("flags.toml").read_text("utf-8")).items()
    ),
)
