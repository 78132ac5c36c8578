"""Sines and cosines that are approximate: those of the code are measured on a pendulum, and predict the answers on any mechanism.

A point mass of 1 kg, 1 m from the axis, hangs in gravity of 1 m/s². The torque that holds it is cos q for one direction of
gravity, and sin q for another. The reference computes with the measured functions in the place of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation, answering
from cross_check.explain.diagnosis.digits.sine_functions import Pair, described
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.field import Real, Tensor
from implementations.spatial_algebra.reference import Reference
from mechanisms import Body, Inertia, Joint, Mechanism

RIGHT = 0.1
"""An approximation is exact at a smaller part of ordinary angles."""


class Sines(Real):
    """float64 with other cosines and sines."""

    def __init__(self, cos_sin: Callable[[Array], Pair]) -> None:
        super().__init__()
        object.__setattr__(self, "_cos_sin", cos_sin)

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        c, s = self._cos_sin(angle.ravel())  # type: ignore[attr-defined]
        return c.reshape(angle.shape), s.reshape(angle.shape)


@cache
def pendulum(gravity: tuple[int, int, int]) -> Mechanism:
    """The mechanism that measures: gravity (0, −1, 0) gives cosines, (1, 0, 0) sines."""
    body = Body("point", "world", Joint("hinge", "revolute"), Inertia(1, (1, 0, 0)))
    return Mechanism("pendulum of a point", (body,), gravity)


def measured(off: Deviation, q: Array) -> Pair | None:
    """The code's cosines and sines of the angles q (count,); None if the code answers nothing that shows them."""
    zero = np.zeros((len(q), 1))
    for quantity, arguments in (("gravity", ()), ("inverse_dynamics", (zero, zero)), ("nonlinear_effects", (zero,))):
        pair = [off.ask(quantity, q[:, None], *arguments, mechanism=pendulum(g)) for g in ((0, -1, 0), (1, 0, 0))]
        if pair[0] is not None and pair[1] is not None:
            return pair[0][:, 0], pair[1][:, 0]
    R = off.ask("placements", q[:, None], mechanism=pendulum((0, -1, 0)))
    return None if R is None else (R[:, 0, 0, 0], R[:, 0, 1, 0])


class Approximation(NamedTuple):
    """The code's cosines and sines, and what is known of them."""

    words: str
    numbers: dict[str, float]
    predicted: Array
    """What the reference with the functions measured answers."""
    seen: Observation


def approximation(off: Deviation) -> Approximation | None:
    """The code's sines and cosines, if they are measured and are approximate."""
    angles = [off.states.q[:, q] for _, q in off.mechanism.slots("angle")]
    if not angles:
        return None
    known = np.unique(np.concatenate(angles))
    pair = measured(off, known)
    if pair is None or not _is_approximation(known, *pair):
        return None

    def looked_up(q: Array) -> Pair:
        where = np.searchsorted(known, q)
        return pair[0][where], pair[1][where]

    words, numbers, is_recognised = described(lambda q: measured(off, q), known, pair)
    if not is_recognised and np.abs(np.hypot(*pair) - 1).max() <= BAR * EPSILON:
        return None  # Exact functions of other angles are a convention, or a condition on the angle.
    error = _error(known, pair)
    ordinary = np.abs(np.sin(2 * known)) > 0.01
    if not is_recognised and (error[ordinary] <= BAR * EPSILON).mean() > RIGHT:
        return None  # What is exact at many angles and wrong at others is a condition on the angle.
    worst = int(error.argmax())
    seen = Observation(
        "cos q and sin q, from the torque that holds a pendulum of 1 kg at 1 m",
        f"off by up to {error[worst]:.1e}, most at q = {known[worst]:.4g}",
    )
    predicted = getattr(Reference(Sines(looked_up)).load(off.mechanism), off.name)(*off.arguments)
    return Approximation(words, {"largest error": float(error[worst]), **numbers}, predicted, seen)


def _error(q: Array, pair: Pair) -> Array:
    return np.hypot(pair[0] - np.cos(q), pair[1] - np.sin(q))


def explain_sines(off: Deviation) -> Arithmetic | None:
    """The approximate sine that predicts every answer, or None."""
    found = approximation(off)
    if found is None or not off.is_explained(found.predicted):
        return None

    def asked(q: Array) -> Pair:
        if (pair := measured(off, q)) is None:
            raise ValueError("the code shows no sines of these angles")
        return pair

    load = lru_cache(8)(Reference(Sines(asked)).load)

    def predict(mechanism: Mechanism, quantity: str, given: tuple[Array, ...]) -> Array:
        return getattr(load(mechanism), quantity)(*given)

    seen = (
        found.seen,
        *off.observe("the reference with the cosines and sines measured there", off.distance(found.predicted)),
    )
    return Arithmetic(found.words, seen, found.numbers, True, answering(found.words, predict), off.answer.size)


def _is_approximation(q: Array, c: Array, s: Array) -> bool:
    """Whether the functions are off, but not by a fixed linear map: a factor, a sign, a quarter turn are no approximation."""
    right, given = np.column_stack([np.cos(q), np.sin(q)]), np.column_stack([c, s])
    error = np.abs(given - right).max()
    if error <= BAR * EPSILON or not abs(given[np.abs(q).argmin()] - right[np.abs(q).argmin()]).max() < 0.1:
        return False
    if len(q) < 3:
        return False
    A, *_ = np.linalg.lstsq(right, given, rcond=None)
    return bool(np.abs(right @ A - given).max() > 1e-2 * error or np.abs(A - np.eye(2)).max() < 1e-6)
