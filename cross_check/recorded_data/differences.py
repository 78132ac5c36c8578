"""Velocities and accelerations that are difference quotients of other columns over the time, and not those of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from cross_check.memory import Array

FEWEST = 8
"""Fewer rows show nothing."""

SAME = 1e-8
"""A column is a difference quotient if it is so near to it, in relation to its largest number."""


class Quotient(NamedTuple):
    """A column of rates that is a difference quotient."""

    rates: str
    of: str
    kind: str
    room: Array
    """How far it may be from the derivative (rows, columns), to the lowest order of the time step."""

    @property
    def sentence(self) -> str:
        late = {"backward": ", half a row late", "forward": ", half a row early"}.get(self.kind, "")
        return f"{self.rates} is the {self.kind} difference quotient of {self.of} over the time{late}"


def quotients_of(states: Mapping[str, Array], slack: Mapping[str, Array], times: Array | None) -> Iterator[Quotient]:
    """The rates among ``states``, (rows, columns) by name, that are difference quotients; ``slack`` is theirs."""
    if times is None or len(times) < FEWEST or not (np.diff(times) > 0).all():
        return
    for of, rates in (("q", "v"), ("v", "a")):
        if of not in states or rates not in states or states[of].shape != states[rates].shape:
            continue
        x, given, inner = states[of], states[rates], slice(1, -1)
        one = np.diff(x, axis=0) / np.diff(times)[:, None]
        both = (x[2:] - x[:-2]) / (times[2:] - times[:-2])[:, None]
        step = np.diff(times).min()
        near = SAME * np.abs(given).max() + (2 * slack[of] / step + slack[rates]).max()
        if np.abs(one[1:] - one[:-1]).max() < 1000 * near:
            continue  # The kinds are one.
        half = np.abs(one[1:] - one[:-1]) / 2
        # The third derivative, from the second difference of the rates.
        third = np.abs(given[2:] - 2 * given[1:-1] + given[:-2]) / 6
        for kind, quotient, room in (("backward", one[:-1], half), ("forward", one[1:], half), ("central", both, third)):
            if np.abs(given[inner] - quotient).max() <= near:
                yield Quotient(rates, of, kind, np.pad(room, ((1, 1), (0, 0)), mode="edge"))
