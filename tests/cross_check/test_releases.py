"""From release to release: which verdicts changed, and in which release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cross_check.exchange.releases import Search, changes_between, steps_of
from cross_check.exchange.results import Cell, Results, RunSettings, verdict_of
from cross_check.exchange.results.objects import ImplementationSummary
from cross_check.exchange.results.versions import Step, Versions, step_sentence

KEY = ("pendulum", "gravity")


def cell(verdict: Any, name: str = "a", quantity: str = "gravity", moved: float | None = None) -> Cell:
    error = {"agrees": 1.0, "lost digits": 20.0, "discrepancy": 1e9, "known": 1e9}.get(verdict)
    return Cell(f"pendulum/{name}/{quantity}", "pendulum", name, quantity, verdict, error=error, moved=moved)


def cells(verdict: str) -> dict[tuple[str, str], Cell]:
    return {KEY: cell(verdict)}


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        ("agrees", "discrepancy", "broke"),
        ("agrees", "known", "broke"),
        ("lost digits", "failed", "broke"),
        ("discrepancy", "agrees", "repaired"),
        ("known", "lost digits", "repaired"),
        ("agrees", "not offered", "lost"),
        ("discrepancy", "failed", "lost"),
        ("unsupported", "agrees", "new"),
        ("failed", "agrees", "new"),
        ("agrees", "lost digits", "changed"),
        ("known", "discrepancy", "changed"),
        ("failed", "unsupported", "changed"),
    ],
)
def test_every_change_of_a_verdict_has_a_kind(before: str, now: str, kind: str) -> None:
    (change,) = changes_between(cells(before), cells(now))
    assert change.kind == kind


def test_a_mechanism_that_a_release_cannot_represent_is_lost_and_equal_verdicts_are_no_change() -> None:
    assert [change.kind for change in changes_between(cells("agrees"), {})] == ["lost"]
    assert not changes_between(cells("not offered"), cells("unsupported"))
    assert not changes_between(cells("agrees"), cells("agrees"))


def test_steps_count_what_both_answered_and_what_moved() -> None:
    names = ("a", "b", "c")
    verdicts = {"gravity": ("agrees", "agrees", "agrees"), "mass_matrix": ("agrees", "agrees", "discrepancy")}
    moves = {"gravity": (None, 0.0, 3.0), "mass_matrix": (None, 0.5, 1e9)}
    found = [
        cell(verdicts[quantity][k], name, quantity, moves[quantity][k])
        for k, name in enumerate(names)
        for quantity in ("gravity", "mass_matrix")
    ]
    settings = RunSettings("0", 0, 98, 16)
    first, second = steps_of(Results(settings, [ImplementationSummary(name, "x", "1") for name in names], cells=found))
    assert (first.compared, first.moved, first.largest) == (2, 1, 0.5)
    assert (second.moved, second.largest, [change.quantity for change in second.changes]) == (2, 1e9, ["mass_matrix"])
    assert step_sentence(first) == "From a to b: no verdict changed; 1 of 2 answers moved, by 0.5 ε-units at most"
    assert step_sentence(second) == "From b to c: 1 cell broke; 2 of 2 answers moved, by 1e+09 ε-units at most"
    assert step_sentence(Step("a", "b", 2, None, None)).endswith("whether answers moved was not compared")
    assert step_sentence(Step("a", "b", 2, 0, 0.0)).endswith("all 2 answers have the same bits")


@pytest.mark.parametrize(
    ("verdicts", "kind", "code"),
    [
        (("agrees", "agrees"), "agrees", 0),
        (("agrees", "not offered"), "regression", 1),
        (("agrees", "known"), "regression", 1),
        (("known", "agrees"), "agrees", 0),
        (("agrees", "discrepancy"), "discrepancy", 1),
        (("not offered", "agrees"), "failed", 3),
    ],
)
def test_a_release_that_is_worse_than_the_one_before_or_says_nothing_fails_the_run(
    verdicts: tuple[str, str], kind: str, code: int
) -> None:
    found = Results(
        RunSettings("0", 0, 98, 16),
        [ImplementationSummary(name, "x", "1") for name in "ab"],
        cells=[cell(verdict, name) for verdict, name in zip(verdicts, "ab", strict=True)],
    )
    verdict = verdict_of(replace(found, versions=Versions((), steps_of(found))))
    assert (verdict.kind, verdict.exit_code) == (kind, code)
    assert verdict.headline.startswith("From a to b: ")


def search(between: int, then: Any = None, now: Any = None) -> Search:
    versions = [f"1.{k}" for k in range(1, between + 1)]
    return Search("engine", ("1.0", f"1.{between + 1}"), versions, (then or cells("agrees"), now or cells("discrepancy")))


def broken_in(*broken: str) -> Any:
    """The answers of releases, of which some are wrong."""
    return lambda version: cells("discrepancy" if version in broken else "agrees")


@pytest.mark.parametrize("between", [0, 1, 7])
@pytest.mark.parametrize("every", [False, True])
def test_the_first_release_that_is_otherwise_is_found(between: int, every: bool) -> None:
    for first in range(1, between + 2):
        one, asked, answers = search(between), list[str](), broken_in(*(f"1.{k}" for k in range(first, between + 2)))

        def test(version: str, asked: list[str] = asked, answers: Any = answers) -> Any:
            asked.append(version)
            return answers(version)

        one.run(test, every)
        result = one.result()
        assert (result.first, result.last) == (f"1.{first}", f"1.{first - 1}")
        assert len(asked) == (between if every else len(set(asked)))
        assert every or len(asked) <= between.bit_length()
        assert len(result.tested) + len(result.untested) == between + 2, "all are named"
        assert result.sentence.startswith(f"gravity of pendulum broke in engine 1.{first}")


def test_releases_that_do_not_run_leave_the_answer_open() -> None:
    one, wrong = search(5), broken_in("1.4", "1.5")
    one.run(lambda version: "no wheel" if version in ("1.2", "1.3") else wrong(version))
    result = one.result()
    assert (result.first, result.last) == ("1.4", "1.1")
    assert "broke in engine 1.4, or in 1.2 and 1.3, which did not run" in result.sentence


def test_a_verdict_that_goes_back_and_forth_is_told_where_all_are_tested() -> None:
    one, halved = search(4), search(4)
    one.run(broken_in("1.2", "1.4"), every=True)
    assert "broke in engine 1.2; 1.3 is as before again" in one.result().sentence
    halved.run(broken_in("1.2", "1.4"))
    assert "not tested: " in halved.result().sentence, "it does not claim more than it saw"
    ends = search(3, now=cells("lost digits"))
    ends.run(broken_in("1.2"), every=True)
    assert (ends.result().first, ends.result().last) == ("1.2", "1.1"), "between ends that are equal"
    assert ends.result().sentence == "gravity of pendulum broke in engine 1.2; 1.3 and later ones are as before again"


def test_cells_that_changed_in_different_releases_are_told() -> None:
    two = {**cells("agrees"), ("pendulum", "mass_matrix"): cell("agrees", quantity="mass_matrix")}
    wrong = {**cells("discrepancy"), ("pendulum", "mass_matrix"): cell("discrepancy", quantity="mass_matrix")}
    one = search(1, two, wrong)
    one.run(lambda version: {**wrong, KEY: two[KEY]})
    assert one.result().first == "1.1"
    said = "other cells changed later (1 cell of 2 otherwise than in 1.0); bisect each quantity alone"
    assert said in one.result().sentence


def test_ends_that_do_not_differ_need_no_bisection() -> None:
    one = search(1, cells("known"))
    one.run(lambda version: pytest.fail("nothing is to be tested"))
    assert one.result().sentence == "no verdict differs between engine 1.0 and 1.2 on these mechanisms; not tested: 1.1"
