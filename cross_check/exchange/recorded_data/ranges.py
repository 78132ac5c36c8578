"""Numbers of states as ranges, so that a billion missing states take no room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_NAMED = 8
"""So many ranges are named; the rest is counted."""


class Range(NamedTuple):
    """The numbers from ``first`` to ``last``, both included."""

    first: int
    last: int


def ranges_of(numbers: Iterable[int]) -> list[Range]:
    """Ascending ranges of distinct numbers."""
    return merged([Range(number, number) for number in numbers])


def gaps(numbers: Sequence[int], first: int, last: int) -> list[Range]:
    """What is missing among ``numbers`` from ``first`` to ``last``."""
    found, expected = [], first
    for present in ranges_of(number for number in numbers if first <= number <= last):
        if present.first > expected:
            found.append(Range(expected, present.first - 1))
        expected = present.last + 1
    return [*found, Range(expected, last)] if expected <= last else found


def merged(ranges: Iterable[Range]) -> list[Range]:
    """Ascending ranges with gaps between them, from ranges that do not overlap."""
    found: list[Range] = []
    for one in sorted(ranges):
        if found and one.first == found[-1].last + 1:
            found[-1] = Range(found[-1].first, one.last)
        else:
            found.append(one)
    return found


def size(ranges: Iterable[Range]) -> int:
    """How many numbers they have together."""
    return sum(one.last - one.first + 1 for one in ranges)


def named(ranges: Sequence[Range]) -> str:
    """The numbers in words: "3, 17 to 20, 40"; of very many, the first ones."""
    words = [str(a) if a == b else f"{a}, {b}" if b == a + 1 else f"{a} to {b}" for a, b in ranges[:MOST_NAMED]]
    more = size(ranges[MOST_NAMED:])
    return ", ".join(words) + (f" and {more} more" if more else "")
