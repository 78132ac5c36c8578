"""RBDL's own Python binding behind the interface of :mod:`implementations.engines.rbdl.adapter`; build_binding.py builds it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from implementations.engines.rbdl.segments import Segment, floats
from implementations.protocol import Array, Unsupported
from mechanisms.joint import Kind, Screw

API_VERSION = "_Z20rbdl_get_api_versionv"
"""The name of C++'s ``int rbdl_get_api_version()`` in a library that GCC or Clang has built."""


class Official:
    """RBDL's own Python binding, built from its sources with RBDL_BUILD_PYTHON_WRAPPER."""

    native: ClassVar[dict[Kind, str]] = {
        "translation": "JointTypeTranslationXYZ",
        "euler-xyz": "JointTypeEulerXYZ",
        "euler-yxz": "JointTypeEulerYXZ",
        "euler-zyx": "JointTypeEulerZYX",
        "spherical": "JointTypeSpherical",
        "free": "JointTypeFloatingBase",
    }
    """Joints that it has a name for. It has no name for RBDL's JointTypeEulerZXY (RBDL's issue 54)."""

    composes: ClassVar[bool] = True
    """RBDL itself composes joints of several axes, in any direction."""

    damped: ClassVar[tuple[str, ...]] = ()

    workarounds: ClassVar[tuple[str, ...]] = (
        "damping, which RBDL does not have, is added to forces and subtracted before ForwardDynamics",
        "the potential energy is computed from RBDL's mass and centre of mass",
    )

    def __init__(self, engine: Any, gravity: Array, tree: Sequence[Segment]) -> None:
        self.engine = engine
        self.model = model = engine.Model()
        self._gravity = model.gravity = gravity
        self.ids: list[int] = []
        """RBDL's number of every segment's body."""
        for segment in tree:
            X = engine.SpatialTransform()
            X.E = np.array(segment.placement.rotation.inverse().matrix, dtype=float)
            X.r = np.array(segment.placement.translation, dtype=float)
            body = engine.Body.fromMassComInertia(*floats(segment.inertia))
            parent = self.ids[segment.parent] if segment.parent >= 0 else 0
            self.ids.append(model.AddBody(parent, X, self._joint(segment.motion), body))

    def _joint(self, motion: Kind | tuple[Screw, ...]) -> Any:
        if not isinstance(motion, tuple):
            return self.engine.Joint.fromJointType(self.native[motion])
        # RBDL makes of six numbers a revolute, a prismatic or a helical joint, and of several rows a chain of them.
        axes = [[[x * screw.turns for x in screw.axis], [x * screw.advance for x in screw.axis]] for screw in motion]
        return self.engine.Joint.fromJointAxes(np.array(axes, dtype=float).reshape(-1, 6))

    def number_of(self, segment: int) -> int:
        """RBDL's number of the body of a segment."""
        return self.ids[segment]

    @staticmethod
    def version(engine: Any) -> str:
        """RBDL's version, from the library that the binding has loaded, or else what the binding says of itself."""
        try:
            number = getattr(ctypes.CDLL(engine.__file__), API_VERSION)()
        except (AttributeError, OSError):
            return str(getattr(engine, "__version__", "unknown"))
        return f"{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"

    def inverse_dynamics(self, q: Array, v: Array, a: Array, forces: Array | None = None) -> Array:
        """``forces`` are [n; f] of every body of RBDL, the root included, about the root's origin and along its axes."""
        self.engine.InverseDynamics(self.model, q, v, a, tau := np.zeros(len(v)), forces)
        return tau

    def mass_matrix(self, q: Array) -> Array:
        # RBDL writes only the entries that can differ from zero.
        M = np.zeros((self.model.qdot_size,) * 2)
        self.engine.CompositeRigidBodyAlgorithm(self.model, q, M)
        return M

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self.engine.ForwardDynamics(self.model, q, self.padded(v), self.padded(tau), a := np.zeros(len(q)))
        return a[: len(v)]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        self.engine.NonlinearEffects(self.model, q, self.padded(v), h := np.zeros(len(q)))
        return h[: len(v)]

    def gravity(self, q: Array) -> Array:
        return self.nonlinear_effects(q, np.zeros(self.model.qdot_size))

    def kinetic_energy(self, q: Array, v: Array) -> float:
        raise Unsupported("RBDL's Python binding offers no kinetic energy; compare its mass matrix instead")

    def potential_energy(self, q: Array) -> float:
        # What RBDL's CalcPotentialEnergy does, which the binding leaves out.
        mass = self.engine.CalcCenterOfMass(self.model, q, np.zeros(len(q)), com := np.zeros(3))
        return -mass * float(self._gravity @ com)

    def padded(self, v: Array) -> Array:
        """``v`` with zeros up to the size of q, which several functions of the binding read, whatever the size of v is."""
        return np.concatenate([v, np.zeros(self.model.q_size - len(v))])
