"""JSON files have limits, and their readers refuse what the schemas do not know: one sentence each."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cross_check.exchange.results import Results, ResultsError, read_json, read_results, write_json
from cross_check.judge.gate import read_baseline, update_baseline
from cross_check.prove.catalogue.contents import prove_catalogue, select
from cross_check.prove.proof.certificates import read_certificates, write_certificates
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof_files import read_proofs
from dalembert import check
from mechanisms import MechanismError, find_mechanism, random_mechanism
from mechanisms.limits import MOST_JSON_BYTES


def refused(path: Path, data: bytes | str, read: Callable[[Path], object] = read_json) -> str:
    """The sentence that refuses the file."""
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    with pytest.raises(ResultsError) as error:
        read(path)
    said = str(error.value)
    assert len(said) <= 500
    assert "\n" not in said
    return said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[" * 60 + "]" * 60, "is no JSON (it has more than 50 levels); write it again"),
        ('{"a":' * 60 + "1" + "}" * 60, "more than 50 levels"),
        ("[" * 100_000, "more than 50 levels"),
        ("9" * 301, "a number has 301 digits; 300 are the most"),
        ("1e999", "1e999 is too large for float64"),
        ("-Infinity", "-Infinity is no number"),
        ("1_0", "is no JSON"),
        ("١", "is no JSON"),
        ("[" + "[]," * 2_000_000 + "0]", "more than 2000000 objects and arrays"),
        ("{" + ",".join(f'"k{k}": 0' for k in range(50_000)) + ',"k49999": 1}', "the key 'k49999' occurs twice in one object"),
        ('{"\\u202ea\\u001b": 0, "\\u202ea\\u001b": 0}', "the key '\\u202ea\\x1b' occurs twice"),
    ],
)
def test_documents_within_limits_are_read_and_others_refused(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused(tmp_path / "a.json", text)


def test_fifty_levels_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[" * 50 + "]" * 50)
    assert read_json(tmp_path / "a.json")


def test_files_that_are_none_and_files_too_large_are_refused_without_reading(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, why in ((tmp_path / "pipe", "a pipe"), (Path("/dev/zero"), "a device"), (tmp_path, "a directory")):
        with pytest.raises(ResultsError, match=rf"cannot be read \(it is {why}, not a regular file\); check the path"):
            read_json(path)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MOST_JSON_BYTES + 1)
    with pytest.raises(ResultsError, match=r"cannot be read \(it is larger than 128 MiB\); check the path"):
        read_json(tmp_path / "large")


@pytest.fixture(scope="module")
def run() -> Results:
    return check("cart-pole", "reference", quantities="gravity", states=7)


READERS: dict[str, Callable[[Path], object]] = {
    "results": read_results,
    "baseline": read_baseline,
    "certificates": read_certificates,
    "catalogue": lambda path: read_proofs((path,)),
}


@pytest.fixture(scope="module")
def texts(run: Results, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A file of each kind."""
    folder = tmp_path_factory.mktemp("files")
    write_json(run.document(), folder / "results")
    update_baseline(folder / "baseline", run, frozenset())
    write_certificates([prove(find_mechanism("pendulum"), "pendulum", True, quantities=("gravity",))], folder / "certificates")
    write_json(prove_catalogue(select(("000.36-printed",))).document(), folder / "catalogue")
    return {name: (folder / name).read_text() for name in READERS}


