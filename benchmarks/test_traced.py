"""The reference and recorded programs beside Pinocchio and RBDL, on one core: everything that a caller pays is included.

Engines are called state by state from Python, as their users call them, and their answers are dropped; Pinocchio's core is its
own loop over a batch, with one thread: its C++ without the cost of a call from Python. "Interpreted" is a recorded program as
it runs at first, "own code" after it was compiled, where it is short enough for that. Both return new arrays; "reused" writes
into arrays that exist, as the core does. "Together" are several quantities in one call, as Pinocchio computes the derivatives;
they are one program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any

import numpy as np
from engines import pinocchio_call, pinocchio_core, rbdl_call, state_by_state

from cross_check.judge.comparison.sampling import sample
from cross_check.judge.comparison.truth import Truth
from implementations.recorded.traced import COMPILED, TRACED, TracedDynamics
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.library.generate import random_mechanism
from mechanisms.library.robots import robot
from mechanisms.quantities import QUANTITIES

DERIVATIVES = ("inverse_dynamics_dq", "inverse_dynamics_dv", "mass_matrix")
"""What computeRNEADerivatives computes in one call."""

PINOCCHIO = "Pinocchio"
TOGETHER = "together"
COLUMNS = ("interpreted", "own code", "own code, reused", TOGETHER, PINOCCHIO)

Calls = dict[str, Callable[[], object]]


def test_traced(races: Any, table: Callable[..., None], aim: Callable[[str, float], None], scaled: Callable[..., Any]) -> None:
    few, some, many = scaled((2**12, 2**14, 2**17), (3, 3, 3))
    ur5, talos, tree = robot("ur5"), robot(scaled("talos", "ur5")), random_mechanism(1, scaled(30, 3), shape="tree")
    groups: dict[tuple[str, int, str], tuple[Calls, str]] = {
        ("RNEA, ur5", few, "2¹²"): (inverse_dynamics(ur5, few), ""),
        ("RNEA, ur5", some, "2¹⁴"): (inverse_dynamics(ur5, some), "rnea ur5"),
        ("RNEA, ur5", many, "2¹⁷"): (inverse_dynamics(ur5, many), ""),
        ("RNEA, random tree of 30", some, "2¹⁴"): (inverse_dynamics(tree, some), "rnea tree"),
        ("CRBA, ur5", some, "2¹⁴"): (one_quantity(ur5, "mass_matrix", "crba", some), "crba ur5"),
        ("ABA, ur5", some, "2¹⁴"): (one_quantity(ur5, "forward_dynamics", "aba", some), "aba ur5"),
        ("∂τ/∂q, ∂τ/∂v, M, ur5", few, "2¹²"): (derivatives(ur5, few), "derivatives ur5"),
        ("∂τ/∂q, ∂τ/∂v, M, talos", few, "2¹²"): (derivatives(talos, few), "derivatives talos"),
    }
    best = races({key: calls for key, (calls, _) in groups.items()}, 7)
    rows = []
    for key, (_, aimed) in groups.items():
        work, states, shown = key
        seconds = [best.get((key, name)) for name in COLUMNS]
        ratio = min(best.get((key, name), inf) for name in ("own code", TOGETHER)) / best[key, PINOCCHIO]
        rows.append((work, shown, *(f"{1e6 * t / states:.2g}" if t else "" for t in seconds), f"{ratio:.2g}"))
        if aimed:
            aim(aimed, ratio)
    table("traced", ("µs per state", "states", *COLUMNS, "faster of own code and together ÷ Pinocchio"), rows)


def test_truth(races: Any, table: Callable[..., None], aim: Callable[[str, float], None], scaled: Callable[..., Any]) -> None:
    """The oracle's inverse dynamics, in double-double."""
    states = scaled(2**12, 3)
    groups = {}
    for name in ("ur5", "panda", "g1", "talos"):
        mechanism = robot(name)
        arguments = states_of(mechanism, "inverse_dynamics", states)
        engine = partial(state_by_state, pinocchio_call(mechanism, "rnea"), *arguments)
        groups[name] = {"truth": partial(Truth(mechanism).forces, *arguments), PINOCCHIO: engine}
    best = races(groups, 7)
    rows = []
    for name in groups:
        truth, engine_ = best[name, "truth"], best[name, PINOCCHIO]
        rows.append((name, f"{1e6 * truth / states:.2g}", f"{1e6 * engine_ / states:.2g}", f"{truth / engine_:.2g}"))
        aim(f"truth {name}", truth / engine_)
    table("truth", ("µs per state", "truth", "`pinocchio.rnea`", "ratio"), rows)


