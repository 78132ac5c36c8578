"""The joints and the links of a model of MuJoCo, in numbers, where every position is zero.

A body of MuJoCo may have several joints, one after the other. They are joints of their own here, of which the last one carries
the body. The three joints that MuJoCo's reader makes of a planar joint of URDF are one planar joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mechanisms.reading import Mass, Mimic, ReadJoint, ReadLink, combined, mass_about

PLANAR = ("_TX", "_TY", "_RZ")
"""What MuJoCo's reader puts behind the name of a planar joint, to name the two slides and the hinge that it makes of it."""


def joints_of(mj: Any, model: Any) -> tuple[tuple[ReadJoint, ...], tuple[int, ...]]:
    """The joints that move, in MuJoCo's order, and the number of the body that each of them carries."""
    data = at_zero(mj, model)
    last, joints, bodies = {0: ""}, [], []
    for body in range(1, model.nbody):
        parent = last[int(model.body_parentid[body])]
        for first, count, name in _joints_on(mj, model, body):
            is_last = first + count == model.body_jntadr[body] + model.body_jntnum[body]
            carries = combined(_masses(model, data, body) if is_last else ())
            joints.append(_joint(mj, model, data, first, count, name, parent, carries))
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


def _joint(mj: Any, model: Any, data: Any, first: int, count: int, name: str, parent: str, carries: Mass) -> ReadJoint:
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
        _numbers(data.xanchor[last]),
        _numbers(data.xaxis[last]) if has_axis else (),
        carries,
        _limits(model, first) if single else (None,) * 4,
        float(model.dof_damping[v]) if single else None,
        float(model.dof_armature[v]) if single else None,
        float(model.dof_frictionloss[v]) if single else None,
        _mimic(mj, model, first),
    )


def _limits(model: Any, k: int) -> tuple[float | None, ...]:
    low, high = map(float, model.jnt_range[k]) if model.jnt_limited[k] else (None, None)
    return low, high, None, float(model.jnt_actfrcrange[k][1]) if model.jnt_actfrclimited[k] else None


def _mimic(mj: Any, model: Any, k: int) -> Mimic | None:
    """The constraint that makes a joint follow another one."""
    for e in range(model.neq):
        if model.eq_type[e] == mj.mjtEq.mjEQ_JOINT and model.eq_obj1id[e] == k and model.eq_obj2id[e] >= 0:
            leader = model.jnt(int(model.eq_obj2id[e])).name
            return Mimic(leader, float(model.eq_data[e][1]), float(model.eq_data[e][0]))
    return None


def _masses(model: Any, data: Any, body: int) -> Iterator[Mass]:
    """Those of a body and of all that is welded to it."""
    for k in range(body, model.nbody):
        if model.body_weldid[k] == body:
            yield _mass(model, data, k)


def _mass(model: Any, data: Any, body: int) -> Mass:
    R = data.ximat[body].reshape(3, 3)
    return mass_about(model.body_mass[body], data.xipos[body], (R * model.body_inertia[body] @ R.T).tolist())


def _numbers(x: Any) -> tuple[float, ...]:
    return tuple(map(float, x))
