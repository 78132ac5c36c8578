"""Certificates and the catalogue in the report, from files that may hold anything."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from documents import results

from cross_check.exchange.results import ResultsError, write_json
from cross_check.prove.catalogue.contents import prove_catalogue, select
from cross_check.prove.catalogue.results import CatalogueResults
from cross_check.prove.proof.certificates import write_certificates
from cross_check.prove.proof.generic import tree
from cross_check.prove.proof.objects import Certificate, about
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof_files import Proofs, read_proofs
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import find_mechanism
from reports import html, proofs

FALSE = {"gravity": lambda model, q: 2 * ALGORITHMS["gravity"](model, q)}


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return prove(find_mechanism("cart-pole"), "cart-pole")


@pytest.fixture(scope="module")
def refuted() -> Certificate:
    return prove(find_mechanism("cart-pole"), "cart-pole", algorithms=ALGORITHMS | FALSE)


@pytest.fixture(scope="module")
def catalogue() -> CatalogueResults:
    return prove_catalogue(select(("000.36", "003.1-atan2")))


@pytest.fixture
def files(tmp_path: Path, certificate: Certificate, catalogue: CatalogueResults) -> tuple[Path, Path]:
    write_certificates([certificate], tmp_path / "certificates.json")
    write_json(catalogue.document(), tmp_path / "catalogue.json")
    return tmp_path / "certificates.json", tmp_path / "catalogue.json"


def damaged(path: Path, damage: Any) -> str:
    """Damage the document in this file; in which sentence it is refused."""
    document = json.loads(path.read_text())
    damage(document)
    path.write_text(json.dumps(document))
    with pytest.raises(ResultsError) as error:
        read_proofs((path,))
    assert str(path) in str(error.value)
    return str(error.value)


def test_the_report_shows_what_is_proven_and_how_surely(files: tuple[Path, Path]) -> None:
    page = html.render(results(), read_proofs(files))
    assert "7 of 7 quantities" in page and "≤ 2⁻¹⁰" in page
    assert re.search(r"1 point modulo a prime of 1\d\d bits", page)
    assert "dalembert prove cart-pole --seed 0" in page
    assert 'id="section-catalogue"' in page and '<details class="text">' in page


def test_what_is_refuted_stands_open_with_its_witness(refuted: Certificate) -> None:
    assert (proofs.VERDICTS[refuted.verdict], proofs.outcome(refuted)) == (proofs.REFUTED, "6 of 7 quantities")
    ((name, wrong),) = ((name, proof) for name, proof in refuted.quantities.items() if proof.witness)
    assert name == "gravity" and "expected" in proofs.witness(wrong)
    assert "<details open>" in html.render(results(), html.Proofs((refuted,), None))


def test_nothing_compared_is_not_shown_as_proven(tmp_path: Path) -> None:
    subject = tree([-1], ["revolute"])
    empty = prove(subject, "massless", in_general=False, quantities=["center_of_mass"])
    assert (proofs.VERDICTS[empty.verdict].word, proofs.outcome(empty)) == ("nothing compared", "")
    page = html.render(results(), html.Proofs((empty,), None))
    assert "Nothing was compared: this mechanism has none of the quantities that were asked for." in page
    section = page.split('id="section-certificates"')[1].split("</section>")[0]
    assert "nothing compared" in section and "✓" not in section
    for forged in (replace(empty, verdict="proven"), replace(empty, verdict="refuted")):
        write_certificates([forged], tmp_path / "forged.json")
        with pytest.raises(ResultsError, match="contradicts itself about 'massless'"):
            read_proofs((tmp_path / "forged.json",))


def test_constraints_and_the_users_code_are_named() -> None:
    loop = prove(find_mechanism("four-bar"), "four-bar")
    assert proofs.joints(loop) == "3 revolute; 2 constrained directions"
    assert proofs.command(loop) == "dalembert prove four-bar --seed 0"
    users = replace(loop, implementation="<b>mine.py", asked=loop.asked[:1])
    assert proofs.command(users) == "dalembert prove four-bar -i '<b>mine.py' --quantity inverse_dynamics --seed 0"
    page = html.render(results(), html.Proofs((users,), None))
    assert "<b>mine.py" not in page
    assert page.count("<bdi>&lt;b&gt;mine.py</bdi>") >= 2


def test_the_command_repeats_what_was_asked(certificate: Certificate) -> None:
    given = replace(certificate, in_general=False, asked=["gravity"], seed=3)
    assert proofs.command(given) == "dalembert prove cart-pole --given --quantity gravity --seed 3"


def gravity(document: Any) -> Any:
    return document["certificates"][0]["quantities"]["gravity"]


CERTIFICATES: dict[str, Any] = {
    "holds no proofs (schema 'other', not 'dalembert-certificate-4' or": lambda d: d.update(schema="other"),
    "is damaged at $.certificates[0].quantities.gravity": lambda d: gravity(d).update(error="sure"),
    "gravity.witness": lambda d: gravity(d).update(witness={"round": 1}),
    "'in general' is a required property": lambda d: d["certificates"][0].pop("in general"),
    "is damaged at $.certificates[0].verdict": lambda d: d["certificates"][0].update(verdict="certain"),
}

CATALOGUE: dict[str, Any] = {
    "'kind' is a required property": lambda d: d["entries"][0].pop("kind"),
    "is damaged at $.entries[0].kind": lambda d: d["entries"][0].update(kind="guess"),
    "is damaged at $.entries[0].error": lambda d: d["entries"][0].update(error="2^112"),
    "is damaged at $.entries[1].witness.component": lambda d: d["entries"][1]["witness"].update(component=[]),
    "'evidence' is a required property": lambda d: d["entries"][2].pop("evidence"),
    "'seed' is a required property": lambda d: d.pop("seed"),
    "is damaged at $.texts[2]": lambda d: d["texts"].append("000"),
}


@pytest.mark.parametrize("said", CERTIFICATES)
def test_damaged_certificates_are_refused_in_one_sentence(files: tuple[Path, Path], said: str) -> None:
    assert said in damaged(files[0], CERTIFICATES[said])


@pytest.mark.parametrize("said", CATALOGUE)
def test_a_damaged_catalogue_is_refused_too(files: tuple[Path, Path], said: str) -> None:
    found = damaged(files[1], CATALOGUE[said])
    assert said in found and "run `dalembert catalogue` again" in found


WITNESS = {"round": 1, "prime": "7", "component": [0], "got": "1", "expected": "2", "drawn": ["1"]}

REFUTED = {"verdict": "refuted", "error": None}

CONTRADICTIONS: dict[str, tuple[dict[str, Any], Any]] = {
    "refuted without a witness": ({}, REFUTED),
    "proven with a witness": ({}, {"witness": WITNESS}),
    "proven without an error": ({}, {"error": None}),
    "another error": ({}, {"error": "2^-999999999"}),
    "a degree below one": ({}, {"degree": -7}),
    "a smaller degree": ({}, lambda g: {"degree": g["degree"] // 4}),
    "a negative height": ({}, {"height": -1}),
    "another height": ({}, lambda g: {"height": 4 * g["height"]}),
    "a small prime": ({}, {"exponents": [3]}),
    "a prime that is too large": ({}, {"exponents": [10**9]}),
    "two primes": ({}, lambda g: {"exponents": g["exponents"] * 2}),
    "a witness without a prime": ({"verdict": "refuted"}, REFUTED | {"witness": WITNESS | {"prime": None}}),
    "a witness of a round that was not": ({"verdict": "refuted"}, REFUTED | {"witness": WITNESS | {"round": 2}}),
    "about something else": ({"about": "every mechanism there is"}, {}),
    "about constrained directions without constraints": ({"about": about(True, True)}, {}),
    "what was not asked": ({"asked": ["mass_matrix"]}, {}),
    "a fingerprint in general": ({"fingerprint": "0000"}, {}),
    "given without a fingerprint": ({"in general": False, "about": "this mechanism"}, {}),
}
"""What is changed in the certificate, and in its proof about gravity."""


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_a_certificate_that_contradicts_itself_is_not_shown(what: str, files: tuple[Path, Path]) -> None:
    changes, proof = CONTRADICTIONS[what]

    def contradict(document: Any) -> None:
        document["certificates"][0].update(changes)
        gravity(document).update(proof(gravity(document)) if callable(proof) else proof)

    assert "contradicts itself about 'cart-pole'; run `dalembert prove` again" in damaged(files[0], contradict)


def test_a_constraint_jacobian_without_constraints_contradicts_itself(files: tuple[Path, Path]) -> None:
    def contradict(document: Any) -> None:
        document["certificates"][0]["asked"].append("constraint_jacobian")
        document["certificates"][0]["quantities"]["constraint_jacobian"] = gravity(document)

    assert "contradicts itself about 'cart-pole'" in damaged(files[0], contradict)


def test_what_was_proven_or_refuted_is_read_as_it_was_written(
    files: tuple[Path, Path], certificate: Certificate, refuted: Certificate, catalogue: CatalogueResults
) -> None:
    assert {entry.kind for entry in catalogue.entries} == {"identity", "slip", "computed"}
    assert read_proofs(files) == Proofs((certificate,), catalogue)
    given = tuple(prove(find_mechanism("pendulum"), "pendulum", False, algorithms=a) for a in (ALGORITHMS, ALGORITHMS | FALSE))
    for proven in ((refuted,), given):
        write_certificates(proven, files[0])
        assert read_proofs(files[:1]).certificates == proven
