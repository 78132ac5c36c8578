"""The reference and its traced program beside Pinocchio and RBDL, on one arm and on one core.

"Pinocchio" and "RBDL" are called state by state from Python, as their users call them, and their answers are dropped. "core" is
Pinocchio's own loop over a batch, with one thread: its C++ without the cost of a call from Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from engines import pinocchio, pinocchio_call, rbdl_call, state_by_state

from implementations.recorded.traced import TRACED
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.robots import robot

STATES = 2**14

ENGINES: dict[str, tuple[str, str | None]] = {
    "inverse_dynamics": ("rnea", "rneaInParallel"),
    "mass_matrix": ("crba", None),
    "forward_dynamics": ("aba", "abaInParallel"),
}
"""Pinocchio's function of one state and of a batch."""

COLUMNS = ("reference", "traced", "Pinocchio", "core", "RBDL")


def test_ur5(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    states = scaled(STATES, 16)
    contenders = {(quantity, name): call for quantity in ENGINES for name, call in contenders_for(quantity, states).items()}
    best = race(contenders, rounds=5)
    rows = []
    for quantity in ENGINES:
        seconds = [best.get((quantity, name)) for name in COLUMNS]
        rows.append((quantity.replace("_", " "), *(f"{1e6 * t / states:.2f}" if t else "" for t in seconds)))
    table("ur5", ("µs per state", *COLUMNS), rows)


def contenders_for(quantity: str, states: int) -> dict[str, Callable[[], object]]:
    ur5 = robot("ur5")
    width = 1 if quantity == "mass_matrix" else 3
    arguments = tuple(np.random.default_rng(0).normal(size=(width, states, ur5.nv)))
    one, batch = ENGINES[quantity]
    traced, engine = getattr(TRACED.load(ur5), quantity), pinocchio_call(ur5, one)
    first = engine(*(x[0] for x in arguments))
    np.testing.assert_allclose(traced(*(x[:1] for x in arguments))[0], first, rtol=1e-8, atol=1e-10)
    contenders: dict[str, Callable[[], object]] = {
        "reference": partial(getattr(REFERENCE.load(ur5), quantity), *arguments),
        "traced": partial(traced, *arguments),
        "Pinocchio": partial(state_by_state, engine, *arguments),
        "RBDL": partial(state_by_state, rbdl_call(ur5, quantity), *arguments),
    }
    if batch:
        pool, columns = pinocchio.ModelPool(engine.args[0], 1), [np.asfortranarray(x.T) for x in arguments]
        contenders["core"] = partial(getattr(pinocchio, batch), 1, pool, *columns, np.empty_like(columns[0]))
    return contenders
