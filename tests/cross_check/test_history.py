"""Answers must not depend on what was called before: faults of code that remembers are found, with the calls that show them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from stateful import (
    FAULTS,
    Question,
    Stateful,
    cache_by_position,
    mechanism_loaded_last,
    one_state_at_a_time,
    permanent_cache_by_position,
    previous_answer,
    reused_buffer,
    sums_by_batch_size,
)

from cross_check.exchange.results import Cell
from cross_check.exchange.results.objects import BAR, HISTORY
from cross_check.judge.comparison.case import Case, prepare
from cross_check.judge.comparison.judgements import compare, largest
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.judge.history.calls import Probes, Session
from cross_check.judge.history.check import History, ask_again
from cross_check.judge.history.replay import Judge, Pair, Replay
from implementations.plugins.registry import find_implementation
from implementations.processes.subject import Failure, InProcess
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.quantities import QUANTITIES, USUAL

SOME = ("inverse_dynamics", "mass_matrix", "nonlinear_effects", "gravity", "velocities_world")
ARM = "stanford-arm"


@functools.cache
def case_of(spec: str, states: int = 14) -> Case:
    return prepare(find_mechanism(spec), 0, states)


def other_state() -> int:
    """The second of the two states that are asked again; the first one is 1."""
    first, other = Probes(case_of(ARM).mechanism, case_of(ARM).states).pair
    assert first == 1
    return other


def asked(case: Case, loaded: Any, quantities: tuple[str, ...] = USUAL) -> tuple[dict[str, Any], list[Cell]]:
    """The answers at all states, in the table's order, and their comparison with the truth."""
    answers, cells = {}, []
    for name in filter(loaded.offers, quantities):
        try:
            answers[name] = loaded.ask(name, *case.states.arguments(QUANTITIES[name].arguments)).value
        except Unsupported:
            continue
        errors = compare(case, QUANTITIES[name], answers[name]).units.reshape(len(case.states), -1).max(axis=1)
        cells.append(Cell(name, "", "", name, "agrees" if errors.max() <= BAR else "discrepancy", errors=errors.tolist()))
    return answers, cells


def history(
    case: Case, make: Callable[[], Any], quantities: tuple[str, ...] = USUAL, fresh: bool = False, in_batches: bool = False
) -> History:
    subject = InProcess(make())
    loaded = subject.load(case.mechanism)
    answers, cells = asked(case, loaded, quantities)
    again = (lambda other=0: InProcess(make())) if fresh else None
    return ask_again(case, subject, loaded, answers, cells, BAR, again, in_batches)


def answers_to(pair: Pair, case: Case, make: Callable[[], Any]) -> tuple[Any, Any]:
    """What the two calls of a pair are answered by implementations that nobody has called before."""
    first = Session(InProcess(make()), case.mechanism).ask(pair.target).value
    other = Session(InProcess(make()), case.mechanism)
    if pair.before is None:
        assert pair.target.index is not None
        everywhere = dataclasses.replace(pair.target, states=case.states)
        return first, other.ask(everywhere).value[[pair.target.index]]
    other.do(pair.before)
    return first, other.ask(pair.target).value


@pytest.mark.slow
@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "a reused buffer"])
def test_a_fault_is_found_with_two_calls_that_show_it(fault: str) -> None:
    case, make = case_of(ARM), functools.partial(Stateful, FAULTS[fault], SOME)
    found = history(case, make, SOME, fresh=True)
    assert (found.verdict, found.pair is None) == ("discrepancy", False)
    assert found.pair
    before = "the batch of all states" if found.pair.before is None else found.pair.before.text
    assert found.pair.target.text in found.message
    assert before in found.message or "after the same call" in found.message
    answers = answers_to(found.pair, case, make)
    judge = Judge(case, asked(case, InProcess(REFERENCE).load(case.mechanism), SOME)[0], BAR)
    assert judge.difference(found.pair.target, *answers) > BAR
    assert min(judge.error(found.pair.target, answer) for answer in answers) <= BAR


@pytest.mark.parametrize(
    ("fault", "quantity"),
    [
        ("the previous answer", "inverse_dynamics"),
        ("a cache by rounded position", "mass_matrix"),
        ("a cache by the first coordinate", "gravity"),
        # At rest every velocity is zero, so that no state of a run has the rates of another and another answer.
        ("a cache by the last argument, one state at a time", "velocities_world"),
    ],
)
def test_a_fault_of_one_quantity_is_found(fault: str, quantity: str) -> None:
    found = history(case_of(ARM), lambda: Stateful(FAULTS[fault], (quantity,)), (quantity,))
    assert found.verdict == "discrepancy"
    assert found.pair and found.pair.target.quantity == quantity
    assert "other quantities" not in found.message


