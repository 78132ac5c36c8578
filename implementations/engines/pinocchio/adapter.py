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
:mod:`implementations.engines.pinocchio.motions` lists the differences in kinematics,
:mod:`implementations.engines.pinocchio.calls` those of derivatives, of the centre of mass and of integrated positions,
:mod:`implementations.engines.pinocchio.mimic` those of mimic joints.

One difference is a fault of Pinocchio, which the adapter does not correct: in 4.1, ``computeKineticEnergy`` omits the armature of
a revolute or helical joint about any axis but x, y and z. The ``calc`` of ``JointModelRevoluteUnaligned`` and of
``JointModelHelicalUnaligned`` does not store the joint's velocity.
"""

from __future__ import annotations

from typing import Any

from implementations.engines.declared import imported
from implementations.engines.left_out import Completed
from implementations.engines.pinocchio.constrained_motion import PinocchioConstrainedMotion
from implementations.engines.pinocchio.coordinates import PinocchioCoordinates
from implementations.engines.pinocchio.dynamics import damped, dynamics_of
from implementations.engines.pinocchio.joint_models import model_of, turns
from implementations.engines.pinocchio.mimic import depth_first
from implementations.engines.state_by_state import StateByState
from mechanisms import Mechanism


class Pinocchio:
    """The implementation "pinocchio". Raises :class:`implementations.protocol.Missing` if Pinocchio is not installed."""

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

    def load(self, mechanism: Mechanism) -> Completed:
        pin = engine()
        order = depth_first(mechanism)
        model, turned = model_of(pin, mechanism, order), turns(mechanism)
        if not mechanism.constraints:
            return dynamics_of(pin, mechanism, model, order, turned)
        # The harness loads the tree for all other quantities.
        constrained = PinocchioConstrainedMotion(pin, model, mechanism, order, turned)
        coordinates = PinocchioCoordinates(mechanism, order, turned)
        return damped(StateByState(mechanism, constrained, coordinates), mechanism, model, coordinates)


def engine() -> Any:
    """Pinocchio's Python module. Raises :class:`implementations.protocol.Missing`."""
    # PyPI's "pinocchio" is a test runner's plugin of the same module name; the library is PyPI's "pin".
    return imported("Pinocchio", "pinocchio", "pinocchio", essential="crba")
