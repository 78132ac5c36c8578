"""Equations with M that are solved loosely: iterations that stop early, a changed diagonal, an explicit inverse, a bad condition.

Forward dynamics solves M x = τ − h, its derivatives M X = −F, and M⁻¹ solves M X = 1. An iteration from zero has only few
possible answers, its iterates, and these are predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cross_check.comparison.measure import BAR
from cross_check.diagnosis.digits.deviation import PRECISE, Arithmetic, Deviation
from cross_check.diagnosis.digits.written import written
from cross_check.error_scale.sizes import EPSILON
from cross_check.memory import Array
from cross_check.results.causes import Observation
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.protocol import Unsupported
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms.quantities import QUANTITIES, ByForces, BySolution

MOST_ITERATIONS = 200
"""Of gradients no more than twice as many as there are coordinates: they end after as many, but for rounding."""

LOOSE = 1e-2
"""The largest relative residual at which an iteration would stop."""

HOPELESS = 1e12
"""Larger errors, in ε-units, are not those of correct algorithms: M would be singular to working precision."""

MATCHED = 1e-3
"""The part of the error of an iterate that may differ from that of the answer."""


def right_side(off: Deviation, reference: Reference = PRECISE) -> Array | None:
    """B (batch, nv, columns) with M X = B in the reference's precision; None if the quantity solves nothing."""
    load: Any = reference.load(off.mechanism)
    judged = off.quantity.judged
    if isinstance(judged, ByForces):
        return (off.states.tau - load.nonlinear_effects(off.states.q, off.states.v))[..., None]
    if not isinstance(judged, BySolution):
        return None
    if judged.negated is None:
        return np.broadcast_to(np.eye(off.mechanism.nv, dtype=np.longdouble), off.answer.shape)
    arguments = list(QUANTITIES[judged.negated].arguments)
    state = {**off.states.columns}
    state["a"] = load.forward_dynamics(off.states.q, off.states.v, off.states.tau)
    return -getattr(load, judged.negated)(*(state[name] for name in arguments))


def explain_solver(off: Deviation) -> Arithmetic | None:
    """The loose solver that predicts every answer, or None."""
    B = right_side(off)
    if B is None:
        return None
    x = off.answer.reshape(B.shape)
    for explain in (_regularised, _iterated):
        if (found := explain(off, off.mass_matrix, B, x)) is not None:
            return found
    return None


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
        short = float(f"{λ:.3g}")
        for value in (short, λ):
            predicted = np.linalg.solve((M + value * D * np.eye(M.shape[1])).astype(np.float64), B.astype(np.float64))
            if off.is_explained(predicted.reshape(off.answer.shape)):
                sentence = f"{value:.6g}{words} is added to the diagonal elements of M before {off.name} is solved"
                if words == "":
                    other = off.ask("mass_matrix", off.states.q)
                    if other is not None and np.abs(other - M).max() > abs(value) / 2:
                        return None
                seen = off.observe(
                    f"the solution with {value:.6g}{words} added to the diagonal of M",
                    off.distance(predicted.reshape(off.answer.shape)),
                )
                return Arithmetic(sentence, seen, {"added": value}, tried=off.answer.size)
    return None


def _iterated(off: Deviation, M: Array, B: Array, x: Array) -> Arithmetic | None:
    """The iterates of a known iteration."""
    wrong = off.units > BAR
    for words, iterate in ITERATIONS.items():
        exact = off.true.reshape(B.shape)
        M64, B64 = M.astype(np.float64), B.astype(np.float64)
        columns, size = B.shape[2], np.linalg.norm(x - exact, axis=1)
        count = np.full((len(x), columns), -1)
        residual, before = np.full(count.shape, np.nan), np.full(count.shape, np.nan)
        last = np.linalg.norm(B64, axis=1)
        for k, guess in enumerate(iterate(M64, B64), 1):
            now = np.linalg.norm(B64 - np.einsum("bij,bjk->bik", M64, guess), axis=1)
            close = off.differences(guess.reshape(off.answer.shape)).reshape(B.shape).max(axis=1) <= BAR
            near = (close | (np.linalg.norm(x - guess, axis=1) <= MATCHED * size)) & (count < 0)
            count[near], residual[near], before[near] = k, now[near], last[near]
            last = now
            if k == (2 * x.shape[1] if "gradients" in words else MOST_ITERATIONS) or (count[wrong] >= 0).all():
                break
        # A column whose right side is zero is solved at once.
        told = wrong[:, None] & (off.differences(off.true).reshape(B.shape).max(axis=1) > BAR)
        if not told.any() or (count[told] < 0).any():
            continue
        return _stopped(off, words, count[told], residual[told], before[told], np.linalg.norm(B64, axis=1)[told])
    return None


