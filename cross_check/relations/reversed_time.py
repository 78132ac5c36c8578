"""Reverse time: v changes its sign, q and a keep theirs.

Inverse dynamics without damping is even in v, so that τ(v) = τ(−v) + 2 D v with the mechanism's damping D. Forward dynamics has
the same acceleration for τ at v and τ − 2 D v at −v. Velocities and momenta are odd, energies and accelerations are even.
"""

from __future__ import annotations

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import SAME, Back, Question, Related, Relation, replaced, same
from mechanisms import Mechanism
from mechanisms.constraint_quantities import ALL_QUANTITIES

EVEN = (
    "kinetic_energy",
    "accelerations",
    "classical_accelerations",
    "drifts",
    "forward_dynamics",
    "inverse_dynamics_dq",
    "joint_torque_regressor",
    "constraint_drift",
    "kinetic_energy_regressor",
    "frame_accelerations",
    "frame_classical_accelerations",
    "frame_accelerations_dq",
    "accelerations_dq",
    "classical_accelerations_dq",
    "center_of_mass_acceleration",
    "centroidal_momentum_rate",
    "centroidal_momentum_rate_dq",
)
ODD = (
    "velocities",
    "velocities_dq",
    "accelerations_dv",
    "classical_accelerations_dv",
    "frame_velocities",
    "frame_velocities_dq",
    "frame_accelerations_dv",
    "centroidal_momentum",
    "centroidal_momentum_dq",
    "centroidal_momentum_matrix_rate",
    "centroidal_momentum_rate_dv",
    "center_of_mass_velocity",
)
WITH_DAMPING = ("inverse_dynamics", "nonlinear_effects", "inverse_dynamics_with_forces")
"""The families of quantities that are even and odd in v, and those that are even but for damping."""


def relate(mechanism: Mechanism, states: States) -> Related:
    data = mechanism.arrays
    damping = data.per_coordinate(data.damping)
    # Adding zero turns −0 into 0.
    reversed_ = replaced(states, v=0.0 - states.v, tau=states.tau - 2 * damping * states.v)
    back: dict[str, Back] = {}
    for name, quantity in ALL_QUANTITIES.items():
        if quantity.family in EVEN:
            back[name] = SAME
        elif quantity.family in ODD:
            back[name] = Back(np.negative, same)
        elif quantity.family in WITH_DAMPING:
            back[name] = _offset(2 * damping * states.v)
        elif quantity.family == "inverse_dynamics_dv":
            back[name] = _opposite(2 * np.diag(damping))
    return Related(Question(mechanism, states), (Question(mechanism, reversed_),), back)


def _offset(offset: Array) -> Back:
    return Back(lambda x: x + offset, lambda size: size + np.abs(offset))


def _opposite(offset: Array) -> Back:
    return Back(lambda x: offset - x, lambda size: size + np.abs(offset))


REVERSED_TIME = Relation(
    "reversed_time",
    "reverse time, v becomes −v: forces without damping and energies stay",
    relate,
    holds_with_mimics=True,
)
