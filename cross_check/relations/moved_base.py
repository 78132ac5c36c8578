"""Move the base: the mechanism moves as before, and what is seen from the root moves.

If base and gravity rotate together, vectors along the root's axes are rotated.

If the base is translated by d, positions in the root's frame move by d, and the potential energy by −m gᵀ d. A motion in the
world frame [ω; v] is that of the body's point at the root's origin, so that v changes by −ω × d.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import Metamorphic
from cross_check.relations.transformation import ALL_RELATED, Question, Related, by_axes, rebuilt, shifted
from mechanisms import Body, Mechanism
from mechanisms.geometry import Placement, Rotation
from mechanisms.numbers import dot
from mechanisms.quantities import ALL_QUANTITIES, MOMENTUM, MOTION, PARAMETERS, VECTOR, Axis, Quantity

TURN = Rotation(1, 2, 3, 5)
"""Its matrix has no zero, so that gravity along one axis gets a component along each."""

STEP = (Fraction(3, 4), Fraction(-1, 2), Fraction(5, 8))
"""d (m), in the root's frame."""


def _moved(mechanism: Mechanism, by: Placement) -> Mechanism:
    """The mechanism with all that is fixed to the root moved."""
    root = mechanism.root

    def moved(name: str, placement: Placement) -> Placement:
        return by @ placement if name == root else placement

    def body(one: Body) -> Body:
        return dataclasses.replace(one, joint=dataclasses.replace(one.joint, placement=moved(one.parent, one.joint.placement)))

    frames = tuple(dataclasses.replace(f, placement=by @ f.placement) if f.body < 0 else f for f in mechanism.frames)
    return rebuilt(mechanism, body, frames=frames, constraints=tuple(one.placed(moved) for one in mechanism.constraints))


def rotated(mechanism: Mechanism, states: States) -> Related:
    image = dataclasses.replace(_moved(mechanism, Placement(TURN)), gravity=TURN(mechanism.gravity))
    return Related(Question(mechanism, states), (Question(image, states),), by_axes(_turned_back))


_BACK = np.array(TURN.inverse().matrix, dtype=np.float64)


def _turned_back(quantity: Quantity, axis: Axis) -> Array | None:
    if axis == VECTOR:
        return _BACK
    return np.kron(np.eye(2), _BACK) if axis == MOMENTUM or (axis == MOTION and quantity.frame != "local") else None


def translated(mechanism: Mechanism, states: States) -> Related:
    image = _moved(mechanism, Placement(Rotation.identity(), STEP))
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
    others = {name: shifted(offsets.get(name, np.zeros(()))) for name in ALL_RELATED if name not in back}
    return Related(Question(mechanism, states), (Question(image, states, lever=float(np.linalg.norm(d))),), {**back, **others})


def _seen_from_origin(quantity: Quantity, axis: Axis) -> Array | None:
    """v at the root's origin of the original, which is the point −d beside that of the image: v + ω × d."""
    if axis != MOTION:
        return None
    x, y, z = map(float, STEP)
    matrix = np.eye(6)
    matrix[3:, :3] = [[0, z, -y], [-z, 0, x], [y, -x, 0]]
    return matrix


ROTATED_BASE = Metamorphic(
    "rotated_base",
    "rotate base and gravity together: only vectors along the root's axes rotate",
    rotated,
    holds_with_mimics=True,
)

TRANSLATED_BASE = Metamorphic(
    "translated_base",
    "translate the base: only positions, energy and the root's origin move",
    translated,
    holds_with_mimics=True,
)
