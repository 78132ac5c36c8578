"""librbdl inside ``biorbd`` behind the interface of :mod:`implementations.engines.rbdl.adapter`."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from functools import cached_property
from importlib import metadata
from importlib.util import find_spec, module_from_spec
from typing import Any, ClassVar

import numpy as np

from implementations.engines.expressions import at_one_state
from implementations.engines.left_out import INVERSE
from implementations.engines.rbdl.segments import Segment, floats
from implementations.protocol import Array, Failure, Unsupported
from mechanisms.geometry import basis
from mechanisms.joint import Kind, Screw
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

    def __init__(self, engine: Any, gravity: Array, tree: Sequence[Segment]) -> None:
        text, vector = engine.String, engine.Vector3d
        self.engine = engine
        no_range = engine.VecBiorbdRange()
        self.model = model = engine.Model()
        calls = {name: at_one_state(call, ALL_QUANTITIES[name].arguments, {"model": model}) for name, call in CALLS.items()}
        vars(self).update(calls)
        model.setGravity(vector(*gravity))
        for i, segment in enumerate(tree):
            name, parent = f"segment{i}", f"segment{segment.parent}" if segment.parent >= 0 else "root"
            translations, rotations = self._sequences(segment.motion)
            damping = engine.VecBiorbdScalar()
            if segment.damping:
                damping.append(float(segment.damping))
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

    def _sequences(self, motion: Kind | tuple[Screw, ...]) -> tuple[str, str]:
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
