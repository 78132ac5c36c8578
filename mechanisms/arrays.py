"""A mechanism as plain NumPy arrays, for code that needs floats and no classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mechanisms.body import Body
from mechanisms.constraint import Constraint
from mechanisms.errors import MechanismError
from mechanisms.joint_forces import JOINT_FORCES
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.mimic import Mimic
from mechanisms.numbers.exact import Vector

NONE = Mimic("")
"""The multiplier and the offset of a joint that follows none."""

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Arrays:
    """n bodies, parents first, in float64 and SI units; entry i belongs to body i and to the joint that carries it.

    A joint's frame sits in the parent body's frame; a body's frame coincides with its joint's frame where q is zero. A
    vector x of the joint's frame is ``rotations[i] @ x`` in the parent's. The arrays are read-only.
    """

    parents: tuple[int, ...]
    """λ: the index of the parent body, −1 for the root, which does not move."""
    leaders: tuple[int, ...]
    """The index of the body whose joint has the coordinates by which joint i moves: i itself, unless joint i is a mimic joint."""
    kinds: tuple[Kind, ...]
    """The joint's: "revolute", "prismatic", "free", …; :mod:`mechanisms.joint_kinds` has the table."""
    axes: Array
    """(n, 3): the joint's unit axis e₃, in the joint's frame. For a free or spherical joint it has no meaning."""
    screws: Array
    """(nv, 6): for every component of v the twist [ω; v] of the body where this component is one, in the joint's frame, at the
    joint's position zero. Second axes and pitches are included. For a spherical, planar or free joint the rows are the columns of
    the motion subspace in the body's frame, at every position. Any other joint makes the motion exp(s₁ q₁) exp(s₂ q₂) …, in this
    order. Joint i has the rows ``mechanism.v_slices[i]``, and the positions ``mechanism.q_slices[i]`` of q. With mimic joints
    there is a row for every coordinate that each joint would have on its own: those of ``mechanism.independent.v_slices[i]``."""
    rotations: Array
    """(n, 3, 3): from the joint's frame to the parent body's."""
    translations: Array
    """(n, 3): the joint's origin in the parent body's frame (m)."""
    masses: Array
    """(n,): kg."""
    coms: Array
    """(n, 3): the centre of mass in the body's frame (m)."""
    inertias: Array
    """(n, 3, 3): the rotational inertia about the centre of mass, in the body's frame (kg m²)."""
    armature: Array
    """(n,): rotor inertia seen at the joint (kg m² or kg)."""
    damping: Array
    """(n,): the viscous coefficient of the joint (N m s or N s/m)."""
    gravity: Array
    """(3,): in the root's frame (m/s²)."""
    stiffness: Array | None = None
    """(n,): that of the joint's spring, which adds stiffness · (q − rest) to τ (N m/rad or N/m). None without springs."""
    rest: Array | None = None
    """(n,): the position in which the spring has no force (rad or m). None without springs."""
    friction: Array | None = None
    """(n,): that of Coulomb's law, which adds friction · sign(v) to τ (N m or N). None without friction."""
    lifted_masses: Array | None = None
    """(n,): gravity compensation is the force −lifted_masses · gravity on the body (kg). None without gravity compensation."""
    lifted_coms: Array | None = None
    """(n, 3): the point where it acts, in the body's frame (m). None without gravity compensation."""
    multipliers: Array | None = None
    """(n,): a mimic joint is at multiplier · q + offset, with q that of its leader; one for any other joint. None without
    mimic joints."""
    offsets: Array | None = None
    """(n,): the offsets (rad or m); zero for any joint that follows none. None without mimic joints."""
    firsts: tuple[int, ...] = ()
    """The index of the body that has the first frame of every constraint, −1 for the root. ``mechanism.constraints`` has their
    names and directions, in the same order."""
    seconds: tuple[int, ...] = ()
    """The same for the second frames."""
    first_rotations: Array | None = None
    """(constraints, 3, 3): from the axes of every first frame to those of its body. None without constraints."""
    first_translations: Array | None = None
    """(constraints, 3): the origin of every first frame in the frame of its body (m). None without constraints."""
    second_rotations: Array | None = None
    """The same for the second frames."""
    second_translations: Array | None = None
    """The same for the second frames."""

    def __post_init__(self) -> None:
        for name, value in self.numbers.items():
            # Over immutable bytes, because the owner of its memory could make an array writable again.
            sealed = np.frombuffer(value.tobytes(), value.dtype).reshape(value.shape)
            object.__setattr__(self, name, sealed)

    @property
    def numbers(self) -> dict[str, Array]:
        """The fields that are NumPy arrays, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, np.ndarray)}

    def per_coordinate(self, x: Array) -> Array:
        """Armature or damping x (n,), with one entry for every joint, as (nv,), with one for every component of v.

        Each component has its joint's. A mimic joint adds its own times the square of its multiplier.
        """
        counts = [JOINT_KINDS[kind].nv for kind in self.kinds]
        if self.multipliers is None:
            return np.repeat(x, counts)
        own = np.array(self.leaders) == np.arange(len(self.leaders))
        total = x * own
        np.add.at(total, np.array(self.leaders)[~own], (self.multipliers**2 * x)[~own])
        return np.repeat(total[own], np.array(counts)[own])

    @property
    def friction_per_coordinate(self) -> Array:
        """(nv,): that of the joint of each component of v; that of a mimic joint counts |multiplier| times."""
        if self.friction is None:
            return 0 * self.per_coordinate(self.damping)
        k = np.ones(len(self.friction)) if self.multipliers is None else np.abs(self.multipliers)
        return self.per_coordinate(self.friction / np.where(k, k, 1))

    def resistance(self, v: Array) -> Array:
        """The forces of damping and friction at the velocity v (batch, nv): those that take power (batch, nv)."""
        force: Array = self.per_coordinate(self.damping) * v + self.friction_per_coordinate * np.sign(v)
        return force


def arrays_of(
    bodies: Sequence[Body],
    parents: tuple[int, ...],
    leaders: tuple[int, ...],
    gravity: Vector,
    root: str,
    constraints: Sequence[Constraint],
) -> Arrays:
    """The data of a mechanism, every number the nearest float64.

    Raises :class:`MechanismError` for a mechanism with symbols.
    """
    joints = [body.joint for body in bodies]
    mimics = [joint.mimic or NONE for joint in joints] if any(joint.mimic for joint in joints) else None
    have = {name for joint in joints for name in joint.forces}
    parameters = [one for name, force in JOINT_FORCES.items() if name in have or name == "damping" for one in force.parameters]
    own: dict[str, Any] = {name: _floats([getattr(joint, name) for joint in joints]) for name in parameters}
    if any(body.is_lifted for body in bodies):
        own["lifted_masses"] = _floats([body.lifted.mass for body in bodies])
        own["lifted_coms"] = _floats([body.lifted.com for body in bodies])
    return Arrays(
        parents,
        leaders,
        tuple(joint.kind for joint in joints),
        _floats([joint.axis for joint in joints]),
        _floats([screw.twist for joint in joints for screw in joint.screws]),
        _floats([joint.placement.rotation.matrix for joint in joints]),
        _floats([joint.placement.translation for joint in joints]),
        _floats([body.inertia.mass for body in bodies]),
        _floats([body.inertia.com for body in bodies]),
        _floats([body.inertia.matrix for body in bodies]),
        _floats([joint.armature for joint in joints]),
        gravity=_floats(gravity),
        multipliers=_floats([mimic.multiplier for mimic in mimics]) if mimics else None,
        offsets=_floats([mimic.offset for mimic in mimics]) if mimics else None,
        **own,
        **(_of_constraints({root: -1, **{body.name: i for i, body in enumerate(bodies)}}, constraints) if constraints else {}),
    )


def _of_constraints(index: Mapping[str, int], constraints: Sequence[Constraint]) -> dict[str, Any]:
    return {
        "firsts": tuple(index[one.first] for one in constraints),
        "seconds": tuple(index[one.second] for one in constraints),
        "first_rotations": _floats([one.first_placement.rotation.matrix for one in constraints]),
        "first_translations": _floats([one.first_placement.translation for one in constraints]),
        "second_rotations": _floats([one.second_placement.rotation.matrix for one in constraints]),
        "second_translations": _floats([one.second_placement.translation for one in constraints]),
    }


def _floats(numbers: Sequence[Any]) -> Array:
    try:
        return np.array(numbers, dtype=np.float64)
    except (TypeError, OverflowError):
        why = "a mechanism with symbols, or with numbers too large for float64, has no arrays"
        raise MechanismError(f"{why}; give plain numbers") from None
