"""Errors of very many states, counted in fixed bins, so that counts of several blocks of states add up exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from cross_check.results.objects import Histogram

PER_DECADE, LOWEST = 10, -40
"""Bin k begins at 10^(k / PER_DECADE). The lowest bin also counts everything below it."""

Bins = Mapping[str, Mapping[int, int]]
"""By kind of state and bin, how many errors there are."""


def histogram(kinds: Sequence[str], errors: Sequence[float], bar: float) -> Histogram:
    """The histogram of ``errors`` in ε-units, one for every state, whose kinds are ``kinds``."""
    # A hair more, so that a power of ten is in the bin that it begins, whichever way its logarithm is rounded.
    decades = np.log10(np.maximum(errors, 10.0 ** (LOWEST / PER_DECADE))) + 1e-9
    bins: dict[str, Counter[int]] = {kind: Counter() for kind in kinds}
    places = np.floor(PER_DECADE * decades).astype(int).tolist()
    for (kind, k), count in Counter(zip(kinds, places, strict=True)).items():
        bins[kind][k] = count
    return _from_bins(bins, sum(error > bar for error in errors))


def merged(histograms: Iterable[Histogram]) -> Histogram:
    """All of them together."""
    bins: dict[str, Counter[int]] = {}
    over = 0
    for one in histograms:
        over += one.over
        for kind, pairs in one.bins.items():
            counts = bins.setdefault(kind, Counter())
            for k, count in pairs:
                counts[k] += count
    return _from_bins(bins, over)


def lower_end(k: int) -> float:
    """Where bin k begins, in ε-units."""
    return float(f"{10.0 ** (k / PER_DECADE):.3g}")


def _from_bins(bins: Bins, over: int) -> Histogram:
    total: Counter[int] = Counter()
    for counts in bins.values():
        total.update(counts)
    order = sorted(total)
    ends = np.cumsum([total[k] for k in order])
    states = int(ends[-1])
    median, most = (lower_end(order[int(np.searchsorted(ends, share * states))] + 1) for share in (0.5, 0.99))
    pairs = {kind: sorted(counts.items()) for kind, counts in sorted(bins.items())}
    return Histogram(states, over, median, most, pairs)
