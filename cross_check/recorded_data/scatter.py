"""Answers that were measured: the same state many times, each time with another answer. Their mean is judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cross_check.memory import Array
from cross_check.recorded_data.columns import STATE_ARRAYS

LEAST = 20
"""Fewer further answers to states that have one do not show how much answers scatter: such a file contradicts itself."""

ERRORS = 6.0
"""The largest distance of a mean from the value that it estimates, in standard errors of the mean."""


class Scatter(NamedTuple):
    """The rows that stand for all rows of their states, the means of the answers, and how much single answers scatter."""

    rows: list[int]
    means: dict[str, Array]
    room: dict[str, Array]
    """By quantity: how far each mean may be from the right answer (rows, columns)."""
    deviations: dict[str, Array]
    """By quantity: the standard deviation of each column (columns,), from the answers to all states together."""

    @property
    def most(self) -> float:
        """The largest standard deviation."""
        return max((float(s.max(initial=0.0)) for s in self.deviations.values()), default=0.0)


def scatter_of(arrays: Mapping[str, Array]) -> Scatter | None:
    """The scatter of the answers in ``arrays``, which are (rows, columns) by name; None if no state was recorded often."""
    states = np.concatenate([array for name, array in arrays.items() if name in STATE_ARRAYS], axis=1) + 0.0
    answers = {name: array for name, array in arrays.items() if name not in STATE_ARRAYS}
    if not all(np.isfinite(array).all() for array in answers.values()):
        return None
    _, first, group, times = np.unique(states, axis=0, return_index=True, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    further = len(states) - len(first)
    if further < LEAST:
        return None
    means, room, deviations = dict[str, Array](), dict[str, Array](), dict[str, Array]()
    for name, array in answers.items():
        sums = np.zeros((len(first), array.shape[1]))
        np.add.at(sums, group, array - array[first][group])
        means[name] = (array[first] + sums / times[:, None])[group]
        deviations[name] = np.sqrt(((array - means[name]) ** 2).sum(axis=0) / further)
        room[name] = ERRORS * deviations[name] / np.sqrt(times[group])[:, None]
    found = Scatter(sorted(first.tolist()), means, room, deviations)
    return found if found.most else None