def test_a_fault_of_one_quantity_among_others_is_found() -> None:
    """Also if the other mechanism is asked for another quantity, and later."""

    def of_potential_energy(question: Question) -> Any:
        return mechanism_loaded_last(question) if question.name == "potential_energy" else question.right()

    quantities = (*SOME, "potential_energy")
    found = history(case_of(ARM), lambda: Stateful(of_potential_energy, quantities), quantities)
    assert found.message.startswith("potential_energy at state 1 differs by")
    assert "after loading a mechanism of the same name with other numbers from its answer when asked first" in found.message


def test_external_forces_that_stay_until_inverse_dynamics_clears_them_are_found() -> None:
    """As in an adapter of DART, in which each question but the one about forward dynamics was right."""

    def forces_stay(question: Question) -> Any:
        if question.name == "inverse_dynamics_with_forces":
            question.own["forces"] = question.arguments[3][-1]
        elif question.name in ("inverse_dynamics", "nonlinear_effects"):
            question.own.pop("forces", None)
        elif question.name == "forward_dynamics" and "forces" in question.own:
            q, v, tau = question.arguments
            right = REFERENCE.load(question.mechanism)
            f = np.broadcast_to(question.own["forces"], (len(q), *question.own["forces"].shape))
            moved = right.inverse_dynamics(q, v, 0 * v) - right.inverse_dynamics_with_forces(q, v, 0 * v, f)
            return question.with_arguments(q, v, tau + moved).right()
        return question.right()

    found = history(case_of("cart-pole"), lambda: Stateful(forces_stay))
    assert found.verdict == "discrepancy"
    assert found.message.startswith("forward_dynamics at state 1 differs by")
    assert "after inverse_dynamics_with_forces at state 1 from its answer when asked first" in found.message


def test_a_message_names_both_calls_and_how_many_quantities_are_affected() -> None:
    found = history(case_of(ARM), lambda: Stateful(cache_by_position, SOME), SOME)
    assert found.difference and found.difference > 1e12
    assert found.message == (
        f"inverse_dynamics at state 1 differs by {found.difference:.2g} ε-units "
        f"after inverse_dynamics at state 1 with v, a of state {other_state()} from its answer when asked first; "
        "it depends on what was called before; so do 2 other quantities"
    )


def test_code_that_remembers_what_it_loaded_is_loaded_anew() -> None:
    """As with functools.cache: the same mechanism is not loaded again, and its caches are full already."""

    class Remembering(Stateful):
        load = functools.cache(Stateful.load)  # type: ignore[assignment]

    found = history(case_of(ARM), lambda: Remembering(one_state_at_a_time(cache_by_position), SOME), SOME)
    assert found.pair and found.pair.before
    assert found.pair.before.text.startswith("inverse_dynamics at state 1")


def test_a_returned_array_that_is_used_again() -> None:
    found = history(case_of(ARM), lambda: Stateful(reused_buffer, ("mass_matrix", "gravity")), SOME)
    assert (found.verdict, found.pair) == ("discrepancy", None)
    assert found.message == (
        f"the array returned for mass_matrix at state {other_state()} with q moved by 1e-09 "
        f"changes when mass_matrix at state {other_state()} is asked; "
        "return a new array; so does another quantity"
    )


def test_a_cache_that_outlives_every_load_is_seen_without_a_fresh_process() -> None:
    """It cannot be emptied, so no two answers differ: what shows is a wrong answer that repeats a right one."""
    fault = one_state_at_a_time(permanent_cache_by_position)
    found = history(case_of(ARM), lambda: Stateful(fault, SOME), SOME)
    assert (found.verdict, found.pair) == ("discrepancy", None)
    assert "inverse_dynamics at state 1 with the first two numbers of v, a exchanged is wrong by" in found.message
    assert "it has the bits of inverse_dynamics at state 1, as if an earlier answer were returned again" in found.message


