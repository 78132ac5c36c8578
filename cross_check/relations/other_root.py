"""Hang a free chain up at its other end: the same motion in other coordinates v' = A v.

The body behind the free joint is r. From it a path leads to the body t, always to the first child whose joint has one coordinate.
In the image t is behind the free joint and the joints of the path are reversed: in the joint from i to j, with the motion
exp(S q), body i moves relative to j by exp(−S q). So the axis is negated and q, v, a, armature and damping are kept.

    v' = A v,   A = [J_t; 1]        the free joint's velocity is that of t, J_t in t's frame; the other joints keep theirs
    a' = A a + Ȧ v = [J_t a + J̇_t v; a]
    τ = Aᵀ τ',   g = Aᵀ g',   M = Aᵀ M' A,   A_G = A_G' A

A mechanism without a free joint at its root is put on a free base first. Pose, velocity and acceleration of t are computed by the
reference in double-double: they only describe the motion.

Forward dynamics takes no part. Where t is light, correct algorithms lose digits that they keep with r at the root.
"""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np

from cross_check.comparison.sampling import States, sample
from cross_check.memory import Array
from cross_check.relations.relation import Metamorphic
from cross_check.relations.transformation import SAME, Back, Correspondence, Question, Related, replaced
from implementations.protocol import Unsupported
from implementations.recorded.precise import PRECISE
from mechanisms import Body, Joint, Mechanism, on_free_base
from mechanisms.geometry import Placement

UNCHANGED = (
    "kinetic_energy",
    "potential_energy",
    "center_of_mass",
    "center_of_mass_velocity",
    "center_of_mass_acceleration",
    "centroidal_momentum",
    "centroidal_momentum_rate",
)
IN_WORLD = ("velocities_world", "accelerations_world")
"""Motions of bodies that do not depend on where a body has its origin."""


def relate(mechanism: Mechanism, states: States) -> Related:
    mechanism = mechanism.tree  # No quantity of constraints takes part.
    if _free_root(mechanism) is None:
        # Frames may have the name of the base.
        mechanism = on_free_base(dataclasses.replace(mechanism, frames=()))
        states = sample(mechanism, 0, len(states))
    path = _path(mechanism)
    image, tip = _hung(mechanism, path), path[-1]
    joints = {body.joint.name: k for k, body in enumerate(image.bodies)}
    q, v, a = (np.empty((len(states), n)) for n in (image.nq, image.nv, image.nv))
    A = np.zeros((len(states), image.nv, image.nv))
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        own = joints[body.joint.name]
        q_own, v_own = image.q_slices[own], image.v_slices[own]
        q[:, q_own], v[:, v_own], a[:, v_own] = states.q[:, q_i], states.v[:, v_i], states.a[:, v_i]
        A[:, v_own, v_i] = np.eye(body.joint.nv)
    known = PRECISE.load(mechanism)
    own = joints[mechanism.bodies[path[0]].joint.name]
    q_own, v_own = image.q_slices[own], image.v_slices[own]
    q[:, q_own] = _pose(known.placements(states.q)[:, tip].astype(np.float64))
    v[:, v_own] = known.velocities_local(states.q, states.v)[:, tip].astype(np.float64)
    a[:, v_own] = known.accelerations_local(states.q, states.v, states.a)[:, tip].astype(np.float64)
    A[:, v_own] = known.jacobians_local(states.q)[:, tip].astype(np.float64)
    names = {body.name: k for k, body in enumerate(image.bodies)}
    bodies = [names[body.name] for body in mechanism.bodies]
    moved = replaced(states, q=q, v=v, a=a, tau=np.zeros_like(v), f=states.f[:, np.argsort(bodies)])
    back = {
        **dict.fromkeys(("inverse_dynamics", "gravity"), _along(A, "bki,bk->bi")),
        "mass_matrix": _along(A, "bki,bkl,blj->bij", 2),
        "centroidal_momentum_matrix": _along(A, "bki,bck->bci"),
        **dict.fromkeys(UNCHANGED, SAME),
        **Correspondence(image, bodies).back(IN_WORLD),
    }
    return Related(Question(mechanism, states), (Question(image, moved),), back)