def _stopped(off: Deviation, words: str, count: Array, residual: Array, before: Array, size: Array) -> Arithmetic:
    """When the iteration stops: after a number of steps, or at a residual."""
    numbers: dict[str, float] = {"iterations": float(count.max())}
    stops = f"after {count.max()} iterations"
    if count.min() != count.max():
        stops = f"after {count.min()} to {count.max()} iterations"
        for kind, low, high in (("relative", residual / size, before / size), ("absolute", residual, before)):
            if low.max() <= high.min():
                tolerance = next(
                    (t for t in (m * 10.0**-k for k in range(16) for m in (1, 5, 2)) if low.max() <= t <= high.min()),
                    float(low.max()),
                )
                stops = f"at a {kind} residual of {tolerance:.2g}"
                numbers["tolerance"] = float(tolerance)
                break
    observation = Observation(
        f"{off.name}, {count.size} solutions that are off, compared with the iterates of {words} from zero",
        f"every one is an iterate, to {MATCHED:g} of its error, number {count.min()} to {count.max()}",
    )
    return Arithmetic(f"{off.name} is solved by {words}, which stops {stops}", (observation,), numbers, tried=int(count.size))


def _conjugate_gradients(M: Array, B: Array) -> Iterator[Array]:
    yield from _gradients(M, B, np.ones(M.shape[:2]))


def _preconditioned(M: Array, B: Array) -> Iterator[Array]:
    yield from _gradients(M, B, 1 / np.diagonal(M, axis1=1, axis2=2))


def _gradients(M: Array, B: Array, P: Array) -> Iterator[Array]:
    """Conjugate gradients, preconditioned by the diagonal P (batch, n), for every column (Golub & Van Loan, §11.5)."""
    x, r = np.zeros_like(B), B.copy()
    z = P[..., None] * r
    p, rz = z, (r * z).sum(axis=1, keepdims=True)
    while True:
        Mp = np.einsum("bij,bjk->bik", M, p)
        with np.errstate(all="ignore"):
            α = np.nan_to_num(rz / (p * Mp).sum(axis=1, keepdims=True))
            x, r = x + α * p, r - α * Mp
            z = P[..., None] * r
            new = (r * z).sum(axis=1, keepdims=True)
            p, rz = z + np.nan_to_num(new / rz) * p, new
        yield x


def _steepest(M: Array, B: Array) -> Iterator[Array]:
    x = np.zeros_like(B)
    while True:
        r = B - np.einsum("bij,bjk->bik", M, x)
        with np.errstate(all="ignore"):
            x = (
                x
                + np.nan_to_num(
                    (r * r).sum(axis=1, keepdims=True) / (r * np.einsum("bij,bjk->bik", M, r)).sum(axis=1, keepdims=True)
                )
                * r
            )
        yield x


def _jacobi(M: Array, B: Array) -> Iterator[Array]:
    x, D = np.zeros_like(B), np.diagonal(M, axis1=1, axis2=2)[..., None]
    while np.isfinite(x).all():
        with np.errstate(all="ignore"):
            x = x + (B - np.einsum("bij,bjk->bik", M, x)) / D
        yield x


def _gauss_seidel(M: Array, B: Array) -> Iterator[Array]:
    x, n = np.zeros_like(B), M.shape[1]
    while True:
        x = x.copy()
        for i in range(n):
            x[:, i] += (B[:, i] - np.einsum("bj,bjk->bk", M[:, i], x)) / M[:, i, i, None]
        yield x


ITERATIONS: dict[str, Callable[[Array, Array], Iterator[Array]]] = {
    "conjugate gradients": _conjugate_gradients,
    "conjugate gradients with the diagonal as preconditioner": _preconditioned,
    "Gauss–Seidel iterations": _gauss_seidel,
    "Jacobi iterations": _jacobi,
    "steepest descent": _steepest,
}


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


def response(off: Deviation) -> Response | None:
    """Asked at the positions of all states; None if the code does not answer."""
    q, zero = off.states.q, np.zeros_like(off.states.v)
    weightless = replace(off.mechanism, gravity=(0, 0, 0))
    M, (one, other) = off.mass_matrix.astype(np.float64), np.random.default_rng(0).normal(size=(2, *zero.shape))
    asked = [off.ask("forward_dynamics", q, zero, τ, mechanism=weightless) for τ in (one, other, one + other, 1024 * one)]
    x = [answer for answer in asked if answer is not None]
    if len(x) < len(asked):
        return None

    def size(acceleration: Array) -> float:
        return float(np.linalg.norm(np.einsum("bij,bj->bi", M, acceleration), axis=1).max())

    error = np.linalg.norm(np.einsum("bij,bj->bi", M, x[0]) - one, axis=1)
    relative = float((error / np.linalg.norm(one, axis=1)).max())
    # A direct solver leaves a few ε of |M| |x|.
    rounding = 1e3 * EPSILON * float((np.linalg.norm(M, axis=(1, 2)) * np.linalg.norm(x[0], axis=1)).max())
    return Response(relative, float(error.max()), rounding, size(x[0] + x[1] - x[2]), size(x[3] - 1024 * x[0]) / 1024)


