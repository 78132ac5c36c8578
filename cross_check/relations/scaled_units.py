"""Scale mass, length or time: every answer is multiplied by a power of the factor that its dimension gives.

The factor is 1024, as from kilograms to about grams. It is a power of two, so that code that adds and multiplies computes the
same digits, and the relation holds exactly. Thresholds, regularisation and constants in code break it.

A coordinate is an angle, or a distance. ℓ is its exponent of length, 0 or 1. A coordinate's force has the dimension
M L² T⁻² / L^ℓ, and so every axis of coordinates divides by L^ℓ, but for those of accelerations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import Question, Related, Relation, by_axes, rebuilt, replaced
from mechanisms import Body, Constraint, Frame, Inertia, Mechanism
from mechanisms.geometry import Placement
from mechanisms.numbers import Vector
from mechanisms.quantities import MOMENTUM, MOTION, PLACEMENT, Axis, Quantity

FACTOR = 2**10


class Units(NamedTuple):
    """By how much the numbers of a mass, a length and a time grow; or a dimension, as the exponents of these three."""

    mass: int
    length: int
    time: int


DIMENSIONS = {
    "inverse_dynamics": Units(1, 2, -2),
    "inverse_dynamics_with_forces": Units(1, 2, -2),
    "mass_matrix": Units(1, 2, 0),
    "forward_dynamics": Units(0, 0, -2),
    "nonlinear_effects": Units(1, 2, -2),
    "gravity": Units(1, 2, -2),
    "kinetic_energy": Units(1, 2, -2),
    "potential_energy": Units(1, 2, -2),
    "placements": Units(0, 0, 0),
    "jacobians": Units(0, 0, 0),
    "velocities": Units(0, 0, -1),
    "accelerations": Units(0, 0, -2),
    "classical_accelerations": Units(0, 0, -2),
    "drifts": Units(0, 0, -2),
    "center_of_mass": Units(0, 1, 0),
    "centroidal_momentum": Units(1, 1, -1),
    "centroidal_momentum_matrix": Units(1, 1, 0),
    "inverse_dynamics_dq": Units(1, 2, -2),
    "inverse_dynamics_dv": Units(1, 2, -1),
    "joint_torque_regressor": Units(0, 2, -2),
    "constraint_jacobian": Units(0, 0, 0),
    "constraint_drift": Units(0, 0, -2),
    "kinetic_energy_regressor": Units(0, 2, -2),
    "potential_energy_regressor": Units(0, 2, -2),
    "frame_placements": Units(0, 0, 0),
    "frame_jacobians": Units(0, 0, 0),
    "frame_velocities": Units(0, 0, -1),
    "frame_accelerations": Units(0, 0, -2),
    "frame_classical_accelerations": Units(0, 0, -2),
    "frame_velocities_dq": Units(0, 0, -1),
    "frame_accelerations_dq": Units(0, 0, -2),
    "frame_accelerations_dv": Units(0, 0, -1),
    "frame_jacobians_dq": Units(0, 0, 0),
    "velocities_dq": Units(0, 0, -1),
    "accelerations_dq": Units(0, 0, -2),
    "accelerations_dv": Units(0, 0, -1),
    "classical_accelerations_dq": Units(0, 0, -2),
    "classical_accelerations_dv": Units(0, 0, -1),
    "jacobians_dq": Units(0, 0, 0),
    "gravity_dq": Units(1, 2, -2),
    "static_forces_dq": Units(1, 2, -2),
    "center_of_mass_velocity": Units(0, 1, -1),
    "center_of_mass_acceleration": Units(0, 1, -2),
    "center_of_mass_jacobian": Units(0, 1, 0),
    "centroidal_momentum_rate": Units(1, 1, -2),
    "centroidal_momentum_matrix_rate": Units(1, 1, -1),
    "centroidal_momentum_dq": Units(1, 1, -1),
    "centroidal_momentum_rate_dq": Units(1, 1, -2),
    "centroidal_momentum_rate_dv": Units(1, 1, -1),
}
"""By family of quantities: the dimension that all components have in common, beside the exponents of length of the axes."""

LENGTHS: dict[tuple[str, ...], tuple[int, ...]] = {
    MOTION: (0, 0, 0, 1, 1, 1),
    MOMENTUM: (1, 1, 1, 0, 0, 0),
    PLACEMENT: (0, 0, 0, 1),
}
"""By axis: the exponents of length of its components."""

OF_PARAMETERS = (0, -1, -1, -1, *[-2] * 6)


def relate(mechanism: Mechanism, states: States, by: Units) -> Related:
    lengths = [0 if screw.turns else 1 for body in mechanism.bodies for screw in body.joint.screws]

    def factor(dimension: Units) -> float:
        return float(_power(by, dimension))

    def matrix(quantity: Quantity, axis: Axis) -> Array | None:
        if axis == "nv":
            exponents: Sequence[int] = lengths if quantity.name == "forward_dynamics" else [-k for k in lengths]
        elif axis == "parameters":
            exponents = OF_PARAMETERS * len(mechanism.bodies)
        elif axis == "directions":
            exponents = [LENGTHS[MOTION][row] for one in mechanism.constraints for row in one.rows]
        else:
            exponents = LENGTHS.get(axis, ()) if isinstance(axis, tuple) else ()
        return np.diag(_factors(exponents, by) ** -1) if any(exponents) else None

    along = _factors(lengths, by)
    gravity = _times(_power(by, Units(0, 1, -2)), mechanism.gravity)
    image = rebuilt(
        mechanism,
        lambda body: _body(body, by),
        gravity=gravity,
        frames=_frames(mechanism, by),
        constraints=_constraints(mechanism, by),
    )
    q = states.q.copy()
    for _, slot in mechanism.slots("distance"):
        q[:, slot] *= by.length
    scaled = replaced(
        states,
        q=q,
        v=states.v * along * factor(Units(0, 0, -1)),
        a=states.a * along * factor(Units(0, 0, -2)),
        tau=states.tau / along * factor(Units(1, 2, -2)),
        f=states.f * _factors((1, 1, 1, 0, 0, 0), by) * factor(Units(1, 1, -2)),
    )
    back = by_axes(matrix, factor=lambda quantity: 1 / factor(DIMENSIONS[quantity.family]))
    return Related(Question(mechanism, states), (Question(image, scaled),), back)


def _body(body: Body, by: Units) -> Body:
    joint, inertia = body.joint, body.inertia
    # Armature is a mass where the coordinate is a distance, else a moment of inertia.
    armature = Units(1, 0, 0) if joint.kind == "prismatic" else Units(1, 2, 0)
    scaled = dataclasses.replace(
        joint,
        placement=_placement(joint.placement, by),
        armature=joint.armature * _power(by, armature),
        damping=joint.damping * _power(by, armature._replace(time=-1)),
        pitch=joint.pitch * by.length,
    )
    about_com = _times(_power(by, Units(1, 2, 0)), inertia.about_com)
    return dataclasses.replace(
        body, joint=scaled, inertia=Inertia(inertia.mass * by.mass, _times(Fraction(by.length), inertia.com), about_com)
    )


def _placement(placement: Placement, by: Units) -> Placement:
    return Placement(placement.rotation, _times(Fraction(by.length), placement.translation))


def _frames(mechanism: Mechanism, by: Units) -> tuple[Frame, ...]:
    return tuple(dataclasses.replace(frame, placement=_placement(frame.placement, by)) for frame in mechanism.frames)


def _constraints(mechanism: Mechanism, by: Units) -> tuple[Constraint, ...]:
    return tuple(
        dataclasses.replace(
            one,
            first_placement=_placement(one.first_placement, by),
            second_placement=_placement(one.second_placement, by),
        )
        for one in mechanism.constraints
    )


def _power(by: Units, dimension: Units) -> Fraction:
    power = Fraction(1)
    for factor, exponent in zip(by, dimension, strict=True):
        power *= Fraction(factor) ** exponent
    return power


def _factors(exponents: Sequence[int], by: Units) -> Array:
    return float(by.length) ** np.array(exponents, dtype=np.float64)


def _times(factor: Fraction, vector: Vector) -> Vector:
    return tuple(factor * x for x in vector)


def _relation(what: str, by: Units) -> Relation:
    meaning = f"scale {what} by {FACTOR}: every answer is multiplied by the power that its dimension gives"
    return Relation(f"scaled_{what}", meaning, partial(relate, by=by))


SCALED_MASS = _relation("mass", Units(FACTOR, 1, 1))
SCALED_LENGTH = _relation("length", Units(1, FACTOR, 1))
SCALED_TIME = _relation("time", Units(1, 1, FACTOR))
