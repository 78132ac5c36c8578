"""Arithmetic that shows by its absence: where it loses nothing, the answers are right.

Rounded rotation matrices are no rotations, and approximate sines have no squares whose sum is one. Correct algorithms with them
answer differently, so that no answer can be predicted to the last digit. But the errors look like those of the reference with the
same arithmetic, and they vanish where this arithmetic is exact: at inputs or for mechanisms whose numbers it leaves as they are,
and at angles whose sines are right. Another fault would still show there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from cross_check.comparison.measure import BAR
from cross_check.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.diagnosis.digits.rounded_models import representable, rounded_dynamics
from cross_check.diagnosis.digits.roundings import ARGUMENTS, INPUTS, rounded_columns
from cross_check.diagnosis.digits.sines import approximation, measured
from cross_check.diagnosis.digits.written import written
from cross_check.diagnosis.laboratory import NoAnswer, Trial, try_states
from cross_check.error_scale.sizes import EPSILON
from cross_check.faults.rounded_numbers import FORMATS, WHOLE, Change, Digits
from cross_check.memory import Array
from cross_check.results.causes import Observation
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.errors import MechanismError

ALIKE = 0.3
"""The least correlation of the errors with those of the reference; two standard deviations of chance are added."""

LARGER = 4.0
"""The errors are at most so many times as large or as small."""

TABLES = (3600, 1000, 360, *(2**k for k in range(12, 1, -1)))
"""Numbers of entries a turn, at whose angles a table of sines may be exact. The last are quarter turns."""

SMALL = (3e-2, 3e-3)
"""Parts of a radian to which angles are brought, where Taylor polynomials may be exact."""


class Loss(NamedTuple):
    """One arithmetic: what the reference with it answers, and a trial in which it loses nothing, if there is one."""

    words: str
    predicted: Callable[[], Array]
    harmless: Callable[[Trial], Trial | None]
    there: str
    """Where that is."""
    numbers: dict[str, float]
    seen: tuple[Observation, ...] = ()


def explain_removed(off: Deviation) -> Arithmetic | None:
    """The arithmetic without which all answers are right, or None."""
    for loss in losses(off):
        try:
            alike = resemblance(off, loss.predicted())
            if alike is None or not (found := loss.harmless(off.trial)):
                continue
            there = Deviation(found, off.name)
        except (ArithmeticError, ValueError, NoAnswer, Unsupported, MechanismError, np.linalg.LinAlgError):
            continue
        form = written(off.answer)
        left = float(there.distance(there.true, form.half(there.answer) if form else 0.0).max(initial=0.0))
        if left > BAR:
            continue
        seen = (
            *loss.seen,
            *off.observe("right code", off.units)[:1],
            Observation("these errors and those of the reference with the same arithmetic", f"have the correlation {alike:.2f}"),
            Observation(f"{off.name} {loss.there}", f"agrees: within {left:.2g} ε-units"),
        )
        words = loss.words + (f" and {form.words}" if form else "")
        return Arithmetic(words, seen, loss.numbers, tried=off.answer.size + there.answer.size)
    return None


def resemblance(off: Deviation, predicted: Array) -> float | None:
    """The correlation of the errors with those predicted, every state having the same weight; None if they are not alike."""
    told: Array = np.flatnonzero(off.units > BAR)
    weight = 1 / off.units[told].reshape(-1, *[1] * (off.answer.ndim - 1))
    own = off.signed(off.true)[told] * weight
    other = off.answered(predicted).signed(off.true)[told] * weight
    if not (np.isfinite(own).all() and np.isfinite(other).all() and other.any()):
        return None
    ratio = float(np.linalg.norm(other) / np.linalg.norm(own))
    alike = float((own * other).sum() / (np.linalg.norm(own) * np.linalg.norm(other)))
    chance = 2 / math.sqrt(max(1, int(np.count_nonzero(own))))
    return alike if 1 / LARGER < ratio < LARGER and alike > ALIKE + chance else None


def losses(off: Deviation) -> Iterator[Loss]:
    """The arithmetic that may be removed, the simplest first."""
    if found := approximation(off):
        yield Loss(
            found.words, lambda: found.predicted, partial(_exact_angles, off), "at angles whose sines are exact",
            found.numbers, (found.seen,),
        )  # fmt: skip
    for digits in FORMATS:
        yield from _rounded(off, digits)


def _rounded(off: Deviation, digits: Digits) -> Iterator[Loss]:
    change, numbers, load = digits.change, dict(digits.numbers), REFERENCE.load
    single = _elementwise(change)

    def predicted(of_inputs: bool, of_numbers: bool) -> Array:
        dynamics: Any = (partial(rounded_dynamics, change) if of_numbers else load)(off.mechanism)
        return getattr(dynamics, off.name)(*(map(single, off.arguments) if of_inputs else off.arguments))

    def harmless(of_inputs: bool, of_numbers: bool, trial: Trial) -> Trial:
        mechanism = representable(change, trial.mechanism) if of_numbers else trial.mechanism
        states = trial.states
        if of_inputs:
            states = replace(states, **cast(Any, rounded_columns(ARGUMENTS, single)(mechanism, states.columns)))
        there = try_states(trial.laboratory, mechanism, states)
        return replace(there, states=replace(there.states, tau=single(there.states.tau))) if of_inputs else there

    to = f"are rounded to {digits.words}"
    for words, there, which in (
        (f"{INPUTS} {to}", f"at inputs with {digits.words}", (True, False)),
        (f"{WHOLE} {to}", f"for a mechanism whose numbers have {digits.words}", (False, True)),
        (f"{INPUTS} and {WHOLE} {to}", f"at inputs and for a mechanism with {digits.words}", (True, True)),
    ):
        yield Loss(words, partial(predicted, *which), partial(harmless, *which), there, numbers)


def _elementwise(change: Change) -> Callable[[Array], Array]:
    return lambda x: np.vectorize(lambda number: float(change(number)), otypes=[np.float64])(x)


def _exact_angles(off: Deviation, trial: Trial) -> Trial | None:
    """The trial at angles near its own whose measured sines are exact; None if there are none."""
    q = trial.states.q.copy()
    for _, part in trial.mechanism.slots("angle"):
        own = np.remainder(q[:, part] + np.pi, 2 * np.pi) - np.pi
        tried = [own, *(np.round(own * n / (2 * np.pi)) * (2 * np.pi / n) for n in TABLES), *(np.sin(own) * x for x in SMALL)]
        left = np.ones(own.shape, dtype=bool)
        for angles in tried:
            pair = measured(off, angles.ravel())
            if pair is None:
                return None
            error = np.hypot(pair[0] - np.cos(angles.ravel()), pair[1] - np.sin(angles.ravel())).reshape(own.shape)
            exact = left & (error <= 4 * EPSILON)
            q[:, part][exact] = angles[exact]
            left &= ~exact
        if left.any():
            return None
    return try_states(trial.laboratory, trial.mechanism, replace(trial.states, q=q))
