"""A plant of Drake with numbers that carry derivatives (``AutoDiffXd``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from implementations.protocol import Array


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
