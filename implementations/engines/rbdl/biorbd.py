"""librbdl inside ``biorbd``, behind the interface of :mod:`implementations.engines.rbdl.adapter`.

==================== ========================================== ======================================================
what                 biorbd                                     conversion
==================== ========================================== ======================================================
placements           ``globalJCS``, of segments                 the segment's frame is rotated back to the body's
velocities           ``CalcPointVelocity6D``: [ω; ṗ] of the     none; this is the aligned frame
                     segment's origin
frames               ``CalcPointVelocity6D`` of their origins   none; not offered where a frame is fixed to the root
centre of mass       ``CoM``                                    none
centroidal momentum  ``angularMomentum``, about the centre of   followed by mass · ``CoMdot``; :class:`Unsupported` if
                     mass                                       there is a quaternion: ``CoMdot`` then reads
                                                                memory behind v, and is NaN now and then
external forces      ``ExternalForceSet``, [n; f] at a point    rotated to the segment's axes; :class:`Unsupported` if
                     of the segment, along its axes             there is a quaternion: ``biorbd`` counts its three
                                                                velocities as three bodies of RBDL, and applies all
                                                                later forces to wrong bodies
==================== ========================================== ======================================================

biorbd has no function for a body's 6 × nv Jacobian, nor for its angular acceleration.
"""

from __future__ import annotations

import importlib
import re
import sys
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec, module_from_spec
from typing import Any, ClassVar

import numpy as np

from implementations.engines.left_out import INVERSE
from implementations.engines.rbdl.model import Motion, floats, tree_of
from implementations.protocol import Array, Failure, Unsupported
from implementations.state_by_state import at_one_state, of_places
from mechanisms import Mechanism
from mechanisms.geometry import basis
from mechanisms.joint import Kind
from mechanisms.quantities import ALL_QUANTITIES


def biorbd() -> Any:
    """The module of ``biorbd`` that contains librbdl. Raises :class:`ImportError` if there is none.

    The package around it imports SciPy and Matplotlib, which takes nine times as long, in every worker process. So the package is
    found and not executed, and code that imports it afterwards gets all of it.
    """
    if "biorbd" in sys.modules:
        return importlib.import_module("biorbd")
    if not (found := find_spec("biorbd")):
        raise ImportError("biorbd is not installed")
    sys.modules["biorbd"] = module_from_spec(found)
    try:
        return importlib.import_module("biorbd.biorbd")
    finally:
        del sys.modules["biorbd"]


CALLS = {
    "inverse_dynamics": "model.InverseDynamics(q, v, a).to_array()",
    "forward_dynamics": "model.ForwardDynamics(q, v, tau).to_array()[: len(v)]",
    "nonlinear_effects": "model.NonLinearEffect(q, v).to_array()",
    "kinetic_energy": "model.KineticEnergy(q, v)",
    "potential_energy": "model.PotentialEnergy(q)",
    "center_of_mass": "model.CoM(q).to_array()",
}
"""Expressions of one state. ``ForwardDynamics`` sizes its answer by q, and sets what v knows."""


class Biorbd:
    """librbdl inside ``biorbd``. Its ``AddSegment`` builds RBDL's model without a file."""

    native: ClassVar[dict[Kind, tuple[str, str]]] = {"free": ("xyz", "q"), "spherical": ("", "q")}
    """Joints that it supports as one segment, with the names of their translations and rotations."""

    composes: ClassVar[bool] = False
    """Axes are x, y and z only, and the names of a segment's rotations cannot come before those of its translations."""

    damped: ClassVar[tuple[str, ...]] = (*INVERSE, "forward_dynamics", "constrained_acceleration")

    workarounds: ClassVar[tuple[str, ...]] = (
        "damping is added to NonLinearEffect, which leaves it out",
        "M and accelerations are cut to the number of velocities: biorbd sizes them by q, and leaves the rest zero or unset",
        "joints of several coordinates are chains of segments, but free and spherical ones",
    )

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        text, vector = engine.String, engine.Vector3d
        self.engine = engine
        tree, self.ends = tree_of(mechanism, self)
        no_range = engine.VecBiorbdRange()
        self.model = model = engine.Model()
        calls = {name: at_one_state(call, ALL_QUANTITIES[name].arguments, {"model": model}) for name, call in CALLS.items()}
        vars(self).update(calls)
        model.setGravity(vector(*mechanism.arrays.gravity))
        for i, segment in enumerate(tree):
            name, parent = f"segment{i}", f"segment{segment.parent}" if segment.parent >= 0 else "root"
            translations, rotations = self._sequences(segment.motion)
            damping = engine.VecBiorbdScalar()
            if segment.joint.damping:
                damping.append(float(segment.joint.damping))
            mass, com, inertia = floats(segment.inertia)
            R, p = segment.placement.rotation.matrix, segment.placement.translation
            model.AddSegment(
                *map(text, (name, parent, translations, rotations)),
                *(no_range, no_range, no_range, damping),
                engine.SegmentCharacteristics(mass, vector(*com), engine.Matrix3d(*inertia.flat)),
                engine.RotoTrans(engine.Rotation(*(float(x) for row in R for x in row)), vector(*map(float, p))),
            )

    @cached_property
    def _nv(self) -> int:
        return self.model.nbQdot()

    def number_of(self, segment: int) -> int:
        """RBDL's number of the body of a segment."""
        return int(self.model.getBodyBiorbdIdToRbdlId(segment))

    def _sequences(self, motion: Motion) -> tuple[str, str]:
        if not isinstance(motion, tuple):
            return self.native[motion]
        (screw,) = motion
        if screw.turns and screw.advance:
            raise Unsupported("biorbd has no helical joint, which RBDL has; build RBDL with its own Python wrapper to compare it")
        letter = "xyz"[basis().index(screw.axis)]
        return ("", letter) if screw.turns else (letter, "")

    @staticmethod
    def version(engine: Any) -> str:
        """RBDL's version, if the file name of the bundled library contains it, and biorbd's."""
        files = " ".join(file.name for file in metadata.files("biorbd") or ())
        bundled = re.search(r"librbdl\S*?\.(\d+\.\d+\.\d+)", files)
        wheel = f"biorbd {engine.getVersion().to_string()}"
        return f"{bundled[1]} ({wheel})" if bundled else wheel

    def mass_matrix(self, q: Array) -> Array:
        M = self.model.massMatrix(q).to_array()
        # biorbd sizes the matrix by q; RBDL fills what v knows.
        if M[self._nv :].any() or M[:, self._nv :].any():
            raise Failure("massMatrix has an entry other than zero beyond the number of velocities")
        return M[: self._nv, : self._nv]

    def gravity(self, q: Array) -> Array:
        return self.model.NonLinearEffect(q, np.zeros(self._nv)).to_array()


