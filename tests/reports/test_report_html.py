"""The HTML report: complete, escaped, self-contained, small, and the same every time; and the data of its script."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from documents import HOSTILE, all_wrong, empty, hostile, mixed, results
from parsed_page import Page

from cross_check.exchange.results import INFINITE, Cell, Invariant, Results
from reports import html
from reports.embedded import LARGEST, in_bytes
from reports.pages import markdown
from reports.words import cleaned


@pytest.mark.parametrize("run", [empty(), mixed(), hostile()], ids=["empty", "mixed", "hostile"])
def test_every_page_is_well_formed_and_self_contained(run: Any) -> None:
    source = html.render(run)
    found = Page(source)
    for tag, attributes in found.tags:
        assert "src" not in attributes and tag not in {"link", "img", "iframe", "object", "base"}
        assert attributes.get("href", "#").startswith("#")
        assert "style" not in attributes and not any(name.startswith("on") for name in attributes)
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg|evil)", source)
    ids = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert not any(re.search(r"\s", name) for name in ids)
    policy = next(a["content"] for a in found.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    for text in (*found.raw["style"], found.raw["script"][-1]):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy


def inputs_are_kept(source: str, run: Results) -> bool:
    """Whether the page has the inputs of the last cell, which agrees."""
    return bool(Page(source).data["cells"][len(run.cells) - 1][13][-1])


def test_a_large_run_stays_below_a_megabyte_also_if_everything_is_wrong() -> None:
    run = results(mechanisms=22, implementations=4, states=98, nv=15)
    source = html.render(run)
    assert len(source.encode()) < 1_000_000
    assert inputs_are_kept(html.render(results()), results()) and not inputs_are_kept(source, run)
    wrong = [replace(cell, verdict="discrepancy", error=1e9, errors=[1e9] * 98) for cell in run.cells]
    assert len(html.render(replace(run, cells=wrong)).encode()) < 1_500_000


def test_further_entries_are_folded_into_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "DETAILED", 6)
    found = Page(html.render(all_wrong(1, 2)))
    entries = [a for a in found.all("details") if a.get("class", "").startswith("cause")]
    folded = [a["data-fragment"] for a in entries if "data-fragment" in a]
    assert len(folded) == len(entries) - html.DETAILED > 0
    assert set(folded) == set(found.data["fragments"]["parts"])


def test_hostile_text_is_never_markup() -> None:
    source = html.render(hostile())
    found = Page(source)
    assert len(found.all("script")) == 2 and "<script>alert" not in source
    assert "alert(1)" in found.text
    data = found.data
    assert any(text.startswith(HOSTILE[:20]) for text in data["texts"])
    fragments = [*data["fragments"]["mechanisms"], *data["fragments"]["parts"].values()]
    assert fragments and not any("<script" in fragment for fragment in fragments)
    for fragment in fragments:
        assert not any("style" in a or "src" in a or any(name.startswith("on") for name in a) for _, a in Page(fragment).tags)


def test_mechanisms_without_some_cells_keep_their_columns() -> None:
    run = results(mechanisms=2, implementations=2)
    kept = [item for item in run.items if item.mechanism == "arm0" or item.implementation == "engine1"]
    cells, invariants = ([item for item in kept if isinstance(item, kind)] for kind in (Cell, Invariant))
    found = Page(html.render(replace(run, cells=cells, invariants=invariants)))
    assert sum("not-run" in a.get("class", "") for a in found.all("td")) == 1


def test_a_byte_keeps_an_error_to_a_tenth() -> None:
    errors = [0.013, 0.2, 1.0, 15.9, 16.1, 1e3, 4.7e12, 9e18]
    assert [10 ** ((byte - 1) / 12 - 2) for byte in in_bytes(errors)] == pytest.approx(errors, rel=0.1)
    assert list(in_bytes([0.0, 1e-9, 1e40, INFINITE, math.inf])) == [0, 0, LARGEST - 1, LARGEST, LARGEST]


def test_users_code_comes_before_engines_and_these_before_our_own() -> None:
    run = results(implementations=3)
    names = ("traced", "pinocchio", "mine")
    given = [replace(one, name=name, spec=name) for one, name in zip(run.implementations, names, strict=True)]
    cells = [replace(cell, implementation=names[int(cell.implementation[-1])]) for cell in run.cells]
    run = replace(run, implementations=given, cells=cells, invariants=[])
    assert html.heat_map(run)[0] == ["mine", "pinocchio", "traced"]
    source = html.render(run)
    assert source.count("(dalembert&#39;s own)") == 1 and "recorded once for each mechanism" in source
    data = Page(source).data
    assert [(name, own) for name, _, own in data["implementations"]] == [("mine", 0), ("pinocchio", 0), ("traced", 1)]
    shown = [data["implementations"][row[1]][0] for row in data["cells"]]
    assert shown == [cell.implementation for cell in cells]


FINDINGS = Path(__file__).parents[2] / "docs/findings"


def test_html_links_and_images_are_text() -> None:
    source = markdown(
        "# Title\n\n<script>alert(1)</script> [text](https://example.org/x) ![picture](https://example.org/y.png)\n"
    )
    found = Page(source)
    assert {tag for tag, _ in found.tags} == {"h3", "p"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt; text (https://example.org/x) picture" in source
    assert not {tag for tag, _ in Page(markdown(cleaned(HOSTILE))).tags} & {"script", "a", "img", "style"}


def test_the_findings_are_readable() -> None:
    for path in FINDINGS.glob("*.md"):
        tags = {tag for tag, _ in Page(markdown(path.read_text("utf-8"))).tags}
        assert "h3" in tags and not tags & {"a", "img", "script"}, path.name
