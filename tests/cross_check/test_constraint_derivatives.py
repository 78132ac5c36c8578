"""Derivatives of constrained motion: the truth is that of a curve on the constraint; only what the constraint allows counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from closed_trees import closed
from constrained import arguments, case_of, compared, named, units

from cross_check.explain.faults.edits import CONSTRAINT_FAULTS
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.measure import measure
from cross_check.memory import Array
from implementations.algorithms import evaluate_in_blocks
from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions
from implementations.field import Real
from implementations.processes.subject import LoadedInProcess
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import BY_PARTS, REFERENCE
from machine.double_doubles import DoubleDoubles
from mechanisms import WELD, random_mechanism
from mechanisms.errors import Unsupported
from mechanisms.joint import MOVING
from mechanisms.quantities import CONSTRAINT_QUANTITIES, ByConstrainedMotion
from oracle.multipliers import solve
from oracle.recorded import BY_JETS, RecordedQuantities

pytestmark = pytest.mark.slow

BAR = 16.0

STEP = 2.0**-27
"""Differences in double-double have errors of its square, and of 2⁻¹⁰⁰ divided by it."""


class Curve:
    """Positions and velocities that satisfy the constraints to 2⁻⁹⁰, and the motion there, all in double-double."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.programs = RecordedQuantities(case.mechanism, BY_JETS)
        own = self.rows(case.states.q)
        self.inverse = np.linalg.pinv(own.high)

    def value(self, name: str, *state: Any) -> Any:
        words = ((x.high, x.low) if isinstance(x, DoubleDoubles) else x for x in state)
        return DoubleDoubles(*self.programs.function(name)(*words))

    def rows(self, q: Any) -> Any:
        return self.value("constraint_jacobian", q)[np.arange(len(self.case.states))[:, None], self.case.states.rows]

    def motion(self, δq: Array, δv: Array) -> tuple[Any, Any]:
        """a and Jᵀλ (batch, nv) at the state nearest to (q + δq, v + δv). All coordinates are angles or distances."""
        s = self.case.states
        q, v = (DoubleDoubles(x, np.zeros_like(x)) + δ for x, δ in ((s.q, δq), (s.v, δv)))
        every = np.arange(len(s))[:, None]
        for _ in range(9):
            gap = self.value("constraint_residual", q)[every, s.rows]
            q = q - np.einsum("bij,bj->bi", self.inverse, gap.high)
        J = self.rows(q)
        for _ in range(9):
            v = v - np.einsum("bij,bj->bi", self.inverse, np.einsum("bij,bj->bi", J, v).high)
        b = s.tau - self.value("nonlinear_effects", q, v)
        c = -self.value("constraint_drift", q, v)[every, s.rows]
        a, λ = solve(self.value("mass_matrix", q), J, b[..., None], c[..., None])
        return a[..., 0], np.einsum("bij,bi->bj", J, λ[..., 0])


@pytest.mark.parametrize("name", ["slider-crank", "bricard"])
def test_the_truth_is_the_difference_of_motions_on_the_constraint(name: str) -> None:
    """Neither ∂J nor ∂ID is used, and redundant constraints have the same one."""
    case = named(name).pick(np.array([2, 5, 11]))
    case = case.at(case.truth, case.states)
    assert isinstance(case, Case)
    true, curve, n = case.equations(ByConstrainedMotion("by state")), Curve(case), case.mechanism.nv
    assert true.along is not None
    for k in range(2 * n):
        δ = STEP * true.along.high[..., k]
        ahead, behind = (curve.motion(sign * δ[:, :n], sign * δ[:, n:]) for sign in (1, -1))
        for x, y, expected in zip(ahead, behind, (true.x, true.forces), strict=True):
            got = (x - y).high / (2 * STEP)
            size = np.abs(expected.high).max(axis=(1, 2), initial=1e-9)
            assert (np.abs(got - expected.high[..., k]).max(axis=1) < 1e-9 * size).all(), (name, k)


