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
from documents import HOSTILE, cause, certified, empty, explained, hostile, mixed, results
from parsed_page import Page

from cross_check.exchange.results import INFINITE, Cell, Invariant, Results
from reports import html
from reports.embedded import LARGEST, in_bytes
from reports.pages import markdown
from reports.words import cleaned


def page(run: Any) -> Page:
    return Page(html.render(run))


@pytest.mark.parametrize("run", [empty(), results(), certified(), mixed(), hostile()], ids=lambda run: f"{len(run.cells)} cells")
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


def test_the_policy_admits_exactly_the_style_and_script_within() -> None:
    found = page(results())
    policy = next(a["content"] for a in found.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    for text in (*found.raw["style"], found.raw["script"][-1]):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy


def test_a_large_run_stays_below_a_megabyte_and_comes_out_the_same_again() -> None:
    run = results(mechanisms=22, implementations=4, states=98, nv=15)
    source = html.render(run)
    assert len(source.encode()) < 1_000_000
    assert html.render(run) == source


def test_a_large_run_in_which_everything_is_wrong_stays_small_too() -> None:
    run = results(mechanisms=22, implementations=4, states=98, nv=15)
    wrong = [replace(cell, verdict="discrepancy", error=1e9, errors=[1e9] * 98) for cell in run.cells]
    assert len(html.render(replace(run, cells=wrong)).encode()) < 1_500_000


def test_own_implementations_are_told_from_foreign_ones() -> None:
    run = results(implementations=2)
    page = html.render(replace(run, implementations=(replace(run.implementations[0], spec="traced"), run.implementations[1])))
    assert page.count("(dalembert&#39;s own)") == 1
    assert "recorded once for each mechanism" in page


def causes_of(found: Page) -> list[dict[str, str]]:
    return [a for a in found.all("details") if a.get("class", "").startswith("cause")]


def all_wrong(mechanisms: int, implementations: int) -> Results:
    run = results(mechanisms, implementations)
    return replace(run, cells=[replace(cell, verdict="discrepancy", error=1e9) for cell in run.cells])


def test_the_first_cause_is_open_if_one_code_is_wrong_and_none_if_several_are() -> None:
    one, several = causes_of(page(all_wrong(1, 1))), causes_of(page(all_wrong(1, 2)))
    assert ["open" in a for a in one] == [True] + [False] * (len(one) - 1)
    assert len(several) == 2 * len(one) and not any("open" in a for a in several)


def test_further_entries_are_folded_into_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "DETAILED", 20)
    found = page(all_wrong(2, 8))
    entries = causes_of(found)
    assert len(entries) > html.DETAILED
    folded = [a["data-fragment"] for a in entries if "data-fragment" in a]
    assert len(folded) == len(entries) - html.DETAILED
    assert set(folded) == set(found.data["fragments"]["parts"])


def test_a_known_finding_is_shown_once_with_its_text_and_is_not_red() -> None:
    run = explained()
    known = cause("pinocchio", "finding", [cell.id for cell in run.cells if cell.verdict == "known"], kind="known")
    run = replace(run, causes=[replace(known, page="docs/findings/x.md", text="# A *finding*\n\nThe `axis` is <b>fixed</b>.")])
    source = html.render(run)
    assert source.count('class="cause known"') == 1
    assert "<h3>A <em>finding</em></h3>" in source and "&lt;b&gt;fixed&lt;/b&gt;" in source
    section = source.split('id="section-known"')[1].split("</section>")[0]
    assert "discrepancy" not in section


def test_no_equations_are_in_the_page_but_those_of_a_suspect_term() -> None:
    run = replace(mixed(), causes=[cause("engine0", "gravity", [mixed().cells[0].id], term="gravity", example=None)])
    assert "<math" not in html.render(mixed())
    source = html.render(run)
    assert source.count('class="suspect"') == 1
    assert "g of arm0" in source


