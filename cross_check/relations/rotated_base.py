"""Rotate the base and gravity together: the mechanism moves as before, and vectors along the root's axes are rotated."""

from __future__ import annotations

import dataclasses

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import Question, Related, Relation, by_axes, rebuilt, with_root_moved
from mechanisms import Body, Mechanism
from mechanisms.geometry import Placement, Rotation
from mechanisms.quantities import MOMENTUM, MOTION, VECTOR, Axis, Quantity

TURN = Rotation(1, 2, 3, 5)
"""Its matrix has no zero, so that gravity along one axis gets a component along each."""


def relate(mechanism: Mechanism, states: States) -> Related:
    turn, root = Placement(TURN), mechanism.root

    def turned(body: Body) -> Body:
        joint = dataclasses.replace(body.joint, placement=turn @ body.joint.placement)
        return dataclasses.replace(body, joint=joint) if body.parent == root else body

    frames = tuple(dataclasses.replace(f, placement=turn @ f.placement) if f.body < 0 else f for f in mechanism.frames)
    image = rebuilt(
        mechanism, turned, gravity=TURN(mechanism.gravity), frames=frames, constraints=with_root_moved(mechanism, turn)
    )
    return Related(Question(mechanism, states), (Question(image, states),), by_axes(_turned_back))


_BACK = np.array(TURN.inverse().matrix, dtype=np.float64)


def _turned_back(quantity: Quantity, axis: Axis) -> Array | None:
    if axis == VECTOR:
        return _BACK
    return np.kron(np.eye(2), _BACK) if axis == MOMENTUM or (axis == MOTION and quantity.frame != "local") else None


ROTATED_BASE = Relation(
    "rotated_base",
    "rotate base and gravity together: only vectors along the root's axes rotate",
    relate,
    holds_with_mimics=True,
)
