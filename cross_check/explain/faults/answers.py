"""Conventions of answers: frames and orders of motions, terms of h and M, energies, signs and units of forces."""

from __future__ import annotations

from functools import partial
from typing import Any

from cross_check.explain.faults import wrong_answers as wa
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.frames import frames
from cross_check.explain.faults.terms import has_armature, has_damping
from cross_check.explain.faults.wrong_answers import wrong_answer
from implementations.conventions.coordinates import JACOBIANS
from mechanisms import Mechanism
from mechanisms.quantities import MOTION, QUANTITIES, USUAL

MOTIONS = tuple(name for name in USUAL if MOTION in QUANTITIES[name].axes)
SPATIAL = ("accelerations_local", "accelerations_world", "accelerations_aligned")
MATRICES = ("inverse_dynamics_dq", "inverse_dynamics_dv", "forward_dynamics_dq", "forward_dynamics_dv")
TORQUES = ("inverse_dynamics", "nonlinear_effects", "gravity", "inverse_dynamics_with_forces")


def _by(factor: float) -> dict[str, Any]:
    return {"wrong": partial(wa.scaled, factor), "right": partial(wa.scaled, 1 / factor)}


def _plus(function: Any, *before: Any) -> dict[str, Any]:
    """Minus what ``function`` adds; mended by adding it."""
    return {"wrong": partial(function, *before, -1.0), "right": partial(function, *before, 1.0)}


def _weighs(m: Mechanism) -> bool:
    return any(m.gravity)


ANSWERS: tuple[Fault, ...] = (
    # Motions of bodies
    *frames(),
    wrong_answer(
        "velocities, Jacobians and other motions of bodies have their linear part first",
        "frames",
        MOTIONS,
        wa.halves_swapped,
        wa.halves_swapped,
    ),
    wrong_answer("Jacobians of bodies have their linear rows first", "frames", JACOBIANS, wa.halves_swapped, wa.halves_swapped),
    wrong_answer(
        "accelerations of bodies contain gravity, upwards at rest",
        "accelerations of bodies",
        (*SPATIAL, "classical_accelerations"),
        **_plus(wa.plus_weight),
        asks=("placements",),
        needs=_weighs,
    ),
    *(
        wrong_answer(
            f"{frame} accelerations of bodies are classical instead of spatial",
            "accelerations of bodies",
            (f"accelerations_{frame}",),
            partial(wa.plus_turning, 1.0),
            partial(wa.plus_turning, -1.0),
            (f"velocities_{frame}",),
        )
        for frame in ("local", "aligned")
    ),
    wrong_answer(
        "classical accelerations of bodies are spatial ones",
        "accelerations of bodies",
        ("classical_accelerations",),
        **_plus(wa.plus_turning),
        asks=("velocities_aligned",),
    ),
    *(
        wrong_answer(f"placements {words}", "placements of bodies", ("placements",), change, change)
        for words, change in (
            ("have transposed rotations", wa.placements_transposed),
            ("lead from the root to the body", wa.placements_inverse),
        )
    ),
    wrong_answer(
        "centroidal momentum has its linear part first",
        "centroidal momentum",
        ("centroidal_momentum", "centroidal_momentum_matrix"),
        wa.halves_swapped,
        wa.halves_swapped,
    ),
    # Terms
    wrong_answer("M is without armature", "armature", ("mass_matrix",), **_plus(wa.plus_armature), needs=has_armature),
    wrong_answer("only the lower triangle of M is filled", "mass matrix", ("mass_matrix",), wa.triangle, wa.symmetric),
    wrong_answer(
        "h is without gravity", "gravity", ("nonlinear_effects",), **_plus(wa.plus, "gravity"), asks=("gravity",), needs=_weighs
    ),
    wrong_answer("h is without damping", "damping", ("nonlinear_effects",), **_plus(wa.plus_damping), needs=has_damping),
    wrong_answer("g has the opposite sign, and h has not", "gravity", ("gravity",), **_by(-1.0), needs=_weighs),
    wrong_answer("matrices of derivatives are transposed", "derivatives", MATRICES, wa.transposed, wa.transposed),
    # Energies
    wrong_answer("kinetic energy is without the factor ½", "energies", ("kinetic_energy",), **_by(2.0)),
    wrong_answer("potential energy has the opposite sign", "energies", ("potential_energy",), **_by(-1.0), needs=_weighs),
    wrong_answer(
        "potential energy is zero at position zero",
        "energies",
        ("potential_energy",),
        **_plus(wa.plus_energy_at_zero),
        asks=("placements",),
        needs=_weighs,
    ),
    # Signs and units
    wrong_answer("forces of inverse dynamics have the opposite sign", "units", TORQUES, **_by(-1.0)),
    wrong_answer("forces of inverse dynamics are in mN and mN m", "units", TORQUES, **_by(1000.0)),
)
