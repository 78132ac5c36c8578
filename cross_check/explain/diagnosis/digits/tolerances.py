"""Conjugate gradients that stop at a residual: found with forces that one step solves, but for a small part of them.

After as many steps as there are coordinates, their iterates depend on rounding, so that those of another code are not these.
But a force that is an eigenvector of M is solved in one step, and with a small part δ of another one in two. Code that stops at a
residual answers the first iterate where δ is small, and the solution where δ is large. In between is its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Literal

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.iterations import GRADIENTS, ITERATIONS, MATCHED, short_tolerance, with_article
from cross_check.explain.diagnosis.digits.solvers import right_side
from cross_check.judge.error_scale.sizes import EPSILON
from mechanisms.quantities import ByForces

DECADES = range(1, 13)
BISECTIONS = 10
SIZES = (1.0, 1024.0)
POSITIONS = 3
"""The tolerance is the same at so many positions."""

RESOLVED = 1e-10
"""Smaller parts of a solution are too near to rounding errors."""

LEAST = 2
"""So many forces must be answered by the first iterate."""

ROUNDING = 1e3
"""Residuals of direct solvers, in ε-units of M's and τ's sizes, are smaller."""

Stop = Literal["early", "late", "unknown", "other"]


def explain_tolerance(off: Deviation) -> Arithmetic | None:
    """The iteration whose tolerance is found, if it leaves no larger residuals at the states of ``off``."""
    if not isinstance(off.quantity.judged, ByForces) or off.mechanism.nv < 2:
        return None
    for words in GRADIENTS:
        found = _tolerances(off, words)
        if not found:
            continue
        low, high = np.array(found).transpose(2, 0, 1)
        for kind, sizes in (("relative", np.ones(len(SIZES))), ("absolute", np.array(SIZES))):
            least, most = float((low * sizes).max()), float((high * sizes).min())
            if least <= most and _leaves_no_more(off, kind, most):
                tolerance, a_kind = short_tolerance(least, most), with_article(kind)
                seen = (
                    Observation(
                        "a force that is an eigenvector of M, with a small part of another one",
                        f"is solved by one step of {words} where that leaves {a_kind} residual up to {least:.3g}",
                    ),
                    Observation(f"where it leaves {a_kind} residual of {most:.3g} and more", "is solved completely"),
                    Observation(f"the residuals at {len(off.answer)} states", f"are as large as {tolerance:.2g} at most"),
                )
                sentence = f"{off.name} is solved by {words}, which stops at {a_kind} residual of {tolerance:.2g}"
                return Arithmetic(sentence, seen, {"tolerance": tolerance}, tried=off.answer.size)
    return None


def _tolerances(off: Deviation, words: str) -> list[list[tuple[float, float]]]:
    """By position and size of the force; empty if one has none."""
    whole = []
    for index in _positions(off):
        found = []
        for size in SIZES:
            if (bracket := _tolerance(off, words, index, size)) is None:
                return []
            found.append(bracket)
        whole.append(found)
    return whole


def _positions(off: Deviation) -> list[int]:
    """The states of which M's diagonal elements differ least: iterations lose fewest digits there."""
    diagonal = np.diagonal(off.mass_matrix, axis1=1, axis2=2)
    return np.argsort(diagonal.max(axis=1) / diagonal.min(axis=1), kind="stable")[:POSITIONS].tolist()


def _tolerance(off: Deviation, words: str, index: int, size: float) -> tuple[float, float] | None:
    """The largest relative residual at which the code stops after one step, and the smallest at which it does not."""
    M = off.mass_matrix[index].astype(np.float64)
    D = np.sqrt(np.diagonal(M)) if "diagonal" in words else np.ones(len(M))
    _, vectors = np.linalg.eigh(M / D[:, None] / D)
    slow, fast = D * vectors[:, 0], D * vectors[:, -1]
    weightless = replace(off.mechanism, gravity=(0, 0, 0))
    q, zero = off.states.q[index : index + 1], np.zeros((1, len(M)))

    def stops(part: float) -> tuple[Stop, float]:
        b = size * (fast / np.linalg.norm(fast) + part * slow / np.linalg.norm(slow))
        answer = off.ask("forward_dynamics", q, zero, b[None], mechanism=weightless)
        (first,) = islice(ITERATIONS[words](M[None], b[None, :, None]), 1)
        first, exact = first[0, :, 0], np.linalg.solve(M, b)
        left = float(np.linalg.norm(b - M @ first) / np.linalg.norm(b))
        apart = float(np.linalg.norm(first - exact))
        if apart <= RESOLVED * np.linalg.norm(exact):
            return "unknown", left
        if answer is not None and np.linalg.norm(answer[0] - first) <= MATCHED * apart:
            return "early", left
        return "late" if answer is not None and np.linalg.norm(answer[0] - exact) <= MATCHED * apart else "other", left

    return _bracket(stops)


def _bracket(stops: Callable[[float], tuple[Stop, float]]) -> tuple[float, float] | None:
    """The residuals where early stops end and late ones begin; None if the code stops otherwise."""
    early: dict[float, float] = {}
    late: dict[float, float] = {}
    parts = [10.0**-k for k in DECADES]
    for part in parts:
        stop, left = stops(part)
        if stop == "other":
            return None
        {"early": early, "late": late, "unknown": {}}[stop][part] = left
    if len(early) < LEAST or not late or max(early) > min(late):
        return None
    for _ in range(BISECTIONS):
        part = float(np.sqrt(max(early) * min(late)))
        stop, left = stops(part)
        {"early": early, "late": late, "unknown": {}, "other": {}}[stop][part] = left
    return early[max(early)], late[min(late)]


def _leaves_no_more(off: Deviation, kind: str, most: float) -> bool:
    """Whether no residual at the states is larger than the tolerance and what rounding adds."""
    B = right_side(off)
    assert B is not None
    M, b = off.mass_matrix, B[..., 0]
    left = np.linalg.norm(np.einsum("bij,bj->bi", M, off.answer) - b, axis=1)
    rounding = ROUNDING * EPSILON * np.linalg.norm(off.states.tau, axis=1)
    rounding = rounding + ROUNDING * EPSILON * np.linalg.norm(M, axis=(1, 2)) * np.linalg.norm(off.answer, axis=1)
    allowed = most * (np.linalg.norm(b, axis=1) if kind == "relative" else 1.0)
    return bool((left <= 2 * allowed + rounding).all())
