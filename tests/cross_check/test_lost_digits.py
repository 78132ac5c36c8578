"""Amplified rounding is told apart from wrong terms, also from terms that are wrong by a part in a thousand million."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from altered import run, verdicts_of
from inexact_code import AsTheBookPrintsIt

from cross_check.exchange.results import Cell, Invariant, Results, RunSettings, verdict_of
from cross_check.exchange.results.objects import BAR, ImplementationSummary
from cross_check.judge.comparison.case import Case, prepare
from cross_check.judge.comparison.lost_digits import amplification
from cross_check.judge.comparison.measure import measure
from cross_check.judge.relations.invariants import with_lost_digits
from implementations.plugins.user_code import UserCodeError, as_implementation
from implementations.processes.subject import InProcess, LoadedInProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism, random_mechanism
from mechanisms.quantities import ALL_QUANTITIES, QUANTITIES

Array = np.ndarray[Any, Any]

BALLS = random_mechanism(7, 14, ("spherical",), shape="chain")


@pytest.fixture(scope="module")
def balls() -> Case:
    return prepare(BALLS, 0, 28)


def cell_of(case: Case, implementation: Any) -> Cell:
    loaded = LoadedInProcess(implementation.load(case.mechanism), case.mechanism)
    return measure(case, loaded, "mine", QUANTITIES["forward_dynamics"], BAR).cell


@pytest.mark.slow
def test_an_unstable_algorithm_loses_digits_and_the_reference_does_not(balls: Case) -> None:
    cell = cell_of(balls, AsTheBookPrintsIt())
    # How many they are depends on the order in which the machine sums.
    assert cell.verdict == "lost digits"
    lost = r"rounding is amplified: [2-4] of 16 digits are lost, and the equation amplifies them \d\S* times there"
    assert re.fullmatch(lost, cell.message)
    assert cell_of(balls, REFERENCE).verdict == "agrees"


FAULTS: dict[str, Callable[..., Array]] = {
    "a billionth": lambda a, q, v: a * (1 + 1e-9),
    "a billionth of what depends on q": lambda a, q, v: a + 1e-9 * np.abs(a).max() * np.sin(3 * q[:, :1]),
    "a billionth in one state": lambda a, q, v: np.where(np.abs(v).sum(axis=1, keepdims=True) == 0, a * (1 + 1e-9), a),
    "single precision of an angle": lambda a, q, v: a + 1e-7 * np.abs(a).max() * np.sin(1e3 * q[:, :1].astype(np.float32)),
    "erratic from the fourth digit on": lambda a, q, v: a * (1 + 1e-3 * np.sin(1e20 * a)),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("wrapped", [AsTheBookPrintsIt, None])
def test_a_wrong_term_is_no_rounding(balls: Case, fault: str, wrapped: Any) -> None:
    """Whether it occurs in code that loses digits or in code that does not."""
    right = AsTheBookPrintsIt(FAULTS[fault]) if wrapped else Changed(FAULTS[fault])
    assert cell_of(balls, right).verdict == "discrepancy"


def noise(size: float) -> Callable[..., Array]:
    rng = np.random.default_rng(0)
    return lambda a, q, v: a * (1 + size * rng.uniform(-1, 1, a.shape))


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["pendulum", "spatial-3r"])
def test_noise_is_no_amplified_rounding(spec: str) -> None:
    """It scatters as rounding does, and nothing there amplifies rounding."""
    case = prepare(find_mechanism(spec), 0, 14)
    for size, verdict in ((1e-8, "discrepancy"), (1e-12, "discrepancy"), (1e-17, "agrees")):
        assert cell_of(case, Changed(noise(size))).verdict == verdict, size


def test_a_pendulum_amplifies_nothing() -> None:
    case = prepare(find_mechanism("pendulum"), 0, 7)
    of = {name: amplification(case, QUANTITIES[name]) for name in ("forward_dynamics", "forward_dynamics_dtau")}
    assert all(A.max() <= 1 + 1e-12 for A in of.values())


@pytest.mark.slow
def test_amplification_is_how_far_rounded_masses_move_the_solution(balls: Case) -> None:
    """M (a + da) misses the equation with M by at most A roundings of every entry, and by a part of that at some state."""
    rng, q = np.random.default_rng(0), balls.states.q
    M, root = balls.truth.high_low("mass_matrix", q)[0], np.sqrt(balls.scale.subtree_inertias(q))
    A = amplification(balls, QUANTITIES["forward_dynamics"])
    worst = 0.0
    for _ in range(20):
        signs = rng.choice([-1.0, 1.0], root.shape)
        moved = np.abs(M) @ np.abs(balls.mass_matrix.inverse(q) @ (signs * root)[..., None])
        worst = max(worst, float((moved[..., 0] / root / A).max()))
    assert 0.01 < worst <= 1 + 1e-9


class Changed(AsTheBookPrintsIt):
    """The reference with another answer."""

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self._change(self._dynamics.forward_dynamics(q, v, tau), q, v)


@pytest.mark.slow
def test_code_that_answers_these_states_alone_is_wrong(balls: Case) -> None:
    """Nothing is known of it elsewhere."""
    asked: list[Array] = []

    def once(a: Array, q: Array, v: Array) -> Array:
        asked.append(a)
        if len(asked) > 1:
            raise ValueError("no such state")
        return a

    assert cell_of(balls, AsTheBookPrintsIt(once)).verdict == "discrepancy"


LOST = Cell("m/i/forward_dynamics", "m", "i", "forward_dynamics", "lost digits", error=500.0)
AGREES = Cell("m/i/inverse_dynamics", "m", "i", "inverse_dynamics", "agrees", error=2.0)
BROKEN = Invariant("m/i/ID∘FD = identity", "m", "i", "ID∘FD = identity", "discrepancy", error=501.0)


def test_an_invariant_is_broken_by_no_more_than_forward_dynamics_lost() -> None:
    assert with_lost_digits(BROKEN, [LOST, AGREES], 16.0).verdict == "lost digits"
    others = [
        (replace(BROKEN, error=600.0), [LOST, AGREES]),
        (replace(BROKEN, name="M = Mᵀ"), [LOST, AGREES]),
        (BROKEN, [replace(LOST, verdict="discrepancy"), AGREES]),
        (BROKEN, [LOST, replace(AGREES, verdict="discrepancy")]),
        (BROKEN, [AGREES]),
    ]
    assert {with_lost_digits(invariant, cells, 16.0).verdict for invariant, cells in others} == {"discrepancy"}


def test_digits_that_are_lost_do_not_hide_behind_what_is_wrong() -> None:
    wrong = replace(AGREES, verdict="discrepancy", error=1e9)
    verdict = verdict_of(Results(RunSettings("0", 0, 1, 16.0), [ImplementationSummary("i", "i", "1")], cells=[LOST, wrong]))
    assert (verdict.exit_code, *verdict.sentences) == (
        1,
        "i disagrees with the truth in 1 of 2 comparisons",
        "i loses digits to rounding in 1 comparison",
    )


class Differences:
    """∂q̈/∂q and ∂q̈/∂v by central differences of q̈ with this step; ``declares`` are the quantities that it says so of."""

    name, version = "mine", "1"

    def __init__(self, step: float, *declares: str, factor: float = 1.0) -> None:
        self.step, self.finite_differences, self.factor = step, declares, factor

    def load(self, mechanism: Any) -> Any:
        right: Any = REFERENCE.load(mechanism)

        def by(k: int, *state: Array) -> Array:
            def moved(h: float, j: int) -> Array:
                # ∂q̈/∂v does not depend on τ.
                there = [x.copy() for x in (*state, np.zeros_like(state[1]))[:3]]
                there[k][:, j] += h
                return right.forward_dynamics(*there)

            columns = [(moved(self.step, j) - moved(-self.step, j)) / (2 * self.step) for j in range(state[1].shape[1])]
            return self.factor * np.stack(columns, axis=2)

        return SimpleNamespace(forward_dynamics_dq=partial(by, 0), forward_dynamics_dv=partial(by, 1))


DERIVATIVES = ("forward_dynamics_dq", "forward_dynamics_dv")


def run_of(code: Any) -> Results:
    return run(code, "spatial-3r", *DERIVATIVES, states=14)


@pytest.mark.slow
def test_finite_differences_are_wrong_unless_they_are_declared() -> None:
    declared, other = DERIVATIVES
    assert verdicts_of(run_of(Differences(1e-6, declared))) == {declared: "lost digits", other: "discrepancy"}


@pytest.mark.slow
@pytest.mark.parametrize("code", [Differences(1e-1, *DERIVATIVES), Differences(1e-6, *DERIVATIVES, factor=1.001)])
def test_what_is_declared_is_never_more_than_differences_can_lose(code: Any) -> None:
    assert verdicts_of(run_of(code))["forward_dynamics_dq"] == "discrepancy"


@pytest.mark.slow
def test_where_a_declaration_makes_answers_right_the_verdict_says_so() -> None:
    done = run_of(Differences(1e-6, *DERIVATIVES))
    said = "mine is right in 2 comparisons only because they are declared as finite differences"
    assert said in verdict_of(done).text and "rounding" not in verdict_of(done).text
    first, other = done.cells
    rounded = replace(done, cells=(first, replace(other, message="rounding is amplified: 2 of 16 digits are lost")))
    said = "and is right in 1 comparison only because it is declared as a finite difference"
    assert f"mine loses digits to rounding in 1 comparison {said}" in verdict_of(rounded).text


@pytest.mark.parametrize(
    ("name", "what"),
    [
        *((name, "no derivative of another quantity") for name in ("mass_matrix", "joint_torque_regressor", "delassus_matrix")),
        ("forward_dynamics_by_q", "no quantity"),
    ],
)
def test_what_is_no_derivative_is_not_declared_to_be_a_difference(name: str, what: str) -> None:
    """Errors of 1e-8 would be excused."""
    module = SimpleNamespace(finite_differences=["gravity_dq", name], inverse_dynamics=lambda mechanism, q, v, a: q)
    with pytest.raises(UserCodeError, match=f"names '{name}', which is {what}; name only derivatives there"):
        as_implementation(module, "mine.py", "mine")


def test_every_derivative_may_be_declared_to_be_a_difference() -> None:
    """Those of which the name or the words say that they are derivatives or rates."""
    derivatives = [name for name, one in ALL_QUANTITIES.items() if "∂" in one.symbol or "the rate of" in one.meaning]
    assert len(derivatives) > 40
    module = SimpleNamespace(finite_differences=derivatives, gravity=lambda mechanism, q: q)
    assert list(InProcess(as_implementation(module, "mine.py", "mine")).finite_differences) == derivatives
