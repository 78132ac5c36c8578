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

:mod:`implementations.engines.pinocchio.joint_models` maps our joints to Pinocchio's, mimic joints too.
:mod:`implementations.engines.pinocchio.motions` lists the differences in kinematics,
:mod:`implementations.engines.pinocchio.calls` those of derivatives, of the centre of mass and of integrated positions.

One difference is a fault of Pinocchio, which the adapter does not correct: in 4.1, ``computeKineticEnergy`` omits the armature of
a revolute or helical joint about any axis but x, y and z. The ``calc`` of ``JointModelRevoluteUnaligned`` and of
``JointModelHelicalUnaligned`` does not store the joint's velocity.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from implementations.engines.declared import Adapter, engine_of
from implementations.engines.left_out import Completed
from implementations.engines.pinocchio.calls import CALLS, INTEGRATION, NOT_OFFERED, REFUSED, WITH_DERIVATIVES, WITH_NEW_DATA
from implementations.engines.pinocchio.constrained_motion import PinocchioConstrainedMotion
from implementations.engines.pinocchio.coordinates import PinocchioCoordinates
from implementations.engines.pinocchio.joint_models import depth_first, model_of, turns
from implementations.engines.pinocchio.motions import Motions
from implementations.protocol import Array, Unsupported
from implementations.state_by_state import StateByState, at_every_state
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES

ALONE = ("dynamics", "centroidal_momentum_matrix_rate")
"""A group and a quantity with data of their own for every quantity. All others share data."""


class Pinocchio(Adapter):
    """The implementation "pinocchio". Raises :class:`implementations.protocol.Missing` if Pinocchio is not installed."""

    name = "pinocchio"
    mimic_joints = True

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


engine = partial(engine_of, "pinocchio")


def dynamics_of(pin: Any, mechanism: Mechanism, model: Any, order: list[int], turned: Array) -> Completed:
    """What Pinocchio answers about a model, in our coordinates.

    ``model`` has its joints in this ``order`` of our bodies. ``turned`` (bodies, 3, 3) rotates from our bodies' axes to those
    of the joints in Pinocchio.
    """
    coordinates = PinocchioCoordinates(mechanism, order, turned, [model.joints[1 + k].nq for k in range(len(order))])
    return damped(PinocchioDynamics(pin, mechanism, model, order, coordinates, turned), mechanism, model, coordinates)


def damped(dynamics: StateByState, mechanism: Mechanism, model: Any, coordinates: PinocchioCoordinates) -> Completed:
    """With the damping of the ``model``, whose armature Pinocchio has itself."""
    damping = coordinates.to_ours(model.damping, 0, "nv")
    return Completed(dynamics, mechanism, armature=0 * damping, damping=damping)


class PinocchioDynamics(StateByState):
    """The expressions about one model; see :class:`implementations.protocol.Dynamics`. Not thread-safe."""

    def __init__(
        self, pin: Any, mechanism: Mechanism, model: Any, order: list[int], coordinates: PinocchioCoordinates, turned: Array
    ) -> None:
        StateByState.__init__(self, mechanism, None, coordinates)
        self._pin, self._model, self._motions = pin, model, Motions(pin, model, mechanism, order, turned)
        derivatives = list(self._motions.derivatives())
        self._expressions = CALLS | INTEGRATION | dict(self._motions.expressions())
        self._expressions |= {name: expression for name, expression, _ in derivatives}
        self._places = {name: places for name, _, places in derivatives}
        self._refused: dict[str, str] = {}
        if mechanism.has_mimics:
            self._expressions["mass_matrix"] = WITH_NEW_DATA
            self._refused = NOT_OFFERED | dict.fromkeys(self._places, REFUSED)
        self._data: dict[str, Any] = {}
        self._compiled: dict[str, Callable[..., Array]] = {}

    def _of_batches(self, name: str) -> Callable[..., Array]:
        if name not in self._expressions:
            raise AttributeError(name)
        if name in self._refused:
            return partial(_refuse, self._refused[name])
        if name not in self._compiled:
            self._compiled[name] = self._function(name)
        return self._compiled[name]

    def _function(self, name: str) -> Callable[..., Array]:
        names = {"pin": self._pin, "model": self._model, "data": self._data_of(name), "places": self._places.get(name)}
        places = {"bodies": self._motions.bodies, "frames": self._motions.frames}
        arguments = ALL_QUANTITIES[name].arguments
        if "f" not in arguments:
            return at_every_state(self._expressions[name], arguments, names | places)
        evaluate = at_every_state(self._expressions[name], (*arguments[:-1], "forces"), names | places)
        return lambda shape, *state: evaluate(shape, *state[:-1], [self._motions.forces(f) for f in state[-1]])

    def _data_of(self, name: str) -> Any:
        group = ALL_QUANTITIES[name].group
        key = name if group in ALONE or name in ALONE else "derivatives" if group in WITH_DERIVATIVES else "motions"
        if key not in self._data:
            self._data[key] = self._model.createData()
        return self._data[key]


def _refuse(reason: str, *state: Any) -> Array:
    raise Unsupported(reason)
