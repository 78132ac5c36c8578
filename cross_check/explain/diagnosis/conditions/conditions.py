"""The smallest condition on the state, or on the place in the batch, that separates wrong answers from right ones.

A condition is found by setting one feature of a state at a time. It is *necessary* if wrong states become right when it is made
false, and *sufficient* if ordinary states become wrong when it is made true. Thresholds are bisected. A condition is stated
only if it predicts new states on both sides of it, all of them. Two features are tried together where no single one suffices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from cross_check.explain.diagnosis.conditions.of_batches import (
    Condition,
    IsWrong,
    asked,
    batch_condition,
    joined,
    ordinary_states,
)
from cross_check.explain.diagnosis.conditions.state_features import PARTS_OF_PI, Feature, features
from cross_check.explain.diagnosis.laboratory import Trial
from cross_check.judge.comparison.sampling import States, spread
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.numbers.precision import Precision

__all__ = ["Condition", "condition_of_states"]

ASKED = 4
"""How many states every experiment changes."""

TINY = 1e-9
"""What is nearly zero, and not zero."""

SHOWN = 65536
"""What differs by so many roundings of one shows in answers, though they contain larger numbers."""

BISECTIONS = 44
NEARLY = 1e-6
"""The part of a threshold by which states may differ."""
MOST_PAIRS = 100


def shown(size: float, precision: Precision) -> float:
    """A number of this size, or a larger one whose effect is no rounding error in this precision."""
    return max(size, SHOWN * precision.epsilon)


@dataclass(frozen=True)
class Literal:
    """A condition on one feature: that it is above a threshold or below, or that it is yes or no, for which there is none.

    ``true`` and ``false`` are values on its two sides, known from states that were asked.
    """

    feature: Feature
    text: str
    true: Array
    false: Array
    threshold: float | None = None
    above: bool = True

    def holds(self, states: States) -> Array:
        x = self.feature.value(states)
        if self.threshold is None:
            return np.asarray(x == self.above)
        return np.asarray(x > self.threshold if self.above else x < self.threshold)

    def made(self, states: States, holds: bool) -> States:
        values = self.true if holds else self.false
        return self.feature.set(states, np.resize(values, len(states)))


def _made(states: States, literals: Sequence[Literal], but: Literal | None = None) -> States:
    """The states in which all literals hold, except ``but``, which does not."""
    for literal in literals:
        states = literal.made(states, literal is not but)
    return states


def condition_of_states(trial: Trial, wrong: Array, is_wrong: IsWrong) -> Condition | None:
    """The smallest condition that separates the states of ``trial`` that are ``wrong`` (batch,) from the others.

    ``is_wrong`` says of any states of the mechanism, which are asked in one batch, which ones are answered wrongly (batch,).
    None if all or none are wrong, or if no condition predicts every new state.
    """
    wrong = np.asarray(wrong, dtype=bool)
    if not wrong.any():
        return None
    if (found := batch_condition(trial.mechanism, trial.states, wrong, is_wrong)) is not None:
        return found if found.text else None
    if wrong.all():
        return None
    bad = trial.states.pick(spread(np.flatnonzero(wrong), 2 * ASKED))
    ordinary = ordinary_states(trial.mechanism, 1, ASKED)
    necessary = [_restricted(literal, ordinary, is_wrong) for literal in _necessary(trial, wrong, bad, is_wrong)]
    groups = [[literal] for literal in necessary] + [list(pair) for pair in combinations(necessary, 2)][:MOST_PAIRS]
    for group in _sufficient(groups, ordinary, is_wrong):
        if (found := _stated(trial.mechanism, group, ordinary, is_wrong)) is not None:
            return found
    return None


def _restricted(literal: Literal, ordinary: States, is_wrong: IsWrong) -> Literal:
    """The same of those coordinates only that make a state wrong alone: answers may not depend on the others."""
    of, parts = literal.feature.of, literal.feature.at
    if of is None:
        return literal
    clean = literal.made(ordinary, holds=False)
    alone = [of((part,)).set(clean, np.resize(literal.true, len(clean))) for part in parts]
    makes = np.logical_and.reduce(asked(is_wrong, alone), axis=1)
    chosen = tuple(part for k, part in enumerate(parts) if makes[k])
    if not chosen or len(chosen) == len(parts):
        return literal
    some = of(chosen)
    return replace(literal, text=some.above if literal.above else some.below, feature=some)


def _sufficient(groups: list[list[Literal]], ordinary: States, is_wrong: IsWrong) -> list[list[Literal]]:
    """Those that make every ordinary state wrong when all their literals are made true."""
    if not groups:
        return []
    makes = np.logical_and.reduce(asked(is_wrong, [_made(ordinary, group) for group in groups]), axis=1)
    return [group for k, group in enumerate(groups) if makes[k]]


def literals(mechanism: Mechanism, states: States, wrong: Array) -> Iterator[Literal]:
    """The conditions that hold in all wrong states, and not in all right ones."""
    tiny = shown(TINY, mechanism.precision)
    for feature in features(mechanism, states):
        x = feature.value(states)
        if not feature.is_flag:
            yield from _with_thresholds(feature, x, wrong)
        elif x[wrong].all() and not x[~wrong].all():
            yield Literal(feature, feature.above, np.ones(1), np.array([0.6, tiny]))
        elif feature.below and not x[wrong].any() and x[~wrong].any():
            yield Literal(feature, feature.below, np.array([tiny]), np.ones(1), above=False)


def _with_thresholds(feature: Feature, x: Array, wrong: Array) -> Iterator[Literal]:
    for text, above, sign in ((feature.above, True, 1.0), (feature.below, False, -1.0)):
        finite = np.isfinite(x)
        edge = (sign * x[wrong]).min()
        outside = sign * x[~wrong & finite]
        if text and np.isfinite(edge) and (outside < edge).any():
            true, false = sign * np.sort(sign * x[wrong]), np.array([sign * outside.min(), sign * outside[outside < edge].max()])
            yield Literal(feature, text, true, false, float(sign * edge), above)


def _necessary(trial: Trial, wrong: Array, bad: States, is_wrong: IsWrong) -> Iterator[Literal]:
    """The conditions without which the wrong states are right."""
    candidates = list(literals(trial.mechanism, trial.states, wrong))
    if not candidates:
        return
    # With the farthest value on the other side: the threshold is not yet known.
    still = asked(is_wrong, [c.feature.set(bad, np.full(len(bad), c.false[0])) for c in candidates])
    for candidate, left in zip(candidates, still, strict=True):
        if not left.any():
            yield candidate


def _stated(mechanism: Mechanism, literals: Sequence[Literal], ordinary: States, is_wrong: IsWrong) -> Condition | None:
    """The condition that all literals hold, if it predicts everything."""
    fitted: list[Literal] = []
    for literal in literals:
        base = _made(ordinary, [other for other in literals if other is not literal])
        exact = literal if literal.threshold is None else _bisected(literal, base, is_wrong, mechanism.precision)
        if exact is None:
            return None
        fitted.append(exact)

    def predicate(states: States) -> Array:
        return np.logical_and.reduce([literal.holds(states) for literal in fitted])

    made: list[States] = []
    for seed, chosen in enumerate([None, *fitted], 2):
        made.append(ordinary_states(mechanism, seed, 2 * ASKED))
        made += [_made(ordinary_states(mechanism, seed, 2 * ASKED), fitted, chosen) for _ in range(2)]
    tested, text = joined(made), " and ".join(literal.text for literal in fitted)
    thresholds = tuple(literal.threshold for literal in fitted if literal.threshold is not None)
    predicted = predicate(tested)
    if not predicted.any() or predicted.all() or not np.array_equal(is_wrong(tested), predicted):
        return None
    return Condition(text, predicate, (tested,), thresholds=thresholds)


def _bisected(literal: Literal, base: States, is_wrong: IsWrong, precision: Precision) -> Literal | None:
    """The literal with its threshold, which is the same for several states; None if it is not."""
    assert literal.threshold is not None
    inside, outside, hidden = float(literal.threshold), float(literal.false[0]), 0.0
    for _ in range(BISECTIONS):
        logarithmic = inside * outside > 0 and not 0.1 < inside / outside < 10
        middle = float(np.sign(inside) * np.sqrt(inside * outside)) if logarithmic else (inside + outside) / 2
        if middle in (inside, outside):
            break
        answers = is_wrong(literal.feature.set(base, np.full(len(base), middle)))
        if answers.all():
            inside = middle
        elif not answers.any():
            outside = middle
        elif abs(inside - outside) <= max(NEARLY * abs(inside), hidden := shown(0.0, precision)):
            break  # Errors that grow from zero at the threshold show a little later in some states.
        else:
            return None
    low, high = sorted((inside, outside))
    near = (t for t in usual_thresholds() if low - max(1e-12 * abs(t), hidden) <= t <= high + max(1e-12 * abs(t), hidden))
    threshold = next(near, None)
    text = literal.text.format(_words(threshold if threshold is not None else inside))
    known = threshold if threshold is not None else (low + high) / 2
    # Values on both sides, near and far.
    distance = max(1e-3 * abs(known), shown(1e-6, precision) if known == 0 else 0.0) * (1 if literal.above else -1)
    # And values between those of the states that were seen: these may be special in another way.
    seen = literal.true[:: max(1, len(literal.true) // 6)]
    true = np.array([known + distance, *seen, *((seen[1:] + seen[:-1]) / 2)])
    false = np.array([known - distance, *(x for x in literal.false if (x < known if literal.above else x > known))])
    return replace(literal, text=text, true=true, false=false, threshold=known)


def usual_thresholds() -> Iterator[float]:
    """Zero, parts of π, and round numbers."""
    yield 0.0
    round_ones = (m * 10.0**power for power in range(-12, 7) for m in (1.0, 2.0, 5.0, 1.5, 3.0, 4.0, 2.5, 6.0, 7.0, 8.0, 9.0))
    for size in (*PARTS_OF_PI.values(), 3.14, 1.57, 6.28, 3.1416, 3.14159, *round_ones):
        yield from (size, -size)


def _words(x: float) -> str:
    known = (f"{'−' if x < 0 else ''}{words}" for words, size in PARTS_OF_PI.items() if abs(x) == size)
    return next(known, f"{x:.6g}")
