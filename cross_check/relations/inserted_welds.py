"""Insert a fixed joint behind the root and behind every body, before the bodies that it carries: nothing changes.

A mechanism lumps welded bodies into those that carry them. So the image has the same moving bodies, in exact numbers. What code
can see of the welds are the new frames: in ``mechanism.frames``, and as links without inertia in the URDF of the image.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.relations.relation import Question, Related, Relation, by_axes
from mechanisms import Body, Joint, Mechanism
from mechanisms.geometry import Placement, Rotation

WELD = Placement(Rotation(1, 2, 2, 0), (Fraction(1, 4), Fraction(1, 8), Fraction(-1, 2)))
"""The frame of a welded body in that of the body that carries it."""


def relate(mechanism: Mechanism, states: States) -> Related:
    def weld(holder: str) -> Body:
        return Body(f"{holder}, weld", holder, Joint(f"{holder}, fixed joint", "fixed", placement=WELD))

    bodies = [weld(mechanism.root)]
    for body in mechanism.bodies:
        joint = dataclasses.replace(body.joint, placement=WELD.inverse() @ body.joint.placement)
        bodies += [dataclasses.replace(body, parent=f"{body.parent}, weld", joint=joint), weld(body.name)]
    image = dataclasses.replace(mechanism, bodies=tuple(bodies))
    own = np.eye(len(image.frames))[: len(mechanism.frames)]
    back = by_axes(lambda quantity, axis: own if axis == "frames" else None)
    return Related(Question(mechanism, states), (Question(image, states),), back)


INSERTED_WELDS = Relation(
    "inserted_welds",
    "insert fixed joints, which add frames without inertia: nothing changes",
    relate,
    holds_with_mimics=True,
)
