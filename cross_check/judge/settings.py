"""The settings of a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import version
from numbers import Integral, Real

import numpy as np

from cross_check.defaults import BAR, SEED, STATES
from cross_check.exchange.recorded_data.ranges import named, ranges_of
from cross_check.exchange.results.objects import HISTORY, RunSettings
from cross_check.judge.comparison.kinds import kinds_of
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.relations.invariants import INVARIANTS
from cross_check.judge.relations.table import RELATIONS
from implementations.plugins.registry import BUILT_IN
from implementations.processes.subject import Subject
from mechanisms import Mechanism
from mechanisms.library.drawn import PREFIX
from mechanisms.numbers.precision import FLOAT64, Precision, UnknownPrecision, precision_named
from mechanisms.quantities import ALL_GROUPS, ALL_QUANTITIES, ALL_USUAL, CONSTRAINT_QUANTITIES, QUANTITIES, unknown_quantity

ALL_INVARIANTS = (*INVARIANTS, HISTORY)


ESSENTIAL = ("inverse_dynamics", "inverse_dynamics_with_forces", "mass_matrix", "forward_dynamics", "gravity", "placements")
"""What is compared on large drawn mechanisms, of which all quantities would take as long as ten robots."""

SMALL = 16
"""The most coordinates of a drawn mechanism on which everything is compared."""


class SettingsError(ValueError):
    """The settings of a run cannot be used; one sentence."""


@dataclass(frozen=True)
class Settings:
    """What a run's numbers depend on, beside the code and the mechanisms."""

    seed: int = SEED
    states: int = STATES
    bar: float = BAR
    quantities: tuple[str, ...] = ALL_USUAL
    """Those of constraints are left out on mechanisms that have none."""
    invariants: bool = True
    relations: tuple[str, ...] = ()
    """The names of metamorphic relations; :mod:`cross_check.judge.relations.table`. They load transformed mechanisms."""
    precision: str = FLOAT64.name
    """The name of the precision in which users' code computes that declares none."""
    certified: bool = False
    """Whether the truth is correctly rounded, with proof; :mod:`cross_check.judge.comparison.certified`."""
    given: States | None = field(default=None, repr=False, compare=False)
    """The states of the run, if they were given instead of sampled: those of recorded data. Then there are ``states`` of them."""
    files: tuple[str, ...] = ()
    """The names of the files that gave them."""
    strict: bool = False
    """Whether a run fails that cannot show gravity, rotational inertia or Coriolis terms at all."""

    def __post_init__(self) -> None:
        """Raises :class:`SettingsError`."""
        kinds = {"int": (Integral, "a whole number"), "float": (Real, "a number"), "bool": (bool, "True or False")}
        for part in fields(self):
            kind, wanted = kinds.get(str(part.type), (object, ""))
            if not isinstance(given := getattr(self, part.name), kind):
                raise SettingsError(f"the setting {part.name} is {given!r}; give {wanted}")
        try:
            precision_named(self.precision)
        except UnknownPrecision as error:
            raise SettingsError(str(error)) from None
        if unknown := [name for name in self.quantities if name not in ALL_QUANTITIES]:
            raise SettingsError(unknown_quantity(unknown[0], ALL_GROUPS))
        if unknown := [name for name in self.relations if name not in RELATIONS]:
            raise SettingsError(f"there is no relation {unknown[0]!r}; use {', '.join(RELATIONS)}")
        if not ((self.quantities or self.relations) and self.seed >= 0 and self.states >= 1 and 0 < self.bar < math.inf):
            given = f"seed {self.seed}, {self.states} states, bar {self.bar} and {len(self.quantities)} quantities"
            needed = "a seed of zero or more, at least one state, a positive finite bar and at least one quantity"
            raise SettingsError(f"{given} cannot be run; give {needed}")

    def precision_of(self, subject: Subject, spec: str) -> Precision:
        """The precision in which the answers of the code that ``spec`` names are judged: the declared one, or that of the run."""
        return precision_named(subject.precision or (FLOAT64.name if spec in BUILT_IN else self.precision))

    def sample(self, mechanism: Mechanism, count: int) -> States:
        """The first states of the run: ``count`` of them, or all that were given if they are fewer."""
        if self.given is None:
            return sample(mechanism, self.seed, count)
        return self.given.pick(np.arange(min(count, len(self.given))))

    def kinds(self, first: int, count: int) -> tuple[str, ...]:
        """The kinds of ``count`` states of the run, from the one in place ``first`` on."""
        return kinds_of(first, count) if self.given is None else self.given.kinds[first : first + count]

    def place_of(self, number: int) -> int:
        """The place in the run of the state with this number. Raises :class:`SettingsError` if there is none."""
        if self.given is None and 0 <= number < self.states:
            return number
        if self.given is not None and number in self.given.numbers:
            return self.given.numbers.index(number)
        there = (
            f"{self.states} states, counted from 0" if self.given is None else f"states {named(ranges_of(self.given.numbers))}"
        )
        raise SettingsError(f"state {number} is out of range; there are {there}")

    def at(self, given: States, files: Sequence[str]) -> Settings:
        """These settings for a run at given states, which come from these files."""
        return replace(self, given=given, states=len(given), files=tuple(files))

    def without(self, numbers: Collection[int]) -> Settings:
        """These settings without the given states of these numbers; with all of them if none would be left."""
        if self.given is None or not numbers:
            return self
        left = np.array([k for k, number in enumerate(self.given.numbers) if number not in numbers], dtype=np.intp)
        return self.at(self.given.pick(left), self.files) if len(left) else self

    def essential(self, spec: str, mechanism: Mechanism, offers: Callable[[str], bool]) -> Settings:
        """These settings on the mechanism that ``spec`` names, for code that has the quantities that it ``offers``.

        On a large drawn mechanism, unless quantities were chosen, only :data:`ESSENTIAL` ones are compared; if code has none of
        them, all that it has.
        """
        if PREFIX not in spec.split(":") or mechanism.nv <= SMALL or self.quantities != ALL_USUAL:
            return self
        return replace(self, quantities=ESSENTIAL) if any(map(offers, ESSENTIAL)) else self

    @property
    def of_trees(self) -> tuple[str, ...]:
        """The quantities that every mechanism has."""
        return tuple(name for name in self.quantities if name in QUANTITIES)

    def of_constraints(self, mechanism: Mechanism) -> tuple[str, ...]:
        """The quantities of constraints, if the mechanism has some."""
        return tuple(name for name in self.quantities if name in CONSTRAINT_QUANTITIES) if mechanism.constraints else ()

    @property
    def left_out(self) -> frozenset[str]:
        """The names of the quantities, invariants and relations that a run with these settings does not check."""
        checked = {*self.quantities, *(ALL_INVARIANTS if self.invariants else ()), *self.relations}
        return frozenset({*ALL_QUANTITIES, *ALL_INVARIANTS, *RELATIONS} - checked)

    @property
    def recorded(self) -> RunSettings:
        """What results say of the settings."""
        numbers = (self.seed, self.states, self.bar, self.certified, self.files, self.strict)
        return RunSettings(version("dalembert"), *numbers, precision=self.precision)
