"""Conventions of answers: frames and orders of motions, terms of h and M, energies, signs and units of forces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cross_check.explain.faults.answers import wrong_answer as wa
from cross_check.explain.faults.answers.frames import frames
from cross_check.explain.faults.answers.wrong_answer import Changed, wrong_answer
from cross_check.explain.faults.changes.mechanism_traits import has_armature, has_damping
from cross_check.explain.faults.fault import Fault
from implementations.conventions.coordinates import JACOBIANS
from mechanisms import Mechanism
from mechanisms.quantities import MOTION, QUANTITIES, USUAL

MOTIONS = tuple(name for name in USUAL if MOTION in QUANTITIES[name].axes)
ACCELERATIONS = tuple(name for name in MOTIONS if "accelerations" in name)
MOMENTA = ("centroidal_momentum", "centroidal_momentum_matrix")
MATRICES = ("inverse_dynamics_dq", "inverse_dynamics_dv", "forward_dynamics_dq", "forward_dynamics_dv")
TORQUES = ("inverse_dynamics", "nonlinear_effects", "gravity", "inverse_dynamics_with_forces")

Ways = tuple[Changed, Changed]
"""What makes a wrong answer of the right one, and what undoes it."""


def _times(factor: float) -> Ways:
    return partial(wa.scaled, factor), partial(wa.scaled, 1 / factor)


def _plus(factor: float, function: Any, *before: Any) -> Ways:
    """With a multiple of what ``function`` adds; −1 of a term leaves it out."""
    return partial(function, *before, factor), partial(function, *before, -factor)


def _twice(function: Changed) -> Ways:
    """A change that undoes itself."""
    return function, function


def _weighs(m: Mechanism) -> bool:
    return any(m.gravity)


def _always(m: Mechanism) -> bool:
    return True


OF_MOTIONS: tuple[tuple[str, str, tuple[str, ...], Ways], ...] = (
    *(
        (f"{words} first", group, quantities, _twice(wa.halves_swapped))
        for words, group, quantities in (
            ("velocities, Jacobians and other motions of bodies have their linear part", "frames", MOTIONS),
            ("Jacobians of bodies have their linear rows", "frames", JACOBIANS),
            ("centroidal momentum has its linear part", "centroidal momentum", MOMENTA),
        )
    ),
    *(
        (words, "accelerations of bodies", (quantity,), _plus(factor, wa.plus_turning))
        for words, quantity, factor in (
            ("local accelerations of bodies are classical instead of spatial", "accelerations_local", 1.0),
            ("aligned accelerations of bodies are classical instead of spatial", "accelerations_aligned", 1.0),
            ("classical accelerations of bodies are spatial ones", "classical_accelerations", -1.0),
        )
    ),
    *(
        (f"placements {words}", "placements of bodies", ("placements",), _twice(change))
        for words, change in (
            ("have transposed rotations", wa.placements_transposed),
            ("lead from the root to the body", wa.placements_inverse),
        )
    ),
)

OF_TERMS: tuple[tuple[str, str, tuple[str, ...], Ways, Callable[[Mechanism], bool]], ...] = (
    (
        "accelerations of bodies contain gravity, upwards at rest",
        "accelerations of bodies",
        ACCELERATIONS,
        _plus(-1, wa.plus_weight),
        _weighs,
    ),
    ("M is without armature", "armature", ("mass_matrix",), _plus(-1, wa.plus_armature), has_armature),
    ("only the lower triangle of M is filled", "mass matrix", ("mass_matrix",), (wa.triangle, wa.symmetric_of_lower), _always),
    ("h is without gravity", "gravity", ("nonlinear_effects",), _plus(-1, wa.plus, "gravity"), _weighs),
    ("h is without damping", "damping", ("nonlinear_effects",), _plus(-1, wa.plus_damping), has_damping),
    ("g has the opposite sign, and h has not", "gravity", ("gravity",), _times(-1), _weighs),
    ("matrices of derivatives are transposed", "derivatives", MATRICES, _twice(wa.transposed), _always),
    ("kinetic energy is without the factor ½", "energies", ("kinetic_energy",), _times(2), _always),
    ("potential energy has the opposite sign", "energies", ("potential_energy",), _times(-1), _weighs),
    ("potential energy is zero at position zero", "energies", ("potential_energy",), _plus(-1, wa.plus_energy_at_zero), _weighs),
    ("forces of inverse dynamics have the opposite sign", "units", TORQUES, _times(-1), _always),
    ("forces of inverse dynamics are in mN and mN m", "units", TORQUES, _times(1000), _always),
)

ANSWERS: tuple[Fault, ...] = (
    *frames(),
    *(wrong_answer(clause, group, names, *ways) for clause, group, names, ways in OF_MOTIONS),
    *(wrong_answer(clause, group, names, *ways, needs) for clause, group, names, ways, needs in OF_TERMS),
)
