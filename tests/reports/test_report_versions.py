"""Releases in the reports: foreign text is data, in every form."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

import dalembert
from cross_check.releases import steps_of
from cross_check.results import Results, Skipped, verdict_of
from cross_check.results.versions import Bisection, Installed, Trial, Versions
from reports import reproduction, terminal

HOSTILE = "<script>alert(1)</script> [bold]x[/bold] | `a` \x1b[31m"


@pytest.fixture(scope="module")
def hostile() -> Results:
    results = dalembert.check(["pendulum"], ["reference", "traced"], quantities=["gravity"], states=5)
    cells = [replace(cell, moved=0.25) if k else replace(cell, verdict="known") for k, cell in enumerate(results.cells)]
    found = Bisection(
        HOSTILE, (Trial("1.0", "as before"), Trial("1.1", "not run", HOSTILE), Trial("1.2", "as after")), "1.2", "1.0"
    )
    there = [Installed("reference", "/env/bin/python", {HOSTILE: HOSTILE}, 1.0, 2.0)]
    moved = replace(results, cells=cells, skipped=[Skipped("engine==1.1", HOSTILE)])
    return replace(moved, versions=Versions(there, steps_of(moved), found))


def test_the_command_lists_code_in_the_order_of_the_run(hostile: Results) -> None:
    specs = [f"code{k}.py" for k in (3, 1, 2, 5, 4, 0, 7, 6)]
    one, *_ = hostile.implementations
    run = replace(hostile, implementations=[replace(one, name=f"{k}", spec=spec) for k, spec in enumerate([*specs, *specs])])
    assert " ".join(["--implementation", *specs, "--seed"]) in reproduction.repeat(run)


def test_a_release_that_could_not_run_is_the_headline_and_nothing_is_ticked(hostile: Results) -> None:
    versions = hostile.versions
    assert versions
    alone = replace(versions, bisection=None, steps=())
    right = [replace(cell, verdict="agrees") for cell in hostile.cells]
    run = replace(hostile, cells=right, versions=alone, skipped=[Skipped("engine==99.9", "there is no such release.")])
    verdict = verdict_of(run)
    assert (verdict.kind, verdict.exit_code) == ("failed", 3)
    assert verdict.text.startswith("engine==99.9 could not run: there is no such release. Only one release was compared. ")
    console = Console(width=300, color_system=None)
    with console.capture() as shown:
        console.print(terminal.summary(run))
    assert "✓" not in shown.get().strip().splitlines()[-1]


def test_a_release_that_refuses_a_mechanism_has_run(hostile: Results) -> None:
    assert hostile.versions
    right = [replace(cell, verdict="agrees") for cell in hostile.cells]
    alone = replace(hostile.versions, bisection=None, steps=())
    refused = [Skipped("arm/engine==1.0", "it has no helical joints")]
    assert verdict_of(replace(hostile, cells=right, versions=alone, skipped=refused)).exit_code == 0
