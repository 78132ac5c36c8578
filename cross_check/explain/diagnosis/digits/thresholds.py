"""Answers that are set to zero where they are small. The limit is found between two states, by halving."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation, right_answer
from cross_check.explain.diagnosis.digits.iterations import short_tolerance
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.wrong_states import State, below
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from mechanisms import Mechanism

POINTS = 32
"""States in a line that are asked at once."""

ROUNDS = 5


def explain_threshold(off: Deviation) -> Arithmetic | None:
    """The limit below which answers are set to zero, if that predicts every answer."""
    low, high = _between(off.answer, off.true)
    if not 0 < low < high < np.inf or not off.is_explained(below((low + high) / 2)(off.true)):
        return None
    low, high = _narrowed(off, low, high)
    limit = short_tolerance(low, high)
    if limit == low:
        limit = (low + high) / 2
    sentence = f"answers below {limit:.4g} are set to zero"
    seen = (
        Observation(f"{off.name}: the largest number that is answered by zero", f"{low:.6g}"),
        Observation(f"{off.name}: the smallest number that is not", f"{high:.6g}"),
    )
    fault = Fault(sentence, "thresholds", answer=partial(_without_small, limit))
    return Arithmetic(sentence, seen, {"limit": limit}, fault=fault, tried=off.answer.size)


def _without_small(limit: float, mechanism: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    return below(limit)(answer)


def _between(answer: Array, true: Array) -> tuple[float, float]:
    """The largest number that is answered by zero, and the smallest that is not."""
    zero = answer == 0
    low, high = np.abs(true[zero]).max(initial=0), np.abs(true[~zero]).min(initial=np.inf)
    return float(low), float(high)


def _narrowed(off: Deviation, low: float, high: float) -> tuple[float, float]:
    """Both numbers, nearer to each other: between two states of which one number of the answer is zero in the first alone."""
    size = np.abs(off.true).reshape(len(off.answer), -1)
    small = int(np.where(size <= low, size, -1).max(axis=0).argmax())
    there = [int(np.where(size[:, small] <= low, size[:, small], -1).argmax()), int(size[:, small].argmax())]
    if size[there[1], small] < high or any(joint.nq != joint.nv for joint in (body.joint for body in off.mechanism.bodies)):
        return low, high
    first, last = (off.states.pick(np.array([k])) for k in there)
    for _ in range(ROUNDS):
        line = _line(first, last)
        arguments = line.arguments(off.quantity.arguments)
        answer = off.ask(off.name, *arguments)
        if answer is None:
            break
        true = right_answer(off.mechanism, off.name, *arguments)
        one, other = _between(answer, true)
        if max(low, one) >= min(high, other):
            break
        low, high = max(low, one), min(high, other)
        kept = answer.reshape(POINTS, -1)[:, small] != 0
        if kept[0] or not kept.any():
            break
        k = int(kept.argmax())
        first, last = line.pick(np.array([k - 1])), line.pick(np.array([k]))
    return low, high


def _line(first: States, last: States) -> States:
    """States from the first to the last, in equal steps."""
    part = np.linspace(0, 1, POINTS)[:, None]
    whole = first.pick(np.zeros(POINTS, dtype=int))
    q, v, a, tau = ((1 - part) * getattr(first, name) + part * getattr(last, name) for name in ("q", "v", "a", "tau"))
    return replace(whole, q=q, v=v, a=a, tau=tau)
