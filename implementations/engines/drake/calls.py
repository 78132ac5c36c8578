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

Derivatives are those of Drake's own algorithms, evaluated with its automatic derivatives (``AutoDiffXd``).

==================== ========================================== ======================================================
what                 Drake                                      conversion
==================== ========================================== ======================================================
∂/∂q                 by the numbers of its q                    seeded with q̇ of every component of v, by Drake's own
                                                                ``MapVelocityToQDot``
∂/∂v, ∂/∂τ           by its v and τ                             none
regressor            ∂τ/∂π: a body's inertia is a parameter of  none: τ is linear in π. The derivative is taken where
                     the context                                every body is a point of 1 kg at its origin
==================== ========================================== ======================================================

Drake's velocities of free, spherical and planar joints turn with q. Derivatives by q, and those by v where b is not zero, are not
converted there: :class:`implementations.conventions.converted.Converted` says so. Derivatives of accelerations are those of the
classical ones; Drake has no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from implementations.engines.drake.plant import Built
from implementations.protocol import Array
from implementations.state_by_state import after, of_places
from mechanisms.quantities import FRAMES, PARAMETERS

ORIGIN = np.zeros(3)


class PlantAtState:
    """A ``plant`` of any of Drake's types of numbers, at one state. Not thread-safe: a context keeps the state.

    ``forces`` are Drake's multibody forces of this type, and ``number`` makes its numbers of float64 ones.
    """

    def __init__(self, drake: Any, plant: Any, forces: Any, number: Callable[[Any], Any] = lambda x: x) -> None:
        self._drake, self._plant, self._world, self._number = drake, plant, plant.world_frame(), number
        self._context, self._forces = plant.CreateDefaultContext(), forces(plant)
        self._of = drake.JacobianWrtVariable.kV

    def at(self, q: Any, v: Any = None) -> Any:
        """The context at this state. Without ``v`` velocities are zero."""
        self._plant.SetPositions(self._context, self._number(q))
        self._plant.SetVelocities(self._context, self._number(self.still if v is None else v))
        return self._context

    @property
    def still(self) -> Array:
        return np.zeros(self._plant.num_velocities())

    def frame(self, frame: Any) -> Any:
        """The frame of this plant that corresponds to a ``frame`` of the same plant with other numbers."""
        return self._plant.get_frame(frame.index())

    def set_inertia(self, body: Any, π: Any) -> None:
        """Give the parameters π (10,), which carry derivatives, to the body that is the ``body`` of the plant in float64."""
        scalar, mass = self._drake.AutoDiffXd, π[0]
        unit = self._drake.UnitInertia_[scalar](*(π[4:] / mass))
        inertia = self._drake.SpatialInertia_[scalar](mass, π[1:4] / mass, unit, skip_validity_check=True)
        self._plant.get_body(body.index()).SetSpatialInertiaInBodyFrame(self._context, inertia)

    def accelerated(self, q: Any, v: Any, a: Any) -> None:
        self._motions = self._plant.CalcSpatialAccelerationsFromVdot(self.at(q, v), self._number(a))

    def jacobian(self, frame: Any, axes: str) -> Any:
        point = self._number(ORIGIN)
        if axes == "world":
            point = self._plant.CalcPointsPositions(self._context, self._world, point, frame)[:, 0]
        along = frame if axes == "local" else self._world
        return self._plant.CalcJacobianSpatialVelocity(self._context, self._of, frame, point, self._world, along)

    def velocity(self, frame: Any, axes: str) -> Any:
        motion = frame.CalcSpatialVelocity(self._context, self._world, frame if axes == "local" else self._world)
        if axes == "world":
            motion = motion.Shift(-frame.CalcPoseInWorld(self._context).translation())
        return motion.get_coeffs()

    def classical_acceleration(self, frame: Any) -> Any:
        body = frame.body()
        lever = frame.CalcPoseInWorld(self._context).translation() - body.EvalPoseInWorld(self._context).translation()
        turning = frame.CalcAngularVelocity(self._context, self._world, self._world)
        return self._motions[int(body.index())].Shift(lever, turning).get_coeffs()

    def contributions(self, q: Any, v: Any) -> Any:
        """Gravity, damping and springs at this state."""
        self._plant.CalcForceElementsContribution(self.at(q, v), self._forces)
        return self._forces

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Any:
        forces = self.contributions(q, v)
        return self._plant.CalcInverseDynamics(self._context, self._number(a), forces)

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Any:
        self._plant.get_applied_generalized_force_input_port().FixValue(self._context, self._number(tau))
        return self._plant.EvalTimeDerivatives(self.at(q, v)).CopyToVector()[len(q) :]

    def gravity(self, q: Any) -> Any:
        if self._plant.num_force_elements() == 1:
            return -self._plant.CalcGravityGeneralizedForces(self.at(q))
        # Gravity and springs; without velocity there is no damping.
        return -self._plant.CalcGeneralizedForces(self._context, self.contributions(q, self.still))

    def centroidal_momentum(self, q: Any, v: Any) -> Any:
        context = self.at(q, v)
        center = self._plant.CalcCenterOfMassPositionInWorld(context)
        return self._plant.CalcSpatialMomentumInWorldAboutPoint(context, center).get_coeffs()


