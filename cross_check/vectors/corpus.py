"""The corpus: vectors of all textbook mechanisms, and of all robots of example-robot-data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import prod

from cross_check.vectors.files import Task
from mechanisms import TEXTBOOK, Mechanism, robot_names
from mechanisms.quantities import GROUPS, QUANTITIES

OF_TEXTBOOK = (
    *GROUPS["dynamics"],
    "inverse_dynamics_with_forces",
    "placements",
    "velocities_aligned",
    "classical_accelerations",
    "center_of_mass",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "inverse_dynamics_dq",
    "inverse_dynamics_dv",
)

OF_ROBOTS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")

LARGEST = 1000
"""The most numbers of one expected value, so that the corpus stays small: a mass matrix of thirty-one coordinates."""


def corpus(
    find: Callable[[str], Mechanism], textbook: Iterable[str] = tuple(TEXTBOOK), robots: Iterable[str] = robot_names()
) -> Iterator[Task]:
    """What the corpus consists of, or the part of it on some mechanisms. ``find`` finds mechanisms by name."""
    for specs, quantities in ((textbook, OF_TEXTBOOK), (robots, OF_ROBOTS)):
        for spec in specs:
            mechanism = find(spec)
            for name in quantities:
                if prod(QUANTITIES[name].dimensions(mechanism)) <= LARGEST:
                    yield Task(spec, mechanism, name)
