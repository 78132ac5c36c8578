"""Conventions of answers: frames and orders of motions, terms of h and M, energies, signs and units of forces."""

from __future__ import annotations

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


def _weighs(m: Mechanism) -> bool:
    return any(m.gravity)


ANSWERS: tuple[Fault, ...] = (
    *frames(),
    *(
        wrong_answer(f"{words} first", group, quantities, wa.halves_swapped, wa.halves_swapped)
        for words, group, quantities in (
            ("velocities, Jacobians and other motions of bodies have their linear part", "frames", MOTIONS),
            ("Jacobians of bodies have their linear rows", "frames", JACOBIANS),
            ("centroidal momentum has its linear part", "centroidal momentum", MOMENTA),
        )
    ),
    *(
        wrong_answer(words, "accelerations of bodies", (quantity,), *_plus(factor, wa.plus_turning))
        for words, quantity, factor in (
            ("local accelerations of bodies are classical instead of spatial", "accelerations_local", 1.0),
            ("aligned accelerations of bodies are classical instead of spatial", "accelerations_aligned", 1.0),
            ("classical accelerations of bodies are spatial ones", "classical_accelerations", -1.0),
        )
    ),
    *(
        wrong_answer(f"placements {words}", "placements of bodies", ("placements",), change, change)
        for words, change in (
            ("have transposed rotations", wa.placements_transposed),
            ("lead from the root to the body", wa.placements_inverse),
        )
    ),
    wrong_answer(
        "accelerations of bodies contain gravity, upwards at rest",
        "accelerations of bodies",
        ACCELERATIONS,
        *_plus(-1, wa.plus_weight),
        _weighs,
    ),
    wrong_answer("M is without armature", "armature", ("mass_matrix",), *_plus(-1, wa.plus_armature), has_armature),
    wrong_answer("only the lower triangle of M is filled", "mass matrix", ("mass_matrix",), wa.triangle, wa.symmetric_of_lower),
    wrong_answer("h is without gravity", "gravity", ("nonlinear_effects",), *_plus(-1, wa.plus, "gravity"), _weighs),
    wrong_answer("h is without damping", "damping", ("nonlinear_effects",), *_plus(-1, wa.plus_damping), has_damping),
    wrong_answer("g has the opposite sign, and h has not", "gravity", ("gravity",), *_times(-1), _weighs),
    wrong_answer("matrices of derivatives are transposed", "derivatives", MATRICES, wa.transposed, wa.transposed),
    wrong_answer("kinetic energy is without the factor ½", "energies", ("kinetic_energy",), *_times(2)),
    wrong_answer("potential energy has the opposite sign", "energies", ("potential_energy",), *_times(-1), _weighs),
    wrong_answer(
        "potential energy is zero at position zero",
        "energies",
        ("potential_energy",),
        *_plus(-1, wa.plus_energy_at_zero),
        _weighs,
    ),
    wrong_answer("forces of inverse dynamics have the opposite sign", "units", TORQUES, *_times(-1)),
    wrong_answer("forces of inverse dynamics are in mN and mN m", "units", TORQUES, *_times(1000)),
)
