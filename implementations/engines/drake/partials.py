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
converted there: :class:`implementations.conventions.converted.Converted` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from implementations.engines.drake.coordinates import Coordinates
from implementations.engines.drake.plant import Built
from implementations.protocol import Array
from mechanisms.quantities import PARAMETERS


class DrakeDerivatives:
    """The part of :class:`implementations.engines.drake.adapter.DrakeDynamics` that has derivatives."""

    _drake: Any
    _plant: Any
    _built: Built
    _context: Any
    _coordinates: Coordinates

    if TYPE_CHECKING:

        def _answer(self, name: str, ask: Callable[..., Any], q: Array, *others: Array) -> Array: ...
        def _set(self, q: Array, v: Array | None = None) -> Any: ...

    def inverse_dynamics_dq(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("inverse_dynamics_dq", lambda q, v, a: self._by_q(q, v, self._twin.inverse_dynamics, a), q, v, a)

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Array:
        return self._answer("inverse_dynamics_dv", lambda q, v: self._by_v(q, v, self._twin.inverse_dynamics), q, v)

    def forward_dynamics_dq(self, q: Array, v: Array, tau: Array) -> Array:
        return self._answer(
            "forward_dynamics_dq", lambda q, v, tau: self._by_q(q, v, self._twin.forward_dynamics, tau), q, v, tau
        )

    def forward_dynamics_dv(self, q: Array, v: Array) -> Array:
        return self._answer("forward_dynamics_dv", lambda q, v: self._by_v(q, v, self._twin.forward_dynamics), q, v)

    def forward_dynamics_dtau(self, q: Array) -> Array:
        return self._answer("forward_dynamics_dtau", self._by_tau, q)

    def gravity_dq(self, q: Array) -> Array:
        return self._answer("gravity_dq", lambda q: self._by_q(q, self._still, self._twin.gravity, self._still), q)

    def centroidal_momentum_dq(self, q: Array, v: Array) -> Array:
        return self._answer("centroidal_momentum_dq", lambda q, v: self._by_q(q, v, self._twin.momentum, 0 * v), q, v)

    def joint_torque_regressor(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("joint_torque_regressor", self._by_parameters, q, v, a)

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

    def _by_q(self, q: Array, v: Array, function: Callable[..., Array], x: Array) -> Array:
        context, one = self._set(q, v), np.eye(len(v))
        rates = np.array([self._plant.MapVelocityToQDot(context, one[k]) for k in range(len(v))]).T
        return function(self._twin.variables(q, rates), v, x)

    def _by_v(self, q: Array, v: Array, function: Callable[..., Array]) -> Array:
        return function(q, self._twin.variables(v, np.eye(len(v))), 0 * v)

    def _by_tau(self, q: Array) -> Array:
        tau = self._twin.variables(self._still, np.eye(len(self._still)))
        return self._twin.forward_dynamics(q, self._still, tau)

    @property
    def _still(self) -> Array:
        return np.zeros(self._coordinates.nv)

    def _by_parameters(self, q: Array, v: Array, a: Array) -> Array:
        return self._twin_of_points.inverse_dynamics(q, v, a)


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
