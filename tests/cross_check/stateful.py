"""Faults of code that remembers: small implementations around the reference, whose answers depend on what was called before.

A fault answers a :class:`Question` instead of the reference. It keeps what it likes in ``own``, which belongs to the loaded
mechanism, and in ``shared``, which belongs to the implementation.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.quantities import USUAL

Array = Any
Memory = dict[Any, Any]


@dataclass(frozen=True)
class Question:
    """A call of one quantity of one mechanism."""

    name: str
    arguments: tuple[Array, ...]
    mechanism: Mechanism
    own: Memory
    shared: Memory

    def right(self, mechanism: Mechanism | None = None) -> Array:
        """The reference's answer."""
        loaded = REFERENCE.load(mechanism or self.mechanism)
        return np.array(getattr(loaded, self.name)(*(x.copy() for x in self.arguments)))

    def with_arguments(self, *arguments: Array) -> Question:
        return replace(self, arguments=arguments)


Fault = Callable[[Question], Array]


class Stateful:
    """An implementation with this fault in the named quantities."""

    name, version = "stateful", "1"

    def __init__(self, fault: Fault, quantities: tuple[str, ...] = USUAL) -> None:
        self._fault, self._quantities = fault, quantities
        self._shared: Memory = {}

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        own: Memory = {}
        self._shared["loaded last"] = mechanism

        def answer(name: str, *arguments: Array) -> Array:
            return self._fault(Question(name, arguments, mechanism, own, self._shared))

        return SimpleNamespace(**{name: partial(answer, name) for name in self._quantities})


def one_state_at_a_time(fault: Fault) -> Fault:
    """The fault of a function that takes one state, as users write it."""

    def batch(question: Question) -> Array:
        states = zip(*question.arguments, strict=True)
        return np.concatenate([fault(question.with_arguments(*(x[None] for x in state))) for state in states])

    return batch


def previous_answer(question: Question) -> Array:
    answer = question.right()
    before = question.own.get(question.name)
    question.own[question.name] = answer
    return before if before is not None and before.shape == answer.shape else answer


def _cached(memory: Memory, key: Any, question: Question) -> Array:
    return memory.setdefault((question.name, key), question.right())


def cache_by_position(question: Question) -> Array:
    return _cached(question.own, question.arguments[0].tobytes(), question)


def cache_by_last_position(question: Question) -> Array:
    key = (question.name, question.arguments[0].tobytes())
    if question.own.get("key") != key:
        question.own.update(key=key, answer=question.right())
    return question.own["answer"]


def permanent_cache_by_position(question: Question) -> Array:
    return _cached(question.shared, (question.mechanism.fingerprint, question.arguments[0].tobytes()), question)


def cache_of_any_mechanism(question: Question) -> Array:
    return _cached(question.shared, tuple(x.tobytes() for x in question.arguments), question)


def bounded_cache(question: Question) -> Array:
    kept = question.shared.setdefault("kept", OrderedDict())
    key = (question.mechanism.fingerprint, question.name, question.arguments[0].tobytes())
    answer = kept.setdefault(key, question.right())
    if len(kept) > 4:
        kept.popitem(last=False)
    return answer


def cache_by_rounded_position(question: Question) -> Array:
    return _cached(question.own, np.round(question.arguments[0], 6).tobytes(), question)


def cache_by_first_coordinate(question: Question) -> Array:
    return _cached(question.own, (len(question.arguments[0]), question.arguments[0][0, 0]), question)


def cache_by_rates(question: Question) -> Array:
    return _cached(question.own, question.arguments[-1].tobytes(), question)


def cache_by_sum(question: Question) -> Array:
    return _cached(question.own, float(sum(x.sum() for x in question.arguments)), question)


def cache_by_identity(question: Question) -> Array:
    return _cached(question.own, (len(question.arguments[0]), id(question.arguments[0])), question)


def reused_buffer(question: Question) -> Array:
    answer = question.right()
    buffer = question.own.setdefault((question.name, answer.shape), np.empty_like(answer))
    buffer[...] = answer
    return buffer


def batch_size(question: Question) -> Array:
    return question.right() * (1 + 1e-9 * (len(question.arguments[0]) < 4))