def test_what_code_does_off_the_constraint_is_not_judged() -> None:
    """Stabilised constraints J a + J̇ v + k J v + k φ = 0 have other derivatives, and the same along allowed motions."""
    for name in ("four-bar", "flyball-governor"):
        case = named(name)
        model, s = build(case.mechanism, Real()), case.states
        J = REFERENCE.load(case.mechanism).constraint_jacobian(s.q)
        slip = np.einsum("bijk,bj->bik", evaluate_in_blocks(BY_PARTS["constraint_jacobian_dq"], model, (s.q,)), s.v)
        added = np.concatenate([3 * slip + 5 * J, 3 * J], 2)
        gain = np.random.default_rng(0).normal(size=(case.mechanism.nv, J.shape[1]))
        right = REFERENCE.load(case.mechanism).constrained_acceleration_dx(*arguments(case, "constrained_acceleration_dx"))
        assert units(case, "constrained_acceleration_dx", right + gain @ added) < BAR
        assert units(case, "constrained_acceleration_dx", right + 1e-6 * gain @ np.ones_like(added)) > 1e4


BY_NAME = {fault.name: fault for fault in CONSTRAINT_FAULTS}


@pytest.mark.parametrize(
    ("fault", "of_v"), [("∂(J)a/∂q is left out of the derivatives", False), ("∂(J̇v)/∂v is left out of the derivatives", True)]
)
def test_a_wrong_block_is_accused(fault: str, of_v: bool) -> None:
    """∂/∂v has a quantity of its own, and the columns are named by coordinates."""
    case, columns = named("four-bar"), {}
    for name in ("constrained_acceleration_dx", "constrained_acceleration_dv"):
        answer = getattr(MutantDynamics(BY_NAME[fault], case.mechanism), name)(*arguments(case, name))
        per_column = compare(case, CONSTRAINT_QUANTITIES[name], answer).units.max(axis=(0, 1))
        columns[name] = per_column > BAR
    n = case.mechanism.nv
    assert columns["constrained_acceleration_dv"].all() == columns["constrained_acceleration_dx"][n:].all() == of_v
    assert columns["constrained_acceleration_dx"][:n].all()
    quantity = CONSTRAINT_QUANTITIES["constrained_acceleration_dx"]
    assert quantity.component(case.mechanism, (0, 2)) == "drive, q of rocker pivot"
    assert quantity.component(case.mechanism, (1, 3)) == "crank pin, v of drive"


def test_the_derivative_of_multipliers_is_judged_where_they_are_unique() -> None:
    case = named("bricard")
    assert "constraint_multipliers_dx" not in compared(case) and "constraint_multipliers_dx" in compared(named("four-bar"))
    loaded = LoadedInProcess(REFERENCE.load(case.mechanism), case.mechanism)
    with pytest.raises(Unsupported, match="λ is not unique"):
        case.equations(ByConstrainedMotion("by state", "multipliers"))
    cell = measure(case, loaded, "reference", CONSTRAINT_QUANTITIES["constraint_multipliers_dx"], BAR).cell
    assert cell.verdict == "unsupported" and cell.message.startswith("rows of J follow from others, so λ is not unique")


