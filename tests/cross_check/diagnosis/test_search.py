"""Faults are combined only if none of them undoes another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cross_check.explain.diagnosis.laboratory import Laboratory, try_sampled
from cross_check.explain.diagnosis.search import Search
from cross_check.explain.diagnosis.stages import Stage, Stages
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import Fault, both
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.scaled import scaled
from cross_check.explain.faults.wrong_terms import terms
from implementations.processes.subject import InProcess
from mechanisms import find_mechanism

(DAMPING,) = (term for term in terms() if term.group == "force of the damping")
(GRAVITY,) = (term for term in terms() if term.name == "gravity")


@pytest.mark.parametrize(
    ("fault", "pair", "is_named"),
    [
        # The two halves of the pair nearly cancel, so that they would explain what a small third fault does.
        (scaled(DAMPING, 1 + 1e-9), (scaled(DAMPING, -1), scaled(DAMPING, -1 - 1e-9)), False),
        (both(scaled(DAMPING, 2), scaled(GRAVITY, 1.001)), (scaled(DAMPING, 2), scaled(GRAVITY, 1.001)), True),
    ],
)
def test_two_faults_that_cancel_are_no_explanation(fault: Fault, pair: tuple[Fault, Fault], is_named: bool) -> None:
    mechanism = find_mechanism("cart-pole")
    symptom = Symptom(try_sampled(Laboratory(InProcess(Mutant(fault)), "code"), mechanism, 0, 18), "nonlinear_effects")

    def stage(symptom: Symptom, given: Fault) -> Iterator[tuple[Fault, ...]]:
        yield pair

    (found,) = Search(Stages(mechanism, [], 16.0)).run([symptom], [Stage("a pair", stage)])
    assert bool(found.explanations) == is_named
    assert bool(found.unexplained) != is_named
