"""Methods that need earlier steps: those of Adams, v⁺ = v + h Σ βⱼ kⱼ, with k at the answer (j = −1), at the state, and before.

The β of code are solved for from motions that it makes from a few states, and compared with those that are exact for polynomials
in time (Hairer, Nørsett & Wanner, "Solving ODEs I", III.1).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.memory import Array
from cross_check.steps.alterations import number, simple
from cross_check.steps.motion import Motion
from cross_check.steps.moves import change_of
from cross_check.steps.taken import Step
from implementations.conventions.declared import Conventions

MOST_STEPS = 4

LONGEST_MOTION = 2 * MOST_STEPS

BEGUN = MOST_STEPS - 1
"""So many steps of a motion may begin a method otherwise than it goes on."""

SAME = 1e-9
"""The share of the change of v that a method may miss. It is solved for at states that the code itself went through."""

Ask = Callable[[Array, Array, Array, Array], tuple[Array, Array]]


def several_steps(ask: Ask, motion: Motion, step: Step) -> str:
    """The method's name and β; empty if there is none, or if it needs one step alone. Raises what asking raises."""
    runs = [_run(ask, motion, step.pick(np.array([k]))) for k in range(len(step.q))]
    for before in range(1, MOST_STEPS + 1):
        for first in (0, -1):
            if name := _method(runs, before, first):
                return name if before > 1 else ""
    return ""


def _run(ask: Ask, motion: Motion, start: Step) -> tuple[Array, Array]:
    """(v⁺ − v) / h (steps, nv) of a motion, and k (steps + 1, nv)."""
    q, v, change = start.q, start.v, change_of(motion.mechanism, Conventions())
    velocities, rates = [v[0]], list[Array]()
    for _ in range(LONGEST_MOTION):
        rates.append(motion.acceleration(change, q, v, start.tau, start.h)[0])
        q, v = ask(q, v, start.tau, start.h)
        velocities.append(v[0])
    rates.append(motion.acceleration(change, q, v, start.tau, start.h)[0])
    return np.diff(velocities, axis=0) / start.h[0], np.array(rates)


def _method(runs: list[tuple[Array, Array]], before: int, first: int) -> str:
    left, right = [], []
    for change, rates in runs:
        columns = [rates[BEGUN - j : len(rates) - 1 - j] for j in range(first, before)]
        left.append(np.stack([x.ravel() for x in columns], axis=1))
        right.append(change[BEGUN:].ravel())
    A, y = np.concatenate(left), np.concatenate(right)
    size = np.linalg.norm(A, axis=0)
    if not (size > 0).all() or not np.isfinite(A).all() or not np.isfinite(y).all():
        return ""
    beta = np.linalg.lstsq(A / size, y, rcond=None)[0] / size
    if np.abs(A @ beta - y).max() > SAME * np.abs(y).max():
        return ""
    exact = _adams(before, first)
    listed = ", ".join(number(next(simple(float(x)))) for x in beta)
    kind = "Adams–Bashforth" if first == 0 else "Adams–Moulton"
    if np.abs(beta - exact).max() < 1e-4:
        return f"{kind} with {before} steps: v⁺ = v + h Σ β k, β = ({listed})"
    return f"a method of {before} steps: v⁺ = v + h Σ β k, β = ({listed})"


def _adams(before: int, first: int) -> Array:
    """β that is exact for polynomials: Σ βⱼ (−j)ᵐ = 1 / (m + 1)."""
    times = -np.arange(first, before, dtype=float)
    return np.linalg.solve(np.vander(times, increasing=True).T, 1 / np.arange(1, len(times) + 1))
