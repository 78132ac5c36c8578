"""Conditions on the place of a state in its batch: the first, the last, every second, long batches, a repeated position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cross_check.explain.faults.changes.states import State
from cross_check.judge.comparison.sampling import States, sample
from cross_check.memory import Array
from mechanisms import Mechanism

IsWrong = Callable[[States], Array]
"""Asks for these states in one batch; whether each answer is wrong (batch,)."""

ALONE = 6
"""How many states, wrong ones and right ones, are asked alone."""

SIZES = (1, 2, 3, 4, 7, 12, 20, 33, 66, 130)


@dataclass(frozen=True)
class Condition:
    """When answers are wrong. ``text`` completes "only where …"."""

    text: str
    predicate: Callable[[States], Array]
    """Of states in one batch, those that are answered wrongly (batch,)."""
    batches: tuple[States, ...] = ()
    """New states that it predicts, all of them; each batch is asked as it stands."""
    is_of_batch: bool = False
    """Whether it is about the other states of the batch, so that the same state is answered otherwise alone."""
    thresholds: tuple[float, ...] = ()
    """Of the numbers that it compares."""

    @property
    def tested(self) -> int:
        """How many new states it predicts."""
        return sum(map(len, self.batches))

    def holds(self, mechanism: Mechanism, state: State) -> Array:
        """For which states (batch,) it holds; columns that are not given are zero."""
        zero = np.zeros((len(state["q"]), mechanism.nv))
        given = {"v": zero, "a": zero, "tau": zero, "f": np.zeros((len(zero), len(mechanism.bodies), 6)), **state}
        columns = (given[name] for name in ("q", "v", "a", "tau", "f"))
        return self.predicate(States(("",) * len(zero), *columns))


def joined(parts: Sequence[States]) -> States:
    """One batch of several."""
    columns = (np.concatenate([getattr(part, name) for part in parts]) for name in ("q", "v", "a", "tau", "f"))
    return States(tuple(kind for part in parts for kind in part.kinds), *columns)


def ordinary_states(mechanism: Mechanism, seed: int, count: int = 1) -> States:
    """So many states, or more, in which nothing is special: of the kind "random"."""
    states = sample(mechanism, seed, 36 * count)
    return states.pick(np.array([k for k, kind in enumerate(states.kinds) if kind == "random"]))


def asked(is_wrong: IsWrong, parts: Sequence[States]) -> Array:
    """Which states of parts of the same length are wrong (parts, length), asked in one batch."""
    found: Array = np.asarray(is_wrong(joined(parts)), dtype=bool)
    return found.reshape(len(parts), -1)


def batch_condition(mechanism: Mechanism, states: States, wrong: Array, is_wrong: IsWrong) -> Condition | None:
    """The condition on the place in the batch. None if the states themselves decide; an empty text if nothing known predicts."""
    backward = np.arange(len(states))[::-1]
    same = np.array_equal(is_wrong(states.pick(backward))[::-1], wrong)
    asked = [int(k) for chosen in (wrong, ~wrong) for k in np.flatnonzero(chosen)[:ALONE]]
    alone = [bool(is_wrong(states.pick(np.array([k])))[0]) == bool(wrong[k]) for k in asked]
    if same and all(alone):
        return None
    for found in _hypotheses(mechanism, is_wrong):
        if all(np.array_equal(is_wrong(batch), found.predicate(batch)) for batch in found.batches):
            return found
    return Condition("", lambda s: np.zeros(len(s), dtype=bool), is_of_batch=True)


PLACES: tuple[tuple[str, Callable[[Array, int], Array]], ...] = (
    ("the state is the first of its batch", lambda i, n: i == 0),
    ("the state is the last of its batch", lambda i, n: i == n - 1),
    ("the state is the first of several in its batch", lambda i, n: (i == 0) & (n > 1)),
    ("the state is the last of several in its batch", lambda i, n: (i == n - 1) & (n > 1)),
    ("the state is not the first of its batch", lambda i, n: i > 0),
    ("the state is not the last of its batch", lambda i, n: i < n - 1),
    ("the state is the second, the fourth, … of its batch", lambda i, n: i % 2 == 1),
    ("the state is the first, the third, … of its batch", lambda i, n: i % 2 == 0),
)
"""By the number of a state in its batch, from zero, and the number of states there."""

REPEATS: tuple[tuple[str, Callable[[Array], Array]], ...] = (
    ("q repeats that of an earlier state of the batch", lambda q: _repeats(q)),
    ("q agrees with that of an earlier state of the batch to six decimals", lambda q: _repeats(np.round(q, 6))),
    ("q begins with the same number as that of an earlier state of the batch", lambda q: _repeats(q[:, :1])),
    (
        "q repeats that of the state before it in the batch",
        lambda q: (q == np.roll(q, 1, axis=0)).all(axis=1) & (np.arange(len(q)) > 0),
    ),
    (
        "q agrees with that of an earlier state of the batch to six decimals, and is not the same",
        lambda q: (q != q[_first(np.round(q, 6))]).any(axis=1),
    ),
)


def _hypotheses(mechanism: Mechanism, is_wrong: IsWrong) -> Iterator[Condition]:
    batches = tuple(_batch(mechanism, size) for size in SIZES)
    seen = [is_wrong(batch) for batch in batches]

    def place(text: str, chosen: Callable[[Array, int], Array]) -> Condition:
        return Condition(text, lambda s: chosen(np.arange(len(s)), len(s)), batches, is_of_batch=True)

    yield from (place(text, chosen) for text, chosen in PLACES)
    right = [n for n, w in zip(SIZES, seen, strict=True) if not w.any()]
    wrong = [n for n, w in zip(SIZES, seen, strict=True) if w.all()]
    if right and wrong and min(wrong) > max(right):
        most = _largest(max(right), min(wrong), lambda n: not is_wrong(_batch(mechanism, n)).any())
        yield place(f"the batch has more than {most} states", lambda i, n: np.full(n, n > most))
    if wrong and max(wrong) < SIZES[-1]:
        fewer = _largest(
            max(wrong), min(n for n in SIZES if n > max(wrong)), lambda n: bool(is_wrong(_batch(mechanism, n)).all())
        )
        yield place(f"the batch has at most {fewer} states", lambda i, n: np.full(n, n <= fewer))
    longest = seen[-1]
    if longest.any() and not longest.all():
        begin, stop = int(longest.argmax()), int(len(longest) - longest[::-1].argmax())
        yield place(f"the state has the number {begin + 1} or more in its batch", lambda i, n: i >= begin)
        yield place(f"the state is one of the first {stop} of its batch", lambda i, n: i < stop)
    repeats = tuple(_repeating(mechanism, seed) for seed in range(4))

    def repeating(text: str, same: Callable[[Array], Array]) -> Condition:
        return Condition(text, lambda s: same(s.q), repeats, is_of_batch=True)

    yield from (repeating(text, same) for text, same in REPEATS)


def _largest(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The largest number below ``high`` for which something holds that holds for ``low``, by halving."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _batch(mechanism: Mechanism, size: int) -> States:
    """Ordinary states, all different."""
    many = ordinary_states(mechanism, 7).pick(np.zeros(size, dtype=int))
    factor = (1 + 0.01 * np.arange(size))[:, None]
    q = many.q.copy()
    for form in ("angle", "distance"):
        for _, slot in mechanism.slots(form):
            q[:, slot] *= factor
    for _, slot in mechanism.slots("quaternion"):
        q[:, slot.start] += 0.01 * np.arange(size)
        q[:, slot] /= np.linalg.norm(q[:, slot], axis=1, keepdims=True)
    return replace(many, q=q, v=many.v * factor, a=many.a * factor)


def _repeating(mechanism: Mechanism, seed: int) -> States:
    """Twelve states: some repeat an earlier q with other rates, right after it or later; some do so nearly, or in one number."""
    states = _batch(mechanism, 12)
    rng = np.random.default_rng(seed)
    q = states.q.copy()
    q[3], q[5], q[8] = q[2], q[1], q[5]
    q[9] = q[7] * (1 + 1e-9)
    q[10, 0] = q[4, 0]
    v, a = (x * (1 + 0.3 * rng.normal(size=(12, 1))) for x in (states.v, states.a))
    return replace(states, q=q, v=v, a=a)


def _first(keys: Array) -> Array:
    """For every row, the number of the first one with the same numbers."""
    first: dict[bytes, int] = {}
    # Adding zero turns −0 into 0.
    return np.array([first.setdefault(key.tobytes(), k) for k, key in enumerate(keys + 0.0)])


def _repeats(keys: Array) -> Array:
    return np.asarray(_first(keys) < np.arange(len(keys)))