class Squared:
    """Constrained accelerations by normal equations, which square the condition of [[M, Jᵀ], [J, 0]]."""

    def __init__(self, dynamics: Any, factor: float) -> None:
        self.dynamics, self.factor = dynamics, factor

    def constrained_acceleration(self, q: Array, v: Array, tau: Array) -> Array:
        J, M = self.dynamics.constraint_jacobian(q), self.dynamics.mass_matrix(q)
        zero = np.zeros((len(q), J.shape[1], J.shape[1]))
        K = np.concatenate([np.concatenate([M, J.swapaxes(1, 2)], 2), np.concatenate([J, zero], 2)], 1)
        b = np.concatenate([tau - self.dynamics.nonlinear_effects(q, v), -self.dynamics.constraint_drift(q, v)], 1)
        x = np.linalg.solve(K.swapaxes(1, 2) @ K, K.swapaxes(1, 2) @ b[..., None])[..., 0]
        return self.factor * x[:, : M.shape[1]]


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, "lost digits"), (1 + 1e-4, "discrepancy")])
def test_amplified_rounding_is_distinguished_from_a_wrong_term(factor: float, verdict: str) -> None:
    case = case_of(named("squeezing-mechanism").mechanism, 6)
    code = Squared(REFERENCE.load(case.mechanism), factor)
    loaded = LoadedInProcess(code, case.mechanism)  # type: ignore[arg-type]
    cell = measure(case, loaded, "squared", CONSTRAINT_QUANTITIES["constrained_acceleration"], BAR).cell
    assert cell.verdict == verdict, (cell.error, cell.message)


def test_no_fault_is_taken_for_rounding() -> None:
    case = named("four-bar").pick(np.arange(3, 6))
    case = case.at(case.truth, case.states)
    for name in ("∂(Jᵀ)λ/∂q is left out of the derivatives", "∂(J̇v)/∂v is half as large in the derivatives"):

        class Faulty:
            def constrained_acceleration_dx(self, *state: Array, fault: str = name) -> Array:
                right = REFERENCE.load(case.mechanism).constrained_acceleration_dx(*state)
                wrong = MutantDynamics(BY_NAME[fault], case.mechanism).constrained_acceleration_dx(*state)
                # A part of the fault is as small as the rounding of many engines.
                return right + 1e-6 * (wrong - right)

        loaded = LoadedInProcess(Faulty(), case.mechanism)  # type: ignore[arg-type]
        cell = measure(case, loaded, "mine", CONSTRAINT_QUANTITIES["constrained_acceleration_dx"], BAR).cell
        assert cell.verdict == "discrepancy" and cell.error is not None and cell.error < 2.0**26


LEFT_OUT = ("∂(Jᵀ)λ/∂q", "∂(J)a/∂q", "∂(J̇v)/∂q")


@pytest.mark.nightly
def test_terms_that_are_left_out_show_where_a_and_multipliers_are_ill_conditioned() -> None:
    """Nine bodies of all kinds with a free base, the last one welded to the ground: sizes contain 10⁶ times more than is lost."""
    tree = random_mechanism(1, 9, MOVING, True, shape="chain", tilted_gravity=True)
    case = case_of(closed(tree, ("body9", "world", WELD))[0], 3)
    for name in ("constrained_acceleration_dx", "constraint_forces_dx", "constraint_multipliers_dx"):
        state = arguments(case, name)
        right = getattr(REFERENCE.load(case.mechanism), name)(*state)
        assert units(case, name, right) < BAR
        assert units(case, name, right.astype(np.float32).astype(float)) > BAR
        for term in LEFT_OUT:
            fault = BY_NAME[f"{term} is left out of the derivatives"]
            wrong = getattr(MutantDynamics(fault, case.mechanism), name)(*state)
            assert units(case, name, wrong) > 1000, (name, term)


def test_code_with_joints_in_another_order_has_both_blocks_of_columns_in_it() -> None:
    case, order = named("four-bar"), [2, 0, 1]
    reference = REFERENCE.load(case.mechanism)

    class Theirs:
        def constrained_acceleration_dx(self, q: Array, v: Array, tau: Array) -> Array:
            ours = reference.constrained_acceleration_dx(*(x[:, np.argsort(order)] for x in (q, v, tau)))
            return np.concatenate([block[:, order][:, :, order] for block in np.split(ours, 2, axis=2)], 2)

    given = arguments(case, "constrained_acceleration_dx")
    converted = Converted(Theirs(), case.mechanism, Conventions(), order)
    assert (converted.constrained_acceleration_dx(*given) == reference.constrained_acceleration_dx(*given)).all()
