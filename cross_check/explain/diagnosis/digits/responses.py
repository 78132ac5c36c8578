"""How accelerations respond to forces: iterations that stop early are found with forces that tell where they stop.

They answer the sum of two forces with another sum. Conjugate gradients show their tolerance, too. After as many steps as there
are coordinates, their iterates depend on rounding, so that those of another code are not these. But a force that is an
eigenvector of M is solved in one step, and with a small part δ of another one in two. Code that stops at a residual answers the
first iterate where δ is small, and the solution where δ is large. In between is its tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.formats import written
from cross_check.explain.diagnosis.digits.solvers import GRADIENTS, MATCHED, Iteration, residuals, right_side
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from mechanisms.quantities import ByForces

LOOSE = 1e-2
"""The largest relative residual at which an iteration would stop."""

PARTS = [10.0**-k for k in range(1, 13)]
"""Small parts of a second eigenvector."""

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


Stop = Literal["early", "late", "unknown", "other"]


def _bracket(off: Deviation, way: Iteration, index: int, size: float) -> tuple[float, float] | None:
    """The largest residual at which the code stops after one step at a position, and the smallest at which it does not.

    None if it stops otherwise. ``size`` is that of the forces.
    """
    stops = _stops(off, way, index, size)
    tried = dict[float, tuple[Stop, float]]()
    for part in PARTS:
        tried[part] = stops(part)
        if tried[part][0] == "other":
            return None

    def parts(which: Stop) -> list[float]:
        return [part for part, (stop, _) in tried.items() if stop == which]

    if len(parts("early")) < LEAST or not parts("late") or max(parts("early")) > min(parts("late")):
        return None
    for _ in range(BISECTIONS):
        part = float(np.sqrt(max(parts("early")) * min(parts("late"))))
        tried[part] = stops(part)
    return tried[max(parts("early"))][1], tried[min(parts("late"))][1]


def _stops(off: Deviation, way: Iteration, index: int, size: float) -> Callable[[float], tuple[Stop, float]]:
    """After which step the code stops if the force has a small part of a second eigenvector, and the residual of the first."""
    q, M = off.states.q[index : index + 1], off.mass_matrix[index : index + 1]
    D = np.sqrt(np.diagonal(way.part(M)[0]))
    _, vectors = np.linalg.eigh(M[0] / D[:, None] / D)
    slow, fast = (D * vector / np.linalg.norm(D * vector) for vector in (vectors[:, 0], vectors[:, -1]))

    def stops(part: float) -> tuple[Stop, float]:
        force = fast + part * slow
        b = size * force[None] / np.linalg.norm(force)
        answer, first = _accelerations(off, q, b), next(way.iterates(M, b[..., None]))[..., 0]
        exact, left = np.linalg.solve(M, b[..., None])[..., 0], float(_sizes(M, first, b)[0])
        apart = float(np.linalg.norm(first - exact))
        if apart <= RESOLVED * np.linalg.norm(exact):
            return "unknown", left
        if answer is None:
            return "other", left
        near = [np.linalg.norm(answer - one) <= MATCHED * apart for one in (first, exact)]
        return "early" if near[0] else "late" if near[1] else "other", left

    return stops


def _leaves_no_more(off: Deviation, most: float, is_relative: bool) -> bool:
    """Whether no residual at the states is larger than the tolerance and what rounding adds."""
    M, b = off.mass_matrix, np.asarray(right_side(off))[..., 0]
    sizes = np.linalg.norm(off.states.tau, axis=1) + np.linalg.norm(M, axis=(1, 2)) * np.linalg.norm(off.answer, axis=1)
    allowed = most * (np.linalg.norm(b, axis=1) if is_relative else 1.0)
    return bool((_sizes(M, off.answer, b) <= 2 * allowed + ROUNDING * EPSILON * sizes).all())
