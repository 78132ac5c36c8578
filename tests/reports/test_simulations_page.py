"""Simulations in sentences and on their page: what is told, what charts show, and foreign text."""

from __future__ import annotations

import importlib.util
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from browser import CHROMIUM, Browser

from cross_check.simulations.results import FORM, AtLength, AtTime, Balance, Simulation, Simulations, Stray
from reports.line_charts import Line, line_chart
from reports.simulations import sentences, simulations_page

AXE = importlib.util.find_spec("axe_playwright_python")

TIMES = tuple(k / 100 for k in range(100))

ERROR = tuple(1e-9 + 1e-4 * t**2 for t in TIMES)

DRIFT = tuple(1e-3 * math.sin(5 * t) for t in TIMES)

RIGHT = Simulation(
    mechanism="double-pendulum",
    step="step",
    rows=100,
    h=0.01,
    schemes=("semi-implicit Euler",),
    moves="",
    altered="",
    is_named=True,
    structure="symplectic; not reversible (off by 0.02 in a step)",
    missed=0.4,
    strays=(),
    stray_steps=0,
    times=TIMES,
    off=ERROR,
    scheme_off=ERROR,
    truth_off=tuple(1e-15 for _ in TIMES),
    where="v of joint2",
    balances=(Balance("energy", "J", DRIFT, DRIFT, True), Balance("momentum along x", "kg m/s", DRIFT, DRIFT, True)),
    lengths=(AtLength(1e-3, 1e-3), AtLength(5e-4, 5e-4)),
    order=1.0,
    is_rounded=False,
    certified=(AtTime(0.5, 3e-5, "v of joint2", 1.0),),
    notes=(),
)

FAULTY = replace(
    RIGHT,
    altered="damping were 2 times as large",
    off=tuple(1e-8 + 2e-2 * t for t in TIMES),
    balances=(Balance("energy", "J", tuple(2e-3 * t for t in TIMES), DRIFT, False),),
)

STRAYING = replace(RIGHT, strays=(Stray(0.3, "q⁺ of joint2", 0.25),), stray_steps=1)

LOST = replace(RIGHT, is_named=False, scheme_off=(0.0, *(None for _ in TIMES[1:])), off=(0.0, *(1e99 for _ in TIMES[1:])))


def page(*simulations: Simulation, code: str = "mine") -> str:
    return simulations_page([Simulations(FORM, "0.1", code, "mine.py", "1", "float64", 0, simulations)])


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (RIGHT, "99 steps of 0.01 s follow semi-implicit Euler, to 0.4 ε-units"),
        (RIGHT, "off by 9.8e-05 at 0.99 s (v of joint2): all of it is the scheme's, of order 1.00"),
        (RIGHT, "conserved: momentum along x; drift by at most 0.00097 kg m/s, as the scheme has it"),
        (replace(RIGHT, is_rounded=True, schemes=("A", "B")), "follow A (or 1 other scheme, which its digits do not tell apart)"),
        (replace(RIGHT, is_rounded=True), "(v of joint2): all of it is the scheme's, of order 1.00, and its digits'"),
        (replace(RIGHT, is_rounded=True, schemes=("A", "B")), "(v of joint2): all of it is the scheme's, and its digits'"),
        (FAULTY, "as if damping were 2 times as large"),
        (FAULTY, "off by 0.02 at 0.99 s (v of joint2); without fault the scheme is off by 9.8e-05"),
        (FAULTY, "energy drifts by +0.002 J, and the scheme must have -0.00097 J: the rest, +0.003 J, is a fault"),
        (STRAYING, "98 of 99 steps of 0.01 s follow semi-implicit Euler, to 0.4 ε-units; 1 do not"),
        (STRAYING, "the first that does not ends at 0.3 s: q⁺ of joint2 is off by 0.25 of how far it moves"),
        (LOST, "follow no scheme that was tried; nearest: semi-implicit Euler"),
        (LOST, "off by ∞ at 0.99 s (v of joint2)"),
    ],
)
def test_what_is_said(one: Simulation, said: str) -> None:
    assert said in "\n".join(sentences(one, "mine"))


