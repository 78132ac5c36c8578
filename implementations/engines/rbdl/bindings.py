"""The two Python bindings of RBDL behind one interface: built from a tree of segments, evaluated at one state.

Everything here is in RBDL's own coordinates; :mod:`implementations.engines.rbdl.adapter` converts. No user-defined name is passed
to RBDL.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata
from typing import Any, ClassVar

import numpy as np

from implementations.engines.rbdl.segments import Segment
from implementations.protocol import Array, Missing, Unsupported
from mechanisms import Inertia
from mechanisms.geometry import basis
from mechanisms.joint import Kind, Screw


class Biorbd:
    """librbdl inside ``biorbd``. Its ``AddSegment`` builds RBDL's model without a file."""

    native: ClassVar[dict[Kind, tuple[str, str]]] = {"free": ("xyz", "q"), "spherical": ("", "q")}
    """Joints that it supports as one segment, with the names of their translations and rotations."""

    def __init__(self, engine: Any, gravity: Array, tree: Sequence[Segment]) -> None:
        text, vector = engine.String, engine.Vector3d
        no_range, no_damping = engine.VecBiorbdRange(), engine.VecBiorbdScalar()
        self.model = model = engine.Model()
        model.setGravity(vector(*gravity))
        for i, segment in enumerate(tree):
            name, parent = f"segment{i}", f"segment{segment.parent}" if segment.parent >= 0 else "root"
            translations, rotations = self._sequences(segment.motion)
            mass, com, inertia = _floats(segment.inertia)
            R, p = segment.placement.rotation.matrix, segment.placement.translation
            model.AddSegment(
                *map(text, (name, parent, translations, rotations)),
                *(no_range, no_range, no_range, no_damping),
                engine.SegmentCharacteristics(mass, vector(*com), engine.Matrix3d(*inertia.flat)),
                engine.RotoTrans(engine.Rotation(*(float(x) for row in R for x in row)), vector(*map(float, p))),
            )

    @cached_property
    def _nv(self) -> int:
        return self.model.nbQdot()

    def _sequences(self, motion: Kind | Screw) -> tuple[str, str]:
        if not isinstance(motion, Screw):
            return self.native[motion]
        if motion.turns and motion.advance:
            raise Unsupported("biorbd has no helical joint, which RBDL has; build RBDL with its own Python wrapper to compare it")
        letter = "xyz"[basis().index(motion.axis)]
        return ("", letter) if motion.turns else (letter, "")

    @staticmethod
    def version(engine: Any) -> str:
        """RBDL's version, if the file name of the bundled library contains it, and biorbd's."""
        files = " ".join(file.name for file in metadata.files("biorbd") or ())
        bundled = re.search(r"librbdl\S*?\.(\d+\.\d+\.\d+)", files)
        wheel = f"biorbd {engine.__version__}"
        return f"{bundled[1]} ({wheel})" if bundled else wheel

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.model.InverseDynamics(q, v, a).to_array()

    def mass_matrix(self, q: Array) -> Array:
        # biorbd sizes the matrix, and below the acceleration, by q; RBDL fills what v knows.
        return self.model.massMatrix(q).to_array()[: self._nv, : self._nv]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self.model.ForwardDynamics(q, v, tau).to_array()[: self._nv]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.model.NonLinearEffect(q, v).to_array()

    def kinetic_energy(self, q: Array, v: Array) -> float:
        return self.model.KineticEnergy(q, v)

    def potential_energy(self, q: Array) -> float:
        return self.model.PotentialEnergy(q)


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

    def __init__(self, engine: Any, gravity: Array, tree: Sequence[Segment]) -> None:
        self._engine = engine
        self._model = model = engine.Model()
        self._gravity = model.gravity = gravity
        ids = {-1: 0}
        for i, segment in enumerate(tree):
            X = engine.SpatialTransform()
            X.E = np.array(segment.placement.rotation.inverse().matrix, dtype=float)
            X.r = np.array(segment.placement.translation, dtype=float)
            body = engine.Body.fromMassComInertia(*_floats(segment.inertia))
            ids[i] = model.AddBody(ids[segment.parent], X, self._joint(segment.motion), body)

    def _joint(self, motion: Kind | Screw) -> Any:
        if not isinstance(motion, Screw):
            return self._engine.Joint.fromJointType(self.native[motion])
        axis = np.array(motion.axis, dtype=float)
        # RBDL makes of these six numbers a revolute, a prismatic or a helical joint.
        return self._engine.Joint.fromJointAxes(np.hstack([axis * motion.turns, axis * float(motion.advance)])[None])

    @staticmethod
    def version(engine: Any) -> str:
        return str(getattr(engine, "__version__", "unknown"))

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        self._engine.InverseDynamics(self._model, q, v, a, tau := np.zeros(len(v)))
        return tau

    def mass_matrix(self, q: Array) -> Array:
        # RBDL writes only the entries that can differ from zero.
        M = np.zeros((self._model.qdot_size,) * 2)
        self._engine.CompositeRigidBodyAlgorithm(self._model, q, M)
        return M

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        self._engine.ForwardDynamics(self._model, q, v, tau, a := np.zeros(len(v)))
        return a

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        self._engine.NonlinearEffects(self._model, q, v, h := np.zeros(len(v)))
        return h

    def kinetic_energy(self, q: Array, v: Array) -> float:
        raise Unsupported("RBDL's Python binding offers no kinetic energy; compare its mass matrix instead")

    def potential_energy(self, q: Array) -> float:
        # What RBDL's CalcPotentialEnergy does, which the binding leaves out.
        mass = self._engine.CalcCenterOfMass(self._model, q, np.zeros(self._model.qdot_size), com := np.zeros(3))
        return -mass * float(self._gravity @ com)


def binding() -> tuple[type[Official] | type[Biorbd], Any]:
    """The installed binding, preferably RBDL's own, and its module. Raises :class:`Missing` if there is none."""
    for kind, module, essential in ((Official, "rbdl", "NonlinearEffects"), (Biorbd, "biorbd", "SegmentCharacteristics")):
        try:
            with warnings.catch_warnings():
                # SWIG's own types lack __module__, of which CPython 3.12 and later complain on import.
                warnings.filterwarnings("ignore", "builtin type [Ss]wig", DeprecationWarning)
                engine = importlib.import_module(module)
        except ImportError:
            continue
        # A folder called rbdl beside the user's files imports too, as an empty package.
        if hasattr(engine, essential):
            return kind, engine
    raise Missing('RBDL is not installed; pip install "dalembert[rbdl]", or build RBDL with its Python wrapper')


def _floats(inertia: Inertia) -> tuple[float, Array, Array]:
    return float(inertia.mass), np.array(inertia.com, dtype=float), np.array(inertia.matrix, dtype=float)
