"""Hypotheses whose numbers or orders follow from answers: the code under test has just that fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from altered import Altered

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Trial, try_states
from cross_check.explain.diagnosis.numbers.determined import fixed_bodies, fixed_to_root, permutation
from cross_check.explain.diagnosis.numbers.fits import fit
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.coordinates.joints import in_order, of_order
from cross_check.explain.faults.families import damping_ahead, everywhere
from cross_check.explain.faults.fault import NO_FAULT, Fault, only
from cross_check.explain.faults.mutants import Mutant
from cross_check.judge.comparison.sampling import sample
from implementations.processes.subject import InProcess
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.library.textbook_tables import SKEW


def trial_of(fault: Fault, mechanism: Mechanism) -> Trial:
    return try_states(Laboratory(InProcess(Mutant(fault)), "code"), mechanism, sample(mechanism, 0, 12))


@pytest.mark.parametrize("quantity", ["mass_matrix", "inverse_dynamics", "forward_dynamics"])
def test_an_order_of_joints_follows_from_answers(quantity: str) -> None:
    tree = find_mechanism("branched-tree")
    kept, read, answered, *_ = of_order("so", partial(in_order, (2, 0, 1, 4, 3)))
    for fault in (kept, read, answered):
        if quantity == "mass_matrix" and fault is not kept:
            continue  # M reads nothing but q, and answers alike in the two others.
        trial = trial_of(fault, tree)
        found = permutation(trial, quantity)
        assert found
        assert ("only" in found.name) == (fault is not kept)
        assert trial.errors("inverse_dynamics", found).max() < 16
        assert trial.errors("inverse_dynamics").max() > 1e6


@pytest.mark.parametrize("fault", [NO_FAULT, Fault("M is off", "each", answer=only("mass_matrix", lambda x: 1.01 * x))])
def test_no_order_is_found_where_none_is_wrong(fault: Fault) -> None:
    assert permutation(trial_of(fault, find_mechanism("branched-tree")), "mass_matrix") is None


def test_equal_bodies_do_not_keep_the_search_for_ever() -> None:
    arms = Mechanism("arms", tuple(Body(f"b{k}", "world", Joint(f"j{k}", "revolute"), SKEW) for k in range(40)))
    off = Fault("M is off", "each", answer=only("mass_matrix", lambda x: x * np.where(np.arange(40) == 39, 1.01, 1)))
    assert permutation(trial_of(off, arms), "mass_matrix") is None


def damping_step(trial: Trial, quantity: str) -> Fault | None:
    """Damping ahead of time, with a step that is fitted to the answers about a quantity."""
    (family,) = (one for one in everywhere() if one.at is damping_ahead)
    found = fit(Symptom(trial, quantity), [family])
    return found[0] if found else None


def heavier(dt: float) -> Fault:
    """Code that has dt D in M, too."""
    more = wm.joint(lambda one: replace(one, armature=one.armature + Fraction(dt) * one.damping))
    return Fault("M has dt D", "damping", mechanism=more)


@pytest.mark.parametrize("make", [damping_ahead, heavier])
@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
def test_a_step_of_damping_is_fitted(make: Callable[[float], Fault], quantity: str) -> None:
    trial = trial_of(make(0.02), find_mechanism("puma560"))
    found = damping_step(trial, quantity)
    assert found
    assert "dt = 0.02 s" in found.name
    for asked in ("inverse_dynamics", "forward_dynamics"):
        assert trial.errors(asked, found).max() < 16
        assert trial.errors(asked).max() > 1e6


def test_a_step_of_damping_is_found_in_forward_dynamics_alone() -> None:
    code = Altered(("forward_dynamics",), of=Mutant(damping_ahead(0.01)))
    arm = find_mechanism("puma560")
    trial = try_states(Laboratory(InProcess(code), "code"), arm, sample(arm, 0, 12))
    found = damping_step(trial, "forward_dynamics")
    assert found
    assert trial.errors("forward_dynamics", found).max() < 16


def test_right_code_has_no_step_of_damping() -> None:
    assert damping_step(trial_of(NO_FAULT, find_mechanism("branched-tree")), "inverse_dynamics") is None


def on_a_stand() -> Mechanism:
    stand = Body("stand", "world", Joint("bolts", "fixed"), Inertia("4", ("0.1", "0.2", "0.3"), ("1", "1", "1", 0, 0, 0)))
    hinges = (Joint("first", "revolute", (0, "0.6", "0.8")), Joint("second", "revolute", (1, 0, 0)))
    return Mechanism("stand", (stand, Body("arm", "stand", hinges[0], SKEW), Body("hand", "arm", hinges[1], SKEW)))


def test_bodies_that_are_fixed_to_the_root_are_found_and_weighed() -> None:
    fault, mechanism = fixed_to_root(4, (0.4, 0.8, 1.2)), on_a_stand()
    trial = trial_of(fault, mechanism)
    found = fixed_bodies(trial)
    assert found
    assert found.name == fault.name
    for quantity in fault.quantities:
        assert trial.errors(quantity, found).max() < 16, quantity
        assert trial.errors(quantity).max() > 1e6, quantity
    assert fixed_bodies(trial_of(NO_FAULT, mechanism)) is None


def test_the_momentum_about_the_wrong_centre_is_that_of_the_bodies() -> None:
    """A v is the momentum with fixed bodies, too."""
    fault, mechanism = fixed_to_root(4, (0.4, 0.8, 1.2)), on_a_stand()
    states, dynamics = sample(mechanism, 0, 5), Mutant(fixed_to_root(4, (0.4, 0.8, 1.2))).load(mechanism)
    product = np.einsum("bij,bj->bi", dynamics.centroidal_momentum_matrix(states.q), states.v)
    assert np.allclose(product, dynamics.centroidal_momentum(states.q, states.v))
    assert fault.changes(mechanism)


def test_what_is_not_answered_is_not_fitted() -> None:
    silent = type("Silent", (), {"load": lambda self, m: object()})()
    tree = find_mechanism("branched-tree")
    trial = try_states(Laboratory(InProcess(silent), "code"), tree, sample(tree, 0, 3))
    for find in (fixed_bodies, partial(permutation, quantity="mass_matrix")):
        with pytest.raises(NoAnswer):
            find(trial)
