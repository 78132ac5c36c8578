"""Single entries of a matrix that are wrong: what they are instead is solved for, and read.

An entry is a multiple of the right one, or another entry of the right matrix, at all states.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cross_check.explain.faults.fault import Fault, WrongAnswer
from cross_check.explain.slips.formulas import multiplied
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

LARGEST_PART = 0.3
"""Where a larger part of the entries is wrong, more than single entries are."""

CLOSE = 1e-9
"""How far entries may be off, as a part of the largest one."""

Entry = tuple[int, int]


def wrong_entries(quantity: str, answer: Array, right: Array, close: float = CLOSE) -> Iterator[Fault]:
    """The fault that single entries of the matrix ``answer`` (states, n, m) are wrong, if they can be read."""
    if answer.ndim != 3 or answer.shape != right.shape or not np.isfinite(answer).all():
        return
    bound = close * np.abs(right).max(initial=0.0)
    wrong = [(int(i), int(j)) for i, j in np.argwhere((np.abs(answer - right) > bound).any(axis=0))]
    if not 0 < len(wrong) <= LARGEST_PART * right[0].size:
        return
    title = QUANTITIES[quantity].title
    of = f"the derivative of {title}" if " by " in title else f"the {title}"
    said, entries = [], {}
    for entry in wrong:
        read = _read(of, answer[:, *entry], right, entry, bound)
        if read is None:
            return
        said.append(read[0])
        entries[entry] = read[1:]
    yield Fault("; ".join(said), title, answer=_with(entries, quantity), quantities=(quantity,))


def _read(of: str, seen: Array, right: Array, entry: Entry, bound: float) -> tuple[str, Entry, float] | None:
    """What the entry is, with the entry of the right matrix and the factor from which it follows."""
    (i, j), own = entry, right[:, *entry]
    named = f"entry ({i + 1}, {j + 1}) of {of}"
    largest = int(np.abs(own).argmax())
    if abs(own[largest]) > bound:
        k = float(np.round(seen[largest] / own[largest], 12))
        if np.abs(seen - k * own).max() <= bound:
            return f"{named} {multiplied(k) if k else 'is zero'}", entry, k
    for other in np.ndindex(right.shape[1:]):
        if np.abs(seen - right[:, *other]).max() <= bound:
            return f"{named} is that of ({other[0] + 1}, {other[1] + 1})", (other[0], other[1]), 1.0
    return None


def _with(entries: dict[Entry, tuple[Entry, float]], quantity: str) -> WrongAnswer:
    def changed(mechanism: Mechanism, name: str, state: object, answer: Array) -> Array:
        wrong = answer.copy()
        for (i, j), ((a, b), k) in entries.items():
            if max(i, a) < answer.shape[1] and max(j, b) < answer.shape[2]:
                wrong[:, i, j] = k * answer[:, a, b]
        return wrong

    return changed
