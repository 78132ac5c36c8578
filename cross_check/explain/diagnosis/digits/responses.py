"""How accelerations respond to forces: iterations that stop early answer the sum of two forces with another sum."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.solvers import right_side
from cross_check.explain.diagnosis.digits.written import written
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from mechanisms.quantities import ByForces

LOOSE = 1e-2
"""The largest relative residual at which an iteration would stop."""


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
