"""Entries in words, and every output that is text: one entry per cause."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from documents import EXAMPLE, cause, explained, hostile, results
from rich.console import Console

from cross_check.results import INFINITE
from dalembert.gatekeeper import problems_of
from reports import junit, markdown, terminal
from reports.causes import entries, words

RUN = explained()


def test_the_implementation_is_named_once() -> None:
    told = cause("engine0", "x", [], sentence="In engine0, the term x is missing")
    place = cause("engine0", "z", [], sentence="z raised KeyError (engine0.py:3)")
    run = replace(results(), causes=[told, cause("engine0", "y", []), place])
    assert [words(run, entry).title for entry in entries(run)] == [
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
    assert words(run, entries(run)[0]).facts[0] == f"smallest example (2 bodies): τ at elbow: {says}"


def test_what_is_unknown_says_what_was_ruled_out_and_not_tried() -> None:
    changes: dict[str, Any] = {"kind": "unknown", "tried": 0, "remedy": "", "example": None, "evidence": ()}
    unknown = cause("engine0", "x", [], ruled_out=["gravity's sign"], untried=["other masses: one mechanism only"], **changes)
    run = replace(results(), causes=[unknown])
    assert words(run, entries(run)[0]).facts == (
        "ruled out: gravity's sign",
        "not tried: other masses: one mechanism only",
        "no cell of this run",
    )


def test_foreign_text_in_causes_stays_text() -> None:
    run = hostile()
    for entry in entries(run):
        said = words(run, entry)
        for text in (said.title, said.command, *said.facts):
            assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202e\ud800]", text)
    assert not any(re.search(r"[\x00-\x1f\u202e]", line) for line in problems_of(run))
    prose = re.sub(r"^ *(`{3,})sh\n.*?\n *\1$", "", markdown.render(run), flags=re.DOTALL | re.MULTILINE)
    assert prose.count("evidence") and not re.search(r"<script|@team|(?<!\\)[`\[]|#1|http:", prose)
    (suite,) = ElementTree.fromstring(junit.render(run)).findall("testsuite[@name='causes']")
    assert int(suite.get("tests", 0)) == len(entries(run))
