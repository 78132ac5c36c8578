"""Kinematics in Drake. A body's frame is the frame of Drake's body.

==================== ========================================== ======================================================
what                 Drake                                      conversion
==================== ========================================== ======================================================
Jacobians            of any point, along any frame's axes       local: of the origin, along the body's; aligned: of
                                                                the origin, along the root's; world: of the body's
                                                                point at the root's origin
velocities           of the frame's origin, along any axes      world: ``Shift`` to the root's origin
accelerations        [ω̇; p̈] along the root's axes               none; these are the classical accelerations. Drake has
                                                                no spatial ones
J̇ v                  [ω̇; p̈] where v̇ is zero                    none; this is the aligned frame's. Drake has no others
centroidal momentum  about any point                            the point is Drake's centre of mass
frames               as bodies; accelerations by ``Shift``      none
c̈                    of the acceleration that forces cause      its Jacobian times a, and its bias acceleration
external forces      at any point, along any frame's axes       none
==================== ========================================== ======================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.engines.drake.plant import Built
from implementations.protocol import Array

ORIGIN = np.zeros(3)


class DrakeKinematics:
    """The part of :class:`implementations.engines.drake.adapter.DrakeDynamics` that is about the motion of bodies."""

    _drake: Any
    _plant: Any
    _built: Built

    if TYPE_CHECKING:

        def _answer(self, name: str, ask: Callable[..., Any], q: Array, *others: Array) -> Array: ...
        def _set(self, q: Array, v: Array | None = None) -> Any: ...
        def _contributions(self, q: Array, v: Array) -> Any: ...

    def placements(self, q: Array) -> Array:
        return self._answer("placements", self._placements, q)

    def jacobians_local(self, q: Array) -> Array:
        return self._answer("jacobians_local", partial(self._jacobians, self._frames, True), q)

    def jacobians_aligned(self, q: Array) -> Array:
        return self._answer("jacobians_aligned", partial(self._jacobians, self._frames, False), q)

    def jacobians_world(self, q: Array) -> Array:
        return self._answer("jacobians_world", partial(self._jacobians_world, self._frames), q)

    def velocities_local(self, q: Array, v: Array) -> Array:
        return self._answer("velocities_local", partial(self._velocities, self._frames, True), q, v)

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        return self._answer("velocities_aligned", partial(self._velocities, self._frames, False), q, v)

    def velocities_world(self, q: Array, v: Array) -> Array:
        return self._answer("velocities_world", self._velocities_world, q, v)

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("classical_accelerations", self._classical_accelerations, q, v, a)

    def drifts_aligned(self, q: Array, v: Array) -> Array:
        return self._answer("drifts_aligned", self._drifts, q, v)

    def center_of_mass(self, q: Array) -> Array:
        return self._answer("center_of_mass", lambda q: self._plant.CalcCenterOfMassPositionInWorld(self._set(q)), q)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        return self._answer("centroidal_momentum", self._centroidal_momentum, q, v)

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        ask = self._plant.CalcCenterOfMassTranslationalVelocityInWorld
        return self._answer("center_of_mass_velocity", lambda q, v: ask(self._set(q, v)), q, v)

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("center_of_mass_acceleration", self._center_of_mass_acceleration, q, v, a)

    def center_of_mass_jacobian(self, q: Array) -> Array:
        return self._answer("center_of_mass_jacobian", lambda q: self._center_of_mass_jacobian(self._set(q)), q)

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        return self._answer("inverse_dynamics_with_forces", self._inverse_dynamics_with_forces, q, v, a, f)

    def offer_frames(self) -> None:
        """The motions of the mechanism's own frames are methods too, if the plant has these frames."""
        frames = self._built.frames
        asked: dict[str, Callable[..., Any]] = {
            "frame_placements": self._frame_placements,
            "frame_jacobians_local": partial(self._jacobians, frames, True),
            "frame_jacobians_aligned": partial(self._jacobians, frames, False),
            "frame_jacobians_world": partial(self._jacobians_world, frames),
            "frame_velocities_local": partial(self._velocities, frames, True),
            "frame_velocities_aligned": partial(self._velocities, frames, False),
            "frame_velocities_world": self._frame_velocities_world,
            "frame_classical_accelerations": self._frame_classical_accelerations,
        }
        for name, ask in asked.items() if frames else ():
            setattr(self, name, partial(self._answer, name, ask))

    def _frame_placements(self, q: Array) -> Any:
        context = self._set(q)
        return [frame.CalcPoseInWorld(context).GetAsMatrix34() for frame in self._built.frames]

    def _frame_velocities_world(self, q: Array, v: Array) -> Any:
        context = self._set(q, v)
        pairs = ((frame.CalcSpatialVelocityInWorld(context), frame.CalcPoseInWorld(context)) for frame in self._built.frames)
        return [motion.Shift(-place.translation()).get_coeffs() for motion, place in pairs]

    def _frame_classical_accelerations(self, q: Array, v: Array, a: Array) -> Any:
        context = self._set(q, v)
        motions, found = self._plant.CalcSpatialAccelerationsFromVdot(context, a), []
        for frame in self._built.frames:
            lever = frame.CalcPoseInWorld(context).translation() - frame.body().EvalPoseInWorld(context).translation()
            turning = frame.CalcAngularVelocity(context, self._plant.world_frame(), self._plant.world_frame())
            found.append(motions[int(frame.body().index())].Shift(lever, turning).get_coeffs())
        return found

    @property
    def _frames(self) -> list[Any]:
        return [body.body_frame() for body in self._built.bodies]

    def _placements(self, q: Array) -> Any:
        context = self._set(q)
        return [self._plant.EvalBodyPoseInWorld(context, body).GetAsMatrix34() for body in self._built.bodies]

    def _jacobians(self, frames: Sequence[Any], local: bool, q: Array) -> Any:
        context, world = self._set(q), self._plant.world_frame()
        return [self._jacobian(context, frame, ORIGIN, frame if local else world) for frame in frames]

    def _jacobians_world(self, frames: Sequence[Any], q: Array) -> Any:
        context, world = self._set(q), self._plant.world_frame()
        points = (self._plant.CalcPointsPositions(context, world, ORIGIN, frame)[:, 0] for frame in frames)
        return [self._jacobian(context, frame, point, world) for frame, point in zip(frames, points, strict=True)]

    def _jacobian(self, context: Any, frame: Any, point: Array, axes: Any) -> Any:
        of = self._drake.JacobianWrtVariable.kV
        return self._plant.CalcJacobianSpatialVelocity(context, of, frame, point, self._plant.world_frame(), axes)

    def _velocities(self, frames: Sequence[Any], local: bool, q: Array, v: Array) -> Any:
        context, world = self._set(q, v), self._plant.world_frame()
        motions = (frame.CalcSpatialVelocity(context, world, frame if local else world) for frame in frames)
        return [motion.get_coeffs() for motion in motions]

    def _velocities_world(self, q: Array, v: Array) -> Any:
        context = self._set(q, v)
        found = []
        for body in self._built.bodies:
            to_origin = -self._plant.EvalBodyPoseInWorld(context, body).translation()
            found.append(self._plant.EvalBodySpatialVelocityInWorld(context, body).Shift(to_origin).get_coeffs())
        return found

    def _classical_accelerations(self, q: Array, v: Array, a: Array) -> Any:
        motions = self._plant.CalcSpatialAccelerationsFromVdot(self._set(q, v), a)
        return [motions[int(body.index())].get_coeffs() for body in self._built.bodies]

    def _drifts(self, q: Array, v: Array) -> Any:
        context, world, of = self._set(q, v), self._plant.world_frame(), self._drake.JacobianWrtVariable.kV
        bias = partial(self._plant.CalcBiasSpatialAcceleration, context, of)
        return [bias(frame, ORIGIN, world, world).get_coeffs() for frame in self._frames]

    def _centroidal_momentum(self, q: Array, v: Array) -> Any:
        context = self._set(q, v)
        center = self._plant.CalcCenterOfMassPositionInWorld(context)
        return self._plant.CalcSpatialMomentumInWorldAboutPoint(context, center).get_coeffs()

    def _center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Any:
        context, world, of = self._set(q, v), self._plant.world_frame(), self._drake.JacobianWrtVariable.kV
        bias = self._plant.CalcBiasCenterOfMassTranslationalAcceleration(context, of, world, world)
        return self._center_of_mass_jacobian(context) @ a + np.ravel(bias)

    def _center_of_mass_jacobian(self, context: Any) -> Any:
        world, of = self._plant.world_frame(), self._drake.JacobianWrtVariable.kV
        return self._plant.CalcJacobianCenterOfMassTranslationalVelocity(context, of, world, world)

    def _inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Any:
        forces, context = self._contributions(q, v), self._set(q, v)
        for body, force in zip(self._built.bodies, f, strict=True):
            body.AddInForce(context, ORIGIN, self._drake.SpatialForce(force), body.body_frame(), forces)
        return self._plant.CalcInverseDynamics(context, a, forces)