class DrakeCalls(PlantAtState):
    """One plant in float64, with derivatives."""

    def __init__(self, drake: Any, built: Built) -> None:
        PlantAtState.__init__(self, drake, built.plant, drake.MultibodyForces)
        self._built = built
        for body in built.unmoved:
            body.SetSpatialInertiaInBodyFrame(self._context, drake.SpatialInertia.Zero())
        bodies, offered = [body.body_frame() for body in built.bodies], vars(self)
        for prefix, frames in (("", bodies), ("frame_", built.frames)):
            placements = {"placements": lambda frame: frame.CalcPoseInWorld(self._context).GetAsMatrix34()}
            offered.update(of_places(self.at, frames, placements, prefix))
            accelerations = {"classical_accelerations": self.classical_acceleration}
            offered.update(of_places(self.accelerated, frames, accelerations, prefix))
            for name, ask in (("jacobians", PlantAtState.jacobian), ("velocities", PlantAtState.velocity)):
                for axes in FRAMES if frames else ():
                    offered.update(of_places(self.at, frames, {f"{name}_{axes}": partial(ask, self, axes=axes)}, prefix))
                    of_twin = partial(_of_frames, frames, PlantAtState.at, partial(ask, axes=axes))
                    offered[f"{prefix}{name}_dq_{axes}"] = partial(self._by_q, of_twin)
        offered.update(of_places(self.at, bodies, {"drifts_aligned": self._drift}))
        accelerations_of = partial(_of_frames, bodies, PlantAtState.accelerated, PlantAtState.classical_acceleration)
        of_context = {
            "mass_matrix": "CalcMassMatrix",
            "kinetic_energy": "CalcKineticEnergy",
            "potential_energy": "CalcPotentialEnergy",
            "center_of_mass": "CalcCenterOfMassPositionInWorld",
            "center_of_mass_velocity": "CalcCenterOfMassTranslationalVelocityInWorld",
        }
        offered.update(after(self.at, {name: partial(self._of_context, ask) for name, ask in of_context.items()}))
        by_q: dict[str, Callable[..., Any]] = {
            "inverse_dynamics_dq": PlantAtState.inverse_dynamics,
            "forward_dynamics_dq": PlantAtState.forward_dynamics,
            "gravity_dq": PlantAtState.gravity,
            "centroidal_momentum_dq": PlantAtState.centroidal_momentum,
            "classical_accelerations_dq": accelerations_of,
        }
        by_v: dict[str, Callable[..., Any]] = {
            "inverse_dynamics_dv": PlantAtState.inverse_dynamics,
            "forward_dynamics_dv": PlantAtState.forward_dynamics,
            "classical_accelerations_dv": accelerations_of,
        }
        offered.update({name: partial(self._by_q, ask) for name, ask in by_q.items()})
        offered.update({name: partial(self._by_v, ask) for name, ask in by_v.items()})

    def _of_context(self, function: str) -> Any:
        return getattr(self._plant, function)(self._context)

    def _drift(self, frame: Any) -> Any:
        return self._plant.CalcBiasSpatialAcceleration(
            self._context, self._of, frame, ORIGIN, self._world, self._world
        ).get_coeffs()

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Any:
        forces = self.contributions(q, v)
        for body, force in zip(self._built.bodies, f, strict=True):
            body.AddInForce(self._context, ORIGIN, self._drake.SpatialForce(force), body.body_frame(), forces)
        return self._plant.CalcInverseDynamics(self._context, a, forces)

    def nonlinear_effects(self, q: Array, v: Array) -> Any:
        applied = self._plant.CalcGeneralizedForces(self._context, self.contributions(q, v))
        return self._plant.CalcBiasTerm(self._context) - applied

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Any:
        context, world = self.at(q, v), self._world
        bias = self._plant.CalcBiasCenterOfMassTranslationalAcceleration(context, self._of, world, world)
        return self._plant.CalcJacobianCenterOfMassTranslationalVelocity(context, self._of, world, world) @ a + np.ravel(bias)

    def center_of_mass_jacobian(self, q: Array) -> Any:
        return self._plant.CalcJacobianCenterOfMassTranslationalVelocity(self.at(q), self._of, self._world, self._world)

    def forward_dynamics_dtau(self, q: Array) -> Array:
        still = self.still
        return self._gradient(self._twin.forward_dynamics(q, still, self._variables(still, np.eye(len(still)))))

    def joint_torque_regressor(self, q: Array, v: Array, a: Array) -> Array:
        return self._gradient(self._twin_of_points.inverse_dynamics(q, v, a))

    @cached_property
    def _twin(self) -> PlantAtState:
        return self._with_derivatives()

    @cached_property
    def _twin_of_points(self) -> PlantAtState:
        """The twin in which every body is a point of 1 kg at its origin, and the inertial parameters are the variables."""
        twin, n, bodies = self._with_derivatives(), len(PARAMETERS), self._built.bodies
        points = self._variables(np.tile(np.eye(n)[0], len(bodies)), np.eye(n * len(bodies))).reshape(-1, n)
        for body, π in zip(bodies, points, strict=True):
            twin.set_inertia(body, π)
        return twin

    def _with_derivatives(self) -> PlantAtState:
        """The plant with numbers that carry derivatives."""
        drake = self._drake
        forces = drake.MultibodyForces_[drake.AutoDiffXd]
        return PlantAtState(drake, self._plant.ToAutoDiffXd(), forces, self._constants)

    def _constants(self, x: Any) -> Any:
        """(n,) numbers without derivatives; numbers with derivatives stay as they are."""
        return x if x.dtype == object else self._variables(x, np.zeros((len(x), 0)))

    def _variables(self, values: Array, derivatives: Array) -> Any:
        """(n,) numbers with these derivatives (n, variables)."""
        return self._drake.InitializeAutoDiff(values, derivatives)[:, 0]

    def _gradient(self, numbers: Any) -> Array:
        """The derivatives (…, variables) of numbers (…) by all variables."""
        given = np.asarray(numbers, dtype=object)
        gradient: Array = self._drake.ExtractGradient(given.reshape(-1, 1)).reshape(*given.shape, -1)
        return gradient

    def _by_q(self, ask: Callable[..., Any], q: Array, v: Array | None = None, *rest: Array) -> Array:
        """The derivatives along v of what ``ask`` gives for the plant with derivatives, q and v."""
        context, one = self.at(q, v), np.eye(self._plant.num_velocities())
        rates = np.array([self._plant.MapVelocityToQDot(context, along) for along in one]).T
        return self._gradient(ask(self._twin, self._variables(q, rates), *(() if v is None else (v,)), *rest))

    def _by_v(self, ask: Callable[..., Any], q: Array, v: Array) -> Array:
        return self._gradient(ask(self._twin, q, self._variables(v, np.eye(len(v))), 0 * v))


def _of_frames(
    frames: Sequence[Any], bring: Callable[..., Any], ask: Callable[[PlantAtState, Any], Any], at: PlantAtState, *state: Any
) -> list[Any]:
    """What ``ask`` gives for these frames of the plant, which ``bring`` brings to a state before."""
    bring(at, *state)
    return [ask(at, at.frame(frame)) for frame in frames]
