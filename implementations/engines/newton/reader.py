"""Files as Newton's own readers of URDF and MJCF understand them.

Newton keeps welded links apart, damping, friction and limits of joints, and mimic joints. All its numbers are in float32. A link
without ``<inertial>`` gets the mass of its ``<collision>`` at 1000 kg/m³. ``finalize`` corrects inertias that no body can have,
with a warning. A planar joint of URDF slides, and does not turn. Names get the robot's name in front, which is taken away here.

Several joints of one body of MJCF are one joint of Newton, and the file's gravity is not read. Its meshes are left out, because
the files need not be there; the reading says so.
"""

from __future__ import annotations

import importlib
import warnings
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from implementations.conventions.rates import rotation
from implementations.engines.blocks import BLOCK
from implementations.engines.files import FileModel, carrier_of, limits_of, numbers, ours, placed, refusal, require_kinds
from implementations.engines.left_out import Completed
from implementations.engines.newton.adapter import dynamics_of, engine
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, ReadLink, ReadMimic, combined

FLOATING = "floating_base"
"""Newton's name for the joint on which it puts a root that moves freely."""

FETCHES = "it would fetch a mesh or a texture from the network"

MOST_WARNINGS = 50


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    _, newton = engine()
    builder = newton.ModelBuilder()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            if form == "urdf":
                importer = importlib.import_module("newton._src.utils.import_urdf")
                with patch.object(importer, "download_asset_tmpfile", side_effect=OSError(FETCHES)):
                    builder.add_urdf(text, floating=free_base)
            else:
                builder.add_mjcf(text, parse_meshes=False)
            found = _OneWorld(newton, builder, form)
        except Exception as error:
            raise refusal("Newton", error) from error
    meshes = ("meshes were left out before it built the model",) if form == "mjcf" and "<mesh" in text else ()
    said = (*meshes, *dict.fromkeys(one_line(str(one.message), 300) for one in warned))[:MOST_WARNINGS]
    reading = Reading(found.name, tuple(map(found.joint, found.moving)), found.gravity, found.links(), said)
    links = [int(found.child[k]) for k in found.moving]
    return FileModel(reading, partial(_dynamics, newton, builder, links, [joint.kind for joint in reading.joints]))


def _dynamics(newton: Any, builder: Any, links: list[int], kinds: list[str], mechanism: Mechanism, order: list[int]) -> Completed:
    """``links`` has the number of the link that each joint of the reading carries."""
    if -1 in builder.joint_articulation:
        raise Unsupported("Newton makes joints of the file that are in no articulation, which only its other solvers compute")
    require_kinds("Newton", mechanism, zip(order, kinds, strict=True))
    builder.joint_mimic_joint = [-1] * builder.joint_count
    worlds = newton.ModelBuilder()
    worlds.replicate(builder, BLOCK)
    with warnings.catch_warnings(action="ignore"):
        model = worlds.finalize("cpu")
    for name in ("target_ke", "target_kd", "limit_ke", "limit_kd"):
        getattr(model, f"joint_{name}").zero_()
    model.set_gravity(mechanism.arrays.gravity)
    return dynamics_of(mechanism, model, ours(links, order), [], order)


class _OneWorld:
    """The model of a builder with one world, at position zero. Links and joints have Newton's numbers."""

    def __init__(self, newton: Any, builder: Any, form: Form) -> None:
        self._kinds, self._defaults, self._model = newton.JointType, builder.default_joint_cfg, builder.finalize("cpu")
        self._has_paths, label = form == "mjcf", str(next(iter(builder.articulation_label), ""))
        self.name, self.gravity = label.partition("/")[0] if self._has_paths else label, numbers(self._of("gravity")[0])
        self._link_names, self._joint_names = (
            [self._plain(label) for label in labels] for labels in (builder.body_label, builder.joint_label)
        )
        self.child, self._starts = self._of("joint_child"), self._of("joint_qd_start")
        self.moving = [int(k) for k in np.flatnonzero(np.diff(self._starts))]
        self._inboard = {
            int(link): (int(before), name if k in self.moving else "")
            for k, (link, before, name) in enumerate(zip(self.child, self._of("joint_parent"), self._joint_names, strict=True))
        }
        self._places = self._at_zero(newton)

    def _of(self, name: str) -> Array:
        return np.asarray(getattr(self._model, name).numpy())

    def _plain(self, label: str) -> str:
        """A label of Newton without what stands in front of the name: the robot's, and the path to a body of MJCF."""
        name = label.rpartition("/")[2] if self._has_paths else label.removeprefix(f"{self.name}/")
        return ROOT_JOINT if name == FLOATING else name

    def _at_zero(self, newton: Any) -> Array:
        model, state = self._model, self._model.state()
        q = np.zeros(model.joint_coord_count, np.float32)
        for kind, end in zip(self._of("joint_type"), self._of("joint_q_start")[1:], strict=True):
            if kind in (self._kinds.BALL, self._kinds.FREE):
                q[end - 1] = 1
        state.joint_q.assign(q)
        newton.eval_fk(model, state.joint_q, state.joint_qd, state)
        return state.body_q.numpy().astype(float)

    def links(self) -> tuple[ReadLink, ...]:
        return tuple(ReadLink(name, carrier_of(self._inboard, i), self._mass(i)) for i, name in enumerate(self._link_names))

    def joint(self, k: int) -> ReadJoint:
        at, name = slice(*map(int, self._starts[k : k + 2])), self._joint_names[k]
        parent, place = int(self._of("joint_parent")[k]), self._of("joint_X_p")[k].astype(float)
        R, p = (np.eye(3), np.zeros(3)) if parent < 0 else (rotation(self._places[parent, 3:]), self._places[parent, :3])
        single, kind = at.stop - at.start == 1, self._kinds(int(self._of("joint_type")[k])).name.lower()
        axis = R @ rotation(place[3:]) @ self._of("joint_axis")[at.start].astype(float)
        welded = (self._mass(i) for i in range(len(self._places)) if carrier_of(self._inboard, i) == name)
        damping, armature, friction = (
            float(self._of(f"joint_{what}")[at.start]) if single else None for what in ("damping", "armature", "friction")
        )
        return ReadJoint(
            name,
            "spherical" if kind == "ball" else kind,
            carrier_of(self._inboard, parent),
            numbers(p + R @ place[:3]),
            numbers(axis) if single else (),
            combined(welded),
            self._limits(at.start) if single else (None,) * 4,
            damping,
            armature,
            friction,
            self._mimic(k),
        )

    def _mass(self, link: int) -> Mass:
        R, p = rotation(self._places[link, 3:]), self._places[link, :3]
        com, inertia = self._of("body_com")[link].astype(float), self._of("body_inertia")[link].astype(float)
        return placed(float(self._of("body_mass")[link]), com, inertia, R, p)

    def _limits(self, j: int) -> tuple[float | None, ...]:
        """Newton's defaults are no limits of the file."""
        names = ("limit_lower", "limit_upper", "velocity_limit", "effort_limit")
        values = [(float(self._of(f"joint_{name}")[j]), getattr(self._defaults, name)) for name in names]
        return limits_of(*(None if value == default else value for value, default in values))

    def _mimic(self, k: int) -> ReadMimic | None:
        leader, (offset, multiplier) = int(self._of("joint_mimic_joint")[k]), map(float, self._of("joint_mimic_coeffs")[k])
        return ReadMimic(self._joint_names[leader], multiplier, offset) if leader >= 0 else None
