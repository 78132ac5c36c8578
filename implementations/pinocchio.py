"""Pinocchio (Carpentier et al., SII 2019), through its Python module.

How Pinocchio differs from our conventions
------------------------------------------

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
joint order          strictly depth first: otherwise ``crba``   joints are added depth first, and q, v, a, τ and M
                     leaves entries of M out (its issue 1897)   permuted
free joint: v, a, τ  linear first, [v; ω], body frame           the same permutation puts angular first
free joint: q        x y z, quaternion x y z w                  none; it does not normalise, so the length must be 1
armature             in every quantity, kinetic energy included none; but see below
damping              ``model.damping`` enters no quantity       damping · v added to τ and h, taken from τ before ``aba``
==================== ========================================== ======================================================

One difference is an error and therefore left as it is: in 4.1, ``computeKineticEnergy`` leaves out the armature of a
revolute joint about any axis but x, y and z, because ``JointModelRevoluteUnaligned::calc`` does not keep its velocity.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from implementations.batch import each
from implementations.protocol import Array, Missing
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import basis


class Pinocchio:
    """The implementation "pinocchio". Raises :class:`Missing` where Pinocchio is not installed."""

    name = "pinocchio"

    @property
    def version(self) -> str:
        return str(_engine().__version__)

    def load(self, mechanism: Mechanism) -> PinocchioDynamics:
        return PinocchioDynamics(mechanism)


class PinocchioDynamics:
    """One mechanism in Pinocchio; see :class:`implementations.protocol.Dynamics`. Not for use by two threads at once."""

    def __init__(self, mechanism: Mechanism) -> None:
        pin = _engine()
        order = _depth_first(mechanism.parents)
        model = _model(pin, mechanism, order)
        call = {name: partial(getattr(pin, name), model, model.createData()) for name in _CALLS}
        self._rnea, self._crba, self._aba, self._nle, self._gravity, self._kinetic, self._potential = call.values()
        self._q = np.concatenate([np.arange(mechanism.nq)[mechanism.q_slices[i]] for i in order])
        self._v = np.concatenate([_linear_first(np.arange(mechanism.nv)[mechanism.v_slices[i]]) for i in order])
        self._back = np.argsort(self._v)
        self._damping = mechanism.arrays.per_coordinate(mechanism.arrays.damping)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self._forces(self._rnea, q[:, self._q], v[:, self._v], a[:, self._v]) + self._damping * v

    def mass_matrix(self, q: Array) -> Array:
        nv = len(self._v)
        return each(self._crba, (nv, nv), q[:, self._q])[:, self._back[:, None], self._back]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        applied = tau - self._damping * v
        return self._forces(self._aba, q[:, self._q], v[:, self._v], applied[:, self._v])

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self._forces(self._nle, q[:, self._q], v[:, self._v]) + self._damping * v

    def gravity(self, q: Array) -> Array:
        return self._forces(self._gravity, q[:, self._q])

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        return each(self._kinetic, (), q[:, self._q], v[:, self._v])

    def potential_energy(self, q: Array) -> Array:
        return each(self._potential, (), q[:, self._q])

    def _forces(self, call: Any, *batches: Array) -> Array:
        return each(call, (len(self._v),), *batches)[:, self._back]


_CALLS = (
    "rnea",
    "crba",
    "aba",
    "nonLinearEffects",
    "computeGeneralizedGravity",
    "computeKineticEnergy",
    "computePotentialEnergy",
)


def _engine() -> Any:
    hint = 'Pinocchio is not installed; pip install "dalembert[pinocchio]"'
    try:
        pin = importlib.import_module("pinocchio")
    except ImportError as error:
        raise Missing(hint) from error
    # PyPI's "pinocchio" is a test runner's plugin of the same module name; the library is PyPI's "pin".
    if not hasattr(pin, "crba"):
        raise Missing(hint)
    return pin


def _depth_first(parents: tuple[int, ...]) -> list[int]:
    """The bodies in depth-first order: sorted by the path that leads to them."""
    paths: list[tuple[int, ...]] = []
    for i, parent in enumerate(parents):
        paths.append((*(paths[parent] if parent >= 0 else ()), i))
    return sorted(range(len(parents)), key=paths.__getitem__)


def _linear_first(index: NDArray[np.int_]) -> NDArray[np.int_]:
    return np.roll(index, 3) if len(index) == 6 else index


def _model(pin: Any, mechanism: Mechanism, order: list[int]) -> Any:
    model = pin.Model()
    model.name = mechanism.name
    model.gravity.linear = np.array(mechanism.gravity, dtype=float)
    joint_id, armature = {-1: 0}, []
    for i in order:
        body, parent = mechanism.bodies[i], mechanism.parents[i]
        # The number keeps a joint called "universe" apart from Pinocchio's own.
        name = f"{i} {body.joint.name}"
        joint_id[i] = model.addJoint(joint_id[parent], _joint(pin, body.joint), _placement(pin, body.joint.placement), name)
        model.appendBodyToJoint(joint_id[i], _inertia(pin, body.inertia), pin.SE3.Identity())
        armature += [float(body.joint.armature)] * body.joint.nv
    model.armature = np.array(armature)
    return model


def _joint(pin: Any, joint: Joint) -> Any:
    if joint.kind == "free":
        return pin.JointModelFreeFlyer()
    if joint.axis in basis():
        return getattr(pin, f"JointModel{joint.kind[0].upper()}{'XYZ'[basis().index(joint.axis)]}")()
    return getattr(pin, f"JointModel{joint.kind.capitalize()}Unaligned")(np.array(joint.axis, dtype=float))


def _placement(pin: Any, placement: Placement) -> Any:
    return pin.SE3(np.array(placement.rotation.matrix, dtype=float), np.array(placement.translation, dtype=float))


def _inertia(pin: Any, inertia: Inertia) -> Any:
    made = pin.Inertia.Zero()
    # Set part by part, for the constructor refuses what rounding makes of a point mass: moments of −1e-20.
    made.mass = float(inertia.mass)
    made.lever = np.array(inertia.com, dtype=float)
    made.inertia = np.array(inertia.matrix, dtype=float)
    return made
