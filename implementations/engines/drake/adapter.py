"""Drake (Tedrake et al.), through its Python module ``pydrake``: a continuous ``MultibodyPlant``.

How Drake differs from our conventions
--------------------------------------

==================== ========================================== ======================================================
what                 Drake                                      conversion
==================== ========================================== ======================================================
joint order          its own                                    q, v, a, τ and M permuted
continuous: q        the angle                                  computed from its cosine and sine
free: q              quaternion w x y z, then x y z             permuted
free: v, a, τ        [Rω; ṗ] along the joint's axes             v = T v′, a = T a′ + b
spherical: q         roll, pitch, yaw                           by Drake's own ``RollPitchYaw(quaternion)``
spherical: v, a, τ   Rω along the joint's axes                  v = T v′
planar: v, a, τ      [ṗ₁, ṗ₂; ω₃] along the joint's axes        permuted; v = T v′, a = T a′ + b
triad                x, y, z of the joint's frames              the frames are turned, the bodies' frames are not
several coordinates  some joints                                else a chain:
                                                                :mod:`implementations.engines.drake.plant`
armature             ``JointActuator``: gear ratio squared      none: Drake adds it
                     times the rotor's inertia
damping              of joints                                  none: Drake adds it to the contributions of its force
                                                                elements
==================== ========================================== ======================================================

:mod:`implementations.conventions` converts q, v, a and τ. :mod:`implementations.engines.drake.motions_of_frames` lists the
differences in kinematics, :mod:`implementations.engines.drake.partials` those in derivatives.

h is Drake's C(q, v) v (``CalcBiasTerm``) minus the generalized forces of its force elements, which are gravity and damping.
Forward dynamics is the derivative of the plant's state. Drake has no Coriolis matrix and no centroidal momentum matrix.

Drake has constraints for mimic joints in discrete plants only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions
from implementations.engines.drake.coordinates import Coordinates
from implementations.engines.drake.modules import engine
from implementations.engines.drake.motion_derivatives import DrakeMotionDerivatives
from implementations.engines.drake.motions_of_frames import DrakeKinematics
from implementations.engines.drake.partials import DrakeDerivatives
from implementations.engines.drake.plant import Built, build
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

CONVENTIONS = Conventions(
    quaternion="wxyz",
    free_position="quaternion first",
    free_velocity="mixed",
    spherical_velocity="joint",
    planar_velocity="joint",
    continuous="angle",
)


class Drake:
    """The implementation "drake". Raises :class:`implementations.protocol.Missing` if Drake is not installed."""

    name = "drake"
    workarounds = ("the acceleration of the centre of mass is Drake's Jacobian times a, and its bias acceleration",)

    @property
    def version(self) -> str:
        return str(engine().version)

    def load(self, mechanism: Mechanism) -> Converted:
        drake = engine()
        return dynamics_of(drake, mechanism, build(drake, mechanism))


def dynamics_of(drake: Any, mechanism: Mechanism, built: Built) -> Converted:
    """What Drake answers about a plant, in our coordinates."""
    return Converted(DrakeDynamics(drake, mechanism, built), mechanism, CONVENTIONS)


class DrakeDynamics(DrakeKinematics, DrakeDerivatives, DrakeMotionDerivatives):
    """One mechanism in Drake, in the coordinates of :data:`CONVENTIONS`. Not thread-safe.

    Methods of Drake take one state in Drake's own order, which a context keeps.
    """

    def __init__(self, drake: Any, mechanism: Mechanism, built: Built) -> None:
        self._drake, self._mechanism, self._plant, self._built = drake, mechanism, built.plant, built
        self._context = built.plant.CreateDefaultContext()
        self._coordinates = Coordinates(drake, mechanism, built)
        self._forces = drake.MultibodyForces(built.plant)
        for body in built.unmoved:
            body.SetSpatialInertiaInBodyFrame(self._context, drake.SpatialInertia.Zero())
        self.offer_frames()
        self.offer_motion_derivatives()

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self._answer("inverse_dynamics", self._inverse_dynamics, q, v, a)

    def mass_matrix(self, q: Array) -> Array:
        return self._answer("mass_matrix", partial(self._ask, self._plant.CalcMassMatrix), q)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self._answer("forward_dynamics", self._forward_dynamics, q, v, tau)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self._answer("nonlinear_effects", self._nonlinear_effects, q, v)

    def gravity(self, q: Array) -> Array:
        return -self._answer("gravity", partial(self._ask, self._plant.CalcGravityGeneralizedForces), q)

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        return self._answer("kinetic_energy", partial(self._ask, self._plant.CalcKineticEnergy), q, v)

    def potential_energy(self, q: Array) -> Array:
        return self._answer("potential_energy", partial(self._ask, self._plant.CalcPotentialEnergy), q)

    def _answer(self, name: str, ask: Callable[..., Any], q: Array, *others: Array) -> Array:
        """``ask`` evaluated at every state, with everything of the length of v in the order of our bodies."""
        quantity = QUANTITIES[name]
        quantity.require_defined(self._mechanism)
        state = [self._coordinates.position(q), *(self._coordinates.to_drake(x) if x.ndim == 2 else x for x in others)]
        answer = for_each_state(ask, quantity.dimensions(self._mechanism), *state)
        for axis, entries in enumerate(quantity.axes, 1):
            if entries == "nv":
                answer = self._coordinates.to_ours(answer, axis)
        return answer

    def _set(self, q: Array, v: Array | None = None) -> Any:
        """The context at this state. Without ``v`` velocities are zero."""
        self._plant.SetPositions(self._context, q)
        self._plant.SetVelocities(self._context, np.zeros(self._coordinates.nv) if v is None else v)
        return self._context

    def _ask(self, function: Callable[[Any], Any], *state: Array) -> Any:
        return function(self._set(*state))

    def _contributions(self, q: Array, v: Array) -> Any:
        """Gravity and damping at this state."""
        self._plant.CalcForceElementsContribution(self._set(q, v), self._forces)
        return self._forces

    def _inverse_dynamics(self, q: Array, v: Array, a: Array) -> Any:
        return self._plant.CalcInverseDynamics(self._context, a, self._contributions(q, v))

    def _nonlinear_effects(self, q: Array, v: Array) -> Any:
        applied = self._plant.CalcGeneralizedForces(self._context, self._contributions(q, v))
        return self._plant.CalcBiasTerm(self._context) - applied

    def _forward_dynamics(self, q: Array, v: Array, tau: Array) -> Any:
        self._plant.get_applied_generalized_force_input_port().FixValue(self._context, tau)
        rates = self._plant.EvalTimeDerivatives(self._set(q, v)).CopyToVector()
        return rates[len(q) :]
