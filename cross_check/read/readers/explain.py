"""Explains how a reader takes a file, by repair and retest: with the explanation undone, nothing may differ any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from cross_check.read.readers.compare import Difference, differences
from cross_check.read.readers.edited import Differences, File, Misread
from mechanisms.reading import Reading


@dataclass(frozen=True)
class Explained:
    """What explains a reader's differences, and what is left of them."""

    misread: tuple[Misread, ...]
    remaining: Differences
    ruled_out: tuple[str, ...]
    """The sentences of the other hypotheses that would change the reading of this file, and do not explain the differences."""


def explain(file: File, theirs: Reading) -> Explained:
    """What explains the differences between our reading and ``theirs``."""
    chosen: list[Misread] = []
    left = differences(file.reading, theirs)
    while left and (best := _best(file, chosen, left, theirs)):
        chosen.append(best[0])
        left = best[1]
    if any(not difference.is_digits for difference in left) and (pair := _pair(file, theirs)):
        chosen, left = pair
    for one in list(chosen):
        fewer = [other for other in chosen if other is not one]
        rest = file.left(fewer, theirs)
        if rest is not None and _weight(rest) <= _weight(left):
            chosen, left = fewer, rest
    named = {one.hypothesis.sentence for one in chosen}
    in_vain = tuple(one.hypothesis.sentence for one in file.candidates if one.hypothesis.sentence not in named)
    return Explained(tuple(chosen), left, in_vain)


def alternatives(file: File, explained: Explained, misread: Misread, theirs: Reading) -> tuple[str, ...]:
    """The sentences of hypotheses that explain as much in place of this one."""
    others = [one for one in explained.misread if one is not misread]
    taken = {one.hypothesis.sentence for one in explained.misread}
    rivals = (one for one in file.candidates if one.hypothesis.sentence not in taken)
    trials = ((file.left([*others, one], theirs), one) for one in rivals)
    return tuple(
        one.hypothesis.sentence for left, one in trials if left is not None and _weight(left) <= _weight(explained.remaining)
    )


def _best(file: File, chosen: Sequence[Misread], left: Differences, theirs: Reading) -> tuple[Misread, Differences] | None:
    """The candidate that leaves the least beside those that are chosen, and what it leaves; None if none helps."""
    taken = {one.hypothesis.sentence for one in chosen}
    free = [one for one in file.candidates if one.hypothesis.sentence not in taken]
    best = _least(file, chosen, free, left, theirs)
    rest = best[1] if best else left
    if any(not difference.is_digits for difference in rest):
        best = _least(file, chosen, _narrowed(file, chosen, free, left, theirs), rest, theirs) or best
    return best


def _pair(file: File, theirs: Reading) -> tuple[list[Misread], Differences] | None:
    """Two candidates that explain all but digits together, where neither of them may help alone."""
    for pair in combinations(file.candidates, 2):
        rest = file.left(pair, theirs)
        if rest is not None and all(difference.is_digits for difference in rest):
            return list(pair), rest
    return None


def _least(
    file: File, chosen: Sequence[Misread], candidates: Iterable[Misread], left: Differences, theirs: Reading
) -> tuple[Misread, Differences] | None:
    best = None
    for one in candidates:
        rest = file.left([*chosen, one], theirs)
        if rest is not None and _weight(rest) < _weight(left):
            best, left = (one, rest), rest
        if not left:
            break
    return best


def _narrowed(
    file: File, chosen: Sequence[Misread], free: Sequence[Misread], left: Differences, theirs: Reading
) -> Iterator[Misread]:
    """The candidates that explain something at some of their elements and spoil something at others, at the former alone."""
    # Every element costs a reading of the file, so only elements that can change what differs are tried.
    concerned = file.elements_before({difference.joint for difference in left if not difference.is_digits})
    for one in free:
        if 1 < len(one.elements) <= MOST_ELEMENTS:
            single = [(element, Misread(one.hypothesis, (element,))) for element in one.elements if element in concerned]
            rests = [(element, file.left([*chosen, alone], theirs)) for element, alone in single]
            helping = tuple(element for element, rest in rests if rest is not None and _weight(rest) < _weight(left))
            if 0 < len(helping) < len(one.elements):
                yield Misread(one.hypothesis, helping)


def _weight(left: Sequence[Difference]) -> tuple[int, int]:
    """What is left to explain: lost digits count only where nothing else is left."""
    return sum(not difference.is_digits for difference in left), len(left)


MOST_ELEMENTS = 40
"""A hypothesis about more elements is tried for all of them together only."""
