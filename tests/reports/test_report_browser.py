"""The report in a browser: keyboard, address, the script's drawings, and accessibility. Needs Chromium."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Browser
from documents import all_wrong, drawn, hostile

from cross_check.exchange.results import Results
from cross_check.exchange.results.causes import Observation
from reports import html

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")]

AXE = importlib.util.find_spec("axe_playwright_python")

WIDTHS = (1280, 360)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@cache
def page(run: Callable[[], Results]) -> str:
    return html.render(run())


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Opens the report of a run; in the end nothing must have gone wrong in it."""

    def opened(run: Callable[[], Results], fragment: str = "", script: bool = True) -> Browser:
        path = tmp_path / "report.html"
        path.write_text(page(run), "utf-8")
        browser.open(path, fragment, script)
        return browser

    browser.complaints.clear()
    yield opened
    browser.size(1280, 900)
    assert not browser.complaints


def choose(browser: Browser, name: str, value: str) -> None:
    """Choose in the list of this name, as a reader would."""
    control = f"document.querySelector('.filters [name={name}]')"
    browser.ask(f"{control}.value = '{value}'")
    browser.ask(f"{control}.dispatchEvent(new Event('input', {{bubbles: true}}))")


SEEN = (
    "[...document.querySelectorAll('.cause')].filter(one => getComputedStyle(one).display !== 'none').map(one => one.dataset.key)"
)


def test_the_list_of_causes_is_filtered_by_code_mechanism_quantity_and_verdict(opened: Any) -> None:
    browser = opened(drawn)
    everything = browser.ask(SEEN)
    choose(browser, "implementation", "1")
    assert browser.ask(SEEN) == [key for key in everything if key.startswith("pinocchio/")] != []
    assert browser.ask("[...document.querySelectorAll('.code')].filter(one => one.hidden).length") == 1
    choose(browser, "implementation", "")
    choose(browser, "verdict", "failed")
    assert browser.ask(SEEN) == [key for key in everything if "/failed: " in key] != []
    choose(browser, "verdict", "")
    choose(browser, "quantity", "1")
    assert browser.ask(SEEN) == ["my_code.py/armature"]
    assert browser.ask("document.querySelector('.filters output').textContent").startswith(f"1 of {len(everything)} causes; ")
    browser.ask("document.querySelector('.filters [type=reset]').click()")
    browser.wait(f"{SEEN}.length === {len(everything)}")


def test_the_list_of_causes_is_filtered_without_script(opened: Any) -> None:
    browser = opened(lambda: all_wrong(1, 6), script=False)
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
    everything = browser.ask(SEEN)
    browser.ask("document.querySelector('#by-implementation').value = '1'")
    assert browser.ask(SEEN) == [key for key in everything if key.startswith("engine1/")] != []
    assert browser.ask("[...document.querySelectorAll('#map tbody tr')].every(row => row.cells[2].offsetWidth === 0)")


def one_cause() -> Results:
    """A run with one cause, one of the largest that are usual, and every state wrong that moves."""
    run = drawn()
    kept = [cell for cell in run.cells if cell.implementation == "my_code.py" and cell.quantity == "inverse_dynamics"]
    evidence = [Observation(f"experiment {k} without something", "off by 0.628 N m") for k in range(9)]
    causes = [replace(one, evidence=evidence) for one in run.causes if one.id == "my_code.py/coriolis"]
    return replace(run, implementations=run.implementations[:1], cells=kept, invariants=[], causes=causes)


def test_one_cause_is_printed_on_one_page(opened: Any) -> None:
    for script in (True, False):
        printed = opened(one_cause, script=script).printed()
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1, script


def test_the_keyboard_reaches_the_first_cause_in_five_tabs(opened: Any) -> None:
    browser = opened(drawn)
    reached = []
    for _ in range(5):
        browser.press("Tab")
        reached.append(browser.ask("document.activeElement.closest('details.cause')?.dataset.key"))
    assert any(reached)


def test_the_address_keeps_what_is_filtered_sorted_opened_and_shown(opened: Any) -> None:
    browser = opened(drawn)
    choose(browser, "verdict", "problems")
    browser.ask("document.querySelector('#map thead [data-sort=name] button').click()")
    browser.ask("document.querySelector('#map .toggle').click()")
    browser.ask("[...document.querySelectorAll('.cause > summary')].at(-1).click()")
    browser.wait("location.hash.includes('cause')")
    browser.ask("document.querySelector('#map tr.quantity a').click()")
    browser.wait("document.querySelector('#cell').open")
    title, address = browser.ask("[document.querySelector('#cell-title').textContent, location.hash]")
    again = opened(drawn, address)
    again.wait("document.querySelector('#cell').open")
    assert again.ask("document.querySelector('#cell-title').textContent") == title
    assert again.ask("document.querySelector('.filters [name=verdict]').value") == "problems"
    assert again.ask("document.querySelector('.order [name=sort]').value") == "name"
    assert again.ask("document.querySelector('#map [data-sort=name]').getAttribute('aria-sort')") == "ascending"
    assert again.ask("document.querySelectorAll('#map tr.quantity').length") > 0
    assert again.ask("[...document.querySelectorAll('.cause')].at(-1).open")
    again.press("Escape")
    again.wait("!document.querySelector('#cell').open")
    again.wait("location.hash.startsWith('#?')")


