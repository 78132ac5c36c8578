"""Symptoms: quantities at restricted states, from those that few terms enter to those that all enter.

Gravity alone is at rest without acceleration; acceleration alone adds inertia; velocity alone adds Coriolis, gyroscopic and
damping terms. A fault in one of them is thus seen before the others mix with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.mutants import restrictions
from cross_check.memory import Array
from mechanisms.quantities import QUANTITIES

ORDER = (
    "placements",
    "center_of_mass",
    "jacobians",
    "velocities",
    "potential_energy",
    "gravity",
    "mass_matrix",
    "kinetic_energy",
    "drifts",
    "accelerations",
    "classical_accelerations",
    "centroidal_momentum_matrix",
    "centroidal_momentum",
    "nonlinear_effects",
    "inverse_dynamics",
    "inverse_dynamics_with_forces",
    "forward_dynamics_dtau",
    "forward_dynamics",
)
"""Families of quantities; those that fewer terms enter come first, and all others last. Numbers are fitted to these alone."""


@dataclass(frozen=True, eq=False)
class Symptom:
    """A quantity at some states. ``asked`` says in a clause how the states are restricted."""

    trial: Trial
    quantity: str
    asked: str = ""

    def residual(self, fault: Fault = NO_FAULT) -> Array:
        """As :meth:`Trial.residual`."""
        return self.trial.residual(self.quantity, fault)


def symptoms(trial: Trial, quantities: Iterable[str]) -> Iterator[Symptom]:
    """Every quantity that the implementation answers, at restricted states first, in the order of :data:`ORDER`."""
    for name in sorted(quantities, key=rank):
        for zero, asked in restrictions(trial.states, QUANTITIES[name].arguments):
            restricted = trial.at(**zero) if zero else trial
            try:
                restricted.answer(name)
            except NoAnswer:
                continue
            yield Symptom(restricted, name, asked)


def rank(quantity: str) -> int:
    """The place of a quantity in :data:`ORDER`."""
    family = QUANTITIES[quantity].family
    return ORDER.index(family) if family in ORDER else len(ORDER)