def explain_nonlinear_solver(off: Deviation) -> Arithmetic | None:
    """An iteration whose iterates are not reproduced: accelerations that are no linear function of forces, but twice for twice.

    Limits and friction do not grow with the forces, other models are linear, and float32 shows in the digits.
    """
    if not isinstance(off.quantity.judged, ByForces) or written(off.answer) or is_stepped(off):
        return None
    found = response(off)
    if (
        found is None
        or found.is_linear
        or not found.rounding < found.wrong
        or found.residual > LOOSE
        or found.scaled > found.wrong / 8
    ):
        return None
    B = np.asarray(right_side(off), dtype=np.float64)[..., 0]
    size = np.linalg.norm(B, axis=1)
    left = np.linalg.norm(np.einsum("bij,bj->bi", off.mass_matrix.astype(np.float64), off.answer) - B, axis=1)
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
    return Arithmetic(sentence, seen, {"residual": residual}, tried=4 * len(size), is_exact=False)


def is_stepped(off: Deviation) -> bool:
    """Whether changes of the arguments by 10⁻¹¹ of them leave most answers as they are, so that the arguments were rounded."""
    moving = off.few
    moved = off.ask(off.name, *(x * (1 + 1e-11) for x in moving.arguments))
    base = off.ask(off.name, *moving.arguments)
    if moved is None or base is None or not base.any():
        return False
    return bool((moved == base)[base != 0].mean() > 0.5)


def explain_conditioning(off: Deviation) -> Arithmetic | None:
    """Whether correct algorithms in float64 are as far off at the same states: then the answers are as good as they can be."""
    if off.units.max() > HOPELESS:
        return None
    algorithms = correct_answers(off)
    spread = np.max([_units(off, answer) for answer in algorithms.values()], axis=0)
    κ = condition(off)
    if _as_far(off.units, spread):
        worst = int(off.units.argmax())
        sentence = f"{off.name} is ill-conditioned there, and correct algorithms are off by as much"
        seen = (
            Observation(f"{off.name} at state {worst}", f"off by {off.units[worst]:.2g} ε-units"),
            *(
                Observation(f"the same by {name}", f"off by {_units(off, x)[worst]:.2g} ε-units")
                for name, x in algorithms.items()
            ),
            Observation("the condition of M, scaled to a unit diagonal, at that state", f"{κ[worst]:.2g}"),
        )
        return Arithmetic(sentence, seen, {"condition": float(κ[worst])}, is_fault=False)
    if isinstance(off.quantity.judged, ByForces | BySolution) and (B := right_side(off, REFERENCE)) is not None:
        M = REFERENCE.load(off.mechanism).mass_matrix(off.states.q)
        inverse = np.einsum("bij,bjk->bik", np.linalg.inv(M), B.astype(np.float64)).reshape(off.answer.shape)
        by_inverse = _units(off, inverse)
        if _as_far(off.units, by_inverse):
            worst = int(off.units.argmax())
            seen = (
                Observation(f"{off.name} at state {worst}", f"off by {off.units[worst]:.2g} ε-units"),
                Observation("an explicit inverse of M times the right side", f"off by {by_inverse[worst]:.2g} ε-units"),
                Observation("algorithms that solve the equation", f"off by at most {spread[worst]:.2g} ε-units"),
            )
            sentence = f"{off.name} has the errors of an explicit inverse of M, which loses more digits than solving the equation"
            return Arithmetic(sentence, seen, {"condition": float(κ[worst])}, is_fault=False)
    return None


def _as_far(units: Array, others: Array) -> bool:
    """Whether errors are as large as those of other algorithms: 16 times as large at most, and 64 times at a single state."""
    within = (units <= np.maximum(BAR, 64 * others)).all()
    return bool(within and units.max() <= 16 * others.max())


def _units(off: Deviation, answer: Array) -> Array:
    """How far another answer is from the true one (batch,), in the same ε-units."""
    return off.answered(answer).distance(off.true)


def condition(off: Deviation) -> Array:
    """κ (batch,) of M, scaled to a unit diagonal: radians and metres may differ by many orders of magnitude."""
    M = off.mass_matrix.astype(np.float64)
    own = np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    with np.errstate(all="ignore"):
        return np.linalg.cond(np.nan_to_num(M / own[:, :, None] / own[:, None, :], nan=0.0, posinf=0.0))


def correct_answers(off: Deviation) -> dict[str, Array]:
    """The answers of correct algorithms in float64, by their names."""
    found: dict[str, Array] = {}
    for implementation in (REFERENCE, NEWTON_EULER, SCREWS):
        loaded = implementation.load(off.mechanism)
        if hasattr(loaded, off.name):
            try:
                found[implementation.name] = getattr(loaded, off.name)(*off.arguments)
            except (ArithmeticError, Unsupported):
                continue
    if isinstance(off.quantity.judged, ByForces | BySolution) and (B := right_side(off, REFERENCE)) is not None:
        B64 = B.astype(np.float64)
        M = REFERENCE.load(off.mechanism).mass_matrix(off.states.q)
        try:
            found["Gaussian elimination"] = np.linalg.solve(M, B64).reshape(off.answer.shape)
            L = np.linalg.cholesky(M)
            found["Cholesky's factors"] = np.linalg.solve(L.swapaxes(1, 2), np.linalg.solve(L, B64)).reshape(off.answer.shape)
        except np.linalg.LinAlgError:
            pass
    return found