def test_a_wrong_state_of_the_batch_is_asked_alone() -> None:
    """It is wrong only after a state with large angles, which is not one of the states that are asked again."""

    def overflowing(question: Question) -> Any:
        before = question.own.get("before", 0)
        question.own["before"] = np.abs(question.arguments[0]).max()
        return question.right() * (1 + 1e-9 * (before > 10))

    found = history(case_of(ARM, 7), lambda: Stateful(one_state_at_a_time(overflowing), ("gravity",)), ("gravity",))
    assert found.message.startswith("gravity at state 6 differs by")
    assert "after gravity at state 5 from its answer when asked first" in found.message


def half_permanent(question: Question) -> Any:
    """Code that keeps for ever what it computed at a position, and adds what it computes now."""
    q, v, *_ = question.arguments
    kept, at = question.shared.setdefault(
        (question.name, question.mechanism.fingerprint, q.tobytes()), (question.right(), v.copy())
    )
    return kept + (v - at)


def with_twin(case: Case) -> Case:
    """The state 5 has the position of state 1."""
    states = dataclasses.replace(case.states, q=case.states.q.copy())
    states.q[5] = states.q[1]
    return dataclasses.replace(case, states=states)


def test_a_wrong_answer_is_asked_again_in_a_fresh_process() -> None:
    case, quantities = with_twin(case_of(ARM)), ("nonlinear_effects",)
    make = functools.partial(Stateful, one_state_at_a_time(half_permanent), quantities)
    assert history(case, make, quantities).verdict == "agrees"
    found = history(case, make, quantities, fresh=True)
    assert found.verdict == "discrepancy"
    assert found.message.startswith("nonlinear_effects at state 5 differs by")
    assert "after nonlinear_effects at state 1 from its answer when asked first" in found.message


def test_no_fresh_process_is_asked_about_errors_that_findings_predict() -> None:
    case, quantities = with_twin(case_of(ARM)), ("inverse_dynamics", "nonlinear_effects")
    make = functools.partial(Stateful, one_state_at_a_time(half_permanent), quantities)
    subject, started = InProcess(make()), []
    loaded = subject.load(case.mechanism)
    answers, cells = asked(case, loaded, quantities)
    known = [dataclasses.replace(cell, verdict="known") for cell in cells]

    def fresh(other: int = 0) -> InProcess:
        started.append(other)
        return InProcess(make())

    assert ask_again(case, subject, loaded, answers, known, BAR, fresh).verdict == "agrees"
    assert not started


@pytest.mark.parametrize(
    ("name", "spec"),
    [
        *(pytest.param("reference", spec, marks=pytest.mark.nightly) for spec in ("puck", "planar-pendulum:5", "random:7:4:all")),
        *(pytest.param("traced", spec, marks=pytest.mark.nightly) for spec in ("pendulum", "gyroscope", "free:cart-pole")),
        *(pytest.param(name, "free:cart-pole", marks=pytest.mark.engines) for name in ("pinocchio", "rbdl")),
    ],
)
@pytest.mark.slow
def test_correct_code_is_not_accused(name: str, spec: str) -> None:
    found = history(case_of(spec), lambda: find_implementation(name))
    assert (found.verdict, found.message) == ("agrees", "")
    assert found.difference is not None and found.difference < BAR / 4


@pytest.mark.parametrize("spec", ["stanford-arm", "free:cart-pole"])
def test_sums_that_depend_on_the_size_of_the_batch_are_not_accused(spec: str) -> None:
    found = history(case_of(spec), lambda: Stateful(sums_by_batch_size, SOME), SOME)
    assert found.verdict == "agrees"
    assert 0 < (found.difference or 0) <= 2


def test_answers_that_are_both_right_may_differ_by_more_than_the_bar() -> None:
    """The bar is how far an answer may be from the truth."""
    case = case_of(ARM)

    def above_and_below(question: Question) -> Any:
        units = 12 if len(question.arguments[0]) == 1 else -12
        return question.right() + units * EPSILON * case.scale.size("gravity", *question.arguments)

    found = history(case, lambda: Stateful(above_and_below, ("gravity",)), ("gravity",))
    assert (found.verdict, found.difference) == ("agrees", BAR)


WRONG: dict[str, Callable[[Question], Any]] = {
    "velocity ignored": lambda question: question.with_arguments(
        question.arguments[0], *(0 * x for x in question.arguments[1:])
    ).right(),
    "position ignored": lambda question: question.with_arguments(
        0 * question.arguments[0] + 0.1, *question.arguments[1:]
    ).right(),
    "negated, and rounded by the size of the batch": lambda question: -sums_by_batch_size(question),
}


