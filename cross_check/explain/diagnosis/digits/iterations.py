"""Iterations from zero that stop early: they have only few possible answers, their iterates, and these are predicted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.memory import Array

MOST_ITERATIONS = 200
"""Of gradients no more than twice as many as there are coordinates: they end after as many, but for rounding."""

MATCHED = 1e-3
"""The part of the error of an iterate that may differ from that of the answer."""


def iterated(off: Deviation, M: Array, B: Array, x: Array) -> Arithmetic | None:
    """The iterates of a known iteration."""
    wrong = off.units > BAR
    for words, iterate in ITERATIONS.items():
        exact = off.true.reshape(B.shape)
        M64, B64 = M.astype(np.float64), B.astype(np.float64)
        columns, size = B.shape[2], np.linalg.norm(x - exact, axis=1)
        count = np.full((len(x), columns), -1)
        residual, before = np.full(count.shape, np.nan), np.full(count.shape, np.nan)
        last, fits = np.linalg.norm(B64, axis=1), dict[int, bool]()
        for k, guess in enumerate(iterate(M64, B64), 1):
            now = np.linalg.norm(B64 - np.einsum("bij,bjk->bik", M64, guess), axis=1)
            close = off.differences(guess.reshape(off.answer.shape)).reshape(B.shape).max(axis=1) <= BAR
            near = (close | (np.linalg.norm(x - guess, axis=1) <= MATCHED * size)) & (count < 0)
            count[near], residual[near], before[near] = k, now[near], last[near]
            last, fits[k] = now, bool((close | near).all())
            if k == (2 * x.shape[1] if words in GRADIENTS else MOST_ITERATIONS) or (count[wrong] >= 0).all():
                break
        # A column whose right side is zero is solved at once.
        told = wrong[:, None] & (off.differences(off.true).reshape(B.shape).max(axis=1) > BAR)
        if not told.any() or (count[told] < 0).any():
            continue
        size = np.linalg.norm(B64, axis=1)[told]
        return _stopped(off, words, count[told], residual[told], before[told], size, fits[int(count[told].max())])
    return None


def _stopped(
    off: Deviation, words: str, count: Array, residual: Array, before: Array, size: Array, is_everywhere: bool
) -> Arithmetic:
    """When the iteration stops: after a number of steps, if its last iterate is the answer everywhere, or at a residual."""
    numbers: dict[str, float] = {"iterations": float(count.max())}
    stops = f"after {count.max()} iterations"
    if count.min() != count.max() or not is_everywhere:
        stops = f"after {count.min()} to {count.max()} iterations" if count.min() < count.max() else f"{stops} or earlier"
        for kind, low, high in (("relative", residual / size, before / size), ("absolute", residual, before)):
            if low.max() <= high.min():
                tolerance = short_tolerance(float(low.max()), float(high.min()))
                stops = f"at {with_article(kind)} residual of {tolerance:.2g}"
                numbers["tolerance"] = tolerance
                break
    observation = Observation(
        f"{off.name}, {count.size} solutions that are off, compared with the iterates of {words} from zero",
        f"every one is an iterate, to {MATCHED:g} of its error, number {count.min()} to {count.max()}",
    )
    return Arithmetic(f"{off.name} is solved by {words}, which stops {stops}", (observation,), numbers, tried=int(count.size))


def with_article(kind: str) -> str:
    """ "a relative", "an absolute"."""
    return f"{'an' if kind.startswith('a') else 'a'} {kind}"


def short_tolerance(low: float, high: float) -> float:
    """A number of one digit in between, or the lower one."""
    return next((t for t in (m * 10.0**-k for k in range(16) for m in (1, 5, 2)) if low <= t <= high), low)


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

GRADIENTS = tuple(words for words in ITERATIONS if "gradients" in words)
