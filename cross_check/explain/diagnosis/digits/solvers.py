"""Equations with M that are solved loosely: a changed diagonal, or iterations that stop early.

Forward dynamics solves M x = τ − h, its derivatives M X = −F, and M⁻¹ solves M X = 1. Iterations from zero have only few possible
answers, their iterates, and these are predicted.

Where they are not reproduced, forces tell where an iteration stops. It answers the sum of two forces with another sum. Conjugate
gradients show their tolerance, too. After as many steps as there are coordinates, their iterates depend on rounding, so that
those of another code are not these. But a force that is an eigenvector of M is solved in one step, and with a small part δ of
another one in two. Code that stops at a residual answers the first iterate where δ is small, and the solution where δ is large.
In between is its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from cross_check import equations
from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation, short_number
from cross_check.explain.faults.readings.rounded import written
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.recorded.traced import PRECISE
from mechanisms.quantities import ByForces, BySolution

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
                Mp, before = equations.product(M, p), product
                α = np.nan_to_num(product / (p * Mp).sum(axis=1, keepdims=True)) if self.is_descent else 1.0
                x = x + α * p
                r = r - α * Mp if self.is_conjugate else B - equations.product(M, x)
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
    q, v, tau = off.states.arguments(("q", "v", "tau"))
    if isinstance(off.quantity.judged, ByForces):
        return (tau - load.nonlinear_effects(q, v)).astype(np.float64)[..., None]
    if not isinstance(off.quantity.judged, BySolution):
        return None
    one = np.broadcast_to(np.eye(off.mechanism.nv), off.answer.shape)
    given = {**off.states.columns, "a": load.forward_dynamics(q, v, tau)}
    return equations.right_side(off.quantity, lambda name, *state: getattr(load, name)(*state), given, one).astype(np.float64)


def explain_solver(off: Deviation) -> Arithmetic | None:
    """The loose solver that predicts every answer, or None."""
    if (B := right_side(off)) is None:
        return None
    ways: list[Callable[..., Arithmetic | None]] = [_regularised, *(partial(_iterated, way) for way in ITERATIONS)]
    return next((found for way in ways if (found := way(off, off.mass_matrix, B, off.answer.reshape(B.shape)))), None)


def _regularised(off: Deviation, M: Array, B: Array, x: Array) -> Arithmetic | None:
    """(M + λ D) x = b, with D = 1 or the diagonal of M."""
    residual = B - equations.product(M, x)
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
        sizes.append(np.linalg.norm(B - equations.product(M, one), axis=1))
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


LOOSE = 1e-2
"""The largest relative residual at which an iteration would stop."""

SIZES = (1.0, 1024.0)
POSITIONS = 3
"""The tolerance is the same at so many positions."""

LEAST_PART, PARTS, ROUNDS = 1e-12, 16, 3
"""Of a second eigenvector, so many parts from the least one to the whole are tried at once, and again between those nearest to
the limit."""

RESOLVED = 1e-10
"""Smaller parts of a solution are too near to rounding errors."""

ROUNDING = 1e3
"""Residuals of direct solvers, in ε-units of M's and τ's sizes, are smaller."""


class Response(NamedTuple):
    """How accelerations respond to forces at rest and without gravity, where M x = τ. All but ``residual`` have the unit of τ."""

    residual: float
    """The largest of |M x − τ| / |τ|."""
    wrong: float
    """The largest |M x − τ|."""
    rounding: float
    """What rounding may make of it."""
    bent: float
    """By how much the sum of two forces does not give the sum of the accelerations."""
    scaled: float
    """By how much 1024 times the forces do not give 1024 times the accelerations."""

    @property
    def is_linear(self) -> bool:
        return self.bent <= max(self.rounding, self.wrong / 8)


def _accelerations(off: Deviation, q: Array, τ: Array) -> Array | None:
    """What the code answers at rest and without gravity."""
    return off.ask("forward_dynamics", q, np.zeros_like(τ), τ, mechanism=replace(off.mechanism, gravity=(0, 0, 0)))


def _sizes(M: Array, x: Array, b: Array | float = 0.0) -> Array:
    """|M x − b| (batch,)."""
    return np.linalg.norm(np.einsum("bij,bj->bi", M, x) - b, axis=1)


def response(off: Deviation) -> Response | None:
    """Asked at the positions of all states; None if the code does not answer."""
    M, (one, other) = off.mass_matrix, np.random.default_rng(0).normal(size=(2, *off.states.v.shape))
    asked = [_accelerations(off, off.states.q, τ) for τ in (one, other, one + other, 1024 * one)]
    x = [answer for answer in asked if answer is not None]
    if len(x) < len(asked):
        return None
    error = _sizes(M, x[0], one)
    relative = float((error / np.linalg.norm(one, axis=1)).max())
    # A direct solver leaves a few ε of |M| |x|.
    rounding = ROUNDING * EPSILON * float((np.linalg.norm(M, axis=(1, 2)) * np.linalg.norm(x[0], axis=1)).max())
    bent, scaled = (float(_sizes(M, apart).max()) for apart in (x[0] + x[1] - x[2], x[3] - 1024 * x[0]))
    return Response(relative, float(error.max()), rounding, bent, scaled / 1024)


def explain_nonlinear_solver(off: Deviation) -> Arithmetic | None:
    """An iteration whose iterates are not reproduced: accelerations that are no linear function of forces, but twice for twice.

    Limits and friction do not grow with the forces, other models are linear, and float32 shows in the digits.
    """
    if not isinstance(off.quantity.judged, ByForces) or written(off.answer, off.mechanism.precision) or off.is_stepped:
        return None
    found = response(off)
    if found is None or found.is_linear or not found.rounding < found.wrong:
        return None
    if found.residual > LOOSE or found.scaled > found.wrong / 8:
        return None
    B = np.asarray(right_side(off))[..., 0]
    size, left = np.linalg.norm(B, axis=1), _sizes(off.mass_matrix, off.answer, B)
    # Where τ − h is nothing but rounding, its residual tells nothing.
    told = size > 1e-6 * np.linalg.norm(off.states.tau, axis=1)
    residual = max(found.residual, float((left[told] / size[told]).max(initial=0.0)))
    seen = (
        Observation("the relative residual |M q̈ − (τ − h)| / |τ − h|", f"up to {residual:.2g}"),
        Observation(
            "the sum of two forces", "does not give the sum of the accelerations, as any direct solver and any other model does"
        ),
        Observation("1024 times the forces", "1024 times the accelerations, errors included"),
    )
    sentence = f"{off.name} is solved by an iteration that stops early: the relative residual is up to {residual:.1g}"
    return Arithmetic(sentence, seen, tried=4 * len(size), is_exact=False)


def explain_tolerance(off: Deviation) -> Arithmetic | None:
    """The gradients whose tolerance is found, if they leave no larger residuals at the states of ``off``."""
    if not isinstance(off.quantity.judged, ByForces) or off.mechanism.nv < 2:
        return None
    # Of the states those of which M's diagonal elements differ least: iterations lose fewest digits there.
    diagonal = np.diagonal(off.mass_matrix, axis1=1, axis2=2)
    positions = np.argsort(diagonal.max(axis=1) / diagonal.min(axis=1), kind="stable")[:POSITIONS].tolist()
    for way in GRADIENTS:
        found = list[tuple[float, float, float]]()
        for index, size in ((index, size) for index in positions for size in SIZES):
            if (bracket := _bracket(off, way, index, size)) is None:
                break
            found.append((*bracket, size))
        if len(found) < len(positions) * len(SIZES):
            continue
        for at in residuals(*np.array(found).T):
            if _leaves_no_more(off, at.high, "relative" in at.words):
                seen = (
                    Observation(
                        "a force that is an eigenvector of M, with a small part of another one",
                        f"is solved by one step of {way.words} where that leaves {at.words} up to {at.low:.3g}",
                    ),
                    Observation(f"where it leaves {at.words} of {at.high:.3g} and more", "is solved completely"),
                    Observation(f"the residuals at {len(off.answer)} states", f"are as large as {at.tolerance:.2g} at most"),
                )
                sentence = f"{off.name} is solved by {way.words}, which stops at {at.words} of {at.tolerance:.2g}"
                return Arithmetic(sentence, seen, tried=off.answer.size)
    return None


def _bracket(off: Deviation, way: Iteration, index: int, size: float) -> tuple[float, float] | None:
    """The largest residual at which the code stops after one step at a position, and the smallest at which it does not.

    The forces are an eigenvector with parts of a second one. None if the code stops otherwise. ``size`` is that of the forces.
    """
    q, M = (np.repeat(x[index : index + 1], PARTS, axis=0) for x in (off.states.q, off.mass_matrix))
    D = np.sqrt(np.diagonal(way.part(M)[0]))
    _, vectors = np.linalg.eigh(M[0] / D[:, None] / D)
    slow, fast = (D * vector / np.linalg.norm(D * vector) for vector in (vectors[:, 0], vectors[:, -1]))
    low, high = LEAST_PART, 1.0
    for _ in range(ROUNDS):
        parts = np.geomspace(low, high, PARTS)
        b = fast + parts[:, None] * slow
        b *= size / np.linalg.norm(b, axis=1, keepdims=True)
        if (answer := _accelerations(off, q, b)) is None:
            return None
        first, exact = next(way.iterates(M, b[..., None]))[..., 0], np.linalg.solve(M, b[..., None])[..., 0]
        apart = np.linalg.norm(first - exact, axis=1)
        known = apart > RESOLVED * np.linalg.norm(exact, axis=1)
        early, late = (known & (np.linalg.norm(answer - one, axis=1) <= MATCHED * apart) for one in (first, exact))
        if not early.any() or not late.any() or not (early ^ late)[known].all() or parts[early].max() > parts[late].min():
            return None
        low, high, left = parts[early].max(), parts[late].min(), _sizes(M, first, b)
    return float(left[early].max()), float(left[late].min())


def _leaves_no_more(off: Deviation, most: float, is_relative: bool) -> bool:
    """Whether no residual at the states is larger than the tolerance and what rounding adds."""
    M, b = off.mass_matrix, np.asarray(right_side(off))[..., 0]
    sizes = np.linalg.norm(off.states.tau, axis=1) + np.linalg.norm(M, axis=(1, 2)) * np.linalg.norm(off.answer, axis=1)
    allowed = most * (np.linalg.norm(b, axis=1) if is_relative else 1.0)
    return bool((_sizes(M, off.answer, b) <= 2 * allowed + ROUNDING * EPSILON * sizes).all())