@pytest.mark.parametrize("fault", WRONG)
def test_wrong_code_that_remembers_nothing_is_not_accused(fault: str) -> None:
    case = with_twin(case_of(ARM))
    found = history(case, lambda: Stateful(WRONG[fault], SOME), SOME, fresh=True)
    assert (found.verdict, found.message) == ("agrees", "")


@pytest.mark.parametrize("states", [1, 2, 7])
def test_few_states_are_enough_to_ask_again(states: int) -> None:
    assert history(case_of(ARM, states), lambda: REFERENCE, SOME).verdict == "agrees"
    found = history(case_of(ARM, states), lambda: Stateful(previous_answer, ("gravity",)), SOME)
    assert found.verdict == "discrepancy"


def test_what_fails_when_it_is_asked_again() -> None:
    def only_batches(question: Question) -> Any:
        if len(question.arguments[0]) == 1:
            raise ValueError("no batch")
        return question.right()

    found = history(case_of(ARM), lambda: Stateful(only_batches, SOME), SOME)
    assert (found.verdict, found.difference) == ("failed", None)
    assert found.message.startswith(
        f"asking velocities_world at state 1 with q of state {other_state()} again fails: "
        "velocities_world raised ValueError: no batch"
    )


def test_what_cannot_be_loaded_twice() -> None:
    class Once(Stateful):
        def load(self, mechanism: Any) -> SimpleNamespace:
            if "loaded last" in self._shared:
                raise RuntimeError("one at a time")
            return super().load(mechanism)

    found = history(case_of(ARM), lambda: Once(Question.right, SOME), SOME)
    assert found.verdict == "failed"
    assert found.message.startswith("loading the mechanism again fails: load raised RuntimeError: one at a time")


def test_the_invariant() -> None:
    case, subject = case_of(ARM), InProcess(Stateful(cache_by_position, SOME))
    loaded = subject.load(case.mechanism)
    answers, cells = asked(case, loaded, SOME)
    shown = ask_again(case, subject, loaded, answers, cells, BAR)
    found = shown.invariant(ARM, "mine")
    assert (found.id, found.name, found.verdict) == (f"{ARM}/mine/{HISTORY}", HISTORY, "discrepancy")
    assert found.error and found.error > BAR
    assert 0 < shown.seconds < 60
    shown = ask_again(case, subject, loaded, {}, [], BAR)
    nothing = shown.invariant(ARM, "mine")
    assert (nothing.verdict, nothing.error, shown.seconds) == ("not offered", None, 0)


def test_a_part_of_the_arguments_is_not_watched() -> None:
    mine = InProcess(SimpleNamespace(load=lambda _: SimpleNamespace(gravity=lambda q: q[:, :]))).load(find_mechanism("scara"))
    assert [mine.ask("gravity", np.full((1, 4), x)).overwritten for x in (1.0, 2.0)] == ["", ""]


def test_the_largest_of_errors_that_are_no_numbers() -> None:
    assert largest(np.array([1.0, np.nan])) == largest(np.array([np.inf])) == 1e99


def test_a_failure_while_the_sibling_is_loaded_accuses_nobody() -> None:
    class Light(Stateful):
        def load(self, mechanism: Any) -> SimpleNamespace:
            if mechanism.gravity == (1, 2, 3):
                raise Failure("too heavy")
            return super().load(mechanism)

    assert history(case_of(ARM), lambda: Light(Question.right, SOME), SOME).verdict == "agrees"


def test_a_mechanism_that_is_found_again_by_its_name_alone() -> None:
    class ByName:
        name = "by name"

        def __init__(self) -> None:
            self._loaded: dict[str, Any] = {}

        def load(self, mechanism: Any) -> Any:
            return self._loaded.setdefault(mechanism.name, REFERENCE.load(mechanism))

    found = history(case_of(ARM), ByName, SOME)
    assert found.verdict == "discrepancy"
    assert "is the same for another mechanism of the same name" in found.message


def test_an_answer_about_a_sibling_is_not_compared_with_the_batch_about_the_mechanism() -> None:
    case = case_of(ARM)
    answers = {"gravity": REFERENCE.load(case.mechanism).gravity(case.states.q)}
    replay = Replay(InProcess(REFERENCE), Judge(case, answers, BAR), None)
    call = Probes(case.mechanism, case.states).call("gravity", 1)
    assert replay.smallest_pair(call, []) is None
    assert replay.smallest_pair(dataclasses.replace(call, of_sibling=True), []) is None
