"""The reference and its traced program beside Pinocchio and RBDL, on one arm and on one core.

"pinocchio" and "rbdl" are called state by state from Python, as their users call them, and their answers are dropped.
"core" is Pinocchio's own loop over a batch, with one thread: its C++ without the cost of a call from Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from engines import pinocchio, pinocchio_call, rbdl_call, state_by_state

from implementations.recorded.traced import TRACED
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.robots import robot

ENGINES: dict[str, tuple[str, str | None]] = {
    "inverse_dynamics": ("rnea", "rneaInParallel"),
    "mass_matrix": ("crba", None),
    "forward_dynamics": ("aba", "abaInParallel"),
}
"""Pinocchio's function of one state and of a batch."""


@pytest.mark.parametrize("states", [2**14, 2**17])
@pytest.mark.parametrize("quantity", ENGINES)
def test_ur5(quantity: str, states: int, race: Any, say: Callable[[str], None]) -> None:
    ur5 = robot("ur5")
    width = 1 if quantity == "mass_matrix" else 3
    arguments = tuple(np.random.default_rng(0).normal(size=(width, states, ur5.nv)))
    one, batch = ENGINES[quantity]
    reference, traced = getattr(REFERENCE.load(ur5), quantity), getattr(TRACED.load(ur5), quantity)
    engine, rbdl = pinocchio_call(ur5, one), rbdl_call(ur5, quantity)
    contenders: dict[str, Callable[[], object]] = {
        "reference": lambda: reference(*arguments),
        "traced": lambda: traced(*arguments),
        "pinocchio": lambda: state_by_state(engine, *arguments),
        "rbdl": lambda: state_by_state(rbdl, *arguments),
    }
    if batch:
        pool = pinocchio.ModelPool(engine.args[0], 1)
        columns = [np.asfortranarray(x.T) for x in arguments]
        out = np.empty_like(columns[0])
        contenders["core"] = lambda: getattr(pinocchio, batch)(1, pool, *columns, out)
    best = race(contenders, rounds=2**18 // states + 4)
    one_state = engine(*(x[0] for x in arguments))
    np.testing.assert_allclose(traced(*(x[:1] for x in arguments))[0], one_state, rtol=1e-8, atol=1e-10)

    say(f"UR5 {quantity}, {states} states, µs per state: " + ", ".join(f"{k} {1e6 * t / states:.3f}" for k, t in best.items()))
    say(f"    reference ÷ pinocchio {best['reference'] / best['pinocchio']:.2f}")
    if batch:
        say(f"    core ÷ traced {best['core'] / best['traced']:.2f}, reference ÷ core {best['reference'] / best['core']:.2f}")
