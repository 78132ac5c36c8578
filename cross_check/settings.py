"""The settings of a run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.metadata import version
from numbers import Integral, Real
from typing import Any

from cross_check.comparison.invariants import INVARIANTS
from cross_check.comparison.measure import BAR
from cross_check.history.check import HISTORY
from cross_check.relations.table import RELATIONS
from cross_check.results.objects import RunSettings
from mechanisms.quantities import QUANTITIES, unknown_quantity

ALL_INVARIANTS = (*INVARIANTS, HISTORY)


class SettingsError(ValueError):
    """The settings of a run cannot be used; one sentence."""


@dataclass(frozen=True)
class Settings:
    """What a run's numbers depend on, beside the code and the mechanisms."""

    seed: int = 0
    states: int = 98
    bar: float = BAR
    quantities: tuple[str, ...] = tuple(QUANTITIES)
    invariants: bool = True
    relations: tuple[str, ...] = ()
    """The names of metamorphic relations; :mod:`cross_check.relations.table`. They load transformed mechanisms."""
    certified: bool = False
    """Whether the truth is correctly rounded, with proof; :mod:`cross_check.comparison.certified`."""

    def __post_init__(self) -> None:
        """Raises :class:`SettingsError`."""
        kinds: dict[str, Any] = {"seed": Integral, "states": Integral, "bar": Real, "invariants": bool, "certified": bool}
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                wanted = "a number" if name == "bar" else "a whole number" if kind is Integral else "True or False"
                raise SettingsError(f"the setting {name} is {getattr(self, name)!r}; give {wanted}")
        if unknown := [name for name in self.quantities if name not in QUANTITIES]:
            raise SettingsError(unknown_quantity(unknown[0]))
        if unknown := [name for name in self.relations if name not in RELATIONS]:
            raise SettingsError(f"there is no relation {unknown[0]!r}; use {', '.join(RELATIONS)}")
        if not ((self.quantities or self.relations) and self.seed >= 0 and self.states >= 1 and 0 < self.bar < math.inf):
            given = f"seed {self.seed}, {self.states} states, bar {self.bar} and {len(self.quantities)} quantities"
            needed = "a seed of zero or more, at least one state, a positive finite bar and at least one quantity"
            raise SettingsError(f"{given} cannot be run; give {needed}")

    @property
    def left_out(self) -> frozenset[str]:
        """The names of the quantities, invariants and relations that a run with these settings does not check."""
        checked = {*self.quantities, *(ALL_INVARIANTS if self.invariants else ()), *self.relations}
        return frozenset({*QUANTITIES, *ALL_INVARIANTS, *RELATIONS} - checked)

    @property
    def recorded(self) -> RunSettings:
        """What results say of the settings."""
        return RunSettings(version("dalembert"), self.seed, self.states, self.bar, self.certified)
