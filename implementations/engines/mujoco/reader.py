"""Files as MuJoCo's own readers of URDF and MJCF understand them.

MuJoCo welds the links of a URDF that do not move relative to their parents; what is welded to the world has no mass then. A link
without ``<inertial>`` gets the mass of its geometry, at 1000 kg/m³. It keeps damping, friction and limits of joints, except the
largest speed. A mimic joint becomes a constraint, which our quantities leave out: the joint moves freely there. A file's inertia
becomes principal moments and axes, with an error of some fifty roundings.

Geometry that is read from files is left out, because the files need not be there; the reading says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from implementations.conventions.converted import Converted
from implementations.engines.mujoco.adapter import engine, in_our_coordinates
from implementations.engines.mujoco.models import compiled, use_equations_alone, words
from implementations.engines.mujoco.read_model import joints_of, links_of
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Reading, ReadLink

MOST_WARNINGS = 50

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class MuJoCoFile:
    """A model that MuJoCo has read; see :class:`implementations.engines.as_read.FileModel`."""

    mj: Any
    model: Any
    bodies: tuple[int, ...]
    """The number in the model of the body that each joint of the reading carries."""
    reading: Reading

    def dynamics(self, mechanism: Mechanism, order: list[int]) -> Converted:
        use_equations_alone(self.mj, self.model.opt)
        self.model.opt.gravity[:] = mechanism.arrays.gravity
        number = dict(zip(order, self.bodies, strict=True))
        return in_our_coordinates(self.mj, self.model, [number[i] for i in range(len(order))], mechanism)


def read(text: str, form: Form, free_base: bool) -> MuJoCoFile:
    """See :class:`implementations.engines.as_read.Reader`."""
    mj = engine()
    (model, links, left_out), warned = _with_warnings(mj, lambda: _models(mj, text, form, free_base))
    joints, bodies = joints_of(mj, model)
    reading = Reading(
        _name(model),
        joints,
        tuple(map(float, model.opt.gravity)),
        links,
        (*(one_line(line, 300) for line in dict.fromkeys(warned)), *left_out)[:MOST_WARNINGS],
    )
    return MuJoCoFile(mj, model, bodies, reading)


def _models(mj: Any, text: str, form: Form, free_base: bool) -> tuple[Any, tuple[ReadLink, ...], tuple[str, ...]]:
    """The model, every link before links are welded, and what was left out."""
    if form != "urdf" and free_base:
        raise Unsupported("MJCF says itself what moves freely")
    try:
        spec = mj.MjSpec.from_string(text)
    except ValueError as error:
        raise Unsupported(f"MuJoCo refuses the file: {words(error)}") from error
    if free_base:
        _free(spec)
    left_out = _leave_files_out(mj, spec)
    unfused = spec.copy()
    unfused.compiler.fusestatic = False
    model = compiled(spec, "the file")
    try:
        return model, links_of(mj, compiled(unfused, "the file")), left_out
    except Unsupported:
        return model, (), left_out


def _free(spec: Any) -> None:
    """Let the root link move freely. Raises :class:`Unsupported`."""
    roots = list(spec.worldbody.bodies)
    if len(roots) != 1 or roots[0].joints or spec.worldbody.explicitinertial:
        raise Unsupported(
            "MuJoCo takes a link called 'world' for the world itself, which cannot move; give the link another name"
        )
    roots[0].add_freejoint(name=ROOT_JOINT)


def _leave_files_out(mj: Any, spec: Any) -> tuple[str, ...]:
    """Delete what is read from other files; say what."""
    of_files = (mj.mjtGeom.mjGEOM_MESH, mj.mjtGeom.mjGEOM_HFIELD, mj.mjtGeom.mjGEOM_SDF)
    geoms = [geom for geom in spec.geoms if geom.type in of_files]
    without = dict.fromkeys(geom.parent.name for geom in geoms if not geom.parent.explicitinertial)
    for geom in spec.geoms:
        geom.material = ""
    for element in (*geoms, *spec.meshes, *spec.hfields, *spec.skins, *spec.materials, *spec.textures):
        spec.delete(element)
    said = [f"{len(geoms)} geometries were left out before it built the model, because they come from files"] if geoms else []
    if without:
        names = one_line(", ".join(without), 200)
        said.append(f"bodies without an inertia, whose mass it would take from such geometries: {names}")
    return tuple(said)


def _name(model: Any) -> str:
    """The name of the model, which comes first among all names."""
    return str(bytes(model.names).partition(b"\0")[0].decode("utf-8", "replace"))


def _with_warnings(mj: Any, call: Callable[[], Answer]) -> tuple[Answer, list[str]]:
    """The answer of ``call``, and MuJoCo's warnings meanwhile, which it would write into a file otherwise."""
    warned: list[str] = []
    before = mj.get_mju_user_warning()
    mj.set_mju_user_warning(warned.append)
    try:
        return call(), warned
    finally:
        mj.set_mju_user_warning(before)
