"""The error at one time of a certified trajectory: how much of it is the scheme's, and what would remain as h → 0.

Code steps with h, h/2 and h/4. If the differences of the three shrink as h^p, their limit follows by extrapolation (L.
Richardson, 1911). Its distance from the certified motion is no scheme's: the code moves another mechanism, or has other forces.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cross_check.judge.comparison.measure import finite
from cross_check.memory import Array
from cross_check.simulations.results import AtTime

APART = 0.2
"""Where two runs are apart by less than this share of their distance from the truth, no shorter step leads there: half a step
makes the error of a scheme about half as large, or smaller."""

MOST_LEFT = 0.3
"""The share of the error with h/4 that may remain as h → 0, if the error is the scheme's."""


def at_time(time: float, errors: Array, names: Sequence[str]) -> AtTime:
    """What ``errors`` (runs, numbers) say, of one run or of three; ``names`` are those of the numbers."""
    which = int(np.abs(errors[0]).argmax())
    error = time, finite(np.abs(errors[0, which])), names[which]
    if len(errors) == 1:
        return AtTime(*error)
    first, second, third = errors
    size = np.linalg.norm
    is_other = bool(max(size(first - second), size(second - third)) < APART * size(third))
    with np.errstate(all="ignore"):
        order = float(np.log2(size(first - second) / size(second - third)))
        limit = third + (third - second) / (2**order - 1)
        is_seen = bool(size(limit) < MOST_LEFT * size(third))
    return AtTime(*error, order if is_seen and not is_other else None, is_other)
