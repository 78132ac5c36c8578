"""What Drake computes at one state, in its own order of coordinates. A body's frame is the frame of Drake's body.

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

from collections.abc import Callable
from typing import Any

import numpy as np

from implementations.engines.drake.plant import Built
from implementations.engines.state_by_state import of_places
from implementations.protocol import Array

ORIGIN = np.zeros(3)


class DrakeCalls:
    """One plant. Not thread-safe: a context keeps the state."""

    def __init__(self, drake: Any, built: Built) -> None:
        self._drake, self._plant, self._built, self._world = drake, built.plant, built, built.plant.world_frame()
        self._context = built.plant.CreateDefaultContext()
        self._forces = drake.MultibodyForces(built.plant)
        self._of = drake.JacobianWrtVariable.kV
        for body in built.unmoved:
            body.SetSpatialInertiaInBodyFrame(self._context, drake.SpatialInertia.Zero())
        self.frames = {"": [body.body_frame() for body in built.bodies], "frame_": built.frames}
        """The frames of bodies, and the fixed frames, by the beginning of the names of their quantities."""
        for prefix, frames in self.frames.items():
            vars(self).update(of_places(self._set, frames, self._of_frames(), prefix))
            vars(self).update(of_places(self._accelerated, frames, self._accelerations(), prefix))
        vars(self).update(of_places(self._set, self.frames[""], {"drifts_aligned": self._drift}))

    def _set(self, q: Array, v: Array | None = None) -> Any:
        """The context at this state. Without ``v`` velocities are zero."""
        self._plant.SetPositions(self._context, q)
        self._plant.SetVelocities(self._context, np.zeros(self._plant.num_velocities()) if v is None else v)
        return self._context

    def _accelerated(self, q: Array, v: Array, a: Array) -> None:
        self._motions = self._plant.CalcSpatialAccelerationsFromVdot(self._set(q, v), a)

    def _of_frames(self) -> dict[str, Callable[[Any], Any]]:
        context, world = self._context, self._world
        return {
            "placements": lambda frame: frame.CalcPoseInWorld(context).GetAsMatrix34(),
            "jacobians_local": lambda frame: self._jacobian(frame, ORIGIN, frame),
            "jacobians_aligned": lambda frame: self._jacobian(frame, ORIGIN, world),
            "jacobians_world": lambda frame: self._jacobian(
                frame, self._plant.CalcPointsPositions(context, world, ORIGIN, frame)[:, 0], world
            ),
            "velocities_local": lambda frame: frame.CalcSpatialVelocity(context, world, frame).get_coeffs(),
            "velocities_aligned": lambda frame: frame.CalcSpatialVelocity(context, world, world).get_coeffs(),
            "velocities_world": lambda frame: (
                frame.CalcSpatialVelocityInWorld(context).Shift(-frame.CalcPoseInWorld(context).translation()).get_coeffs()
            ),
        }

    def _accelerations(self) -> dict[str, Callable[[Any], Any]]:
        def classical(frame: Any) -> Any:
            body = frame.body()
            lever = frame.CalcPoseInWorld(self._context).translation() - body.EvalPoseInWorld(self._context).translation()
            turning = frame.CalcAngularVelocity(self._context, self._world, self._world)
            return self._motions[int(body.index())].Shift(lever, turning).get_coeffs()

        return {"classical_accelerations": classical}

    def _drift(self, frame: Any) -> Any:
        return self._plant.CalcBiasSpatialAcceleration(
            self._context, self._of, frame, ORIGIN, self._world, self._world
        ).get_coeffs()

    def _jacobian(self, frame: Any, point: Array, axes: Any) -> Any:
        return self._plant.CalcJacobianSpatialVelocity(self._context, self._of, frame, point, self._world, axes)

    def _contributions(self, q: Array, v: Array) -> Any:
        """Gravity and damping at this state."""
        self._plant.CalcForceElementsContribution(self._set(q, v), self._forces)
        return self._forces

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Any:
        return self._plant.CalcInverseDynamics(self._context, a, self._contributions(q, v))

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Any:
        forces = self._contributions(q, v)
        for body, force in zip(self._built.bodies, f, strict=True):
            body.AddInForce(self._context, ORIGIN, self._drake.SpatialForce(force), body.body_frame(), forces)
        return self._plant.CalcInverseDynamics(self._context, a, forces)

    def mass_matrix(self, q: Array) -> Any:
        return self._plant.CalcMassMatrix(self._set(q))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Any:
        self._plant.get_applied_generalized_force_input_port().FixValue(self._context, tau)
        return self._plant.EvalTimeDerivatives(self._set(q, v)).CopyToVector()[len(q) :]

    def nonlinear_effects(self, q: Array, v: Array) -> Any:
        applied = self._plant.CalcGeneralizedForces(self._context, self._contributions(q, v))
        return self._plant.CalcBiasTerm(self._context) - applied

    def gravity(self, q: Array) -> Any:
        return -self._plant.CalcGravityGeneralizedForces(self._set(q))

    def kinetic_energy(self, q: Array, v: Array) -> Any:
        return self._plant.CalcKineticEnergy(self._set(q, v))

    def potential_energy(self, q: Array) -> Any:
        return self._plant.CalcPotentialEnergy(self._set(q))

    def center_of_mass(self, q: Array) -> Any:
        return self._plant.CalcCenterOfMassPositionInWorld(self._set(q))

    def center_of_mass_velocity(self, q: Array, v: Array) -> Any:
        return self._plant.CalcCenterOfMassTranslationalVelocityInWorld(self._set(q, v))

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Any:
        context, world = self._set(q, v), self._world
        bias = self._plant.CalcBiasCenterOfMassTranslationalAcceleration(context, self._of, world, world)
        return self._plant.CalcJacobianCenterOfMassTranslationalVelocity(context, self._of, world, world) @ a + np.ravel(bias)

    def center_of_mass_jacobian(self, q: Array) -> Any:
        return self._plant.CalcJacobianCenterOfMassTranslationalVelocity(self._set(q), self._of, self._world, self._world)

    def centroidal_momentum(self, q: Array, v: Array) -> Any:
        context = self._set(q, v)
        center = self._plant.CalcCenterOfMassPositionInWorld(context)
        return self._plant.CalcSpatialMomentumInWorldAboutPoint(context, center).get_coeffs()
