"""Conventions of answers: frames and orders of motions, frames of forces on bodies, terms of h and M, energies, signs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from cross_check.explain.faults.answers.wrong_answer import Changed, answers_of, halves_swapped, wrong_answer, wrong_force
from cross_check.explain.faults.fault import Fault
from implementations.conventions.frames import force, motion
from mechanisms.quantities import FRAMES

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


ANSWERS: tuple[Fault, ...] = (*frames(), *answers_of("conventions", globals()))
