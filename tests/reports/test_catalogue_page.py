"""The catalogue's page: complete, escaped, self-contained, and the same as a section of another page."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from typing import Any

import pytest
from documents import HOSTILE
from parsed_page import Page

from cross_check.prove.catalogue.results import (
    CatalogueResults,
    ComputedResult,
    EntryResult,
    IdentityResult,
    IdentityWitness,
    Text,
    catalogue_from,
)
from reports.catalogue import catalogue_section, folded, outcome, render, totals

PROVEN = IdentityResult(
    id="000.1",
    text="000",
    section="§2 Vectors",
    title="Cross product",
    citation="text 000, eq. 1",
    statement="e^{[ω_1]θ} v̂_B = a^× b_i",
    note="",
    kind="identity",
    corrected="",
    verdict="proven",
    as_stated=True,
    degree=3,
    exponent=61,
    rounds=2,
    error="2^-116",
    witness=None,
)
WITNESS = IdentityWitness(component=[1, 0, 2], left="2", right="-3/4", drawn=["1"])
SLIP = replace(
    PROVEN,
    id="000.1-printed",
    statement="a × b = b × a",
    kind="slip",
    note="a sign of n_i",
    corrected="000.1",
    verdict="false",
    error=None,
    witness=WITNESS,
)
COMPUTED = ComputedResult(
    id="003.9",
    text="003",
    section="§2 Vectors",
    title="Newton",
    citation="text 000, eq. 1",
    statement="it converges",
    note="",
    kind="computed",
    verdict="computed",
    as_stated=True,
    evidence="2^-9, 2^-18",
)


def document(*entries: EntryResult) -> CatalogueResults:
    texts = [Text(name, f"Title {name}") for name in sorted({entry.text for entry in entries})]
    return CatalogueResults("1", 0, texts, entries)


WHOLE = document(PROVEN, SLIP, COMPUTED)
WRONG = document(replace(PROVEN, as_stated=False, verdict="false", error=None, witness=WITNESS), SLIP)


def hostile(value: Any, key: str = "") -> Any:
    """Every text foreign, but for the words that the catalogue itself makes up."""
    if isinstance(value, dict):
        return {key: hostile(x, key) for key, x in value.items()}
    if isinstance(value, list):
        return [hostile(x, key) for x in value]
    return HOSTILE if isinstance(value, str) and key not in ("id", "text", "kind", "corrected", "error", "schema") else value


EVERY = {
    "whole": WHOLE,
    "wrong": WRONG,
    "one": document(PROVEN),
    "numbers": document(COMPUTED),
    "hostile": catalogue_from(hostile(WHOLE.document())),
}


@pytest.mark.parametrize("found", EVERY.values(), ids=EVERY)
def test_every_page_is_well_formed_and_self_contained(found: CatalogueResults) -> None:
    source = render(found)
    page = Page(source)
    for tag, attributes in page.tags:
        assert "src" not in attributes and tag not in {"link", "img", "iframe", "object", "base", "script"}
        assert "style" not in attributes and not any(name.startswith("on") for name in attributes)
    assert not re.search(r"url\(|@import", source)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {attributes["href"] for _, attributes in page.tags if "href" in attributes} <= {f"#{id}" for id in ids}
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert base64.b64encode(hashlib.sha256(page.raw["style"][0].encode()).digest()).decode() in policy


def test_everything_is_said() -> None:
    text = " ".join(Page(render(WHOLE)).text.split())
    for said in (
        "1 identity of the texts proven, and 1 slip refuted",
        "Text 000 Title 000",
        "§2 Vectors",
        "✓ proven 2⁻¹¹⁶ 000.1 degree 3",
        "≠ false as printed",
        "a sign of ni; at small numbers, equation 2, entry 1, 3, the left side is 2 and the right side -3/4",
        "≈ computed",
        "2^-9, 2^-18",
    ):
        assert said in text


def test_what_is_lowered_and_raised() -> None:
    assert "e<sup>[ω<sub>1</sub>]θ</sup> v̂<sub>B</sub> = a<sup>×</sup> b<sub>i</sub>" in render(WHOLE)
    odd = replace(PROVEN, statement="X_λ(i) 2^{1 < 2 a_{i+1}}} _ ^ x_{open")
    assert "X<sub>λ(i)</sub> 2<sup>1 &lt; 2 a<sub>i+1</sub></sup>} _ ^ x<sub>open</sub>" in render(document(odd))


def test_a_slip_stands_beside_what_is_right() -> None:
    source = render(WHOLE)
    assert source.count('href="#catalogue-000.1"') == 2
    alone = render(document(SLIP))
    assert 'href="#catalogue-000.1"' not in alone
    assert "the correct identity is 000.1" in alone
    assert "<dt>proven</dt>" in source and "<dt>proven</dt>" not in render(WRONG)


def test_what_is_not_as_stated_comes_first() -> None:
    page = Page(render(WRONG))
    assert "1 statement of 2 is not as stated" in page.text
    assert "discrepancy" in next(a["class"] for a in page.all("h1"))
    text = " ".join(page.text.split())
    assert text.index("Not as stated") < text.index("Slips of the texts")
    assert re.search(r"identities proven\s*0 of 1", text)
    assert "✗ false" in text


def test_words_for_what_came_of_an_entry() -> None:
    assert outcome(PROVEN).word == "proven"
    assert outcome(replace(PROVEN, as_stated=False)).word == "false"
    assert outcome(SLIP).word == "false as printed"
    assert outcome(replace(SLIP, as_stated=False)).word == "holds after all"
    assert outcome(replace(SLIP, kind="warning")).word == "does not hold"
    assert outcome(COMPUTED).word == "computed"


def test_totals() -> None:
    assert totals(WHOLE.entries) == (
        "1 identity, 1 proven, none skipped; 1 slip of the texts refuted as printed; 1 statement about numbers computed"
    )
    assert totals(WRONG.entries).startswith("1 identity, 0 proven, 1 false, none skipped; 1 slip")
    assert totals((SLIP, replace(SLIP, as_stated=False))) == "2 slips of the texts, 1 refuted as printed, 1 not refuted"


def test_a_section_for_another_page() -> None:
    section = str(catalogue_section(WHOLE))
    assert section.lstrip().startswith("<section") and section.rstrip().endswith("</section>")
    assert '<details class="text">' in section
    assert '<details class="text" open>' in str(catalogue_section(WHOLE, open=True))
    foreign = catalogue_section(catalogue_from(hostile(document(PROVEN).document())))
    assert "<b>" not in str(foreign).split('class="catalogue-list"')[1]


KINDS = tuple(
    replace(PROVEN, id=f"000.29-{kind}", title=f"Velocity across a joint, {kind}", degree=k, error=f"2^-{110 + k}")
    for k, kind in enumerate(("revolute", "euler-xyz", "free"))
)


def test_one_identity_for_several_kinds_of_joints_is_one_row_and_every_kind_can_be_linked() -> None:
    (row, other) = folded([*KINDS, SLIP])
    assert (row.id, row.title, row.error) == ("000.29-…", "Velocity across a joint", "2^-110")
    assert row.parts == ("revolute", "euler-xyz", "free") and (other.id, other.parts) == (SLIP.id, ())
    source = render(document(*KINDS))
    assert source.count('class="statement"') == 1 and "3 times: revolute, euler-xyz, free" in source
    assert all(f'id="catalogue-{entry.id}"' in source for entry in KINDS)
    assert "3 identities of the texts proven" in source


def test_what_is_false_for_one_kind_of_joint_has_a_row_of_its_own() -> None:
    false = replace(KINDS[1], as_stated=False, verdict="false", error=None, witness=WITNESS)
    assert [len(row.entries) for row in folded([KINDS[0], false, KINDS[2]])] == [1, 1, 1]
    for change in ({"statement": "other"}, {"citation": "eq. 2"}, {"note": "n"}, {"section": "s"}, {"title": "T, euler-xyz"}):
        assert len(folded([KINDS[0], replace(KINDS[1], **change)])) == 2
