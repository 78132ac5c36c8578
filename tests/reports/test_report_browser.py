"""The report in a browser: keyboard, address, the script's drawings, and accessibility. Needs Chromium."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import CHROMIUM, Browser
from documents import EXAMPLE, explained, hostile, results

from cross_check.results import Results
from mechanisms import find_mechanism
from mechanisms.document import to_document
from reports import html

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")]

AXE = importlib.util.find_spec("axe_playwright_python")

WIDTHS = (1280, 360)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Any]:
    """Opens the report of a run; in the end nothing must have gone wrong in it."""

    def opened(run: Results, fragment: str = "", script: bool = True) -> Browser:
        path = tmp_path / "report.html"
        path.write_text(html.render(run), "utf-8")
        browser.open(path, fragment, script)
        return browser

    browser.complaints.clear()
    yield opened
    browser.size(1280, 900)
    assert not browser.complaints


def drawn() -> Results:
    """:func:`documents.explained` with shapes of mechanisms, and an example that can be drawn."""
    run = explained()
    mechanism = find_mechanism("cart-pole")
    example = replace(EXAMPLE, mechanism=json.dumps(to_document(mechanism)))
    causes = [replace(one, example=example, where=[mechanism.bodies[1].name]) for one in run.causes]
    cells = [
        replace(cell, by_kind={"zero": [0.5, 1e6], "fast": [3.0, 1e99]}) if cell.verdict == "discrepancy" else cell
        for cell in run.cells
    ]
    return replace(run, causes=causes, cells=cells)


def test_the_keyboard_reaches_the_first_cause_in_five_tabs(opened: Any) -> None:
    browser = opened(drawn())
    reached = []
    for _ in range(5):
        browser.press("Tab")
        reached.append(browser.ask("document.activeElement.closest('details.cause')?.dataset.key"))
    assert any(reached)


def test_the_address_keeps_what_is_filtered_sorted_opened_and_shown(opened: Any) -> None:
    browser = opened(drawn())
    browser.ask("document.querySelector('.filters [name=verdict]').value = 'problems'")
    browser.ask("document.querySelector('.filters').dispatchEvent(new Event('input', {bubbles: true}))")
    browser.ask("document.querySelector('#map thead [data-sort=name] button').click()")
    browser.ask("document.querySelector('#map .toggle').click()")
    browser.ask("[...document.querySelectorAll('.cause > summary')].at(-1).click()")
    browser.wait("location.hash.includes('cause')")
    browser.ask("document.querySelector('#map tr.quantity a').click()")
    browser.wait("document.querySelector('#cell').open")
    title, address = browser.ask("[document.querySelector('#cell-title').textContent, location.hash]")
    again = opened(drawn(), address)
    again.wait("document.querySelector('#cell').open")
    assert again.ask("document.querySelector('#cell-title').textContent") == title
    assert again.ask("document.querySelector('.filters [name=verdict]').value") == "problems"
    assert again.ask("document.querySelector('.filters [name=sort]').value") == "name"
    assert again.ask("document.querySelector('#map [data-sort=name]').getAttribute('aria-sort')") == "ascending"
    assert again.ask("document.querySelectorAll('#map tr.quantity').length") > 0
    assert again.ask("[...document.querySelectorAll('.cause')].at(-1).open")
    again.press("Escape")
    again.wait("!document.querySelector('#cell').open")
    again.wait("location.hash.startsWith('#?')")


def test_a_cell_shows_what_was_measured_and_a_neighbour_follows(opened: Any) -> None:
    browser = opened(drawn(), "#arm0%2Fmy_code.py%2Finverse_dynamics")
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


def test_implementations_with_the_same_wrong_number_are_marked(opened: Any) -> None:
    run = results(implementations=3)
    wrong = {cell.id: replace(cell, verdict="discrepancy", error=1e9) for cell in run.cells if cell.quantity == "gravity"}
    odd = wrong["arm0/engine2/gravity"]
    assert odd.worst
    wrong[odd.id] = replace(odd, worst=replace(odd.worst, got=7.0))
    browser = opened(replace(run, cells=[wrong.get(cell.id, cell) for cell in run.cells]), "#arm0%2Fengine0%2Fgravity")
    browser.wait("document.querySelector('#cell').open")
    rows = "[...document.querySelectorAll('#cell [data-slot=others] tbody tr')].map(tr => tr.cells[4].innerText)"
    assert browser.ask(rows) == ["engine1", "engine0", ""]


def test_a_mechanism_has_a_page_with_all_its_results(opened: Any) -> None:
    browser = opened(drawn(), "#page%3Aarm1")
    assert browser.ask("document.querySelector('#page-title').innerText") == "arm1"
    assert browser.ask("document.querySelector('.masthead').offsetHeight") == 0
    assert browser.ask("document.querySelectorAll('#page tr.quantity').length") >= 7
    browser.ask("document.querySelector('#page [data-turn=\"-1\"]').click()")
    assert browser.ask("document.querySelector('#page-title').innerText") == "arm0"
    browser.ask("history.back()")
    browser.wait("document.querySelector('#page-title').innerText === 'arm1'")


def test_printing_expands_everything_and_folds_it_again(opened: Any) -> None:
    browser = opened(drawn())
    closed = "document.querySelectorAll('main details:not([open])').length"
    browser.ask(f"addEventListener('beforeprint', () => {{ window.left = {closed}; }})")
    before = browser.ask("document.querySelectorAll('details[open]').length")
    assert browser.printed().startswith(b"%PDF")
    assert browser.ask("window.left") == 0
    browser.wait(f"document.querySelectorAll('details[open]').length === {before}")
    assert "open" not in browser.ask("location.hash")


def test_without_script_causes_can_be_opened_and_read(opened: Any) -> None:
    browser = opened(drawn(), script=False)
    browser.press("Tab")
    browser.press("Tab")
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
    text = browser.ask("document.querySelector('.cause[open]').innerText")
    assert "How we know" in text and "3406" in text
    assert browser.ask("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.parametrize("run", [drawn(), hostile(), results(3, 2)], ids=["causes", "hostile", "agreement"])
def test_the_page_scrolls_along_one_axis_only(opened: Any, run: Results) -> None:
    browser = opened(run)
    for width in WIDTHS:
        browser.size(width, 800)
        assert browser.ask("document.documentElement.scrollWidth") <= width


@pytest.mark.skipif(not AXE, reason="axe-playwright-python is not installed")
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 360)])
@pytest.mark.parametrize("fragment", ["", "#arm0%2Fmy_code.py%2Finverse_dynamics", "#page%3Aarm0", "#?open=row%3Aarm0"])
def test_nothing_stands_in_the_way_of_assistive_technology(opened: Any, fragment: str, scheme: str, width: int) -> None:
    browser = opened(drawn(), fragment)
    browser.size(width, 900)
    browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.ask("document.querySelectorAll('.cause').forEach(one => { one.open = true; })")
    assert AXE and AXE.origin
    browser.ask(Path(AXE.origin).with_name("axe.min.js").read_text("utf-8") + "; 0")
    each = "`${v.id}: ${v.nodes.map(node => node.html.slice(0, 150)).join(' ')}`"
    violations = f"axe.run(document).then(found => found.violations.map(v => {each}))"
    assert browser.ask(violations) == []
