"""The aims of recorded programs, beside Pinocchio, on one core: everything that a caller pays is included.

"pinocchio" is called state by state from Python, and its answers are dropped. "core" is its own loop over a batch, with one
thread. "interpreted" is a recorded program as it runs at first, "own code" after it was compiled. Both return new arrays;
"reused" writes into arrays that exist, as the core does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from engines import pinocchio, pinocchio_call, state_by_state

from cross_check.comparison.sampling import sample
from cross_check.comparison.truth import Truth
from implementations.recorded.traced import COMPILED, TracedDynamics
from mechanisms import Mechanism
from mechanisms.generate import random_mechanism
from mechanisms.quantities import QUANTITIES
from mechanisms.robots import robot

DERIVATIVES = ("inverse_dynamics_dq", "inverse_dynamics_dv", "mass_matrix")
"""What computeRNEADerivatives computes in one call."""


@pytest.mark.parametrize("states", [2**12, 2**14, 2**17])
@pytest.mark.parametrize(("name", "aim"), [("ur5", 0.1), ("random tree of 30", 0.3)])
def test_inverse_dynamics(name: str, aim: float, states: int, race: Any, say: Callable[[str], None]) -> None:
    mechanism = robot(name) if name == "ur5" else random_mechanism(1, 30, shape="tree")
    arguments = tuple(np.random.default_rng(0).normal(size=(3, states, mechanism.nv)))
    columns = [np.asfortranarray(x.T) for x in arguments]
    out = np.empty_like(columns[0])
    pool = pinocchio.ModelPool(pinocchio_call(mechanism, "rnea").args[0], 1)
    contenders = programs(mechanism, ("inverse_dynamics",), arguments)
    contenders["core"] = lambda: pinocchio.rneaInParallel(1, pool, *columns, out)
    report(f"{name}: RNEA", states, race(contenders, rounds=3 + 2**16 // states), "core", aim, say)


@pytest.mark.parametrize(("quantity", "function"), [("mass_matrix", "crba"), ("forward_dynamics", "aba")])
def test_mass_matrix_and_forward_dynamics(quantity: str, function: str, race: Any, say: Callable[[str], None]) -> None:
    states, ur5 = 2**14, robot("ur5")
    arguments = states_of(ur5, quantity, states)
    contenders = programs(ur5, (quantity,), arguments)
    contenders["pinocchio"] = partial(state_by_state, pinocchio_call(ur5, function), *arguments)
    report(f"ur5: {function.upper()}", states, race(contenders, rounds=7), "pinocchio", 0.15, say)


@pytest.mark.parametrize("name", ["ur5", "talos"])
def test_derivatives_of_inverse_dynamics(name: str, race: Any, say: Callable[[str], None]) -> None:
    states, mechanism = 2**12, robot(name)
    arguments = states_of(mechanism, "inverse_dynamics", states)
    contenders = programs(mechanism, DERIVATIVES, arguments)
    together = partial(TracedDynamics(mechanism).together, DERIVATIVES, **dict(zip("qva", arguments, strict=True)))
    contenders["one program, interpreted"] = together
    contenders["pinocchio"] = partial(state_by_state, pinocchio_call(mechanism, "computeRNEADerivatives"), *arguments)
    report(f"{name}: ∂τ/∂q, ∂τ/∂v and M", states, race(contenders, rounds=5), "pinocchio", 0.5, say)


@pytest.mark.parametrize("name", ["ur5", "panda", "g1", "talos"])
def test_truth(name: str, race: Any, say: Callable[[str], None]) -> None:
    """The oracle's inverse dynamics, in double-double."""
    states, mechanism = 2**12, robot(name)
    arguments = states_of(mechanism, "inverse_dynamics", states)
    truth = Truth(mechanism)
    contenders: dict[str, Callable[[], object]] = {
        f"truth ({truth.name})": partial(truth.forces, *arguments),
        "pinocchio": partial(state_by_state, pinocchio_call(mechanism, "rnea"), *arguments),
    }
    report(f"{name}: inverse dynamics", states, race(contenders, rounds=7), "pinocchio", 1, say)


def states_of(mechanism: Mechanism, quantity: str, states: int) -> tuple[Any, ...]:
    drawn = sample(mechanism, 0, states)
    return drawn.with_forces(drawn.a).arguments(QUANTITIES[quantity].arguments)


def programs(mechanism: Mechanism, quantities: tuple[str, ...], arguments: tuple[Any, ...]) -> dict[str, Callable[[], object]]:
    traced = TracedDynamics(mechanism)
    functions = [(traced.function(quantity), len(QUANTITIES[quantity].arguments)) for quantity in quantities]

    def run(compiled: bool, outs: list[Any]) -> None:
        for (function, count), out in zip(functions, outs, strict=True):
            own = compiled and len(function.program.code) <= COMPILED
            function(*arguments[:count], precision="float64", compiled=own, out=out)

    new, memory = [None] * len(functions), [np.zeros((len(arguments[0]), *function.shape)) for function, _ in functions]
    calls = {"interpreted": partial(run, False, new), "own code": partial(run, True, new)}
    return {**calls, "interpreted, reused": partial(run, False, memory), "own code, reused": partial(run, True, memory)}


def report(what: str, states: int, best: dict[str, float], other: str, aim: float, say: Callable[[str], None]) -> None:
    times = ", ".join(f"{name} {1e6 * seconds / states:.3f}" for name, seconds in best.items())
    ratios = ", ".join(f"{name} {best[name] / best[other]:.3f}" for name in best if name != other)
    say(f"{what}, {states} states, µs per state: {times}")
    say(f"    ÷ {other}: {ratios} (aim {aim})")
