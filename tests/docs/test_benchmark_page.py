"""The benchmarks write the tables of docs/benchmarks.md, each with the time of its run, and nothing else of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from aims import AIMS, table_of_aims
from benchmark_page import PageError, Table, measured_with, places, with_tables

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"

EMPTY = "# Title\n\n" + "\n\nText.\n\n".join(
    f"<!-- {name}: written by benchmarks/{file}.py -->\n\n<!-- end -->"
    for name, file in (("runs", "conftest"), ("one", "test_one"), ("two", "test_two"))
)

ONE, TWO = (Table(name, ("a", "b"), (("1", "2 | 3"),)) for name in ("one", "two"))


def test_a_table_stands_at_its_place_with_its_time() -> None:
    page = with_tables(EMPTY, [TWO], "2026-01-02 03:04", "CPython 3.11.9, NumPy 2.4.6; a processor, 2 cores")
    between = "| a | b |\n|---|---|\n| 1 | 2 \\| 3 |\n\nMeasured on 2026-01-02 03:04 UTC."
    assert f"<!-- two: written by benchmarks/test_two.py -->\n\n{between}\n\n<!-- end -->" in page
    assert "<!-- one: written by benchmarks/test_one.py -->\n\n<!-- end -->" in page
    assert "- **2026-01-02 03:04 UTC**: CPython 3.11.9, NumPy 2.4.6; a processor, 2 cores.\n" in page


def test_a_table_that_was_not_measured_keeps_its_time_and_the_page_says_so() -> None:
    page = with_tables(EMPTY, [ONE, TWO], "2026-01-02 03:04", "NumPy 2.0")
    page = with_tables(page, [TWO], "2026-03-04 05:06", "NumPy 2.4")
    assert page.count("Measured on 2026-01-02 03:04 UTC.") == page.count("Measured on 2026-03-04 05:06 UTC.") == 1
    runs = (
        "- **2026-03-04 05:06 UTC**: NumPy 2.4.\n- **2026-01-02 03:04 UTC**: NumPy 2.0. Only the tables one are as old as that."
    )
    assert runs in page
    page = with_tables(page, [ONE], "2026-05-06 07:08", "NumPy 2.5")
    assert "2026-01-02" not in page, "a run that no table is from is not described"
    assert "NumPy 2.4. Only the tables two are as old as that." in page


def test_a_table_without_a_place_and_a_page_that_does_not_describe_the_runs_are_refused() -> None:
    with pytest.raises(PageError, match=r"no place for three; add the line <!-- three: written by benchmarks/test_WHAT.py -->"):
        with_tables(EMPTY, [Table("three", ("a",), ())], "2026-01-02 03:04", "")
    with pytest.raises(PageError, match="no place for runs"):
        with_tables(EMPTY.replace("<!-- runs:", "<!-- no runs:"), [ONE], "2026-01-02 03:04", "")
    with pytest.raises(ValueError, match="the rows of the table one do not all have 2 cells"):
        Table("one", ("a", "b"), (("1",),))


def test_a_run_says_with_what_it_was_measured() -> None:
    words = measured_with()
    assert words.startswith(f"CPython {sys.version_info.major}.{sys.version_info.minor}.")
    assert f"NumPy {version('numpy')}" in words


def test_a_cause_stands_next_to_an_aim_that_is_missed_and_nowhere_else() -> None:
    reached = table_of_aims({name: aim.most for name, aim in AIMS.items()})
    missed = table_of_aims({name: 1.01 * aim.most for name, aim in AIMS.items()})
    assert not any(why for *_, why in reached.rows)
    assert all(why for *_, why in missed.rows)
    assert missed.rows[list(AIMS).index("truth g1")][3] == AIMS["truth g1"].missed


def test_the_page_has_no_other_tables() -> None:
    outside = re.sub(r"<!-- [\w-]+: written by .*?<!-- end -->", "", PAGE.read_text("utf-8"), flags=re.S)
    assert "|" not in outside


@pytest.mark.engines
@pytest.mark.nightly
def test_every_table_has_a_benchmark_and_trying_them_writes_nothing() -> None:
    for package in ("pytest_benchmark", "pinocchio", "biorbd"):
        pytest.importorskip(package, reason=f"the benchmarks need {package}", exc_type=ImportError)
    before = PAGE.read_bytes()
    command = [sys.executable, "-m", "pytest", "benchmarks", "-q", "--benchmark-disable", "-p", "no:cacheprovider"]
    ran = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    assert PAGE.read_bytes() == before
    tried = re.search(r"Benchmarks are disabled, so benchmarks\.md is not written\. These tables were tried: (.*)", ran.stdout)
    assert tried, ran.stdout[-4000:]
    assert sorted(tried[1].split(", ")) == sorted(places(PAGE.read_text("utf-8")))