class BiorbdMotions(Biorbd):
    """One mechanism in the RBDL of ``biorbd``, at one state. Not thread-safe."""

    def __init__(self, engine: Any, mechanism: Mechanism) -> None:
        Biorbd.__init__(self, engine, mechanism)
        self._mechanism, self._origin = mechanism, engine.Vector3d(0, 0, 0)
        self._ends = [(segment, np.array(turn.rotation.matrix, dtype=float)) for segment, turn in self.ends]
        bodies = [self.model.getBodyRbdlId(f"segment{segment}") for segment, _ in self._ends]
        points = [
            (
                bodies[frame.body],
                engine.Vector3d(*(self._ends[frame.body][1].T @ np.array(frame.placement.translation, dtype=float))),
            )
            for frame in mechanism.frames
            if frame.body >= 0
        ]
        places = [(body, self._origin) for body in bodies]
        for prefix, of in (("", places), ("frame_", points if len(points) == len(mechanism.frames) else [])):
            vars(self).update(of_places(self._set, of, {"velocities_aligned": self._velocity}, prefix))

    def _set(self, q: Array, v: Array) -> None:
        self._q, self._v = q, v

    def _velocity(self, place: tuple[int, Any]) -> Array:
        return self.model.CalcPointVelocity6D(self._q, self._v, *place).to_array()

    def placements(self, q: Array) -> list[Array]:
        # The first call brings the kinematics up to date for all.
        places = [self.model.globalJCS(q, segment).to_array()[:3] for segment, _ in self._ends]
        return [np.hstack([T[:, :3] @ turn.T, T[:, 3:]]) for T, (_, turn) in zip(places, self._ends, strict=True)]

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMdot reads memory behind v")
        momentum = self.model.mass() * self.model.CoMdot(q, v).to_array()
        return np.concatenate([self.model.angularMomentum(q, v).to_array(), momentum])

    def center_of_mass_velocity(self, q: Array, v: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMdot reads memory behind v")
        return self.model.CoMdot(q, v).to_array()

    def center_of_mass_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMddot reads memory behind v")
        return self.model.CoMddot(q, v, a).to_array()

    def center_of_mass_jacobian(self, q: Array) -> Array:
        self._require_no_quaternion("biorbd's CoMJacobian reads memory behind v")
        return self.model.CoMJacobian(q).to_array()

    def forward_dynamics_dtau(self, q: Array) -> Array:
        self._require_no_quaternion("biorbd's massMatrixInverse is wrong")
        return self.model.massMatrixInverse(q).to_array()

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        self._require_no_quaternion("biorbd puts external forces on other bodies")
        forces = self.model.externalForceSet()
        for (segment, turn), force in zip(self._ends, f, strict=True):
            turned = self.engine.SpatialVector(*(turn.T @ force[:3]), *(turn.T @ force[3:]))
            forces.addInSegmentReferenceFrame(self.engine.String(f"segment{segment}"), turned, self._origin)
        return self.model.InverseDynamics(q, v, a, forces).to_array()

    def _require_no_quaternion(self, fault: str) -> None:
        """Raise :class:`Unsupported` with the ``fault`` of biorbd, which counts velocities by q, where there is a quaternion."""
        if quaternions := self._mechanism.slots("quaternion"):
            joint, _ = quaternions[0]
            raise Unsupported(f"{fault} where there is a quaternion, as in {joint.name!r}")
