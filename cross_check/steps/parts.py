"""The parts of the equations of motion: each is the force of a mechanism that has nothing else. τ is linear in its numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from cross_check.memory import Array
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Mechanism
from mechanisms.body import GRAVITY_COMPENSATION, MASSLESS
from mechanisms.joint_forces import JOINT_FORCES, NO_DYNAMICS


@dataclass(frozen=True)
class Kind:
    """A part of all joints or bodies, or of one."""

    words: str
    keeps: tuple[str, ...]
    """What its mechanism has: "inertia", "gravity", "lifted" masses, "armature", and forces of joints."""
    by_velocity: bool = True
    by_acceleration: bool = True


LOSSES = tuple(name for name, force in JOINT_FORCES.items() if not force.has_energy)

KINDS = {
    "gravity": Kind("gravity", ("inertia", "gravity", "lifted"), by_velocity=False, by_acceleration=False),
    "lifted": Kind(GRAVITY_COMPENSATION, ("gravity", "lifted"), by_velocity=False, by_acceleration=False),
    **{
        name: Kind(f"the force of {force.words[2:]}s" if force.words.startswith("a ") else force.words, (name,))
        for name, force in JOINT_FORCES.items()
    },
    "armature": Kind("armature", ("armature",)),
    "coriolis": Kind("Coriolis and centrifugal forces", ("inertia",), by_acceleration=False),
    "velocity": Kind("all forces of velocity", ("inertia", *LOSSES), by_acceleration=False),
    "inertia": Kind("mass and moments of inertia", ("inertia", "gravity")),
}

OF_ONE = (*JOINT_FORCES, "armature", "inertia", "lifted")
"""The parts that a joint, or its body, has of its own."""


def has(body: Body, part: str) -> bool:
    """Whether a body or its joint has a part of :data:`OF_ONE`; every other part is the whole mechanism's."""
    if part in ("inertia", "lifted"):
        return not getattr(body, part).is_massless
    return body.joint.armature != 0 if part == "armature" else part in body.joint.forces or part not in JOINT_FORCES


class Part:
    """One part: of all bodies and their joints, or of the one with this index."""

    def __init__(self, mechanism: Mechanism, name: str, which: int | None) -> None:
        self._kind, zero = KINDS[name], 0 * np.array(mechanism.gravity)
        bodies = tuple(_kept(body, self._kind.keeps if which in (None, i) else ()) for i, body in enumerate(mechanism.bodies))
        gravity = mechanism.gravity if "gravity" in self._kind.keeps else tuple(zero)
        self._dynamics: Any = REFERENCE.load(replace(mechanism, bodies=bodies, gravity=gravity))

    def force(self, q: Array, v: Array, a: Array) -> Array:
        """What it adds to τ (batch, nv)."""
        moving, accelerating = self._kind.by_velocity, self._kind.by_acceleration
        return np.asarray(self._dynamics.inverse_dynamics(q, v if moving else 0 * v, a if accelerating else 0 * a))

    def mass_matrix(self, q: Array) -> Array:
        """What it adds to M (batch, nv, nv)."""
        M: Array = self._dynamics.mass_matrix(q)
        return M if self._kind.by_acceleration else 0 * M

    def derivative(self, name: str, q: Array, *rates: Array) -> Array:
        """What it adds to a derivative of τ (batch, nv, nv); ``rates`` are v, or v and a."""
        return np.asarray(getattr(self._dynamics, name)(q, *(x if self._kind.by_velocity else 0 * x for x in rates)))


@lru_cache(maxsize=256)
def part_of(mechanism: Mechanism, name: str, which: int | None) -> Part:
    """The part, which is made once."""
    return Part(mechanism, name, which)


def _kept(body: Body, keeps: tuple[str, ...]) -> Body:
    own = [name for force in keeps for name in (JOINT_FORCES[force].parameters if force in JOINT_FORCES else (force,))]
    dynamics = {name: getattr(body.joint, name) if name in own else none for name, none in NO_DYNAMICS.items()}
    inertia, lifted = (getattr(body, name) if name in keeps else MASSLESS for name in ("inertia", "lifted"))
    return replace(body, joint=replace(body.joint, **dynamics), inertia=inertia, lifted=lifted)
