"""Certificates and the catalogue in the report, from files that may hold anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from documents import results

from cross_check.catalogue.contents import select
from cross_check.catalogue.run import prove_catalogue
from cross_check.proof.certificates import write_certificates
from cross_check.proof.generic import tree
from cross_check.proof.prove import prove
from cross_check.proof_files import read_proofs
from cross_check.results import ResultsError, write_json
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism
from reports import html
from reports.proofs import shown

FALSE = {"gravity": lambda model, q: 2 * ALGORITHMS["gravity"](model, q)}


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    return prove(find_mechanism("cart-pole"), "cart-pole")


@pytest.fixture
def files(tmp_path: Path, certificate: dict[str, Any]) -> tuple[Path, Path]:
    write_certificates([certificate], tmp_path / "certificates.json")
    write_json(prove_catalogue(select(("000.36",))), tmp_path / "catalogue.json")
    return tmp_path / "certificates.json", tmp_path / "catalogue.json"


def test_the_report_shows_what_is_proven_and_how_surely(files: tuple[Path, Path]) -> None:
    page = html.render(results(), read_proofs(files))
    assert 'id="section-certificates"' in page
    assert "7 of 7 quantities" in page
    assert "≤ 2⁻¹⁰" in page
    assert "dalembert prove cart-pole --seed 0" in page
    assert 'id="section-catalogue"' in page
    assert "false as printed" in page


def test_without_proofs_there_are_no_such_sections() -> None:
    page = html.render(results())
    assert "section-certificates" not in page
    assert "section-catalogue" not in page


def test_what_is_refuted_stands_open_with_its_witness() -> None:
    refuted = prove(find_mechanism("cart-pole"), "cart-pole", algorithms=ALGORITHMS | FALSE)
    (certificate,) = shown([refuted])
    assert not certificate.proven
    assert certificate.outcome == "6 of 7 quantities"
    (wrong,) = (proof for proof in certificate.proofs if not proof.proven)
    assert wrong.quantity == "gravity"
    assert "expected" in wrong.witness
    page = html.render(results(), html.Proofs([refuted], None))
    assert "<details open>" in page


def test_nothing_compared_is_not_shown_as_proven(tmp_path: Path) -> None:
    subject = tree([-1], ["revolute"])
    empty = prove(subject, "massless", in_general=False, quantities=["center_of_mass"])
    (certificate,) = shown([empty])
    assert (certificate.verdict.word, certificate.proven, certificate.outcome) == ("nothing compared", False, "")
    page = html.render(results(), html.Proofs([empty], None))
    assert "Nothing was compared: this mechanism has none of the quantities that were asked for." in page
    section = page.split('id="section-certificates"')[1].split("</section>")[0]
    assert "nothing compared" in section and "✓" not in section
    for forged in (empty | {"verdict": "proven"}, empty | {"verdict": "refuted"}):
        write_certificates([forged], tmp_path / "forged.json")
        with pytest.raises(ResultsError, match="contradicts itself about 'massless'"):
            read_proofs((tmp_path / "forged.json",))


def test_names_from_files_are_text(certificate: dict[str, Any]) -> None:
    evil = certificate | {"mechanism": "<script>alert(1)</script>"}
    page = html.render(results(), html.Proofs([evil], None))
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_the_command_repeats_what_was_asked(certificate: dict[str, Any]) -> None:
    (given,) = shown([certificate | {"in general": False, "asked": ["gravity"], "seed": 3}])
    assert given.command == "dalembert prove cart-pole --given --quantity gravity --seed 3"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda d: d.update(schema="other"), "holds no proofs (schema 'other', not 'dalembert-certificate-1' or"),
        (lambda d: d["certificates"][0]["quantities"]["gravity"].pop("degree"), "is damaged at $[0].quantities.gravity"),
        (lambda d: d["certificates"][0]["quantities"]["gravity"].update(error="sure"), "is damaged at $[0].quantities.gravity"),
        (lambda d: d["certificates"][0].pop("asked"), "is damaged at $.certificates[0]"),
    ],
)
def test_damaged_files_are_refused_in_one_sentence(files: tuple[Path, Path], damage: Any, said: str) -> None:
    path, _ = files
    found = json.loads(path.read_text())
    damage(found)
    path.write_text(json.dumps(found))
    with pytest.raises(ResultsError) as error:
        read_proofs((path,))
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_a_damaged_catalogue_is_refused_too(files: tuple[Path, Path]) -> None:
    _, path = files
    found = json.loads(path.read_text())
    found["entries"][0].pop("title")
    path.write_text(json.dumps(found))
    with pytest.raises(ResultsError, match="is damaged at"):
        read_proofs((path,))