def order_in_batch(question: Question) -> Array:
    """The first state's rates are taken as zero. In the batch of all states they are."""
    position, *rates = question.arguments
    rates = [rate.copy() for rate in rates]
    for rate in rates:
        rate[0] = 0
    return question.with_arguments(position, *rates).right()


def order_of_quantities(question: Question) -> Array:
    """The position is the one that inverse dynamics was given last, if there were as many states."""
    position, *rates = question.arguments
    if question.name == "inverse_dynamics":
        question.own["position"] = position.copy()
    last = question.own.get("position", position)
    return question.with_arguments(last if len(last) == len(position) else position, *rates).right()


def previous_position(question: Question) -> Array:
    """The position is the one of the call before, of any quantity, if there were as many states."""
    position, *rates = question.arguments
    last = question.own.get("position", position)
    question.own["position"] = position.copy()
    return question.with_arguments(last if len(last) == len(position) else position, *rates).right()


def mechanism_loaded_last(question: Question) -> Array:
    return question.right(question.shared["loaded last"])


def global_gravity(question: Question) -> Array:
    return question.right(replace(question.mechanism, gravity=question.shared["loaded last"].gravity))


def global_masses(question: Question) -> Array:
    return question.right(replace(question.mechanism, bodies=question.shared["loaded last"].bodies))


def scratch(question: Question) -> Array:
    """Sums that begin with what the call before left there."""
    answer = question.right()
    rest = question.own.get(question.name, 0.0)
    question.own[question.name] = 1e-6 * answer[-1]
    return answer + rest


def corrupted_by_scratch(question: Question) -> Array:
    """The same one state after the other, so that the answers of the batch itself are wrong."""
    return one_state_at_a_time(scratch)(question)


def largest_batch(question: Question) -> Array:
    """A smaller batch than before is answered by the first rows of what was computed then."""
    answer = question.right()
    kept = question.own.get(question.name, answer)
    if len(kept) > len(answer):
        return kept[: len(answer)]
    question.own[question.name] = answer
    return answer


def warm_up(question: Question) -> Array:
    first = question.own.setdefault(question.name, []) == []
    question.own[question.name].append(None)
    return question.right() * (1 + 1e-9 * first)


def every_second_call(question: Question) -> Array:
    question.own["calls"] = question.own.get("calls", 0) + 1
    return question.right() * (1 + 1e-9 * (question.own["calls"] % 2))


def sums_by_batch_size(question: Question) -> Array:
    """Correct: rounded otherwise in small batches, as BLAS does."""
    return question.right() * (1 + 2**-52 * (len(question.arguments[0]) < 4))


FAULTS: dict[str, Fault] = {
    "the previous answer": previous_answer,
    "a cache by position": cache_by_position,
    "a cache by the last position": cache_by_last_position,
    "a cache by position, one state at a time": one_state_at_a_time(cache_by_position),
    "a permanent cache by position": permanent_cache_by_position,
    "a permanent cache by position, one state at a time": one_state_at_a_time(permanent_cache_by_position),
    "a cache of any mechanism": cache_of_any_mechanism,
    "a bounded cache by position, one state at a time": one_state_at_a_time(bounded_cache),
    "a cache by rounded position": cache_by_rounded_position,
    "a cache by the first coordinate": cache_by_first_coordinate,
    "a cache by the last argument": cache_by_rates,
    "a cache by the last argument, one state at a time": one_state_at_a_time(cache_by_rates),
    "a cache by the sum, one state at a time": one_state_at_a_time(cache_by_sum),
    "a cache by identity": cache_by_identity,
    "a reused buffer": reused_buffer,
    "the size of the batch": batch_size,
    "the order in the batch": order_in_batch,
    "the order of quantities": order_of_quantities,
    "the position of the call before": previous_position,
    "the mechanism loaded last": mechanism_loaded_last,
    "the gravity loaded last": global_gravity,
    "the masses loaded last": global_masses,
    "scratch": scratch,
    "scratch, one state at a time": corrupted_by_scratch,
    "the largest batch": largest_batch,
    "warm-up": warm_up,
    "every second call": every_second_call,
}
