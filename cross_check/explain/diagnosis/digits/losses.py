"""Arithmetic that predicts every answer, and arithmetic that shows by its absence: where it loses nothing, the answers are right.

Rounded rotation matrices are no rotations, and approximate sines have no squares whose sum is one. Correct algorithms with them
answer differently, so that no answer can be predicted to the last digit. But the errors look like those of the reference with the
same arithmetic, and they vanish where this arithmetic is exact: at inputs or for mechanisms whose numbers it leaves as they are,
and at angles whose sines are right. Another fault would still show there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple, cast

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation, Loss
from cross_check.explain.diagnosis.digits.rounding import ARGUMENTS, fewer_digits, rounding_to
from cross_check.explain.diagnosis.digits.sines import approximations, error, measured
from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial, try_states
from cross_check.explain.faults.readings.rounded import Change, Format, representable, rounded_dynamics, written
from cross_check.judge.comparison.truth import condition
from cross_check.memory import Array
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.joint_kinds import Form
from mechanisms.quantities import QUANTITIES

ALIKE = 0.3
"""The least correlation of the errors with those of the reference; two standard deviations of chance are added."""

LARGER = 4.0
"""The errors are at most so many times as large or as small."""

LARGER_IF_KNOWN = 16.0
"""The same for arithmetic that the code is known to have. Other algorithms then need no errors that look alike."""

TABLES = (3600, 1000, 360, *(2**k for k in range(12, 1, -1)))
"""Numbers of entries a turn, at whose angles a table of sines may be exact. The last are quarter turns."""

SMALL = (3e-2, 3e-3)
"""Parts of a radian to which angles are brought, where Taylor polynomials may be exact."""


REGULAR, LEAST = 1e9, 6
"""The largest condition of M, and the number of states that must have a smaller one."""


class Removal(NamedTuple):
    """A loss, and a trial in which it loses nothing, if there is one."""

    loss: Loss
    harmless: Callable[[Trial], Trial | None]
    there: str
    """Where that is."""


def explain_lost(losses: Callable[[Deviation], Iterable[Loss]], off: Deviation) -> Arithmetic | None:
    """The loss that predicts every answer, or None. Answers may be rounded, too, if all of them are numbers of one format."""
    form = written(off.answer, off.mechanism.precision)
    for loss in losses(off):
        for slack in dict.fromkeys((form, None)) if loss.words else [form] if form else []:
            for order in _orders(off, loss):
                if found := _explained(off, order, slack):
                    return found
    return None


def _orders(off: Deviation, loss: Loss) -> Iterator[Loss]:
    """The loss with its operations in every order; others than the first are tried where that one is nearly right."""
    yield loss
    if loss.orders and 4 * off.few.distance(off.few.with_loss(loss)).max(initial=0.0) < off.units.max(initial=0.0):
        yield from (replace(loss, state=state, orders=()) for state in loss.orders)


def _explained(off: Deviation, loss: Loss, form: Format | None) -> Arithmetic | None:
    # What is known of this quantity alone is said of all inputs where it cannot be tried on others.
    words = loss.others[-1].words if form and loss.others else loss.words
    sentence = " and ".join(filter(None, (words, form and form.of_answers)))
    few, slack = (form.half(part.answer) if form else 0.0 for part in (off.few, off))
    try:
        if not off.few.is_explained(off.few.with_loss(loss), few):
            return None
        predicted = off.with_loss(loss)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return None
    if not (found := off.explained(sentence, predicted, loss.predicts or f"code of which {sentence}", slack)):
        return None
    if form:
        return replace(found, observations=(*loss.seen, *found.observations, form.seen(off.answer)))
    seen = (*loss.seen, *found.observations)
    return replace(found, observations=seen, is_fault=loss.is_fault, faults=loss.faults)


def explain_removed(off: Deviation, known: Collection[str] = ()) -> Arithmetic | None:
    """The arithmetic without which all answers are right, or None. ``known`` are sentences that explain other quantities."""
    for loss, harmless, there in removals(off):
        try:
            alike, ratio = resemblance(off, off.with_loss(loss))
            is_known = loss.seen or loss.words in known
            if not (is_known and 1 / LARGER_IF_KNOWN < ratio < LARGER_IF_KNOWN) and not (
                1 / LARGER < ratio < LARGER and alike > 0
            ):
                continue
            if not (found := harmless(off.trial)) or not (found := _regular(found, off.name)):
                continue
            without = Deviation(found, off.name)
        except (ArithmeticError, ValueError, NoAnswer, Unsupported, MechanismError, np.linalg.LinAlgError):
            continue
        form = written(off.answer, off.mechanism.precision)
        left = float(without.distance(without.true, form.half(without.answer) if form else 0.0).max(initial=0.0))
        if left > BAR:
            continue
        seen = (
            *loss.seen,
            off.seen,
            Observation(
                "the reference with the same arithmetic",
                f"is off by {ratio:.2g} times as much" + (f", and the correlation is {alike:.2f}" if alike else ""),
            ),
            Observation(f"{off.name} {there}", f"agrees: within {left:.2g} ε-units"),
        )
        words = loss.words + (f" and {form.of_answers}" if form else "")
        return Arithmetic(words, seen, tried=off.answer.size + without.answer.size)
    return None


def resemblance(off: Deviation, predicted: Array) -> tuple[float, float]:
    """The correlation of the errors with those predicted, zero if it may be chance, and how many times as large the latter are.

    No state counts more than another.
    """
    told: Array = np.flatnonzero(off.units > BAR)
    own, other = (off.in_units(answer - off.true)[told].reshape(len(told), -1) for answer in (off.answer, predicted))
    if not (np.isfinite(own).all() and np.isfinite(other).all() and other.any()):
        return 0.0, 0.0
    sizes = np.linalg.norm(own, axis=1), np.linalg.norm(other, axis=1)
    larger = np.maximum(*sizes)[:, None]
    own, other = own / larger, other / larger
    alike = float((own * other).sum() / (np.linalg.norm(own) * np.linalg.norm(other)))
    chance = 2 / math.sqrt(max(1, int(np.count_nonzero(own))))
    return alike if alike > ALIKE + chance else 0.0, float(np.median(sizes[1] / sizes[0]))


def _regular(trial: Trial, quantity: str) -> Trial | None:
    """The trial at those states at which the quantity is defined; None if they are few."""
    if not QUANTITIES[quantity].needs_regular_mass_matrix:
        return trial
    regular = np.flatnonzero(condition(REFERENCE.load(trial.mechanism).mass_matrix(trial.states.q)) < REGULAR)
    return trial.pick(regular) if len(regular) >= LEAST else None


def removals(off: Deviation) -> Iterator[Removal]:
    """The losses that may be removed, the simplest first."""
    for loss in approximations(off):
        yield Removal(loss, partial(_exact_angles, off), "at angles whose sines are exact")
    ways = (
        (("q",), False, "where q has"),
        (("q", "v"), False, "where q and v have"),
        (ARGUMENTS, False, "at inputs with"),
        ((), True, "for a mechanism whose numbers have"),
        (ARGUMENTS, True, "at inputs and for a mechanism with"),
    )
    for form, (columns, of_numbers, there) in product(
        fewer_digits(off.mechanism.precision) if off.has_three_digits else (), ways
    ):
        # Of columns that are all that the quantity takes, it is not known whether they are all that is rounded.
        if columns in ((), ARGUMENTS) or set(columns) < set(off.quantity.arguments):
            loss = rounding_to(form, columns, partial(rounded_dynamics, form.number) if of_numbers else None)
            yield Removal(loss, partial(_harmless, loss, form.number), f"{there} {form.words}")


def _harmless(rounding: Loss, change: Change, trial: Trial) -> Trial:
    """The trial with the numbers that the rounding leaves as they are."""
    mechanism = representable(change, trial.mechanism) if rounding.loads else trial.mechanism
    if not rounding.state:
        return try_states(trial.laboratory, mechanism, trial.states)
    columns = rounding.state(mechanism, trial.states.columns)
    states = replace(trial.states, **cast(Any, {**columns, "q": _of_length_one(mechanism, columns["q"])}))
    there = try_states(trial.laboratory, mechanism, states)
    # The forces of these states are computed, and have all digits.
    forces = rounding.state(mechanism, {"tau": there.states.tau})
    return replace(there, states=replace(there.states, **cast(Any, forces)))


def _of_length_one(mechanism: Mechanism, q: Array) -> Array:
    """q, in which directions have the length one exactly: rounded ones become the nearest of few short numbers."""
    q = q.copy()
    for form, directions in DIRECTIONS.items():
        for _, part in mechanism.slots(form):
            q[:, part] = directions[(q[:, part] @ directions.T).argmax(axis=1)]
    return q


DIRECTIONS: dict[Form, Array] = {
    "circle": np.vstack([np.eye(2), -np.eye(2)]),
    "quaternion": np.vstack([np.eye(4), -np.eye(4), list(product((0.5, -0.5), repeat=4))]),
}
"""Directions whose numbers are short and have squares that add up to one exactly."""


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
            exact = left & (error(angles.ravel(), pair).reshape(own.shape) <= 4 * trial.mechanism.precision.epsilon)
            q[:, part][exact] = angles[exact]
            left &= ~exact
        if left.any():
            return None
    return try_states(trial.laboratory, trial.mechanism, replace(trial.states, q=q))
