"""Equations with M that are solved loosely: a changed diagonal, or iterations that stop early.

Forward dynamics solves M x = τ − h, its derivatives M X = −F, and M⁻¹ solves M X = 1. Iterations from zero have only few possible
answers, their iterates, and these are predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation, short_number
from cross_check.memory import Array
from implementations.recorded.traced import PRECISE
from mechanisms.quantities import QUANTITIES, ByForces, BySolution

MOST_ITERATIONS = 200
"""Of gradients no more than twice as many as there are coordinates: they end after as many, but for rounding."""

MATCHED = 1e-3
"""The part of the error of an iterate that may differ from that of the answer."""


class Iteration(NamedTuple):
    """Solves M X = B by adding steps α p, from zero on. p is the residual, times the inverse of a part of M."""

    words: str
    part: Callable[[Array], Array]
    """The part of every M (batch, n, n) that is inverted."""
    is_descent: bool
    """Whether α leads to the smallest error along p; otherwise it is one."""
    is_conjugate: bool = False
    """Whether p is made conjugate to the p before (Golub & Van Loan, §11.5)."""

    def iterates(self, M: Array, B: Array) -> Iterator[Array]:
        """X (batch, n, columns) after each step, as long as it is finite."""
        part, before = self.part(M), np.full((len(B), 1, B.shape[2]), np.inf)
        x, p, r = np.zeros_like(B), np.zeros_like(B), B
        while np.isfinite(x).all():
            z = np.linalg.solve(part, r)
            with np.errstate(all="ignore"):
                product = (r * z).sum(axis=1, keepdims=True)
                p = z + np.nan_to_num(product / before) * p if self.is_conjugate else z
                Mp, before = np.einsum("bij,bjk->bik", M, p), product
                α = np.nan_to_num(product / (p * Mp).sum(axis=1, keepdims=True)) if self.is_descent else 1.0
                x = x + α * p
                r = r - α * Mp if self.is_conjugate else B - np.einsum("bij,bjk->bik", M, x)
            yield x


def _identity(M: Array) -> Array:
    return np.broadcast_to(np.eye(M.shape[1]), M.shape)


def _diagonal(M: Array) -> Array:
    return M * np.eye(M.shape[1])


GRADIENTS = (
    Iteration("conjugate gradients", _identity, True, True),
    Iteration("conjugate gradients with the diagonal as preconditioner", _diagonal, True, True),
)

ITERATIONS = (
    *GRADIENTS,
    Iteration("Gauss–Seidel iterations", np.tril, False),
    Iteration("Jacobi iterations", _diagonal, False),
    Iteration("steepest descent", _identity, True),
)


def right_side(off: Deviation, reference: Any = PRECISE) -> Array | None:
    """B (batch, nv, columns) with M X = B as this reference computes it, rounded once; None if the quantity solves nothing."""
    load: Any = reference.load(off.mechanism)
    judged = off.quantity.judged
    if isinstance(judged, ByForces):
        return (off.states.tau - load.nonlinear_effects(off.states.q, off.states.v)).astype(np.float64)[..., None]
    if not isinstance(judged, BySolution):
        return None
    if judged.negated is None:
        return np.broadcast_to(np.eye(off.mechanism.nv), off.answer.shape)
    given = {**off.states.columns, "a": load.forward_dynamics(off.states.q, off.states.v, off.states.tau)}
    return -getattr(load, judged.negated)(*(given[name] for name in QUANTITIES[judged.negated].arguments)).astype(np.float64)


def explain_solver(off: Deviation) -> Arithmetic | None:
    """The loose solver that predicts every answer, or None."""
    if (B := right_side(off)) is None:
        return None
    ways: list[Callable[..., Arithmetic | None]] = [_regularised, *(partial(_iterated, way) for way in ITERATIONS)]
    return next((found for way in ways if (found := way(off, off.mass_matrix, B, off.answer.reshape(B.shape)))), None)


def _regularised(off: Deviation, M: Array, B: Array, x: Array) -> Arithmetic | None:
    """(M + λ D) x = b, with D = 1 or the diagonal of M."""
    residual = B - np.einsum("bij,bjk->bik", M, x)
    diagonal = np.diagonal(M, axis1=1, axis2=2)[..., None]
    for words, D in (("", np.ones_like(diagonal)), (" of themselves", diagonal)):
        changed = D * x
        size = float((changed * changed).sum())
        λ = float((residual * changed).sum()) / size if size else 0.0
        if abs(λ) < 1e-14:
            continue
        for value in (float(f"{λ:.3g}"), λ):
            predicted = np.linalg.solve(M + value * D * np.eye(M.shape[1]), B).reshape(off.answer.shape)
            sentence = f"{value:.6g}{words} is added to the diagonal elements of M before {off.name} is solved"
            asked = f"the solution with {value:.6g}{words} added to the diagonal of M"
            if found := off.explained(sentence, predicted, asked):
                other = off.ask("mass_matrix", off.states.q) if words == "" else None
                return None if other is not None and np.abs(other - M).max() > abs(value) / 2 else found
    return None


def _iterated(way: Iteration, off: Deviation, M: Array, B: Array, x: Array) -> Arithmetic | None:
    """The iterates of this iteration: each answer that is off is one of them."""
    error, matched, sizes = np.linalg.norm(x - off.true.reshape(B.shape), axis=1), list[Array](), [np.linalg.norm(B, axis=1)]
    for one in islice(way.iterates(M, B), 2 * M.shape[1] if way.is_conjugate else MOST_ITERATIONS):
        close = off.differences(one.reshape(off.answer.shape)).reshape(B.shape).max(axis=1) <= BAR
        matched.append(close | (np.linalg.norm(x - one, axis=1) <= MATCHED * error))
        sizes.append(np.linalg.norm(B - np.einsum("bij,bjk->bik", M, one), axis=1))
    is_iterate, left = np.array(matched), np.array(sizes)
    # A column whose right side is zero is solved at once.
    told = (off.units > BAR)[:, None] & (off.differences(off.true).reshape(B.shape).max(axis=1) > BAR)
    if not told.any() or not is_iterate[:, told].any(axis=0).all():
        return None
    last = is_iterate.argmax(axis=0)
    before, after = (np.take_along_axis(left, (last + k)[None], axis=0)[0][told] for k in (0, 1))
    count = last[told] + 1
    low, high = count.min(), count.max()
    stops = f"after {high} iterations"
    if low < high or not is_iterate[high - 1].all():
        stops = f"after {low} to {high} iterations" if low < high else f"{stops} or earlier"
        if at := next(residuals(after, before, left[0][told]), None):
            stops = f"at {at.words} of {at.tolerance:.2g}"
    seen = Observation(
        f"{off.name}, {count.size} solutions that are off, compared with the iterates of {way.words} from zero",
        f"every one is an iterate, to {MATCHED:g} of its error, number {low} to {high}",
    )
    return Arithmetic(f"{off.name} is solved by {way.words}, which stops {stops}", (seen,), tried=int(count.size))


class Residual(NamedTuple):
    """The residual at which iterations stop: it is no larger than ``high``, and ``low`` is small enough."""

    words: str
    """The kind, with an article."""
    low: float
    high: float

    @property
    def tolerance(self) -> float:
        return short_number(self.low, self.high)


def residuals(after: Array, before: Array, size: Array) -> Iterator[Residual]:
    """At which residuals iterations may stop that leave ``after`` of right sides of this size, and do not stop at ``before``."""
    for words, unit in (("a relative residual", size), ("an absolute residual", np.ones_like(size))):
        low, high = float((after / unit).max()), float((before / unit).min())
        if low <= high:
            yield Residual(words, low, high)
