"""Conditions on the place of a state in its batch: the first, the last, every second, long batches, a repeated position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cross_check.explain.faults.wrong_states import State
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
    for text, predicate, batches in _hypotheses(mechanism, is_wrong):
        if all(np.array_equal(is_wrong(batch), predicate(batch)) for batch in batches):
            return Condition(text, predicate, tuple(batches), True)
    return Condition("", lambda s: np.zeros(len(s), dtype=bool), is_of_batch=True)


Hypothesis = tuple[str, Callable[[States], Array], list[States]]


def _hypotheses(mechanism: Mechanism, is_wrong: IsWrong) -> Iterator[Hypothesis]:
    batches = [_batch(mechanism, size) for size in SIZES]
    seen = [is_wrong(batch) for batch in batches]

    def place(text: str, chosen: Callable[[Array, int], Array]) -> Hypothesis:
        return text, lambda s: chosen(np.arange(len(s)), len(s)), batches

    yield place("the state is the first of its batch", lambda i, n: i == 0)
    yield place("the state is the last of its batch", lambda i, n: i == n - 1)
    yield place("the state is the first of several in its batch", lambda i, n: (i == 0) & (n > 1))
    yield place("the state is the last of several in its batch", lambda i, n: (i == n - 1) & (n > 1))
    yield place("the state is not the first of its batch", lambda i, n: i > 0)
    yield place("the state is not the last of its batch", lambda i, n: i < n - 1)
    yield place("the state is the second, the fourth, … of its batch", lambda i, n: i % 2 == 1)
    yield place("the state is the first, the third, … of its batch", lambda i, n: i % 2 == 0)
    largest_right = max((n for n, w in zip(SIZES, seen, strict=True) if not w.any()), default=0)
    wrong_sizes = [n for n, w in zip(SIZES, seen, strict=True) if w.all()]
    if largest_right and wrong_sizes and min(wrong_sizes) > largest_right:
        low, high = largest_right, min(wrong_sizes)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_wrong(_batch(mechanism, middle)).any() else (middle, high)
        yield place(f"the batch has more than {low} states", _of_batch(low, longer=True))
    if len(wrong_sizes) and max(wrong_sizes) < SIZES[-1]:
        low, high = max(wrong_sizes), min(n for n in SIZES if n > max(wrong_sizes))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if is_wrong(_batch(mechanism, middle)).all() else (low, middle)
        yield place(f"the batch has at most {low} states", _of_batch(low, longer=False))
    for batch, w in list(zip(batches, seen, strict=True))[-1:]:
        if w.any() and not w.all():
            k = int(w.argmax())
            yield place(f"the state has the number {k + 1} or more in its batch", _from(k))
            stop = int(len(batch) - w[::-1].argmax())
            yield place(f"the state is one of the first {stop} of its batch", _before(stop))
    repeats = [_repeating(mechanism, seed) for seed in range(4)]
    for text, same in (
        ("q repeats that of an earlier state of the batch", _repeats(lambda q: q)),
        ("q agrees with that of an earlier state of the batch to six decimals", _repeats(lambda q: np.round(q, 6))),
        ("q begins with the same number as that of an earlier state of the batch", _repeats(lambda q: q[:, :1])),
        ("q repeats that of the state before it in the batch", _follows),
        ("q agrees with that of an earlier state of the batch to six decimals, and is not the same", _nearly_repeats),
    ):
        yield text, same, repeats


def _of_batch(size: int, longer: bool) -> Callable[[Array, int], Array]:
    return lambda i, n: np.full(n, (n > size) == longer)


def _from(k: int) -> Callable[[Array, int], Array]:
    return lambda i, n: i >= k


def _before(k: int) -> Callable[[Array, int], Array]:
    return lambda i, n: i < k


def _batch(mechanism: Mechanism, size: int) -> States:
    """Ordinary states, all different."""
    states = sample(mechanism, 7, 36)
    one = states.pick(np.array([k for k, kind in enumerate(states.kinds) if kind == "random"])[:1])
    many = one.pick(np.zeros(size, dtype=int))
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


def _repeats(key: Callable[[Array], Array]) -> Callable[[States], Array]:
    def predicate(states: States) -> Array:
        seen: set[bytes] = set()
        found = []
        for row in key(states.q) + 0.0:
            found.append(row.tobytes() in seen)
            seen.add(row.tobytes())
        return np.array(found, dtype=bool)

    return predicate


def _nearly_repeats(states: States) -> Array:
    first: dict[bytes, int] = {}
    keys = np.round(states.q, 6) + 0.0
    before = [first.setdefault(key.tobytes(), k) for k, key in enumerate(keys)]
    return np.array([not np.array_equal(states.q[k], states.q[j]) for k, j in enumerate(before)], dtype=bool)


def _follows(states: States) -> Array:
    return np.array([k > 0 and np.array_equal(states.q[k], states.q[k - 1]) for k in range(len(states))], dtype=bool)
