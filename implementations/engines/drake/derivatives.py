"""Derivatives in Drake: its own algorithms, evaluated with its automatic derivatives (``AutoDiffXd``).

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

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from implementations.engines.drake.calls import ORIGIN, DrakeCalls
from implementations.engines.drake.plant import Built
from implementations.protocol import Array
from mechanisms.quantities import FRAMES, PARAMETERS


class DrakeDerivatives(DrakeCalls):
    """The same with derivatives."""

    def __init__(self, drake: Any, built: Built) -> None:
        DrakeCalls.__init__(self, drake, built)
        for prefix, frames in self.frames.items():
            numbers = [int(frame.index()) for frame in frames]
            for axes in FRAMES if numbers else ():
                velocities, jacobians = partial(self._velocities, numbers, axes), partial(self._jacobians, numbers, axes)
                vars(self)[f"{prefix}velocities_dq_{axes}"] = partial(self._of_motions_by_q, velocities)
                vars(self)[f"{prefix}jacobians_dq_{axes}"] = partial(self._of_motions_by_q, jacobians)

    def inverse_dynamics_dq(self, q: Array, v: Array, a: Array) -> Array:
        return self._by_q(q, v, self._twin.inverse_dynamics, a)

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Array:
        return self._by_v(q, v, self._twin.inverse_dynamics)

    def forward_dynamics_dq(self, q: Array, v: Array, tau: Array) -> Array:
        return self._by_q(q, v, self._twin.forward_dynamics, tau)

    def forward_dynamics_dv(self, q: Array, v: Array) -> Array:
        return self._by_v(q, v, self._twin.forward_dynamics)

    def forward_dynamics_dtau(self, q: Array) -> Array:
        still = self._still
        return self._twin.forward_dynamics(q, still, self._twin.variables(still, np.eye(len(still))))

    def gravity_dq(self, q: Array) -> Array:
        return self._by_q(q, self._still, self._twin.gravity, self._still)

    def centroidal_momentum_dq(self, q: Array, v: Array) -> Array:
        return self._by_q(q, v, self._twin.momentum, 0 * v)

    def classical_accelerations_dq(self, q: Array, v: Array, a: Array) -> Array:
        return self._by_q(q, v, self._accelerations_of, a)

    def classical_accelerations_dv(self, q: Array, v: Array) -> Array:
        return self._by_v(q, v, self._accelerations_of)

    def joint_torque_regressor(self, q: Array, v: Array, a: Array) -> Array:
        return self._twin_of_points.inverse_dynamics(q, v, a)

    @cached_property
    def _twin(self) -> Twin:
        return Twin(self._drake, self._plant)

    @cached_property
    def _twin_of_points(self) -> Twin:
        """The same plant, in which the inertias of our bodies are the variables."""
        twin = Twin(self._drake, self._plant)
        n = len(PARAMETERS)
        point = np.eye(n)[0]
        π = twin.variables(np.tile(point, len(self._built.bodies)), np.eye(n * len(self._built.bodies)))
        for k, body in enumerate(self._built.bodies):
            twin.set_inertia(int(body.index()), π[n * k : n * (k + 1)])
        return twin

    @property
    def _still(self) -> Array:
        return np.zeros(self._plant.num_velocities())

    def _by_q(self, q: Array, v: Array, function: Callable[..., Array], x: Array) -> Array:
        context, one = self._set(q, v), np.eye(len(v))
        rates = np.array([self._plant.MapVelocityToQDot(context, one[k]) for k in range(len(v))]).T
        return function(self._twin.variables(q, rates), v, x)

    def _by_v(self, q: Array, v: Array, function: Callable[..., Array]) -> Array:
        return function(q, self._twin.variables(v, np.eye(len(v))), 0 * v)

    def _of_motions_by_q(self, ask: Callable[[Any, Any], Any], q: Array, v: Array | None = None) -> Array:
        v = self._still if v is None else v
        return self._by_q(q, v, lambda q, v, x: self._twin.of_motions(ask, q, v), v)

    def _velocities(self, numbers: list[int], axes: str, plant: Any, context: Any) -> Any:
        found = []
        for one, world in self._with_world(plant, numbers):
            motion = one.CalcSpatialVelocity(context, world, one if axes == "local" else world)
            if axes == "world":
                motion = motion.Shift(-one.CalcPoseInWorld(context).translation())
            found.append(_coefficients(motion))
        return found

    def _jacobians(self, numbers: list[int], axes: str, plant: Any, context: Any) -> Any:
        origin, found = self._twin.constants(ORIGIN), []
        for one, world in self._with_world(plant, numbers):
            point = plant.CalcPointsPositions(context, world, origin, one)[:, 0] if axes == "world" else origin
            along = one if axes == "local" else world
            found.append(plant.CalcJacobianSpatialVelocity(context, self._of, one, point, world, along))
        return found

    def _accelerations_of(self, q: Any, v: Any, a: Array) -> Array:
        def ask(plant: Any, context: Any) -> Any:
            motions = plant.CalcSpatialAccelerationsFromVdot(context, self._twin.constants(a))
            return [_coefficients(motions[int(body.index())]) for body in self._built.bodies]

        return self._twin.of_motions(ask, q, v)

    def _with_world(self, plant: Any, numbers: list[int]) -> list[tuple[Any, Any]]:
        """Frames of the plant with automatic derivatives, each with its world frame."""
        return [(plant.get_frame(self._drake.FrameIndex(number)), plant.world_frame()) for number in numbers]


def _coefficients(motion: Any) -> Any:
    return np.concatenate([motion.rotational(), motion.translational()])


class Twin:
    """A plant with numbers that carry derivatives. Its functions return the derivatives by all variables, (…, variables).

    What is no variable is given as plain numbers.
    """

    def __init__(self, drake: Any, plant: Any) -> None:
        self._drake, self._plant = drake, plant.ToAutoDiffXd()
        self._context = self._plant.CreateDefaultContext()
        self._forces = drake.MultibodyForces_[drake.AutoDiffXd](self._plant)

    def variables(self, values: Array, derivatives: Array) -> Any:
        """(n,) numbers with these derivatives (n, variables)."""
        return self._drake.InitializeAutoDiff(values, derivatives)[:, 0]

    def constants(self, values: Array) -> Any:
        """(n,) numbers without derivatives."""
        return self.variables(values, np.zeros((len(values), 0)))

    def inverse_dynamics(self, q: Any, v: Any, a: Any) -> Array:
        self._set(q, v)
        self._plant.CalcForceElementsContribution(self._context, self._forces)
        return self._derivatives(self._plant.CalcInverseDynamics(self._context, self._numbers(a), self._forces))

    def forward_dynamics(self, q: Any, v: Any, tau: Any) -> Array:
        self._set(q, v)
        self._plant.get_applied_generalized_force_input_port().FixValue(self._context, self._numbers(tau))
        return self._derivatives(self._plant.EvalTimeDerivatives(self._context).CopyToVector()[len(q) :])

    def of_motions(self, ask: Callable[[Any, Any], Any], q: Any, v: Any) -> Array:
        """The derivatives of ``ask``, called with the plant and its context: (…, variables)."""
        self._set(q, v)
        numbers = np.asarray(ask(self._plant, self._context), dtype=object)
        return self._derivatives(numbers.reshape(-1, 1)).reshape(*numbers.shape, -1)

    def gravity(self, q: Any, v: Any, _: Any) -> Array:
        self._set(q, v)
        return -self._derivatives(self._plant.CalcGravityGeneralizedForces(self._context))

    def momentum(self, q: Any, v: Any, _: Any) -> Array:
        """Of [k; l] about the centre of mass, which moves with q."""
        self._set(q, v)
        center = self._plant.CalcCenterOfMassPositionInWorld(self._context)
        return self._derivatives(self._plant.CalcSpatialMomentumInWorldAboutPoint(self._context, center).get_coeffs())

    def set_inertia(self, body: int, π: Any) -> None:
        """Give the body with this index the parameters π (10,)."""
        scalar, mass = self._drake.AutoDiffXd, π[0]
        unit = self._drake.UnitInertia_[scalar](*(π[4:] / mass))
        inertia = self._drake.SpatialInertia_[scalar](mass, π[1:4] / mass, unit, skip_validity_check=True)
        self._plant.get_body(self._drake.BodyIndex(body)).SetSpatialInertiaInBodyFrame(self._context, inertia)

    def _set(self, q: Any, v: Any) -> None:
        self._plant.SetPositions(self._context, self._numbers(q))
        self._plant.SetVelocities(self._context, self._numbers(v))

    def _numbers(self, x: Any) -> Any:
        return x if x.dtype == object else self.constants(x)

    def _derivatives(self, x: Any) -> Array:
        found: Array = self._drake.ExtractGradient(x)
        return found
