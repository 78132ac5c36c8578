"""The same mechanism as another tree.

The transformed mechanism is the *image*.

**Relabel** the bodies: siblings in the opposite order, and other names, whose alphabetical order is the opposite, too.
Constraints are in the opposite order. Their new names sort alphabetically as the constraints stood before.

**Split** every body in two, held together by a joint that stands still: the mechanism moves as before. The first part keeps the
body's frame and has a quarter of its inertia. The second part has the rest, in a frame of its own, and carries the body's
children. Between them is a revolute joint, whose angle, velocity and acceleration are zero. A weld would not do: a mechanism
lumps welded bodies exactly, before any code sees them.

**Insert welds**: a fixed joint outboard of the root and of every body, and inboard of the bodies that it carries. Nothing
changes, because the image has the same moving bodies, in exact numbers. What code can see of the welds are the new frames: in
``mechanism.frames``, and as links without inertia in the URDF of the image.

**Hang a free chain up at its other end**: the same motion in other coordinates v' = A v.

The body on the free joint is r. From it a path leads outboard to the body t, always to the first child whose joint has one
coordinate. In the image t is on the free joint, and the joints of the path are reversed. Body j moves relative to its parent i by
exp(S q), and so i relative to j by exp(−S q). So the axis is negated, and q, v, a, armature and damping are kept.

    v' = A v,   A = [J_t; 1]        the free joint's velocity is that of t, J_t in t's frame; the other joints keep theirs
    a' = A a + Ȧ v = [J_t a + J̇_t v; a]
    τ = Aᵀ τ',   g = Aᵀ g',   M = Aᵀ M' A,   A_G = A_G' A

A mechanism without a free joint at its root is put on a free base first. Pose, velocity and acceleration of t are computed by the
reference in double-double: they only describe the motion.

Forward dynamics takes no part. Where t is light, correct algorithms lose digits that they keep with r at the root.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from itertools import pairwise

import numpy as np

from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.relations.relation import Metamorphic
from cross_check.judge.relations.transformation import ALL_RELATED, SAME, Back, Correspondence, Question, Related, replaced
from cross_check.memory import Array
from implementations.protocol import Unsupported
from implementations.recorded.traced import PRECISE
from mechanisms import Body, Inertia, Joint, Mechanism, on_free_base
from mechanisms.geometry import Placement, Rotation

ROOT = "r"
"""The name of the relabelled root; all other names of the image have a letter and a number."""

SECOND = Placement(Rotation(1, 2, 0, 2), (Fraction(1, 8), Fraction(-1, 4), Fraction(1, 16)))
"""The frame of a second part in that of the first."""

FIRST_SHARE = Fraction(1, 4)

WELD = Placement(Rotation(1, 2, 2, 0), (Fraction(1, 4), Fraction(1, 8), Fraction(-1, 2)))
"""The frame of a welded body in that of the body that carries it."""


def relabelled(mechanism: Mechanism, states: States) -> Related:
    n = len(mechanism.bodies)
    named = {mechanism.root: ROOT, **{body.name: f"b{n - k:05}" for k, body in enumerate(mechanism.bodies)}}
    bodies = [
        dataclasses.replace(
            body, name=named[body.name], parent=named[body.parent], joint=dataclasses.replace(body.joint, name=f"j{n - k:05}")
        )
        for k, body in enumerate(mechanism.bodies)
    ]
    constraints = tuple(
        dataclasses.replace(one, name=f"c{k:05}", first=named[one.first], second=named[one.second])
        for k, one in enumerate(mechanism.constraints)
    )
    # Mechanism puts parents first, and otherwise keeps the order that is given.
    image = dataclasses.replace(mechanism, bodies=tuple(reversed(bodies)), root=ROOT, frames=(), constraints=constraints[::-1])
    index = {body.name: k for k, body in enumerate(image.bodies)}
    new = [index[body.name] for body in bodies]
    frames = tuple(
        dataclasses.replace(frame, name=f"f{k:05}", joint=f"g{k:05}", body=new[frame.body] if frame.body >= 0 else -1)
        for k, frame in enumerate(reversed(mechanism.frames))
    )
    image = dataclasses.replace(image, frames=frames)
    rows = [(k, row) for k, one in enumerate(mechanism.constraints) for row in one.rows]
    of_image = sorted(rows, key=lambda row: (-row[0], row[1]))
    order, directions = list(reversed(range(len(frames)))), [of_image.index(row) for row in rows]
    return _related(mechanism, states, Correspondence(image, new, order, directions))


def split(mechanism: Mechanism, states: States) -> Related:
    if all(body.inertia.is_massless for body in mechanism.bodies):
        raise Unsupported("no body that moves has an inertia that could be split")
    back = SECOND.inverse()
    carrier = {mechanism.root: mechanism.root}
    bodies: list[Body] = []
    first: list[int] = []
    for body in mechanism.bodies:
        first.append(len(bodies))
        parent, joint = carrier[body.parent], body.joint
        if parent != body.parent:
            joint = dataclasses.replace(joint, placement=back @ joint.placement)
        carrier[body.name] = body.name
        if body.inertia.is_massless and not body.is_lifted:
            bodies.append(dataclasses.replace(body, parent=parent, joint=joint))
            continue
        carrier[body.name] = second = f"{body.name}, second part"
        still = Joint(f"{joint.name}, second part", "revolute", placement=SECOND)
        one, other = ([_share(x, share) for x in (body.inertia, body.lifted)] for share in (FIRST_SHARE, 1 - FIRST_SHARE))
        bodies += [Body(body.name, parent, joint, *one), Body(second, body.name, still, *other).seen_from(back)]
    frames = tuple(dataclasses.replace(f, body=first[f.body]) if f.body >= 0 else f for f in mechanism.frames)
    image = dataclasses.replace(mechanism, bodies=tuple(bodies), frames=frames)
    # Which force holds the new joints still is not known, so that there is no forward dynamics to ask for.
    return _related(mechanism, states, Correspondence(image, first), without="forward_dynamics")


def _share(inertia: Inertia, share: Fraction) -> Inertia:
    return Inertia(share * inertia.mass, inertia.com, tuple(share * x for x in inertia.about_com))


def welded(mechanism: Mechanism, states: States) -> Related:
    def weld(holder: str) -> Body:
        return Body(f"{holder}, weld", holder, Joint(f"{holder}, fixed joint", "fixed", placement=WELD))

    bodies = [weld(mechanism.root)]
    for body in mechanism.bodies:
        joint = dataclasses.replace(body.joint, placement=WELD.inverse() @ body.joint.placement)
        bodies += [dataclasses.replace(body, parent=f"{body.parent}, weld", joint=joint), weld(body.name)]
    image = dataclasses.replace(mechanism, bodies=tuple(bodies))
    return _related(mechanism, states, Correspondence(image, list(range(len(image.bodies))), list(range(len(mechanism.frames)))))


def _related(mechanism: Mechanism, states: States, to: Correspondence, without: str = "") -> Related:
    """Every quantity but ``without``, asked of the mechanism and of the image."""
    names = [name for name in ALL_RELATED if name != without]
    return Related(Question(mechanism, states), (Question(to.image, to.states(states)),), to.back(names))


RELABELLED_BODIES = Metamorphic(
    "relabelled_bodies", "rename bodies and reorder siblings: only the order of answers changes", relabelled
)

SPLIT_BODIES = Metamorphic("split_bodies", "split every body in two, joined by a joint that stands still: nothing changes", split)

INSERTED_WELDS = Metamorphic(
    "inserted_welds",
    "insert fixed joints, which add frames without inertia: nothing changes",
    welded,
    holds_with_mimics=True,
)


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


def hung_up(mechanism: Mechanism, states: States) -> Related:
    mechanism = mechanism.tree  # No quantity of constraints takes part.
    if _free_root(mechanism) is None:
        # Frames may have the name of the base.
        mechanism = on_free_base(dataclasses.replace(mechanism, frames=()))
        states = sample(mechanism, 0, len(states))
    path = _path(mechanism)
    image, tip = _rooted_at_tip(mechanism, path), path[-1]
    joints = {body.joint.name: k for k, body in enumerate(image.bodies)}
    q, v, a = (np.empty((len(states), n)) for n in (image.nq, image.nv, image.nv))
    A = np.zeros((len(states), image.nv, image.nv))
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        own = joints[body.joint.name]
        q_own, v_own = image.q_slices[own], image.v_slices[own]
        q[:, q_own], v[:, v_own], a[:, v_own] = states.q[:, q_i], states.v[:, v_i], states.a[:, v_i]
        A[:, v_own, v_i] = np.eye(body.joint.nv)
    known = PRECISE.load(mechanism)
    free = joints[mechanism.bodies[path[0]].joint.name]
    q_free, v_free = image.q_slices[free], image.v_slices[free]
    q[:, q_free] = _pose(known.placements(states.q)[:, tip].astype(np.float64))
    v[:, v_free] = known.velocities_local(states.q, states.v)[:, tip].astype(np.float64)
    a[:, v_free] = known.accelerations_local(states.q, states.v, states.a)[:, tip].astype(np.float64)
    A[:, v_free] = known.jacobians_local(states.q)[:, tip].astype(np.float64)
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
    """The indices of the bodies from r to t. Raises :class:`Unsupported` if r and t are the same body."""
    free = _free_root(mechanism)
    assert free is not None
    path = [free]
    for k, (λ, body) in enumerate(zip(mechanism.parents, mechanism.bodies, strict=True)):
        if λ == path[-1] and body.joint.nv == 1:
            path.append(k)
    if len(path) == 1:
        raise Unsupported("the body on the free joint carries no joint with one coordinate, which could be reversed")
    return path


def _rooted_at_tip(mechanism: Mechanism, path: list[int]) -> Mechanism:
    """The mechanism with t on the free joint."""
    bodies = mechanism.bodies
    # Every body of the path but t gets a new frame: that of the joint that led outboard from it.
    ahead = {bodies[i].name: bodies[j].joint.placement for i, j in pairwise(path)}
    back = {name: placement.inverse() for name, placement in ahead.items()}
    tip, free = bodies[path[-1]], bodies[path[0]].joint
    made = [dataclasses.replace(tip, parent=mechanism.root, joint=Joint(free.name, "free"))]
    for i, j in reversed(list(pairwise(path))):
        body, beyond = bodies[i], bodies[j]
        axis = tuple(-x for x in beyond.joint.axis)
        joint = dataclasses.replace(beyond.joint, axis=axis, placement=back.get(beyond.name, Placement()))
        made.append(dataclasses.replace(body, parent=beyond.name, joint=joint).seen_from(back[body.name]))
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


OTHER_ROOT = Metamorphic("other_root", "hang a free chain up at its other end: the same motion in other coordinates", hung_up)