def test_another_motion_is_shown_where_it_begins_and_at_the_end() -> None:
    times = tuple(AtTime(t, t, "v of joint2", None if t > 1 else 1.0, t > 1) for t in (1.0, 2.0, 3.0, 4.0, 5.0))
    said = [line for line in sentences(replace(RIGHT, certified=times), "mine") if "certified" in line]
    assert [line.split(" s ")[0] for line in said] == ["at 1", "at 2", "at 5"]


def test_a_fault_is_not_called_the_schemes() -> None:
    for one in (FAULTY, STRAYING, LOST):
        assert "all of it is the scheme's" not in "\n".join(sentences(one, "mine"))
        assert '<h1 class="discrepancy">' in page(one)
    assert '<h1 class="agrees">' in page(RIGHT)
    assert '<h1 class="discrepancy">' in page(RIGHT, FAULTY)


def test_foreign_names_are_text() -> None:
    foreign = "<script>alert(1)</script>\x1b]\u202e"
    balances = (Balance(foreign, "J", DRIFT, DRIFT, True),)
    told = page(replace(STRAYING, mechanism=foreign, where=foreign, balances=balances, notes=(foreign,)), code=foreign)
    assert "<script" not in told
    assert not set("\x1b\u202e") & set(told)


def numbers(chart: str) -> list[float]:
    return [float(x) for d in re.findall(r' d="([^"]*)"', chart) for x in re.findall(r"-?[0-9.]+", d)]


@pytest.mark.parametrize("logarithmic", [(False, False), (False, True), (True, True)])
def test_charts_of_odd_numbers_stay_within_their_frame(logarithmic: tuple[bool, bool]) -> None:
    odd = [0.0, -1.0, 1e-300, 1e300, math.nan, math.inf, None, 5e-324, 1.0, 1.0]
    lines = [
        Line("run", [*map(float, range(len(odd)))], odd),
        Line("bound", [1.0, 2.0], [1e-30, 1e-30]),
        Line("dots", [3.0], [2.0]),
    ]
    chart = str(line_chart(lines, "x <", "y", "about", logarithmic))
    ElementTree.fromstring(chart)
    assert "nan" not in chart
    assert "inf" not in chart
    assert all(-1 <= x <= 421 for x in numbers(chart))


@pytest.mark.parametrize("y", [[2.0, 2.0], [0.0, 0.0], [-3.0, -3.0], [1.0, 1.0 + 1e-15]])
def test_a_level_line_is_drawn(y: list[float]) -> None:
    chart = str(line_chart([Line("run", [0.0, 1.0], y)], "t", "y", "about"))
    assert re.search(r'class="run" d="M62\.0 [0-9.]+L410\.0 [0-9.]+"', chart)


def test_a_line_without_points_is_no_chart() -> None:
    assert line_chart([Line("run", [0.0], [None])], "t", "y", "about") == ""


def test_greater_numbers_stand_higher() -> None:
    chart = str(line_chart([Line("run", [0.0, 1.0], [1e-6, 1e-3])], "t", "y", "about", (False, True)))
    low, high = re.findall(r"[ML][0-9.]+ ([0-9.]+)", re.findall(r'class="run" d="([^"]*)"', chart)[0])
    assert float(high) < float(low) - 100


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1280)])
def test_the_page_is_accessible_and_as_wide_as_the_screen(tmp_path: Path, scheme: str, width: int) -> None:
    path = tmp_path / "page.html"
    path.write_text(page(RIGHT, FAULTY, STRAYING, LOST), "utf-8")
    browser: Any = Browser(tmp_path / "profile")
    try:
        browser.open(path, "", False)  # The page has no script that would say that it is ready.
        browser.send("Emulation.setScriptExecutionDisabled", value=False)
        browser.size(width, 900)
        browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        assert browser.ask("document.documentElement.scrollWidth") <= width
        if AXE and AXE.origin:
            browser.ask(Path(AXE.origin).with_name("axe.min.js").read_text("utf-8") + "; 0")
            each = "`${v.id}: ${v.nodes.map(node => node.html.slice(0, 150)).join(' ')}`"
            options = "{preload: false, resultTypes: ['violations']}"
            assert browser.ask(f"axe.run(document, {options}).then(found => found.violations.map(v => {each}))") == []
        assert not browser.complaints
    finally:
        browser.close()
