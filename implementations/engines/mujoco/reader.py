"""Files as MuJoCo's own readers of URDF and MJCF understand them.

MuJoCo welds the links of a URDF that do not move relative to their parents; what is welded to the world has no mass then. A link
without ``<inertial>`` gets the mass of its geometry, at 1000 kg/m³. It keeps damping, friction and limits of joints, except the
largest speed. A mimic joint becomes a constraint, which our quantities leave out: the joint moves freely there. A file's inertia
becomes principal moments and axes, with an error of some fifty roundings.

Geometry that is read from files is left out, because the files need not be there; the reading says so.

A body of MuJoCo may have several joints, one after the other. They are joints of their own here, of which the last one carries
the body. The three joints that MuJoCo's reader makes of a planar joint of URDF are one planar joint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from implementations.engines.files import FileModel, numbers, ours
from implementations.engines.mujoco.adapter import engine, in_our_coordinates
from implementations.engines.mujoco.models import compiled, let_joints_slide, use_equations_alone, words
from implementations.protocol import Dynamics, Unsupported
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, ReadLink, ReadMimic, combined, mass_about

MOST_WARNINGS = 50

PLANAR = ("_TX", "_TY", "_RZ")
"""What MuJoCo's reader puts behind the name of a planar joint, to name the two slides and the hinge that it makes of it."""

Answer = TypeVar("Answer")


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    mj = engine()
    (model, links, left_out), warned = _with_warnings(mj, lambda: _models(mj, text, form, free_base))
    joints, bodies = joints_of(mj, model)
    reading = Reading(
        _name(model),
        joints,
        numbers(model.opt.gravity),
        links,
        (*(one_line(line, 300) for line in dict.fromkeys(warned)), *left_out)[:MOST_WARNINGS],
    )
    return FileModel(reading, partial(_dynamics, mj, model, bodies))


def _dynamics(mj: Any, model: Any, bodies: tuple[int, ...], mechanism: Mechanism, order: list[int]) -> Dynamics:
    """``bodies`` has the number in the model of the body that each joint of the reading carries."""
    use_equations_alone(mj, model.opt)
    if mechanism.arrays.friction is not None:
        let_joints_slide(mj, model)
    model.opt.gravity[:] = mechanism.arrays.gravity
    return in_our_coordinates(mj, model, ours(bodies, order), mechanism)


def _models(mj: Any, text: str, form: Form, free_base: bool) -> tuple[Any, tuple[ReadLink, ...], tuple[str, ...]]:
    """The model, every link before links are welded, and what was left out."""
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


def joints_of(mj: Any, model: Any) -> tuple[tuple[ReadJoint, ...], tuple[int, ...]]:
    """The joints that move, in MuJoCo's order, and the number of the body that each of them carries."""
    data = at_zero(mj, model)
    last, joints, bodies = {0: ""}, [], []
    for body in range(1, model.nbody):
        parent = last[int(model.body_parentid[body])]
        for first, count, name in _joints_on(mj, model, body):
            is_last = first + count == model.body_jntadr[body] + model.body_jntnum[body]
            welded = [k for k in range(body, model.nbody) if model.body_weldid[k] == body] if is_last else []
            carries = combined(_mass(model, data, k) for k in welded)
            lifted = float(sum(model.body_mass[k] * model.body_gravcomp[k] for k in welded))
            joints.append(_joint(mj, model, data, first, count, name, parent, carries, lifted))
            bodies.append(body)
            parent = name
        last[body] = parent
    return tuple(joints), tuple(bodies)


def links_of(mj: Any, model: Any) -> tuple[ReadLink, ...]:
    """Every body but the world, with its own inertia."""
    data, carrier, links = at_zero(mj, model), {0: ""}, []
    for body in range(1, model.nbody):
        carrier[body] = carrier[int(model.body_parentid[body])]
        for _, _, carrier[body] in _joints_on(mj, model, body):  # noqa: B020
            pass
        links.append(ReadLink(model.body(body).name, carrier[body], _mass(model, data, body)))
    return tuple(links)


def at_zero(mj: Any, model: Any) -> Any:
    """The model's data where every distance and angle is zero, and every orientation the identity."""
    data = mj.MjData(model)
    for kind, at in zip(model.jnt_type, model.jnt_qposadr, strict=True):
        width = {mj.mjtJoint.mjJNT_FREE: 7, mj.mjtJoint.mjJNT_BALL: 4}.get(mj.mjtJoint(kind), 1)
        data.qpos[at : at + width] = 0
        if width > 1:
            data.qpos[at + width - 4] = 1
    mj.mj_kinematics(model, data)
    return data


def _joints_on(mj: Any, model: Any, body: int) -> Iterator[tuple[int, int, str]]:
    """The number of the first joint, how many belong together, and their name."""
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    names = [model.jnt(k).name for k in range(first, first + count)]
    if count == 3 and [name[-3:] for name in names] == list(PLANAR) and len({name[:-3] for name in names}) == 1:
        yield first, 3, names[0][:-3]
        return
    for k, name in enumerate(names):
        yield first + k, 1, name or (model.body(body).name if count == 1 else f"{model.body(body).name} {k}")


def _joint(
    mj: Any, model: Any, data: Any, first: int, count: int, name: str, parent: str, carries: Mass, lifted: float
) -> ReadJoint:
    kinds = {
        mj.mjtJoint.mjJNT_HINGE: "revolute",
        mj.mjtJoint.mjJNT_SLIDE: "prismatic",
        mj.mjtJoint.mjJNT_BALL: "spherical",
        mj.mjtJoint.mjJNT_FREE: "free",
    }
    last, v = first + count - 1, int(model.jnt_dofadr[first])
    kind = "planar" if count == 3 else kinds[mj.mjtJoint(model.jnt_type[first])]
    has_axis, single = kind not in ("spherical", "free"), kind in ("revolute", "prismatic")
    return ReadJoint(
        name,
        kind,
        parent,
        numbers(data.xanchor[last]),
        numbers(data.xaxis[last]) if has_axis else (),
        carries,
        _limits(model, first) if single else (None,) * 4,
        float(model.dof_damping[v]) if single else None,
        float(model.dof_armature[v]) if single else None,
        float(model.dof_frictionloss[v]) if single else None,
        _mimic(mj, model, first),
        lifted,
    )


def _limits(model: Any, k: int) -> tuple[float | None, ...]:
    low, high = map(float, model.jnt_range[k]) if model.jnt_limited[k] else (None, None)
    return low, high, None, float(model.jnt_actfrcrange[k][1]) if model.jnt_actfrclimited[k] else None


def _mimic(mj: Any, model: Any, k: int) -> ReadMimic | None:
    """The constraint that makes a joint follow another one."""
    for e in range(model.neq):
        if model.eq_type[e] == mj.mjtEq.mjEQ_JOINT and model.eq_obj1id[e] == k and model.eq_obj2id[e] >= 0:
            leader = model.jnt(int(model.eq_obj2id[e])).name
            return ReadMimic(leader, float(model.eq_data[e][1]), float(model.eq_data[e][0]))
    return None


def _mass(model: Any, data: Any, body: int) -> Mass:
    R = data.ximat[body].reshape(3, 3)
    return mass_about(model.body_mass[body], data.xipos[body], (R * model.body_inertia[body] @ R.T).tolist())
