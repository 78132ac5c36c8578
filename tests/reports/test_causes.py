"""The entries that every output lists, causes, what has none, and known findings; and entries in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from documents import EXAMPLE, cause, explained, results, with_cell
from rich.console import Console

from cross_check.exchange.results import INFINITE
from cross_check.exchange.results.failures import severity
from dalembert.gatekeeper import problems_of
from implementations.engines.as_read import SUFFIX
from implementations.engines.declared import ENGINES
from implementations.plugins.registry import BUILT_IN
from reports import markdown, terminal
from reports.causes import Answer, entries, rank

RUN = explained()


def test_a_gross_error_comes_before_a_tiny_one_that_explains_more_and_is_certain() -> None:
    first, *others = (cell for cell in RUN.cells if cell.verdict == "discrepancy" and cell.implementation == "my_code.py")
    tiny = {cell.id: replace(cell, error=90.0) for cell in others}
    cells = [tiny.get(cell.id, cell if cell is not first else replace(cell, error=1e16)) for cell in RUN.cells]
    gross = cause("my_code.py", "gross", [first.id], kind="unknown", alternatives=["another"])
    run = replace(RUN, cells=cells, causes=[cause("my_code.py", "tiny", list(tiny)), gross])
    assert [entry.id for entry in entries(run)[:2]] == ["my_code.py/gross", "my_code.py/tiny"]


def test_errors_are_graded_by_three_decades() -> None:
    errors = ([1e16], [INFINITE, 20.0], [None], [5e12], [4e12], [4e9], [90.0], [])
    assert [severity(some) for some in errors] == [0, 0, 0, 0, -1, -2, -4, -4]


def test_cells_without_a_cause_are_one_entry_per_family_of_quantities() -> None:
    run = results(mechanisms=3)
    cells = [
        replace(run.cells[k], id=f"{k}", quantity=name, verdict="discrepancy", error=10.0 ** (k % 7 + 2))
        for k, name in enumerate(["velocities_local", "velocities_world", "velocities_aligned", "jacobians_local", "gravity"] * 3)
    ]
    found = entries(replace(run, cells=cells, invariants=()))
    assert sorted(entry.quantities for entry in found) == [
        ("gravity",),
        ("jacobians_local",),
        ("velocities_local", "velocities_world", "velocities_aligned"),
    ]
    velocities = max(found, key=lambda entry: len(entry.items))
    assert velocities is found[0]
    assert velocities.sentence.startswith("disagrees with the truth in velocities, most on arm0 in joint0")
    worst = velocities.worst
    assert worst is not None and worst.error == 1e8


def test_failures_with_other_reasons_are_entries_of_their_own_whatever_numbers_and_names_they_have() -> None:
    other = with_cell(RUN, 5, message="MemoryError")
    assert RUN.cells[5].verdict == "failed"
    assert sorted(len(entry.items) for entry in entries(other) if entry.tone == "failed") == [1, 3]


def test_a_known_finding_is_one_entry_unless_a_cause_has_its_cells() -> None:
    (known,) = (entry for entry in entries(RUN) if entry.tone == "known")
    named = cause("pinocchio", "x", [item.id for item in known.items], kind="known", page="docs/findings/x.md")
    *_, again = entries(replace(RUN, causes=[named, *RUN.causes]))
    assert (again.cause, again.items, again.page) == (named, known.items, known.page)


def test_what_is_said_of_several_mechanisms_is_one_entry() -> None:
    first, second, *_ = (cell.id for cell in RUN.cells if cell.verdict == "discrepancy")
    one, other = (cause("my_code.py", "sign", [name]) for name in (first, second))
    found = entries(replace(RUN, causes=[one, other]))
    assert [item.id for item in found[0].items] == [first, second] and found[0].cause == one
    apart = replace(other, sentence="something else")
    assert len(entries(replace(RUN, causes=[one, apart]))) == len(found) + 1


def test_the_answer_is_the_most_wrong_number_of_the_example_or_else_of_the_worst_cell() -> None:
    bare = replace(RUN, causes=[replace(one, example=None) for one in RUN.causes])
    assert entries(bare)[0].answer == Answer("inverse_dynamics", "joint0", 1.0, 1.0000000000000002)
    infinite = replace(EXAMPLE, got=(INFINITE, 0.0))
    answer = entries(replace(RUN, causes=[replace(RUN.causes[0], example=infinite)]))[0].answer
    assert answer is not None and answer.component == "shoulder"


def test_users_code_comes_before_every_engine_and_engines_before_our_own() -> None:
    engines = [name for engine in ENGINES for name in (engine.name, engine.name + SUFFIX)]
    assert {name: rank(name) for name in BUILT_IN} == {name: 1 if name in engines else 2 for name in BUILT_IN}
    assert rank("my_code.py") == 0


def test_the_implementation_is_named_once() -> None:
    told = cause("engine0", "x", [], sentence="In engine0, the term x is missing")
    place = cause("engine0", "z", [], sentence="z raised KeyError (engine0.py:3)")
    run = replace(results(), causes=[told, cause("engine0", "y", []), place])
    assert [entry.title for entry in entries(run)] == [
        "In engine0, the term x is missing",
        "engine0: the term y is missing",
        "engine0: z raised KeyError (engine0.py:3)",
    ]


def test_known_findings_are_no_problems_and_yellow() -> None:
    run = replace(RUN, causes=(), invariants=(), cells=[cell for cell in RUN.cells if cell.verdict in ("agrees", "known")])
    console = Console(width=200, force_terminal=True, color_system="standard")
    with console.capture() as capture:
        console.print(terminal.summary(run), crop=False)
    text = capture.get()
    assert "Problems" not in text and "Known findings" in text
    assert "\x1b[33m◆ known fault" in text and "\x1b[1;31m" not in text
    assert "Problems" not in markdown.render(run) and problems_of(run) == []


@pytest.mark.parametrize(
    ("got", "expected", "says"),
    [
        (50.0, 100.0, "got 50 N m, expected 100 N m (50 % off)"),
        (-2.0, 2.0, "got -2 N m, expected 2 N m (200 % off)"),
        (573.0, 1.0, "got 573 N m, expected 1 N m (off by 572 times its size)"),
        (1.0, 0.0, "got 1 N m, expected 0 N m"),
        (1.0, 1.0 + 2**-52, "got 1.0 N m, expected 1.0000000000000002 N m (2.2e-14 % off)"),
        (INFINITE, 1.0, "got ∞ N m, expected 1 N m"),
    ],
)
def test_got_and_expected_stand_in_physical_units_with_the_share(got: float, expected: float, says: str) -> None:
    example = replace(EXAMPLE, got=[got], expected=[expected], components=["elbow"], units=["N m"])
    run = replace(RUN, causes=[replace(RUN.causes[0], example=example)])
    assert entries(run)[0].facts[0] == f"smallest example (2 bodies): τ at elbow: {says}"


def test_what_is_unknown_says_what_was_ruled_out_and_not_tried() -> None:
    changes: dict[str, Any] = {"kind": "unknown", "tried": 0, "remedy": "", "example": None, "evidence": ()}
    unknown = cause("engine0", "x", [], ruled_out=["gravity's sign"], untried=["other masses: one mechanism only"], **changes)
    run = replace(results(), causes=[unknown])
    assert entries(run)[0].facts == (
        "ruled out: gravity's sign",
        "not tried: other masses: one mechanism only",
        "no cell of this run",
    )
    (entry,) = entries(run)
    assert (entry.items, entry.worst, entry.answer, entry.total) == ((), None, None, 0)
