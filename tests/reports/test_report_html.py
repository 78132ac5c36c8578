"""The HTML report: complete, escaped, self-contained, small, and the same every time."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from typing import Any

import pytest
from documents import HOSTILE, KINDS, certified, empty, hostile, mixed, results, very_large
from parsed_page import Page

from reports import html
from reports.words import VERDICTS


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
    for text in (found.raw["style"][0], found.raw["script"][-1]):
        assert base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() in policy


def test_headlines() -> None:
    assert "All 2 implementations agree with the truth on 3 mechanisms" in page(results(3, 2)).text
    assert "engine0 agrees with the truth on 1 mechanism" in page(results()).text
    assert "engine0 disagrees with the truth in 1 of 4 comparisons" in page(mixed()).text.replace("\u202f", " ")
    assert "Nothing was compared" in page(empty()).text


def test_a_certified_run_says_so_and_shows_ulps() -> None:
    text = page(certified()).text
    said = ("certified, 1536 bits", "An ulp is the gap between", "1 / 12 / ∞", "until every number is correctly rounded", "yes")
    for words in said:
        assert words in text
    assert "ulp" not in page(results()).text


def test_every_verdict_is_said_in_words() -> None:
    text = page(mixed()).text
    for name, word in VERDICTS.items():
        assert word.word in text, name
    assert "broken" in text


def test_problems_come_first_and_only_where_there_are_any() -> None:
    source = html.render(mixed())
    assert source.index('id="section-problems"') < source.index('id="section-known"') < source.index('id="section-matrix"')
    assert "section-problems" not in html.render(results())


def test_a_problem_is_shown_in_full_without_script() -> None:
    text = page(mixed()).text
    for shown in ("right in those of kind zero and at rest", "quarter turns", "-2.5", "docs/findings/x.md", "singular"):
        assert shown in text
    assert (
        "dalembert check 'my arm.urdf' --implementation engine0 --quantity inverse_dynamics --seed 3 --states 14 --state 3"
        in text
    )


def test_a_long_list_of_problems_is_shortened_to_lines() -> None:
    run = results(mechanisms=10)
    wrong = [replace(cell, verdict="discrepancy", error=1e9) for cell in run.cells]
    source = html.render(replace(run, cells=wrong))
    assert source.count('<details class="problem">') == html.DETAILED
    assert source.count('<p class="problem">') == len(wrong) - html.DETAILED


def test_hostile_text_is_never_markup() -> None:
    source = html.render(hostile())
    found = Page(source)
    assert len(found.all("script")) == 2 and "<script>alert" not in source
    assert not re.search("[\x00\x1b\u202e\ud800]", source)
    assert "alert(1)" in found.text
    source.encode()
    assert found.data["cells"][0][found.data["fields"].index("message")].startswith(HOSTILE[:20])


def test_an_interrupted_run_says_so() -> None:
    assert "Interrupted." in page(hostile()).text
    assert "Interrupted." not in page(results()).text


def test_tables_have_captions_scopes_and_sortable_heads() -> None:
    found = page(mixed())
    assert len(found.all("caption")) >= 2
    assert all(head.get("scope") in {"col", "row", "colgroup"} for head in found.all("th"))
    assert sum("aria-sort" in head for head in found.all("th")) == 6
    assert {"header", "main", "nav", "dialog"} <= {tag for tag, _ in found.tags}
    assert [a["lang"] for a in found.all("html")] == ["en"]


def test_mechanisms_without_some_cells_keep_their_columns() -> None:
    run = results(mechanisms=2, implementations=2)
    found = page(replace(run, cells=[cell for cell in run.cells if cell.mechanism == "arm0" or cell.implementation == "engine1"]))
    assert sum("not-run" in a.get("class", "") for a in found.all("td")) == 7


def test_a_large_run_stays_below_a_megabyte_and_comes_out_the_same_again() -> None:
    run = results(mechanisms=22, implementations=4, states=98, nv=15)
    source = html.render(run)
    assert len(source.encode()) < 1_000_000
    assert html.render(run) == source


def test_a_large_run_in_which_everything_is_wrong_stays_small_too() -> None:
    run = results(mechanisms=22, implementations=4, states=98, nv=15)
    wrong = [replace(cell, verdict="discrepancy", error=1e9, errors=[1e9] * 98) for cell in run.cells]
    assert len(html.render(replace(run, cells=wrong)).encode()) < 1_500_000


def test_inputs_of_cells_that_agree_are_kept_while_they_are_few() -> None:
    def kept(run: Any) -> bool:
        data = page(run).data
        return "inputs" in data["cells"][-1][data["fields"].index("worst")]

    assert kept(results())
    assert not kept(results(mechanisms=22, implementations=4, nv=15))


def test_own_implementations_are_told_from_foreign_ones() -> None:
    run = results(implementations=2)
    page = html.render(replace(run, implementations=(replace(run.implementations[0], spec="traced"), run.implementations[1])))
    assert page.count("(dalembert&#39;s own)") == 1
    assert "recorded once for each mechanism" in page


def test_very_many_errors_are_shown_as_histograms() -> None:
    run = very_large()
    source = html.render(run)
    figure = source.split('data-slot="states"')[1].split("</figure>")[0]
    assert figure.count("<line") - figure.count('class="grid"') - figure.count('class="bar"') == 3 * len(KINDS) + 1
    assert figure.count('class="over"') == 1
    assert "<circle" not in figure
    heights = [int(y1) - int(y2) for y1, y2 in re.findall(r'y1="(\d+)" y2="(\d+)"', figure)]
    assert min(heights) >= 2, "three states among a million can be seen"
    assert re.search(r"wrong in 3 of 987\s003 states, right in those of kind zero, .* and large<", source)
    assert "half are within 0.6 ε-units, 99 in 100 within 2.0, 3 above the bar" in source
    data, cell = page(run).data, page(run).data["cells"][1]
    assert dict(zip(data["fields"], cell, strict=True))["histogram"]["fast"] == [[-40, 1000], [-3, 90000], [2, 50000]]
    assert len(source.encode()) < 300_000
