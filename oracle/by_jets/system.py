"""A mechanism over a field: what the Euler–Lagrange equations are evaluated with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from mechanisms import Inertia, Mechanism, Placement
from oracle.by_jets.joint_jets import JointConstants, MimicConstants, joint_constants, mimic_constants, placed
from oracle.fields import Array, Field, array


class Link(NamedTuple):
    """One body and its joint; J (4, 4, 1) is the body's pseudo-inertia, ``parent`` −1 for the root.

    W (4, 1, 1) is what has weight: J e₄ = [m c; m], less that of the mass that gravity compensation lifts.
    """

    joint: JointConstants
    parent: int
    q: slice
    v: slice
    J: Array
    W: Array
    mimic: MimicConstants | None = None
    spring: tuple[Array, Array] | None = None
    """Stiffness and rest (1, 1), if the joint has a spring."""
    friction: Array | None = None
    """Of Coulomb's law (1, 1), if the joint has friction."""


class FixedFrame(NamedTuple):
    """A frame that is fixed to a body: the body, −1 for the root, and the frame's transform to it, F (3, 4, 1)."""

    body: int
    F: Array


class Closure(NamedTuple):
    """The two frames of a constraint, and the constrained components of their relative motion."""

    first: FixedFrame
    second: FixedFrame
    rows: tuple[int, ...]


class System(NamedTuple):
    """A mechanism over a field; parents come before children, gravity is (3, 1), armature and damping are (nv, 1)."""

    field: Field
    links: tuple[Link, ...]
    gravity: Array
    armature: Array
    damping: Array
    frames: tuple[FixedFrame, ...]
    closures: tuple[Closure, ...]
    kept: dict[Any, Any] | None = None
    """Results of :meth:`once` and the arrays that they belong to; None keeps nothing."""

    def once(self, function: Callable[..., Any], *arrays: Array) -> Any:
        """``function(self, *arrays)``, computed once for the same array objects if results are kept."""
        if self.kept is None:
            return function(self, *arrays)
        key = (function, *map(id, arrays))
        if key not in self.kept:
            # The arrays are kept too, so that no other object can get their id.
            self.kept[key] = (arrays, function(self, *arrays))
        return self.kept[key][1]


def build(mechanism: Mechanism, field: Field) -> System:
    """``mechanism`` over ``field``. Raises :class:`~oracle.errors.OracleError` if a number of the
    mechanism does not exist in the field."""
    links: list[Link] = []
    armature, damping = list[Any]([0] * mechanism.nv), list[Any]([0] * mechanism.nv)
    parts = zip(mechanism.bodies, mechanism.parents, mechanism.leaders, mechanism.q_slices, mechanism.v_slices, strict=True)
    for body, λ, leader, q, v in parts:
        joint = body.joint
        mimic = mimic_constants(joint, mechanism.bodies[leader].joint, field)
        stiffness, relaxed = (array(field, [[number]]) for number in (joint.stiffness, joint.rest))
        spring = (stiffness, relaxed) if joint.stiffness != 0 else None
        friction = array(field, [[joint.friction]]) if joint.friction != 0 else None
        J = pseudo_inertia(field, body.inertia)
        W = J[:, 3:] - pseudo_inertia(field, body.lifted)[:, 3:] if body.is_lifted else J[:, 3:]
        links.append(Link(joint_constants(joint, field), λ, q, v, J, W, mimic, spring, friction))
        # ½ armature (k q̇)² of the energy, and damping (k q̇)² of the power.
        square = joint.mimic.multiplier**2 if joint.mimic else 1
        for k in range(v.start, v.stop):
            armature[k], damping[k] = armature[k] + square * joint.armature, damping[k] + square * joint.damping
    columns = [array(field, values)[:, None] for values in (mechanism.gravity, armature, damping)]
    frames = tuple(FixedFrame(frame.body, placed(field, frame.placement)) for frame in mechanism.frames)
    index = {mechanism.root: -1, **{body.name: i for i, body in enumerate(mechanism.bodies)}}

    def end(body: str, placement: Placement) -> FixedFrame:
        return FixedFrame(index[body], placed(field, placement))

    closures = tuple(
        Closure(end(one.first, one.first_placement), end(one.second, one.second_placement), one.rows)
        for one in mechanism.constraints
    )
    return System(field, tuple(links), columns[0], columns[1], columns[2], frames, closures)


def pseudo_inertia(field: Field, inertia: Inertia) -> Array:
    """J = ∫ x xᵀ dm = [[Σ + m c cᵀ, m c], [m cᵀ, m]] (4, 4, 1), Σ = ½ tr(I) 1 − I with I about the centre of mass."""
    c, I = (*inertia.com, 1), inertia.matrix
    half_trace = (I[0][0] + I[1][1] + I[2][2]) / 2
    J = [[inertia.mass * x * y for y in c] for x in c]
    for i in range(3):
        for j in range(3):
            J[i][j] = J[i][j] + (half_trace if i == j else 0) - I[i][j]
    return array(field, J)[..., None]


def rest(system: System, q: Array) -> Array:
    """Zero velocity or acceleration (nv, batch)."""
    return system.once(_zero, q)


def _zero(system: System, q: Array) -> Array:
    return array(system.field, np.zeros((len(system.armature), q.shape[1]), int))
