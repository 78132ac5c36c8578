"""Files as PyBullet's own reader of URDF understands them.

It is asked with the flag ``URDF_USE_INERTIA_FROM_FILE``, without which it ignores moments of inertia. It keeps welded links
apart, diagonalises inertias to six digits, and numbers links by depth. The meshes that a file names have to exist, also with the
flags that ignore shapes; so shapes with meshes are taken out of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from implementations.engines.files import (
    EARTH,
    FileModel,
    as_file,
    carrier_of,
    numbers,
    placed,
    with_what_it_said,
    without_meshes,
)
from implementations.engines.pybullet.adapter import dynamics_of
from implementations.engines.pybullet.model import Multibody, World
from implementations.protocol import Array, Dynamics, Unsupported
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, ReadLink, combined

BASE = -1
"""PyBullet's number of the root link."""


@dataclass(frozen=True)
class Loaded:
    """A multibody that PyBullet has read."""

    world: World
    body: int
    free_base: bool
    said: tuple[str, ...]

    def dynamics(self, mechanism: Mechanism, order: list[int]) -> Dynamics:
        if self.free_base:
            raise Unsupported("the adapter does not convert PyBullet's free base")
        moving = [joint for joint in self._joints if joint[2] != self.world.pybullet.JOINT_FIXED]
        wrong = next((joint for joint in moving if self._kind(joint) not in ("revolute", "prismatic")), None)
        if wrong is not None:
            if self._kind(wrong) != "spherical":
                raise Unsupported(f"PyBullet computes no {self._kind(wrong)} joint, which joint {_text(wrong[1])!r} is")
            raise Unsupported(f"PyBullet computes {self._kind(wrong)} joints, which joint {_text(wrong[1])!r} is, wrongly")
        self.world.call("setGravity", *map(float, mechanism.gravity))
        places = range(len(moving))
        return dynamics_of(mechanism, Multibody(self.world, self.body, [j[0] for j in moving], (places, places)), order)

    def reading(self) -> Reading:
        root, poses = self._center(BASE), {}
        local, axes = self._inertial(BASE)
        turn = root[1] @ axes.T
        start = root[0] - turn @ local
        for link in (BASE, *(joint[0] for joint in self._joints)):
            center, rotation = self._center(link)
            poses[link] = turn.T @ (center - start), turn.T @ rotation
        carriers = self._carriers()
        parts: dict[str, list[Mass]] = {name: [] for name in carriers.values()}
        names = {BASE: _text(self._about("getBodyInfo")[0]), **{joint[0]: _text(joint[12]) for joint in self._joints}}
        links = []
        for link, (center, rotation) in poses.items():
            about = self._about("getDynamicsInfo", link)
            # The mass of a base that does not move is set to zero, and its moments are kept.
            moments = np.diag(about[2]) if about[0] or link != BASE else np.zeros((3, 3))
            mass = placed(about[0], np.zeros(3), moments, rotation, center)
            links.append(ReadLink(names[link], carriers[link], mass))
            parts[carriers[link]].append(mass)
        joints = [ReadJoint(ROOT_JOINT, "free", "", (0.0,) * 3, (), combined(parts[ROOT_JOINT]))] if self.free_base else []
        moving = [joint for joint in self._joints if joint[2] != self.world.pybullet.JOINT_FIXED]
        joints += [self._read(joint, poses[joint[0]], carriers, combined(parts[_text(joint[1])])) for joint in moving]
        return Reading(_text(self._about("getBodyInfo")[1]), tuple(joints), EARTH, tuple(links), self.said)

    def _read(self, joint: Any, pose: tuple[Array, Array], carriers: dict[int, str], carries: Mass) -> ReadJoint:
        center, rotation = pose
        local, axes = self._inertial(joint[0])
        kind = self._kind(joint)
        origin = numbers(center - rotation @ axes.T @ local)
        # It keeps the length of an axis in the file, and computes with the unit vector.
        direction = rotation @ np.array(joint[13])
        axis = numbers(direction / np.linalg.norm(direction)) if kind in ("revolute", "prismatic") else ()
        ends = (joint[8], joint[9]) if joint[8] <= joint[9] else (None, None)
        limits = (*ends, joint[11], joint[10])
        named = _text(joint[1])
        return ReadJoint(named, kind, carriers[joint[16]], origin, axis, carries, limits, joint[6], friction=joint[7])

    def _carriers(self) -> dict[int, str]:
        """For every link the name of the joint that moves it."""
        fixed = self.world.pybullet.JOINT_FIXED
        inboard = {joint[0]: (joint[16], "" if joint[2] == fixed else _text(joint[1])) for joint in self._joints}
        of_root = ROOT_JOINT if self.free_base else ""
        return {link: carrier_of(inboard, link, of_root) for link in (BASE, *inboard)}

    def _center(self, link: int) -> tuple[Array, Array]:
        """The centre of mass and the principal axes of a link, in the world."""
        if link == BASE:
            position, quaternion = self._about("getBasePositionAndOrientation")
        else:
            position, quaternion = self._about("getLinkState", link, computeForwardKinematics=True)[:2]
        return np.array(position), self._matrix(quaternion)

    def _inertial(self, link: int) -> tuple[Array, Array]:
        """The same in the link's frame."""
        about = self._about("getDynamicsInfo", link)
        return np.array(about[3]), self._matrix(about[4])

    @cached_property
    def _joints(self) -> list[Any]:
        return [self._about("getJointInfo", joint) for joint in range(self._about("getNumJoints"))]

    def _kind(self, joint: Any) -> str:
        kinds = ("revolute", "prismatic", "spherical", "planar")
        return {getattr(self.world.pybullet, f"JOINT_{kind.upper()}"): kind for kind in kinds}.get(joint[2], f"type {joint[2]}")

    def _matrix(self, quaternion: Any) -> Array:
        return np.reshape(self.world.pybullet.getMatrixFromQuaternion(quaternion), (3, 3))

    def _about(self, name: str, *arguments: Any, **named: Any) -> Any:
        return self.world.call(name, self.body, *arguments, **named)


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    world = World()
    bullet = world.pybullet
    text, cut = without_meshes(text)
    edits = ("<visual> and <collision> were taken out of the text, because PyBullet wants their meshes to exist",) if cut else ()
    with as_file(text, f"robot.{form}") as path:

        def load() -> Any:
            try:
                return world.call("loadURDF", str(path), useFixedBase=not free_base, flags=bullet.URDF_USE_INERTIA_FROM_FILE)
            except bullet.error:
                return None

        body, said = with_what_it_said(load)
    said = (*edits, *_lines("\n".join(said).replace(str(path.parent), ""), text))
    if body is None:
        raise Unsupported(f"PyBullet refuses the file: {'; '.join(said[-3:])[:300] or 'it does not say why'}")
    model = Loaded(world, body, free_base, said)
    try:
        return FileModel(model.reading(), model.dynamics)
    except bullet.error as error:
        # More than 128 joints are read, but cannot be asked about.
        raise Unsupported(f"PyBullet does not say what it has read: {one_line(str(error))}") from error


def _lines(printed: str, text: str) -> list[str]:
    """What PyBullet printed about the file ``text``, one line each, without the places in its source.

    It prints a message in pieces, with a place before each and no line end behind the last. A piece goes on with the message
    before it if it is a name or another word of the file, or begins with a small letter. A word behind a sentence ends it.
    """
    words = {one_line(quoted[1:-1]) for quoted in re.findall(r'"[^"]*"|\'[^\']*\'', text)}
    lines: list[str] = []
    is_over = True
    for piece in re.split(r"\n|b3(?:Warning|Error|Printf)\[[^]]*\]:|(?=Warning: |Cannot load URDF)", printed):
        if not (piece := piece.strip()):
            continue
        is_word = piece in words
        if lines and (is_word or (not is_over and piece[0].islower())):
            mark = "" if not is_word or lines[-1][-1] == ":" or " " not in lines[-1] else "," if is_over else ":"
            lines[-1] += f"{mark} {piece}"
        else:
            lines.append(piece)
        is_over = is_word and ":" in lines[-1]
    return list(dict.fromkeys(lines))


def _text(name: bytes) -> str:
    """A name as the file has it, whatever its characters: joints of readings correspond by their names."""
    return name.decode("utf-8", "replace")
