"""Kinematics and external forces in RBDL, through its own Python binding.

==================== ========================================== ======================================================
what                 RBDL                                       conversion
==================== ========================================== ======================================================
placements           ``CalcBodyToBaseCoordinates`` and          the segment's frame is rotated back to the body's, here and
                     ``CalcBodyWorldOrientation``, transposed   in all local quantities
Jacobians            ``CalcPointJacobian6D``, along the root's  aligned: of the body's origin; world: of the point of the
                     axes, of any point of the body             body at the root's origin
local Jacobians      ``CalcBodySpatialJacobian``                :class:`Unsupported` if there is a quaternion: the binding
                                                                then writes behind the matrix
velocities           ``CalcPointVelocity6D``, of any point      as the Jacobians
local velocities     ``Model.v`` after ``UpdateKinematics``     none
accelerations        ``CalcPointAcceleration6D``: [ω̇; p̈]        none; these are the classical ones
local accelerations  ``Model.a``, spatial, without gravity      none; the drifts J̇ v are those at rest
frames               points of bodies, along the root's axes    none; not offered where a frame is fixed to the root
centre of mass       ``CalcCenterOfMass``                       none
centroidal momentum  angular momentum about the centre of mass  followed by mass · velocity of the centre of mass
                     from ``CalcCenterOfMass``
external forces      [n; f] of every body, about the root's     forces are moved to the root's origin with RBDL's
                     origin and along its axes                  placements
==================== ========================================== ======================================================

The binding offers no kinetic energy, no derivatives and no momentum matrix. Spatial accelerations and drifts are those along the
body's axes only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from implementations.engines.rbdl.official_binding import Official
from implementations.engines.rbdl.segments import ends, segments
from implementations.engines.state_by_state import of_places
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism

ORIGIN = np.zeros(3)


class Point(NamedTuple):
    """A point (3,) of a body of RBDL, whose axes ``turn`` (3, 3) rotates to ours."""

    body: int
    turn: Array
    point: Array = ORIGIN


class OfficialMotions(Official):
    """One mechanism in RBDL's own binding, at one state. Not thread-safe."""

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        Official.__init__(self, engine, mechanism.arrays.gravity, segments(mechanism, self.native, self.composes))
        self._mechanism, self._still = mechanism, np.zeros(mechanism.nv)
        self._bodies = [
            Point(self.ids[segment], np.array(turn.rotation.matrix, dtype=float))
            for segment, turn in ends(mechanism, self.native, self.composes)
        ]
        frames = [
            body._replace(point=body.turn.T @ np.array(frame.placement.translation, dtype=float))
            for frame in mechanism.frames
            if frame.body >= 0
            for body in [self._bodies[frame.body]]
        ]
        self._offer("", self._bodies, self._of_points() | self._of_bodies())
        if len(frames) == len(mechanism.frames):
            self._offer("frame_", frames, self._of_points())

    def _offer(self, prefix: str, points: Sequence[Point], asked: dict[str, Callable[[Point], Any]]) -> None:
        vars(self).update(of_places(self._update, points, asked, prefix))

    def _update(self, q: Array, v: Array | None = None, a: Array | None = None) -> None:
        self._q = q
        self._v, self._a = (self._still if x is None else x for x in (v, a))
        self.engine.UpdateKinematics(self.model, q, self._v, self._a)

    def _of_points(self) -> dict[str, Callable[[Point], Any]]:
        return {
            "jacobians_aligned": lambda at: self._jacobian(at.body, at.point),
            "velocities_aligned": lambda at: self._velocity(at.body, at.point),
            "classical_accelerations": lambda at: self.engine.CalcPointAcceleration6D(
                self.model, self._q, self._v, self._a, at.body, at.point, False
            ),
        }

    def _of_bodies(self) -> dict[str, Callable[[Point], Any]]:
        return {
            "placements": self._place,
            "jacobians_world": lambda at: self._jacobian(at.body, self._at_root(at.body)),
            "jacobians_local": self._body_jacobian,
            "velocities_world": lambda at: self._velocity(at.body, self._at_root(at.body)),
            "velocities_local": lambda at: self._local(self.model.v, at),
            "accelerations_local": lambda at: self._local(self.model.a, at),
        }

    def _place(self, at: Point) -> Array:
        R = self.engine.CalcBodyWorldOrientation(self.model, self._q, at.body, False).T
        p = self.engine.CalcBodyToBaseCoordinates(self.model, self._q, at.body, ORIGIN, False)
        return np.column_stack([R @ at.turn.T, p])

    def _at_root(self, body: int) -> Array:
        """The point of the body that is at the root's origin now."""
        return self.engine.CalcBaseToBodyCoordinates(self.model, self._q, body, ORIGIN, False)

    def _jacobian(self, body: int, point: Array) -> Array:
        # RBDL writes only the columns that can differ from zero.
        J = np.zeros((6, len(self._still)))
        self.engine.CalcPointJacobian6D(self.model, self._q, body, point, J, False)
        return J

    def _body_jacobian(self, at: Point) -> Array:
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(
                f"RBDL's binding writes behind the body's Jacobian where there is a quaternion, as in {joint.name!r}; "
                "compare those along the root's axes instead"
            )
        J = np.zeros((6, len(self._still)))
        self.engine.CalcBodySpatialJacobian(self.model, self._q, at.body, ORIGIN, J, False)
        return _turned(J, at)

    def _velocity(self, body: int, point: Array) -> Array:
        return self.engine.CalcPointVelocity6D(self.model, self._q, self._v, body, point, False)

    def _local(self, motions: Sequence[Any], at: Point) -> Array:
        """The motion of the body along its axes, of RBDL's list of spatial vectors of its bodies."""
        motion = motions[at.body]
        return _turned(np.array([motion[i] for i in range(6)]), at)

    def center_of_mass(self, q: Array) -> Array:
        return self._mass_motion(q, self._still)[0]

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        return self._mass_motion(q, v)[1]

    def _mass_motion(self, q: Array, v: Array) -> tuple[Array, Array]:
        """The centre of mass (3,), and [k; l] (6,)."""
        com, velocity, angular = np.zeros((3, 3))
        v = self.padded(v)
        mass = self.engine.CalcCenterOfMass(self.model, q, v, com, com_velocity=velocity, angular_momentum=angular)
        return com, np.concatenate([angular, mass * velocity])

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        self._update(q)
        forces = np.zeros((self._bodies[-1].body + 1, 6))
        for at, force in zip(self._bodies, f, strict=True):
            place = self._place(at)
            moment, linear = place[:, :3] @ force[:3], place[:, :3] @ force[3:]
            forces[at.body] = *(moment + np.cross(place[:, 3], linear)), *linear
        return self.inverse_dynamics(q, v, a, forces)


def _turned(motion: Array, at: Point) -> Array:
    """A motion (6, ...) along the segment's axes, along the body's."""
    return np.concatenate([at.turn @ motion[:3], at.turn @ motion[3:]])
