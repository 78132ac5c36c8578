"""Derivatives of a wrong τ belong to the cause of the wrong τ; other wrong derivatives do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from diagnosed import explained, fault_called

from cross_check.entry import Entry
from cross_check.exchange.results.objects import Cell
from cross_check.explain.diagnosis.diagnose import Diagnosis
from cross_check.explain.diagnosis.follows import DERIVED, FOLLOWING, Differentiated, following, follows
from cross_check.explain.diagnosis.laboratory import Laboratory, Run, try_sampled
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.geometry import Placement
from mechanisms.quantities import QUANTITIES

BAR = 16.0


class Differentiating:
    """Code with a fault that differentiates its own τ and q̈; ``spoilt`` names a derivative that is halved."""

    name = "code"

    def __init__(self, fault: Fault, solves: bool = False, spoilt: str = "") -> None:
        self.fault, self.solves, self.spoilt = fault, solves, spoilt

    def load(self, mechanism: Mechanism) -> Any:
        mutant, own, code = MutantDynamics(self.fault, mechanism), Differentiated(self.fault, mechanism), self

        class Loaded:
            def __getattr__(self, quantity: str) -> Any:
                def answer(*arguments: Array) -> Array:
                    state = dict(zip(QUANTITIES[quantity].arguments, arguments, strict=True))
                    if quantity not in DERIVED:
                        return getattr(mutant, quantity)(*arguments)
                    of, _, by = quantity.rpartition("_d")
                    solved = code.solves and of == "forward_dynamics"
                    value = own.solved(quantity, state) if solved else own.derivative(of, by, state)
                    return value / 2 if quantity == code.spoilt else value

                return answer

        return Loaded()


@pytest.mark.parametrize("solves", [False, True])
@pytest.mark.parametrize("quantity", FOLLOWING)
def test_without_a_fault_complex_steps_are_the_derivatives(quantity: str, solves: bool) -> None:
    """Every kind of joint: the complex step and the reference's formulas share no derivation."""
    mechanism = find_mechanism("every-joint")
    states = sample(mechanism, 0, 4).columns
    state = {name: states[name] for name in QUANTITIES[quantity].arguments}
    right = getattr(REFERENCE.load(mechanism), quantity)(*state.values())
    change = following(NO_FAULT, solves).answer
    assert change
    assert np.abs(change(mechanism, quantity, state, right) - right).max() <= 1e-9 * np.abs(right).max()


def test_right_quantities_are_searched_in_the_order_of_the_cells() -> None:
    cells = [Cell(f"arm/code/{name}", "arm", "code", name, "agrees") for name in FOLLOWING]
    right = Diagnosis(Run(Entry("code", "code", InProcess(REFERENCE)), cells, (), Settings())).of("arm", "agrees")
    assert [cell.quantity for cell in right] == [*FOLLOWING]


def test_quantities_that_follow_have_one_order() -> None:
    fault = fault_called("rotations of placements are transposed")
    assert following(replace(fault, quantities=("placements", "mass_matrix")), False).quantities == (
        "placements",
        "mass_matrix",
        *DERIVED,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ω × I ω is left out", "damping grows with v²", "rotations of placements are transposed"])
def test_derivatives_of_wrong_dynamics_follow_and_others_do_not(name: str) -> None:
    fault, mechanism = fault_called(name), find_mechanism("random:5:4:all")

    def trial(code: Any) -> Any:
        return try_sampled(Laboratory(InProcess(code), "code"), mechanism, 0, 6)

    for quantity in DERIVED:
        assert follows(trial(Differentiating(fault, solves=True)), quantity, fault)
    spoilt = trial(Differentiating(fault, spoilt="inverse_dynamics_dv"))
    assert follows(spoilt, "inverse_dynamics_dq", fault)
    assert not follows(spoilt, "inverse_dynamics_dv", fault)
    assert not follows(spoilt, "inverse_dynamics_dq", fault_called("ω × I ω has the wrong sign"))


@pytest.mark.slow
def test_one_fault_of_inverse_dynamics_is_the_one_cause_of_its_derivatives() -> None:
    fault = fault_called("ω × I ω is left out")
    quantities = ("inverse_dynamics", "inverse_dynamics_dq", "inverse_dynamics_dv")
    found = explained(Differentiating(fault), "code", find_mechanism("random:5:2:all"), *quantities)
    assert found == {f"In code, {fault.name}": quantities}


def test_a_fault_with_huge_numbers_does_not_explain_all_derivatives() -> None:
    """Larger numbers are rounded by more, but not by so much that right answers would pass, too."""
    code, mechanism = Differentiating(fault_called("ω × I ω is left out")), find_mechanism("random:5:4:all")
    trial = try_sampled(Laboratory(InProcess(code), "code"), mechanism, 0, 6)
    millimetres = Fault("lengths are in mm", "units", mechanism=wm.placement(_in_millimetres))
    assert trial.errors("forward_dynamics_dq", millimetres).max() > 1e3 * BAR


def _in_millimetres(placement: Placement) -> Placement:
    return Placement(placement.rotation, tuple(1000 * x for x in placement.translation))
