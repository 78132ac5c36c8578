"""The two ways to RBDL from Python, behind one face: a tree of segments in, RBDL's answers for one state out.

Everything here is in RBDL's own coordinates; :mod:`implementations.rbdl` converts. No name of the user's reaches RBDL.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import numpy as np

from implementations.protocol import Array, Missing, Unsupported
from mechanisms import Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.geometry import basis
from mechanisms.joint import Kind


@dataclass(frozen=True)
class Segment:
    """A body as RBDL can hold it: its 1-DoF joint acts about or along ``letter``, an axis of its own frame."""

    parent: int
    kind: Kind
    letter: str
    placement: Placement
    inertia: Inertia


def segments(mechanism: Mechanism) -> tuple[Segment, ...]:
    """The mechanism's bodies with their frames turned, exactly, so that every joint's axis is x, y or z."""
    turns = [_principal(body.joint) for body in mechanism.bodies]
    made = []
    for body, parent, (letter, turn) in zip(mechanism.bodies, mechanism.parents, turns, strict=True):
        holder = turns[parent][1].inverse() if parent >= 0 else Placement()
        placement = holder @ body.joint.placement @ turn
        made.append(Segment(parent, body.joint.kind, letter, placement, body.inertia.placed(turn.inverse())))
    return tuple(made)


def _principal(joint: Joint) -> tuple[str, Placement]:
    """The letter of the joint's axis, and the turn of the body's frame that makes it so."""
    if joint.kind == "free" or joint.axis in basis():
        return "xyz"[basis().index(joint.axis)] if joint.kind != "free" else "", Placement()
    x, y, z = joint.axis
    return "z", Placement(Rotation(1 + z, -y, x, 0) if z != -1 else Rotation(0, 1, 0, 0))


class Biorbd:
    """librbdl inside ``biorbd``. Its ``AddSegment`` builds RBDL's model without a file on the way."""

    def __init__(self, engine: Any, gravity: Array, tree: Sequence[Segment]) -> None:
        text, vector = engine.String, engine.Vector3d
        no_range, no_damping = engine.VecBiorbdRange(), engine.VecBiorbdScalar()
        self._model = model = engine.Model()
        model.setGravity(vector(*gravity))
        for i, segment in enumerate(tree):
            name, parent = f"segment{i}", f"segment{segment.parent}" if segment.parent >= 0 else "root"
            translations = {"free": "xyz", "prismatic": segment.letter}.get(segment.kind, "")
            rotations = {"free": "q", "revolute": segment.letter}.get(segment.kind, "")
            mass, com, inertia = _floats(segment.inertia)
            R, p = segment.placement.rotation.matrix, segment.placement.translation
            model.AddSegment(
                *map(text, (name, parent, translations, rotations)),
                *(no_range, no_range, no_range, no_damping),
                engine.SegmentCharacteristics(mass, vector(*com), engine.Matrix3d(*inertia.flat)),
                engine.RotoTrans(engine.Rotation(*(float(x) for row in R for x in row)), vector(*map(float, p))),
            )
        self._nv = model.nbQdot()

    @staticmethod
    def version(engine: Any) -> str:
        """RBDL's version where the name of the bundled library tells it, and biorbd's."""
        files = " ".join(file.name for file in metadata.files("biorbd") or ())
        bundled = re.search(r"librbdl\S*?\.(\d+\.\d+\.\d+)", files)
        wheel = f"biorbd {engine.__version__}"
        return f"{bundled[1]} ({wheel})" if bundled else wheel

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self._model.InverseDynamics(q, v, a).to_array()

    def mass_matrix(self, q: Array) -> Array:
        # biorbd sizes the matrix, and below the acceleration, by q; RBDL fills what v knows.
        return self._model.massMatrix(q).to_array()[: self._nv, : self._nv]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self._model.ForwardDynamics(q, v, tau).to_array()[: self._nv]

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self._model.NonLinearEffect(q, v).to_array()

    def kinetic_energy(self, q: Array, v: Array) -> float:
        return self._model.KineticEnergy(q, v)

    def potential_energy(self, q: Array) -> float:
        return self._model.PotentialEnergy(q)


class Official:
    """RBDL's own Python binding, built from its sources with RBDL_BUILD_PYTHON_WRAPPER."""

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
            ids[i] = model.AddBody(ids[segment.parent], X, self._joint(segment), body)

    def _joint(self, segment: Segment) -> Any:
        if segment.kind == "free":
            return self._engine.Joint.fromJointType("JointTypeFloatingBase")
        axis = np.zeros((1, 6))
        axis[0, "xyz".index(segment.letter) + (3 if segment.kind == "prismatic" else 0)] = 1
        return self._engine.Joint.fromJointAxes(axis)

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
    """The binding that is installed, RBDL's own first, and its module. Raises :class:`Missing` for neither."""
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
