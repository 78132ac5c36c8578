"""Relabel the bodies: siblings in the opposite order, and other names, whose alphabetical order is the opposite, too.

Constraints are in the opposite order, and their names are in the alphabetical order of before.
"""

from __future__ import annotations

import dataclasses

from cross_check.comparison.sampling import States
from cross_check.relations.relation import Question, Related, Relation, by_axes, replaced, selection
from mechanisms import Mechanism

ROOT = "r"
"""The name of the image's root; all other names of the image have a letter and a number."""


def relate(mechanism: Mechanism, states: States) -> Related:
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
    coordinates = [k for i in new for k in range(image.v_slices[i].start, image.v_slices[i].stop)]
    # old[k] is the original's index of what has the index k in the image.
    old = sorted(range(n), key=new.__getitem__)
    v = [k for i in old for k in range(mechanism.v_slices[i].start, mechanism.v_slices[i].stop)]
    q = [k for i in old for k in range(mechanism.q_slices[i].start, mechanism.q_slices[i].stop)]
    moved = replaced(states, q=states.q[:, q], v=states.v[:, v], a=states.a[:, v], tau=states.tau[:, v], f=states.f[:, old])
    order = list(reversed(range(len(frames))))
    rows = [(k, row) for k, one in enumerate(mechanism.constraints) for row in one.rows]
    there = sorted(rows, key=lambda of: (-of[0], of[1]))
    directions = [there.index(row) for row in rows]
    back = by_axes(selection(coordinates, new, image, order, directions))
    return Related(Question(mechanism, states), (Question(image, moved),), back)


RELABELLED_BODIES = Relation("relabelled_bodies", "rename bodies and reorder siblings: only the order of answers changes", relate)
