"""Conventions of answers: frames and orders of motions, frames of forces on bodies, terms of h and M, energies, signs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from cross_check.explain.faults.answers import wrong_answer as wa
from cross_check.explain.faults.answers.wrong_answer import Changed, halves_swapped, wrong_answer, wrong_force
from cross_check.explain.faults.changes.mechanisms import has_armature, has_damping
from cross_check.explain.faults.fault import Fault
from implementations.conventions.coordinates import JACOBIANS
from implementations.conventions.frames import force, motion
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES, MOTION, QUANTITIES, USUAL

WHOLE, ANGULAR, LINEAR = slice(0, 6), slice(0, 3), slice(3, 6)
"""The rows of a motion, and of its parts."""

FAMILIES = {"jacobians": "Jacobians", "velocities": "velocities", "accelerations": "accelerations", "drifts": "drifts"}
"""The families of motions of bodies, in words."""


def other_frame(frame: str, rows: slice, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The same quantity in another frame, or with these rows of it in another frame."""
    x, other = np.array(x), ask(f"{name.rpartition('_')[0]}_{frame}", state)
    place = (..., rows, slice(None)) if name.startswith("jacobians") else (..., rows)
    x[place] = other[place]
    return x


def back_from(frame: str, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """A motion (…, 6), or columns (…, 6, nv), that came in ``frame``, in the frame that the name says."""
    T, wanted = ask("placements", state), name.rpartition("_")[2]
    if name.startswith("jacobians"):
        return motion(frame, wanted, T[..., None, :, :], np.swapaxes(x, -1, -2)).swapaxes(-1, -2)
    return motion(frame, wanted, T, x)


def frames() -> Iterator[Fault]:
    """One frame for another, in all motions of bodies."""
    for asked, given in permutations(FRAMES, 2):
        quantities = tuple(f"{family}_{asked}" for family in FAMILIES)
        clause = f"motions of bodies are {given} where they are said to be {asked}"
        # The aligned drift has its own rule, which needs the velocity.
        mended = quantities[:3] if "aligned" in (asked, given) else quantities
        yield wrong_answer(
            clause, "frames", quantities, partial(other_frame, given, WHOLE), partial(back_from, given), mended=mended
        )


def frames_of_families() -> Iterator[Fault]:
    """One frame for another, in one family of motions of bodies, or in one part of it."""
    for asked, given in permutations(FRAMES, 2):
        for family, words in FAMILIES.items():
            quantity = (f"{family}_{asked}",)
            right = None if family == "drifts" and "aligned" in (asked, given) else partial(back_from, given)
            clause = f"{asked} {words} of bodies are the {given} ones"
            yield wrong_answer(clause, "frames", quantity, partial(other_frame, given, WHOLE), right)
            for part, rows in (("angular", ANGULAR), ("linear", LINEAR)):
                # World and aligned motions turn alike.
                if part == "linear" or "local" in (asked, given):
                    clause = f"the {part} part of {asked} {words} is that of {given} ones"
                    yield wrong_answer(clause, "frames", quantity, partial(other_frame, given, rows))


def in_frame(source: str, target: str, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Forces on bodies (…, 6) that are given in one frame, in another."""
    return force(source, target, ask("placements", state), x)


def moved_to_center(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Forces on bodies (…, 6) at the centre of mass, about the body's origin, or, with the factor −1, the other way round."""
    lever = factor * np.cross(mechanism.arrays.coms, x[..., 3:])
    return np.concatenate((x[..., :3] + lever, x[..., 3:]), -1)


READ_FORCES: tuple[tuple[str, Changed, Changed], ...] = (
    ("are read along the root's axes", partial(in_frame, "aligned", "local"), partial(in_frame, "local", "aligned")),
    (
        "are read along the root's axes, moments about its origin",
        partial(in_frame, "world", "local"),
        partial(in_frame, "local", "world"),
    ),
    ("are read with the force before the moment", halves_swapped, halves_swapped),
    ("act at their centres of mass", partial(moved_to_center, 1.0), partial(moved_to_center, -1.0)),
)
"""What is read of forces on bodies, in words, and its inverse."""

FRAMES_OF_FORCES = tuple(wrong_force(f"forces on bodies {words}", ours, theirs) for words, ours, theirs in READ_FORCES)


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
