"""Describe the same mechanism by other bodies.

**Relabel** the bodies: siblings in the opposite order, and other names, whose alphabetical order is the opposite, too.
Constraints are in the opposite order, and their names are in the alphabetical order of before.

**Split** every body in two, held together by a joint that stands still: the mechanism moves as before. The first part keeps the
body's frame and has a quarter of its inertia. The second part has the rest, in a frame of its own, and carries the body's
children. Between them is a revolute joint, whose angle, velocity and acceleration are zero. A weld would not do: a mechanism
lumps welded bodies exactly, before any code sees them.

**Insert welds**: a fixed joint outboard of the root and of every body, and inboard of the bodies that it carries. Nothing
changes, because the image has the same moving bodies, in exact numbers. What code can see of the welds are the new frames: in
``mechanism.frames``, and as links without inertia in the URDF of the image.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

from cross_check.comparison.sampling import States
from cross_check.relations.relation import Metamorphic
from cross_check.relations.transformation import ALL_RELATED, Correspondence, Question, Related
from implementations.protocol import Unsupported
from mechanisms import Body, Inertia, Joint, Mechanism
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
    there = sorted(rows, key=lambda of: (-of[0], of[1]))
    order, directions = list(reversed(range(len(frames)))), [there.index(row) for row in rows]
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
        if body.inertia.is_massless:
            bodies.append(dataclasses.replace(body, parent=parent, joint=joint))
            continue
        carrier[body.name] = second = f"{body.name}, second part"
        still = Joint(f"{joint.name}, second part", "revolute", placement=SECOND)
        bodies.append(Body(body.name, parent, joint, _share(body.inertia, FIRST_SHARE)))
        bodies.append(Body(second, body.name, still, _share(body.inertia, 1 - FIRST_SHARE).placed(back)))
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
    own = Correspondence(image, list(range(len(image.bodies))), list(range(len(mechanism.frames))))
    return _related(mechanism, states, own)


def _related(mechanism: Mechanism, states: States, image: Correspondence, without: str = "") -> Related:
    names = [name for name in ALL_RELATED if name != without]
    return Related(Question(mechanism, states), (Question(image.image, image.states(states)),), image.back(names))


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
