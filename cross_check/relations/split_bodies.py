"""Split every body in two, held together by a joint that stands still: the mechanism moves as before.

The first part keeps the body's frame and has a quarter of its inertia. The second part has the rest, in a frame of its own, and
carries the body's children. Between them is a revolute joint, whose angle, velocity and acceleration are zero.

A weld would not do: a mechanism lumps welded bodies exactly, before any code sees them. :mod:`inserted_welds
<cross_check.relations.inserted_welds>` tries what remains of a weld.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import ALL_RELATED, Question, Related, Relation, by_axes, replaced, selection
from implementations.protocol import Unsupported
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.geometry import Placement, Rotation

SECOND = Placement(Rotation(1, 2, 0, 2), (Fraction(1, 8), Fraction(-1, 4), Fraction(1, 16)))
"""The frame of a second part in that of the first."""

FIRST_SHARE = Fraction(1, 4)


def relate(mechanism: Mechanism, states: States) -> Related:
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
    q = [k for i in first for k in range(image.q_slices[i].start, image.q_slices[i].stop)]
    v = [k for i in first for k in range(image.v_slices[i].start, image.v_slices[i].stop)]
    moved = replaced(
        states,
        q=_spread(states.q, q, image.nq),
        v=_spread(states.v, v, image.nv),
        a=_spread(states.a, v, image.nv),
        tau=_spread(states.tau, v, image.nv),
        f=_spread(states.f, first, len(image.bodies)),
    )
    # Which force holds the new joints still is not known, so that there is no forward dynamics to ask for.
    names = [name for name in ALL_RELATED if name != "forward_dynamics"]
    return Related(Question(mechanism, states), (Question(image, moved),), by_axes(selection(v, first, image), names))


def _share(inertia: Inertia, share: Fraction) -> Inertia:
    return Inertia(share * inertia.mass, inertia.com, tuple(share * x for x in inertia.about_com))


def _spread(x: Array, where: list[int], n: int) -> Array:
    """Entries along the second axis, which has the length n, at these indices; all others are zero."""
    spread = np.zeros((len(x), n, *x.shape[2:]))
    spread[:, where] = x
    return spread


SPLIT_BODIES = Relation("split_bodies", "split every body in two, joined by a joint that stands still: nothing changes", relate)
