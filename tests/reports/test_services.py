"""What pages of code hosts show of a run: a badge that is green for one reason only, annotations, bounded summaries."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from documents import DYNAMICS, HOSTILE, hostile, results, with_cell, with_changes

from cross_check.exchange.results import Results, Skipped
from reports import markdown, services
from reports.markdown import RESERVED, STEP_SUMMARY, cut


def all_cells(given: Results, **changes: Any) -> Results:
    return replace(given, cells=[replace(cell, **changes) for cell in given.cells])


REGRESSION = with_changes("lost")
FAILED = with_cell(results(), 0, verdict="failed", error=None)

BADGES = {
    "agrees": (results(), "agrees", "brightgreen"),
    "wrong": (with_cell(results(), 0, verdict="discrepancy", error=1e9), "1 discrepancy", "red"),
    "failed": (FAILED, "1 failure", "red"),
    "often failed": (replace(FAILED, cells=FAILED.cells[:1] * 1500), "1\N{NARROW NO-BREAK SPACE}500 failures", "red"),
    "known": (with_cell(results(), 0, verdict="known", error=1e9), "agrees, but for 1 known fault", "yellow"),
    "regression": (REGRESSION, "1 regression", "red"),
    "interrupted": (replace(results(), interrupted=True), "interrupted", "lightgrey"),
    "nothing offered": (all_cells(results(), verdict="not offered", error=None, worst=None), "not compared", "lightgrey"),
    "only invariants": (replace(results(), cells=[]), "not compared", "lightgrey"),
}


@pytest.mark.parametrize(("given", "message", "color"), BADGES.values(), ids=BADGES)
def test_a_badge_says_what_happened_and_is_green_for_one_reason_only(given: Results, message: str, color: str) -> None:
    document = json.loads(services.badge(given))
    assert set(document) == {"schemaVersion", "label", "message", "color", "isError"}
    assert (document["message"], document["color"]) == (message, color)


def placed(place: str, count: int = 1) -> Results:
    """A run in which so many implementations have a wrong cell, which a function at this place computes."""
    run = results(implementations=count)
    wrong: dict[str, Any] = {"verdict": "discrepancy", "error": 1e9, "place": place}
    return replace(run, cells=[replace(cell, **wrong) if cell.quantity == DYNAMICS[0] else cell for cell in run.cells])


def test_a_wrong_cell_is_shown_at_its_line() -> None:
    (line,) = services.github(placed("src/my, dynamics: 100%.py:12")).splitlines()
    assert line.startswith("::error file=src/my%2C dynamics%3A 100%25.py,line=12,title=dalembert%3A disagrees::")
    assert "%0A" in line
    (issue,) = json.loads(services.gitlab(placed("dynamics.py:12"), "robots/arm"))
    assert issue["location"] == {"path": "robots/arm/dynamics.py", "lines": {"begin": 12}}
    assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("engine0", "engine0.py"),
        ("src/arm.py:engine", "src/arm.py"),
        ("arm.dynamics:engine", "arm/dynamics.py"),
        ("cmd:./build/arm --stdio", "arm"),
        ("cmd:", ""),
    ],
)
def test_gitlab_gets_a_file_for_what_has_no_line(spec: str, path: str) -> None:
    run = placed("")
    (issue,) = json.loads(services.gitlab(replace(run, implementations=[replace(run.implementations[0], spec=spec)])))
    assert issue["location"] == {"path": path, "lines": {"begin": 1}}


def test_github_shows_ten_and_is_told_how_many_more_there_are() -> None:
    lines = services.github(placed("a.py:1", 14)).splitlines()
    assert len(lines) == services.MOST
    assert lines[-1].endswith("::5 more are in the report")
    assert len(json.loads(services.gitlab(placed("a.py:1", 14)))) == 14
    assert len(services.github(placed("a.py:1", 10)).splitlines()) == 10


def test_foreign_text_gives_no_command() -> None:
    text = f"\n::set-env name=PATH::/evil\r::add-mask::x\u2028::stop-commands::y {HOSTILE}"
    run = placed("a.py:1")
    cells = [replace(cell, output=text, message=text) if cell.verdict == "discrepancy" else cell for cell in run.cells]
    for given in (replace(run, cells=cells), hostile()):
        printed = services.github(given)
        assert all(line.startswith("::error ") for line in re.split(r"[\n\r]", printed.rstrip("\n")))
        assert "\x1b" not in printed
        json.loads(services.gitlab(given))


def test_a_summary_fits_into_a_step_and_says_what_it_leaves_out() -> None:
    many = replace(results(), skipped=[Skipped(f"arm{k}", f"{HOSTILE} " * 5) for k in range(4000)])
    text = markdown.render(many)
    assert len(text.encode()) <= STEP_SUMMARY
    assert text.startswith("## ✅")
    assert re.search(r"\*\*Left out:\*\* the last \d+ lines\b.*; the HTML report has all\.\n$", text)
    assert "Left out" not in markdown.render(results())


def test_a_cut_leaves_no_code_block_open_and_no_line_in_two_and_a_line_that_is_too_long_out() -> None:
    body = "".join(f"- entry {k}\n\n  ````sh\n  ```\n  command {k}\n  ````\n\n" for k in range(200)) + "### Skipped\n"
    for most in range(RESERVED + 50, RESERVED + 2500, 151):
        text = cut(body, most)
        kept, _, said = text.partition("**Left out:**")
        assert len(text.encode()) <= most
        assert kept.count("````") % 2 == 0
        assert all(line in body.splitlines() for line in kept.splitlines())
        assert "with the sections Skipped" in said
    assert cut(body, len(body)) == body
    assert cut("ä" * 5000, 3000).startswith("\n\n**Left out:** the last 1 lines")