def test_a_cell_shows_what_was_measured_and_a_neighbour_follows(opened: Any) -> None:
    browser = opened(drawn, "#arm0%2Fmy_code.py%2Finverse_dynamics")
    browser.wait("document.querySelector('#cell').open")
    shown = browser.ask("document.querySelector('#cell').innerText")
    for words in ("disagrees", "joint0", "the term coriolis is missing", "All implementations", "pinocchio"):
        assert words in shown, words
    heat = "[...document.querySelectorAll('#cell .heat tbody td')].map(td => td.className + ' ' + td.innerText)"
    assert browser.ask(heat) == ["agrees h0 0.5", "agrees h1 3.2", "discrepancy h3 1.0e6", "discrepancy h5 ∞"]
    states = browser.ask("[...document.querySelectorAll('#cell [data-slot=states] circle')].map(dot => dot.dataset.text)")
    assert len(states) == 14
    assert "State 1, random: 0.4 ε-units" in states and "State 0, zero: 0 ε-units" in states
    browser.ask("document.querySelector('#cell [data-turn=\"1\"]').click()")
    assert "inverse dynamics" not in browser.ask("document.querySelector('#cell-title').textContent")


def one_differs() -> Results:
    """Three codes whose gravity is wrong, the last in another way."""
    run = all_wrong(1, 3)
    cells = [cell for cell in run.cells if cell.quantity == "gravity"]
    assert cells[2].worst
    return replace(run, cells=[*cells[:2], replace(cells[2], worst=replace(cells[2].worst, got=7.0))])


def test_implementations_with_the_same_wrong_number_are_marked(opened: Any) -> None:
    browser = opened(one_differs, "#arm0%2Fengine0%2Fgravity")
    browser.wait("document.querySelector('#cell').open")
    rows = "[...document.querySelectorAll('#cell [data-slot=others] tbody tr')].map(tr => tr.cells[4].innerText)"
    assert browser.ask(rows) == ["engine1", "engine0", ""]


def test_a_mechanism_has_a_page_with_all_its_results(opened: Any) -> None:
    browser = opened(drawn, "#page%3Aarm1")
    assert browser.ask("document.querySelector('#page-title').innerText") == "arm1"
    assert browser.ask("document.querySelector('.masthead').offsetHeight") == 0
    assert browser.ask("document.querySelectorAll('#page tr.quantity').length") >= 7
    browser.ask("document.querySelector('#page [data-turn=\"-1\"]').click()")
    assert browser.ask("document.querySelector('#page-title').innerText") == "arm0"
    browser.ask("history.back()")
    browser.wait("document.querySelector('#page-title').innerText === 'arm1'")


def test_printing_opens_every_cause_and_closes_it_again(opened: Any) -> None:
    browser = opened(drawn)
    closed = "document.querySelectorAll('.causes details.cause:not([open])').length"
    browser.ask(f"addEventListener('beforeprint', () => {{ window.left = {closed}; }})")
    before = browser.ask("document.querySelectorAll('details[open]').length")
    assert browser.ask(closed) > 0
    assert browser.printed().startswith(b"%PDF")
    assert browser.ask("window.left") == 0
    browser.wait(f"document.querySelectorAll('details[open]').length === {before}")
    assert "open" not in browser.ask("location.hash")


def test_without_script_causes_can_be_opened_and_read(opened: Any) -> None:
    browser = opened(drawn, script=False)
    reached = "document.activeElement.matches('.cause > summary')"
    for _ in range(4):
        browser.press("Tab")
    browser.press("Enter")
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
    assert browser.ask(reached)
    text = browser.ask("document.querySelector('.cause[open]').innerText")
    assert "How we know" in text and "3406" in text


@pytest.mark.parametrize("run", [drawn, hostile])
def test_the_page_scrolls_along_one_axis_only(opened: Any, run: Callable[[], Results]) -> None:
    browser = opened(run)
    for width in WIDTHS:
        browser.size(width, 800)
        assert browser.ask("document.documentElement.scrollWidth") <= width


@pytest.mark.skipif(not AXE, reason="axe-playwright-python is not installed")
@pytest.mark.parametrize(
    ("fragment", "scheme", "width"),
    [
        ("", "dark", 360),
        ("#arm0%2Fmy_code.py%2Finverse_dynamics", "light", 360),
        ("#page%3Aarm0", "dark", 1280),
        ("#?open=row%3Aarm0", "light", 1280),
    ],
)
def test_nothing_stands_in_the_way_of_assistive_technology(opened: Any, fragment: str, scheme: str, width: int) -> None:
    browser = opened(drawn, fragment)
    browser.size(width, 900)
    browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.ask("document.querySelectorAll('.cause').forEach(one => { one.open = true; })")
    assert AXE and AXE.origin
    browser.ask(Path(AXE.origin).with_name("axe.min.js").read_text("utf-8") + "; 0")
    each = "`${v.id}: ${v.nodes.map(node => node.html.slice(0, 150)).join(' ')}`"
    options = "{preload: false, resultTypes: ['violations']}"
    violations = f"axe.run(document, {options}).then(found => found.violations.map(v => {each}))"
    assert browser.ask(violations) == []
