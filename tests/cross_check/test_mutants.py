"""A mutant knows which quantities its fault leaves alone, without computing them."""

from __future__ import annotations

import numpy as np
import pytest

from cross_check.explain.faults.derivatives import DERIVATIVES
from cross_check.explain.faults.fault import NO_FAULT
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.explain.faults.supposition import with_forces
from cross_check.explain.faults.typical import FAULTS
from cross_check.judge.comparison.sampling import sample
from mechanisms import find_mechanism
from mechanisms.quantities import INTEGRATION, QUANTITIES, USUAL


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["random:3:3:all", "random:3:6:revolute,mimic"])
def test_what_a_fault_is_said_to_leave_alone_it_leaves_alone(spec: str) -> None:
    mechanism = find_mechanism(spec)
    states = with_forces(mechanism, sample(mechanism, 0, 10).pick(np.array([9])))
    right, left_alone = MutantDynamics(NO_FAULT, mechanism), 0
    answers = {}
    for fault in (fault for fault in (*FAULTS, *DERIVATIVES) if fault.edits and fault.changes(mechanism)):
        mutant = MutantDynamics(fault, mechanism)
        for name in (*USUAL, *INTEGRATION):
            columns = {column: states.columns[column] for column in QUANTITIES[name].arguments}
            if QUANTITIES[name].is_compared(mechanism) and mutant.is_right(name, columns):
                if name not in answers:
                    answers[name] = getattr(right, name)(*columns.values())
                np.testing.assert_array_equal(getattr(mutant, name)(*columns.values()), answers[name], f"{fault.name}: {name}")
                left_alone += 1
    assert left_alone > 500