def inverse_dynamics(mechanism: Mechanism, states: int) -> Calls:
    """Beside Pinocchio's core."""
    arguments = tuple(np.random.default_rng(0).normal(size=(3, states, mechanism.nv)))
    return programs(mechanism, ("inverse_dynamics",), arguments) | {PINOCCHIO: core(mechanism, "rneaInParallel", arguments)}


def core(mechanism: Mechanism, function: str, arguments: tuple[Any, ...]) -> Callable[[], object]:
    """Pinocchio's core, which writes into an array that exists."""
    return partial(pinocchio_core(mechanism, function, *arguments), np.empty(arguments[0].shape[::-1], order="F"))


def one_quantity(mechanism: Mechanism, quantity: str, function: str, states: int) -> Calls:
    arguments = states_of(mechanism, quantity, states)
    engine = partial(state_by_state, pinocchio_call(mechanism, function), *arguments)
    return programs(mechanism, (quantity,), arguments) | {PINOCCHIO: engine}


def derivatives(mechanism: Mechanism, states: int) -> Calls:
    arguments = states_of(mechanism, "inverse_dynamics", states)
    engine = partial(state_by_state, pinocchio_call(mechanism, "computeRNEADerivatives"), *arguments)
    together = partial(TracedDynamics(mechanism).together, DERIVATIVES, **dict(zip("qva", arguments, strict=True)))
    return programs(mechanism, DERIVATIVES, arguments) | {TOGETHER: together, PINOCCHIO: engine}


def states_of(mechanism: Mechanism, quantity: str, states: int) -> tuple[Any, ...]:
    drawn = sample(mechanism, 0, states)
    return drawn.with_forces(drawn.a).arguments(QUANTITIES[quantity].arguments)


def programs(mechanism: Mechanism, quantities: Sequence[str], arguments: tuple[Any, ...]) -> Calls:
    traced = TracedDynamics(mechanism)
    functions = [(traced.function(quantity), len(QUANTITIES[quantity].arguments)) for quantity in quantities]

    def run(compiled: bool, outs: list[Any]) -> None:
        for (function, count), out in zip(functions, outs, strict=True):
            own = compiled and len(function.program.code) <= COMPILED
            function(*arguments[:count], precision="float64", compiled=own, out=out)

    new, memory = [None] * len(functions), [np.zeros((len(arguments[0]), *function.shape)) for function, _ in functions]
    return dict(zip(COLUMNS, (partial(run, False, new), partial(run, True, new), partial(run, True, memory)), strict=False))


STATES = 2**14

ENGINES: dict[str, tuple[str, str | None]] = {
    "inverse_dynamics": ("rnea", "rneaInParallel"),
    "mass_matrix": ("crba", None),
    "forward_dynamics": ("aba", "abaInParallel"),
}
"""Pinocchio's function of one state and of a batch."""

UR5_COLUMNS = ("reference", "traced", "Pinocchio", "core", "RBDL")


def test_ur5(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    states = scaled(STATES, 16)
    contenders = {(quantity, name): call for quantity in ENGINES for name, call in contenders_for(quantity, states).items()}
    best = race(contenders, rounds=5)
    rows = []
    for quantity in ENGINES:
        seconds = [best.get((quantity, name)) for name in UR5_COLUMNS]
        rows.append((quantity.replace("_", " "), *(f"{1e6 * t / states:.2f}" if t else "" for t in seconds)))
    table("ur5", ("µs per state", *UR5_COLUMNS), rows)


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
        contenders["core"] = core(ur5, batch, arguments)
    return contenders
