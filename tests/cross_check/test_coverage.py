"""The coverage says what a run cannot see, and what would show it."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from altered import Altered

from cross_check.exchange.results import verdict_of
from cross_check.exchange.results.objects import Coverage
from cross_check.exchange.results.tally import tallies
from cross_check.explain import coverage as coverage_module
from cross_check.explain.coverage import STATED, Measured, Trials, coverage_of, kill_table, proposed
from cross_check.explain.faults.fault import NO_FAULT, Edit, Fault, only
from cross_check.explain.faults.mutants import MutantDynamics, edited, with_forces
from cross_check.explain.faults.terms.factors import DERIVATIVES
from cross_check.explain.faults.typical import FAULTS
from cross_check.harness import Entry, check
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.library.textbook import PLAIN_TEXTBOOK
from mechanisms.quantities import GROUPS, INTEGRATION, QUANTITIES, USUAL

BY_NAME = {fault.name: fault for fault in FAULTS}
FEW = Settings(states=18)
SCRIPT = Path(__file__).parents[2] / "docs" / "write_coverage_table.py"


def of(*specs: str, quantities: Any = USUAL, settings: Settings = FEW) -> Coverage:
    pairs = [(spec, find_mechanism(spec)) for spec in specs]
    return coverage_of(Trials(pairs, settings), {mechanism.name: set(quantities) for _, mechanism in pairs}, settings)


def state_of(spec: str) -> dict[str, Any]:
    mechanism = find_mechanism(spec)
    rng = np.random.default_rng(0)
    names = {"q": mechanism.nq, "v": mechanism.nv, "a": mechanism.nv, "tau": mechanism.nv}
    return {name: rng.normal(size=(3, n)) for name, n in names.items()} | {"f": rng.normal(size=(3, len(mechanism.bodies), 6))}


# Faults


def test_every_fault_has_a_name_of_its_own_and_is_one_change() -> None:
    assert len(BY_NAME) == len(FAULTS) > 150
    for fault in FAULTS:
        assert sum(map(bool, (fault.edits, fault.mechanism, fault.state, fault.answer))) == 1, fault.name


def test_every_edit_still_finds_its_text() -> None:
    for fault in FAULTS:
        if fault.edits:
            assert edited(fault.edits).REFERENCE.load(find_mechanism("pendulum")), fault.name


def test_an_edit_that_finds_nothing_is_refused() -> None:
    with pytest.raises(LookupError, match=r"rnea\.py has 'no such text' 0 times, not once"):
        edited((Edit("rnea", "no such text", ""),))


def test_a_fault_that_is_said_to_change_nothing_changes_nothing() -> None:
    """Such faults are never tried: kinds of joints, armature, branches that the mechanism does not have."""
    mechanism, state = find_mechanism("cart-pole"), state_of("cart-pole")
    right = REFERENCE.load(mechanism)
    skipped = [fault for fault in FAULTS if fault.edits and not fault.changes(mechanism)]
    assert len(skipped) > 20
    for fault in skipped:
        mutant = MutantDynamics(fault, mechanism)
        for name in (*GROUPS["dynamics"], "accelerations_world", "coriolis_matrix"):
            arguments = [state[argument] for argument in QUANTITIES[name].arguments]
            np.testing.assert_array_equal(getattr(mutant, name)(*arguments), getattr(right, name)(*arguments), fault.name)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["random:3:3:all", "random:3:6:revolute,mimic"])
def test_what_a_fault_is_said_to_leave_alone_it_leaves_alone(spec: str) -> None:
    """A mutant knows which quantities its fault leaves alone, without computing them."""
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


def test_every_fault_leaves_a_mechanism_that_can_be() -> None:
    """Of a universal joint with an axis near its second one, the nearest coordinate axis may be parallel to that."""
    for seed in range(12):
        mechanism = find_mechanism(f"random:{seed}:6:all")
        for fault in FAULTS:
            fault.mechanism_read(mechanism)


def test_a_mutant_that_fails_is_visible() -> None:
    broken = Fault("broken", "gravity", answer=only("gravity", lambda x: x / 0))
    assert Measured(find_mechanism("pendulum"), sample(find_mechanism("pendulum"), 0, 5)).is_visible(broken, "gravity", 16)


# Coverage


def test_planar_motion_hides_what_needs_space() -> None:
    coverage = of("planar-pendulum:3")
    assert coverage.motion == "planar motion"
    assert {"products of inertia", "gravity in any direction", "free base", "branching"} <= set(coverage.unseen)
    assert "ω × I ω has the wrong sign" in coverage.invisible["gyroscopic"]
    assert {"gravity", "damping", "revolute joints"} <= set(coverage.exercised)
    assert coverage.joints == ("revolute",)
    assert coverage.add


def test_what_a_mechanism_shows_is_not_missed() -> None:
    coverage = of("planar-pendulum:3", "spatial-3r")
    assert coverage.motion == ""
    assert "gyroscopic" in coverage.exercised
    assert of("free-rigid-body").motion == ""
    assert of("lead-screw").motion == ""


def test_the_proposed_mechanisms_show_the_rest() -> None:
    first = of("cart-pole", settings=Settings())
    hidden = {name for names in first.invisible.values() for name in names}
    shown = {name for name in hidden if any(spec in kill_table()[name] for spec in first.add)}
    assert shown == hidden
    for spec in first.add:
        others = [other for other in first.add if other != spec]
        assert any(not any(other in kill_table()[name] for other in others) for name in hidden), f"{spec} adds nothing"


def test_only_quantities_that_were_compared_count() -> None:
    masses = of("spatial-3r", quantities=("mass_matrix",))
    assert masses.faults < of("spatial-3r").faults
    assert "gravity" not in (*masses.exercised, *masses.unseen)
    assert "armature" in masses.exercised


def test_few_states_are_told_from_few_mechanisms() -> None:
    coverage = of("spatial-3r", settings=Settings(states=2))
    assert coverage.states == 98
    assert "limits" in coverage.invisible
    assert of("spatial-3r", settings=Settings()).states == 0


def test_the_greedy_choice_leaves_out_what_is_there() -> None:
    assert "every-joint" not in proposed({"the pitch is ignored"}, set(USUAL), {"every-joint"})
    assert proposed(set(), set(USUAL), set()) == ()


def test_a_mechanism_of_the_run_that_was_not_compared_is_not_proposed() -> None:
    pairs = [(spec, find_mechanism(spec)) for spec in ("pendulum", "every-joint")]
    coverage = coverage_of(Trials(pairs, FEW), {"pendulum": {"gravity"}}, FEW)
    assert coverage.add
    assert "every-joint" not in coverage.add


@pytest.mark.parametrize("spec", ["spherical-pendulum", "lead-screw"])
def test_the_kill_table_of_the_package_is_current(spec: str) -> None:
    measured = Measured(find_mechanism(spec), sample(find_mechanism(spec), 0, 98))
    for fault in STATED[::3]:
        table = kill_table().get(fault.name, {}).get(spec, frozenset())
        for name in USUAL:
            error = measured.errors(fault, name).max()
            # An error near the bar may be on either side on another processor.
            if not 16 / 4 < error < 4 * 16:
                assert (error > 16) == (name in table), f"{fault.name}, {name}: run `python docs/write_kill_table.py`"


def test_the_table_answers_for_the_states_of_a_default_run_as_trying_does(monkeypatch: pytest.MonkeyPatch) -> None:
    quantities = GROUPS["dynamics"]
    from_table = of("cart-pole", "universal-pendulum", quantities=quantities, settings=Settings())
    monkeypatch.setattr(Trials, "_is_known", lambda *given: False)
    assert of("cart-pole", "universal-pendulum", quantities=quantities, settings=Settings()) == from_table


@pytest.mark.parametrize("settings", [Settings(seed=1), Settings(states=97), Settings(bar=17.0)], ids=repr)
def test_the_table_does_not_answer_for_other_states(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = next(fault for fault in STATED if not fault.changes(find_mechanism("pendulum")))
    monkeypatch.setattr(coverage_module, "kill_table", lambda: {fault.name: {"pendulum": frozenset({"gravity"})}})
    shown = {"pendulum": {"gravity"}}
    for own, is_shown in ((Settings(), True), (settings, False)):
        trials = Trials([("pendulum", find_mechanism("pendulum"))], own)
        assert trials.is_visible(fault, shown, min(own.states, 98)) is is_shown


def test_the_table_does_not_answer_for_another_mechanism_of_the_name() -> None:
    planar = find_mechanism("pendulum")
    trials = Trials([("every-joint", replace(planar, name="every-joint"))], Settings())
    coverage = coverage_of(trials, {"every-joint": {"gravity", "mass_matrix"}}, Settings())
    assert coverage.invisible == of("pendulum", quantities=("gravity", "mass_matrix"), settings=Settings()).invisible != {}


def test_every_fault_shows_on_some_textbook_mechanism() -> None:
    unseen = {fault.name for fault in STATED if not kill_table().get(fault.name)}
    assert unseen == {f"forces from bodies outboard of {kind} joints are lost" for kind in ("euler-xyz", "euler-zxy")}
    assert set(kill_table()) == set(BY_NAME)
    assert {spec for row in kill_table().values() for spec in row} == set(PLAIN_TEXTBOOK)


# A run


@pytest.mark.nightly
def test_planted_faults_stay_green_where_they_are_invisible_and_turn_red_where_proposed() -> None:
    """A part of docs/write_coverage_table.py."""
    loader: Any = importlib.util.spec_from_file_location("write_coverage_table", SCRIPT)
    script = importlib.util.module_from_spec(loader)
    loader.loader.exec_module(script)
    coverage = of("pendulum", settings=Settings())
    hidden = [name for names in coverage.invisible.values() for name in names][::9]
    assert len(hidden) > 8
    assert not script.disagreeing([("pendulum", find_mechanism("pendulum"))], hidden, GROUPS["dynamics"])
    for spec in sorted(set(coverage.add) - {"swarm", "every-joint"}):
        names = [name for name in hidden if "inverse_dynamics" in kill_table()[name].get(spec, ())]
        assert script.disagreeing([(spec, find_mechanism(spec))], names, ("inverse_dynamics",)) == set(names)


@pytest.mark.usefixtures("with_coverage")
def test_a_run_says_what_it_would_have_missed() -> None:
    pairs = [("planar-pendulum", find_mechanism("planar-pendulum"))]
    results = check(
        pairs, [Entry("mine", "mine", InProcess(REFERENCE))], Settings(quantities=("inverse_dynamics",), invariants=False)
    )
    verdict = verdict_of(results)
    assert verdict.headline == "mine agrees with the truth on 1 mechanism, as far as planar motion shows"
    sentence, _undrawn = verdict.missed
    assert sentence.startswith("The run would miss ")
    assert "products of inertia" in sentence
    assert "; add " in sentence
    assert verdict.exit_code == 0
    brief, _undrawn = verdict_of(results, brief=True).missed
    assert brief == sentence.partition(":")[0] + ", which -v lists; add " + sentence.partition("; add ")[2]


@pytest.mark.usefixtures("with_coverage")
def test_implementations_that_compared_less_have_a_coverage_of_their_own() -> None:
    codes = {"whole": REFERENCE, "masses": Altered(("mass_matrix",)), "again": REFERENCE}
    entries = [Entry(name, name, InProcess(one)) for name, one in codes.items()]
    results = check([("pendulum", find_mechanism("pendulum"))], entries, FEW)
    assert [coverage.implementations for coverage in results.coverage] == [("whole", "again"), ("masses",)]
    assert results.coverage[0].faults > results.coverage[1].faults


@pytest.mark.usefixtures("with_coverage")
def test_a_run_without_comparisons_has_no_coverage() -> None:
    nothing = Entry("nothing", "nothing", InProcess(Altered(())))
    assert check([("pendulum", find_mechanism("pendulum"))], [nothing], FEW).coverage == ()


@pytest.mark.parametrize(("quantity", "is_blind"), [("gravity", True), ("constraint_jacobian", False)])
def test_code_is_blind_if_no_fault_is_visible_and_faults_are_listed_of_all_that_was_compared(
    quantity: str, is_blind: bool
) -> None:
    results = check(
        [("pendulum", find_mechanism("pendulum"))],
        [Entry("mine", "mine", InProcess(REFERENCE))],
        Settings(quantities=("gravity",)),
    )
    coverage = Coverage(["mine"], 1, (), {"gravity": ["gravity is left out"]}, ["gravity"], ())
    cells = [replace(cell, quantity=quantity) for cell in results.cells]
    (tally,) = tallies(replace(results, cells=cells, coverage=[coverage]))
    assert tally.is_blind == is_blind
