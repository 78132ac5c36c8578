"""The site without the outputs of commands: links, names, what it loads, and what a browser makes of it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from browser import CHROMIUM, Browser

import dalembert

ROOT = Path(__file__).parents[2]

TOOLS = ("furo", "latex2mathml", "myst_parser", "sphinx")

AXE = importlib.util.find_spec("axe_playwright_python")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(importlib.util.find_spec, TOOLS)), reason="`tox -e docs` installs what builds the site"),
]


class Page(HTMLParser):
    """What a page names: links, things that it loads, and places that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.places |= {values["id"]} if "id" in values else set()
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        self.loaded += [values[name] for name in ("src", "srcset", "data") if name in values]
        self.loaded += [values["href"]] if tag == "link" and "href" in values else []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words = [sys.executable, "-m", "sphinx", "-q", "-W", "-D", "run_commands=0", "-c", "docs/site", "docs", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text("utf-8")) for path in site.rglob("*.html")}


def test_every_link_inside_leads_to_a_place(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        for link in page.links:
            target, _, place = unquote(link).partition("#")
            if ":" in target:
                continue
            file = (path.parent / target).resolve() if target else path
            if not file.is_file() or (file in pages and place not in pages[file].places):
                broken.append(f"{path.name}: {link}")
    assert len(pages) > 30
    assert broken == []


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    assert [
        link for page in pages.values() for link in page.loaded if ":" in link.removeprefix("data:") or link.startswith("//")
    ] == []
    for path in site.rglob("*.css"):
        text = path.read_text("utf-8")
        assert "url(http" not in text and "url(//" not in text and "@import" not in text, path


def test_every_public_name_and_every_command_has_its_place_and_maths_is_mathml(site: Path) -> None:
    from dalembert.cli.main import main

    api, commands = ((site / name).read_text("utf-8") for name in ("api.html", "command-line.html"))
    assert [name for name in dalembert.__all__ if name != "__version__" and f'id="dalembert.{name}"' not in api] == []
    assert [name for name in main.commands if f'id="dalembert-{name}"' not in commands] == []
    assert "<math" in (site / "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("Chromium is not installed")
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


@pytest.mark.parametrize("name", ["index", "tutorial/author", "api", "command-line", "conventions", "dependencies"])
def test_a_page_fits_its_window_and_can_be_read_by_everybody(browser: Browser, site: Path, name: str) -> None:
    browser.send("Page.navigate", url="about:blank")
    browser.send("Page.navigate", url=(site / f"{name}.html").as_uri())
    browser.wait("document.readyState === 'complete'")
    for scheme, width in (("light", 1280), ("dark", 360)):
        browser.size(width, 900)
        browser.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        assert browser.ask("document.documentElement.scrollWidth") <= width, width
        if AXE and AXE.origin:
            browser.ask(Path(AXE.origin).with_name("axe.min.js").read_text("utf-8") + "; 0")
            each = "`${v.id}: ${v.nodes.slice(0, 3).map(node => node.html.slice(0, 150)).join(' ')}`"
            # The theme's two sidebars are asides without names, which is advice and no barrier.
            options = "{preload: false, rules: {'landmark-unique': {enabled: false}}}"
            violations = f"axe.run(document, {options}).then(found => found.violations.map(v => {each}))"
            assert browser.ask(violations) == [], scheme
    assert not browser.complaints


def test_the_search_works_from_files(browser: Browser, site: Path) -> None:
    browser.complaints.clear()
    browser.send("Page.navigate", url=(site / "search.html").as_uri() + "?q=baseline")
    browser.wait("document.querySelectorAll('#search-results li').length > 3")
    assert not browser.complaints
