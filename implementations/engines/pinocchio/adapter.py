"""Pinocchio (Carpentier et al., SII 2019), through its Python module.

How Pinocchio differs from our conventions
------------------------------------------

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
joint order          strictly depth first: otherwise ``crba``   joints are added depth first, and q, v, a, τ and M
                     leaves entries of M out (its issue 1897)   permuted
free, planar:        linear first, [v; ω], body frame           the same permutation puts angular first
v, a, τ
planar: q            x y, cosine and sine of the angle          computed from the angle
quaternion, cosine   x y z w; not normalised                    none; their lengths must be 1
and sine
translation,         along and about x, y, z                    the body's frame is rotated, exactly, until these are the
euler-zyx, planar                                               joint's triad; q and v do not change
armature             in every quantity, kinetic energy included none; but see below
damping              ``model.damping`` enters no quantity       damping · v added to τ and h, subtracted before ``aba``
==================== ========================================== ======================================================

:mod:`implementations.engines.pinocchio.joint_models` maps our joints to Pinocchio's.
:mod:`implementations.engines.pinocchio.motions_of_frames` lists the differences in kinematics,
:mod:`implementations.engines.pinocchio.integration` those of integrated positions,
:mod:`implementations.engines.pinocchio.mimic` those of mimic joints.

One difference is a fault of Pinocchio, which the adapter does not correct: in 4.1, ``computeKineticEnergy`` omits the armature of
a revolute or helical joint about any axis but x, y and z. The ``calc`` of ``JointModelRevoluteUnaligned`` and of
``JointModelHelicalUnaligned`` does not store the joint's velocity.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import numpy as np

from implementations.batches import for_each_state
from implementations.engines.pinocchio.centroidal import PinocchioCentroidal
from implementations.engines.pinocchio.constrained_motion import PinocchioConstrainedMotion
from implementations.engines.pinocchio.coordinates import Coordinates
from implementations.engines.pinocchio.integration import PinocchioIntegration
from implementations.engines.pinocchio.joint_models import model_of, turns
from implementations.engines.pinocchio.mimic import NOT_OFFERED, REFUSED, crba, depth_first, refuse
from implementations.engines.pinocchio.motion_derivatives import PinocchioMotionDerivatives
from implementations.engines.pinocchio.motions_of_frames import PinocchioKinematics
from implementations.engines.pinocchio.partials import PinocchioDerivatives
from implementations.protocol import Array, Missing
from mechanisms import Mechanism


class Pinocchio:
    """The implementation "pinocchio". Raises :class:`Missing` if Pinocchio is not installed."""

    name = "pinocchio"
    workarounds = (
        "damping, which enters none of Pinocchio's functions, is added to forces and their derivatives and subtracted before aba",
        "derivatives of classical accelerations are those of a point, behind the angular rows of the spatial acceleration's",
        "with mimic joints, k² times their armature and damping is added to their leaders', and every crba gets new data",
        "forces of constraints are the product of Pinocchio's J and λ",
        "every call of computeConstraintDynamicsDerivatives gets new data, and the number of iterations of a state under load",
        "constraints of other than 3 or 6 directions are rows of Pinocchio's J in forwardDynamics and impulseDynamics",
    )
    mimic_joints = True

    @property
    def version(self) -> str:
        return str(engine().__version__)

    def load(self, mechanism: Mechanism) -> PinocchioDynamics | PinocchioConstrainedMotion:
        pin = engine()
        order = depth_first(mechanism)
        model, turned = model_of(pin, mechanism, order), turns(mechanism)
        if mechanism.constraints:
            # The harness loads the tree for all other quantities.
            return PinocchioConstrainedMotion(pin, model, mechanism, order, Coordinates(mechanism, order), turned)
        return PinocchioDynamics(pin, mechanism, model, order, turned)


class PinocchioDynamics(
    PinocchioKinematics, PinocchioCentroidal, PinocchioDerivatives, PinocchioMotionDerivatives, PinocchioIntegration
):
    """One mechanism in Pinocchio; see :class:`implementations.protocol.Dynamics`. Not thread-safe.

    ``model`` has its joints in this ``order`` of our bodies. ``turned`` (bodies, 3, 3) rotates from our bodies' axes to those
    of the joints in Pinocchio.
    """

    def __init__(self, pin: Any, mechanism: Mechanism, model: Any, order: list[int], turned: Array) -> None:
        call = {name: partial(getattr(pin, name), model, model.createData()) for name in _CALLS}
        self._rnea, self._crba, self._aba, self._nle, self._gravity, self._kinetic, self._potential = call.values()
        coordinates = Coordinates(mechanism, order, [model.joints[1 + k].nq for k in range(len(order))])
        self._damping = coordinates.to_ours(model.damping)
        PinocchioKinematics.__init__(self, pin, model, mechanism, order, coordinates, turned)
        PinocchioDerivatives.__init__(self, pin, model, order, coordinates, turned)
        places = zip(self._joints, self._frames, turned, strict=True)
        bodies = [("Joint", joint) if np.array_equal(R, np.eye(3)) else ("Frame", frame) for joint, frame, R in places]
        derivatives = self.offer_motion_derivatives(bodies, self._fixed)
        if mechanism.has_mimics:
            self._crba = crba(pin, model)
            for quantity, reason in (NOT_OFFERED | dict.fromkeys(derivatives, REFUSED)).items():
                setattr(self, quantity, refuse(reason))

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self._forces(self._rnea, q, v, a) + self._damping * v

    def mass_matrix(self, q: Array) -> Array:
        nv = len(self._damping)
        M = for_each_state(self._crba, (nv, nv), self._coordinates.position(q))
        return self._coordinates.to_ours(self._coordinates.to_ours(M.swapaxes(1, 2)).swapaxes(1, 2))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self._forces(self._aba, q, v, tau - self._damping * v)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self._forces(self._nle, q, v) + self._damping * v

    def gravity(self, q: Array) -> Array:
        return self._forces(self._gravity, q)

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        return for_each_state(self._kinetic, (), self._coordinates.position(q), self._coordinates.to_pinocchio(v))

    def potential_energy(self, q: Array) -> Array:
        return for_each_state(self._potential, (), self._coordinates.position(q))

    def _forces(self, call: Any, q: Array, *rates: Array) -> Array:
        state = [self._coordinates.position(q), *map(self._coordinates.to_pinocchio, rates)]
        return self._coordinates.to_ours(for_each_state(call, (len(self._damping),), *state))


_CALLS = (
    "rnea",
    "crba",
    "aba",
    "nonLinearEffects",
    "computeGeneralizedGravity",
    "computeKineticEnergy",
    "computePotentialEnergy",
)


def engine() -> Any:
    """Pinocchio's Python module. Raises :class:`Missing`."""
    hint = 'Pinocchio is not installed; pip install "dalembert[pinocchio]"'
    try:
        pin = importlib.import_module("pinocchio")
    except ImportError as error:
        raise Missing(hint) from error
    # PyPI's "pinocchio" is a test runner's plugin of the same module name; the library is PyPI's "pin".
    if not hasattr(pin, "crba"):
        raise Missing(hint)
    return pin