def _free_root(mechanism: Mechanism) -> int | None:
    """The index of the first body that a free joint ties to the root."""
    bodies = enumerate(mechanism.bodies)
    return next((k for k, body in bodies if body.joint.kind == "free" and body.parent == mechanism.root), None)


def _path(mechanism: Mechanism) -> list[int]:
    """The indices of the bodies from r to t. Raises :class:`Unsupported` if they are one."""
    free = _free_root(mechanism)
    path = [] if free is None else [free]
    for k, (λ, body) in enumerate(zip(mechanism.parents, mechanism.bodies, strict=True)):
        if λ == path[-1] and body.joint.nv == 1:
            path.append(k)
    if len(path) == 1:
        raise Unsupported("the body on the free joint carries no joint with one coordinate, which could be reversed")
    return path


def _hung(mechanism: Mechanism, path: list[int]) -> Mechanism:
    """The mechanism with t at its root."""
    bodies = mechanism.bodies
    # What is fixed to a body of the path is seen from its new frame: that of the joint that led away from it.
    ahead = {bodies[i].name: bodies[j].joint.placement for i, j in pairwise(path)}
    back = {name: placement.inverse() for name, placement in ahead.items()}
    tip, free = bodies[path[-1]], bodies[path[0]].joint
    made = [dataclasses.replace(tip, parent=mechanism.root, joint=Joint(free.name, "free"))]
    for i, j in reversed(list(pairwise(path))):
        body, beyond = bodies[i], bodies[j]
        axis = tuple(-x for x in beyond.joint.axis)
        joint = dataclasses.replace(beyond.joint, axis=axis, placement=back.get(beyond.name, Placement()))
        made.append(Body(body.name, beyond.name, joint, body.inertia.placed(back[body.name])))
    for k, body in enumerate(bodies):
        if k not in path:
            placement = body.joint.placement
            placement = back[body.parent] @ placement if body.parent in back else placement
            made.append(dataclasses.replace(body, joint=dataclasses.replace(body.joint, placement=placement)))
    image = dataclasses.replace(mechanism, bodies=tuple(made), frames=())
    index = {body.name: k for k, body in enumerate(image.bodies)}
    frames = []
    for frame in mechanism.frames:
        name = bodies[frame.body].name if frame.body >= 0 else mechanism.root
        placement = back[name] @ frame.placement if name in back else frame.placement
        frames.append(dataclasses.replace(frame, body=index.get(name, -1), placement=placement))
    return dataclasses.replace(image, frames=tuple(frames))


def _along(A: Array, subscripts: str, times: int = 1) -> Back:
    """The answer multiplied by A, on both sides if A occurs twice."""

    def through(A: Array, x: Array) -> Array:
        return np.einsum(subscripts, A, x, *[A] * (times - 1), optimize=True)

    return Back(lambda x: through(A, x), lambda size: through(np.abs(A), size))


def _pose(placements: Array) -> Array:
    """Positions and unit quaternions x y z w (batch, 7) of placements [R p] (batch, 3, 4), by Shepperd's method."""
    R, p = placements[..., :3], placements[..., 3]
    xx, yy, zz = (R[:, k, k] for k in range(3))
    x, y, z = (R[:, k, j] - R[:, j, k] for j, k in ((1, 2), (2, 0), (0, 1)))
    xy, xz, yz = (R[:, j, k] + R[:, k, j] for j, k in ((0, 1), (0, 2), (1, 2)))
    columns = np.array(
        [
            [1 + xx - yy - zz, xy, xz, x],
            [xy, 1 - xx + yy - zz, yz, y],
            [xz, yz, 1 - xx - yy + zz, z],
            [x, y, z, 1 + xx + yy + zz],
        ]
    )
    lengths = np.sqrt((columns**2).sum(axis=1))
    best, state = lengths.argmax(axis=0), np.arange(len(R))
    return np.column_stack([p, columns[best, :, state] / lengths[best, state][:, None]])


OTHER_ROOT = Metamorphic("other_root", "hang a free chain up at its other end: the same motion in other coordinates", relate)