def test_hostile_text_is_never_markup() -> None:
    source = html.render(hostile())
    found = Page(source)
    assert len(found.all("script")) == 2 and "<script>alert" not in source
    assert not re.search("[\x00\x1b\u202e\ud800]", source)
    assert "alert(1)" in found.text
    source.encode()
    data = found.data
    assert any(text.startswith(HOSTILE[:20]) for text in data["texts"])
    fragments = [*data["fragments"]["mechanisms"], *data["fragments"]["parts"].values()]
    assert fragments and not any("<script" in fragment for fragment in fragments)
    for fragment in fragments:
        assert not any("style" in a or "src" in a or any(name.startswith("on") for name in a) for _, a in Page(fragment).tags)


def test_tables_have_captions_scopes_and_sortable_heads() -> None:
    found = page(mixed())
    assert len(found.all("caption")) >= 1
    assert all(head.get("scope") in {"col", "row", "colgroup"} for head in found.all("th"))
    assert sum("aria-sort" in head for head in found.all("th")) == 2
    assert {"header", "main", "nav", "dialog"} <= {tag for tag, _ in found.tags}
    assert [a["lang"] for a in found.all("html")] == ["en"]


def test_mechanisms_without_some_cells_keep_their_columns() -> None:
    run = results(mechanisms=2, implementations=2)
    kept = [item for item in run.items if item.mechanism == "arm0" or item.implementation == "engine1"]
    cells, invariants = ([item for item in kept if isinstance(item, kind)] for kind in (Cell, Invariant))
    found = page(replace(run, cells=cells, invariants=invariants))
    assert sum("not-run" in a.get("class", "") for a in found.all("td")) == 1


@pytest.mark.parametrize("error", [0.013, 0.2, 1.0, 15.9, 16.1, 1e3, 4.7e12, 9e18])
def test_a_byte_keeps_an_error_to_a_tenth(error: float) -> None:
    (byte,) = in_bytes([error])
    back = 10 ** ((byte - 1) / 12 - 2)
    assert back == pytest.approx(error, rel=0.1)


def test_the_ends_of_the_bytes() -> None:
    assert list(in_bytes([0.0, 1e-9, 1e40, INFINITE, math.inf])) == [0, 0, LARGEST - 1, LARGEST, LARGEST]


def test_users_code_comes_before_engines_and_these_before_our_own() -> None:
    run = results(implementations=3)
    names = ("traced", "pinocchio", "mine")
    given = [replace(one, name=name, spec=name) for one, name in zip(run.implementations, names, strict=True)]
    cells = [replace(cell, implementation=names[int(cell.implementation[-1])]) for cell in run.cells]
    data = Page(html.render(replace(run, implementations=given, cells=cells, invariants=[]))).data
    assert [(name, own) for name, _, own in data["implementations"]] == [("mine", 0), ("pinocchio", 0), ("traced", 1)]
    shown = [data["implementations"][row[1]][0] for row in data["cells"]]
    assert shown == [cell.implementation for cell in cells]


def test_inputs_of_cells_that_agree_are_kept_while_they_are_few() -> None:
    def kept(run: Results) -> bool:
        data = Page(html.render(run)).data
        return bool(data["cells"][len(run.cells) - 1][13][-1])

    assert kept(results())
    assert not kept(results(mechanisms=22, implementations=4, nv=15))


FINDINGS = Path(__file__).parents[2] / "docs/findings"


def test_html_links_and_images_are_text() -> None:
    source = markdown(
        "# Title\n\n<script>alert(1)</script> [text](https://example.org/x) ![picture](https://example.org/y.png)\n"
    )
    found = Page(source)
    assert {tag for tag, _ in found.tags} == {"h3", "p"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt; text (https://example.org/x) picture" in source


def test_hostile_text_is_text() -> None:
    assert not {tag for tag, _ in Page(markdown(cleaned(HOSTILE))).tags} & {"script", "a", "img", "style"}


def test_the_findings_are_readable() -> None:
    for path in FINDINGS.glob("*.md"):
        tags = {tag for tag, _ in Page(markdown(path.read_text("utf-8"))).tags}
        assert "h3" in tags and not tags & {"a", "img", "script"}, path.name
