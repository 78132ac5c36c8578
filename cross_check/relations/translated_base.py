"""Translate the base by d: forces and motions of bodies stay the same.

Positions in the root's frame move by d, and the potential energy by −m gᵀ d. A motion in the world frame [ω; v] is that of the
body's point at the root's origin, so that v changes by −ω × d.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import ALL_RELATED, Back, Question, Related, Relation, by_axes, rebuilt, with_root_moved
from mechanisms import Body, Mechanism
from mechanisms.geometry import Placement, Rotation
from mechanisms.numbers import dot
from mechanisms.quantities import ALL_QUANTITIES, MOTION, PARAMETERS, Axis, Quantity

STEP = (Fraction(3, 4), Fraction(-1, 2), Fraction(5, 8))
"""d (m), in the root's frame."""


def relate(mechanism: Mechanism, states: States) -> Related:
    step, root = Placement(Rotation.identity(), STEP), mechanism.root

    def moved(body: Body) -> Body:
        joint = dataclasses.replace(body.joint, placement=step @ body.joint.placement)
        return dataclasses.replace(body, joint=joint) if body.parent == root else body

    frames = tuple(dataclasses.replace(f, placement=step @ f.placement) if f.body < 0 else f for f in mechanism.frames)
    image = rebuilt(mechanism, moved, frames=frames, constraints=with_root_moved(mechanism, step))
    d = np.array(STEP, dtype=np.float64)
    energy = float(dot(mechanism.gravity, STEP) * sum(body.inertia.mass for body in mechanism.bodies))
    moved_back = -np.pad(d[:, None], ((0, 0), (3, 0)))
    # The energy of every body changes by its mass times that of one kilogram.
    of_parameters = np.tile(np.eye(len(PARAMETERS))[0] * float(dot(mechanism.gravity, STEP)), len(mechanism.bodies))
    offsets = {
        "placements": moved_back,
        "frame_placements": moved_back,
        "center_of_mass": -d,
        "potential_energy": np.array(energy),
        "potential_energy_regressor": of_parameters,
    }
    back = by_axes(_seen_from_origin, [name for name in ALL_RELATED if ALL_QUANTITIES[name].frame == "world"])
    others = {name: _shifted(offsets.get(name, np.zeros(()))) for name in ALL_RELATED if name not in back}
    return Related(Question(mechanism, states), (Question(image, states, lever=float(np.linalg.norm(d))),), {**back, **others})


def _shifted(offset: Array) -> Back:
    return Back(lambda x: x + offset, lambda size: size + np.abs(offset))


def _seen_from_origin(quantity: Quantity, axis: Axis) -> Array | None:
    """v at the root's origin of the original, which is the point −d beside that of the image: v + ω × d."""
    if axis != MOTION:
        return None
    x, y, z = map(float, STEP)
    matrix = np.eye(6)
    matrix[3:, :3] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return matrix


TRANSLATED_BASE = Relation(
    "translated_base",
    "translate the base: only positions, energy and the root's origin move",
    relate,
    holds_with_mimics=True,
)
