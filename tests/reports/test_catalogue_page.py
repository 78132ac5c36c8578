"""The catalogue's page: self-contained, with one row for what is the same. ``golden/catalogue.html`` has what it says."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from documents import CATALOGUES, KINDS_OF_JOINTS, SLIP, refuted
from parsed_page import Page

from cross_check.prove.catalogue.results import CatalogueResults
from reports.catalogue import folded, render, totals


@pytest.mark.parametrize("found", CATALOGUES.values(), ids=CATALOGUES)
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


def test_totals() -> None:
    assert totals(CATALOGUES["whole"].entries) == (
        "4 identities, 4 proven, none skipped; 1 slip of the texts refuted as printed; 1 warning confirmed; "
        "1 statement about numbers computed"
    )
    assert totals(CATALOGUES["wrong"].entries).startswith("3 identities, 1 proven, 2 false, none skipped; 1 slip")
    assert totals((SLIP, replace(SLIP, as_stated=False))) == "2 slips of the texts, 1 refuted as printed, 1 not refuted"


def test_what_differs_or_is_false_for_one_kind_of_joint_has_a_row_of_its_own() -> None:
    first, second, third = KINDS_OF_JOINTS
    assert [len(row.entries) for row in folded([first, refuted(second), third])] == [1, 1, 1]
    for change in ({"statement": "other"}, {"citation": "eq. 2"}, {"note": "n"}, {"section": "s"}, {"title": "T, euler-xyz"}):
        assert len(folded([first, replace(second, **change)])) == 2