def objects(document: Any) -> Any:
    """Every object with fixed keys in a document."""
    if isinstance(document, dict):
        yield document
    for part in document.values() if isinstance(document, dict) else document if isinstance(document, list) else ():
        yield from objects(part)


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
def test_a_property_that_no_schema_knows_is_refused_wherever_it_is(kind: str, texts: dict[str, str], tmp_path: Path) -> None:
    path, read, text = tmp_path / kind, READERS[kind], texts[kind]
    path.write_text(text)
    read(path)
    for k in range(len([*objects(json.loads(text))])):
        document = json.loads(text)
        [*objects(document)][k]["surprise"] = None
        path.write_text(json.dumps(document))
        with pytest.raises(ResultsError, match="is damaged at"):
            read(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", READERS)
def test_a_whole_number_written_as_a_fraction_is_refused(kind: str, texts: dict[str, str], tmp_path: Path) -> None:
    path, read, text = tmp_path / kind, READERS[kind], texts[kind]
    document = json.loads(text)
    whole = next((one, key) for one in objects(document) for key in ("states", "seed", "degree") if type(one.get(key)) is int)
    whole[0][whole[1]] = float(whole[0][whole[1]])
    assert f"{whole[1]}: {whole[0][whole[1]]} is not of type 'integer'" in refused(path, json.dumps(document), read)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda m: m.update(nv=10**30), "the coordinates of 'cart-pole' do not fit its size"),
        (lambda m: m.update(nq=10**30), "the positions of 'cart-pole' do not fit its size"),
        (lambda m: m.update(bodies=1, mimics=1), "the bodies of 'cart-pole' do not fit its size"),
        (lambda m: m.update(bodies=3), "the bodies of 'cart-pole' do not fit its size"),
        (lambda m: m["skeleton"].pop(), "the bones of 'cart-pole' do not fit its size"),
        (lambda m: m["skeleton"][1].update(parent=1), "the parents of 'cart-pole' do not fit its size"),
        (lambda m: m["equations"]["damping"].pop(), "the equations of 'cart-pole' do not fit its size"),
        (lambda m: m["equations"]["M"][0].pop(), "the equations of 'cart-pole' do not fit its size"),
    ],
)
def test_results_whose_parts_do_not_fit_together_are_refused(tmp_path: Path, run: Results, change: Any, says: str) -> None:
    document = json.loads(json.dumps(run.document()))
    change(document["mechanisms"][0])
    assert f"contradicts itself: {says}; run" in refused(tmp_path / "r.json", json.dumps(document), read_results)


@pytest.mark.parametrize("bins", [{"zero": []}, {"zero": [[0, 10**299]]}, {"zero": [[991, 1]]}, {"zero": [[0]]}])
def test_histograms_that_cannot_be_drawn_are_refused(tmp_path: Path, run: Results, bins: Any) -> None:
    document = json.loads(json.dumps(run.document()))
    document["cells"][0]["histogram"] = {"states": 7, "over": 0, "median": 1, "most": 1, "bins": bins}
    assert "is damaged at $.cells[0].histogram" in refused(tmp_path / "r.json", json.dumps(document), read_results)


def test_two_mechanisms_of_one_name_are_refused(tmp_path: Path, run: Results) -> None:
    document = run.document()
    document["mechanisms"] *= 2
    assert "two mechanisms have one name" in refused(tmp_path / "r.json", json.dumps(document), read_results)


def test_a_document_with_many_faults_is_one_sentence(tmp_path: Path, run: Results) -> None:
    document = run.document()
    document["cells"][0]["errors"] = ["\x1b[31m\u202e" * 10] * 10**5
    said = refused(tmp_path / "r.json", json.dumps(document), read_results)
    assert "is damaged at $.cells[0].errors[" in said


@pytest.mark.parametrize("error", ["2^-١", "2^-9\n", "x2^-9"])
def test_the_bound_of_a_proof_is_a_plain_number(texts: dict[str, str], tmp_path: Path, error: str) -> None:
    document = json.loads(texts["certificates"])
    document["certificates"][0]["quantities"]["gravity"]["error"] = error
    assert "gravity.error" in refused(tmp_path / "c.json", json.dumps(document), read_certificates)


def test_a_proof_that_would_not_fit_is_refused_at_once() -> None:
    chain = random_mechanism(0, 300, ("revolute",), shape="chain")
    with pytest.raises(MechanismError, match=r"takes too much memory, because its mass matrix has 45150 entries .*; prove a"):
        prove(chain, "chain", True)
