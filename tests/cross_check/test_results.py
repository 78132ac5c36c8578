"""Results and other JSON on disk: whole or not touched, within limits, and refused in one sentence when they cannot be used."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cross_check.exchange.results import Results, ResultsError, read_json, read_results, results_from, write_json, write_text
from cross_check.judge.gate import read_baseline, update_baseline
from cross_check.part import summary_of_mechanism
from cross_check.prove.catalogue.contents import prove_catalogue, select
from cross_check.prove.proof.certificates import read_certificates, write_certificates
from cross_check.prove.proof.prove import prove
from cross_check.prove.proof_files import read_proofs
from dalembert import check
from mechanisms import MechanismError, find_mechanism, random_mechanism
from mechanisms.library.robots import ROBOTS
from mechanisms.limits import MOST_JSON_BYTES


@pytest.fixture(scope="module")
def only_the_verdicts() -> None:
    """The results have all that results can have."""


@pytest.fixture(scope="module")
def run() -> Results:
    return check("cart-pole", "reference", quantities="gravity", states=7)


# Files are written whole or not at all


def test_what_is_written_is_read_back(run: Results, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "results.json"
    write_json(run.document(), path)
    assert read_results(path) == run == results_from(run.document())
    assert read_results(path).document() == run.document()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.slow
def test_results_of_mechanisms_with_mimic_joints_are_read_back(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    found = check("random:3:4:revolute,mimic", "reference", states=1, quantities="gravity", invariants=False)
    write_json(found.document(), path)
    assert found.mechanisms[0].mimics and read_results(path) == found
    write_json(dataclasses.replace(found, mechanisms=[dataclasses.replace(found.mechanisms[0], mimics=0)]).document(), path)
    with pytest.raises(ResultsError, match=r"the bodies of .* do not fit its size"):
        read_results(path)


@pytest.mark.nightly
@pytest.mark.engines
def test_results_of_every_robot_with_mimic_joints_are_read_back(run: Results, tmp_path: Path) -> None:
    robots = [robot for name in ROBOTS if (robot := find_mechanism(f"mimic:{name}")).has_mimics]
    assert len(robots) >= 5
    for robot in robots:
        summary = summary_of_mechanism(robot.name, robot, "jets", ["zero"])
        found = dataclasses.replace(run, mechanisms=[summary], cells=(), invariants=())
        write_json(found.document(), tmp_path / "results.json")
        assert read_results(tmp_path / "results.json") == found


def test_a_file_of_an_earlier_version_without_coverage_and_workarounds_is_read(run: Results, tmp_path: Path) -> None:
    path, document = tmp_path / "earlier.json", run.document()
    entries = [{key: entry[key] for key in ("name", "spec", "version")} for entry in document["implementations"]]
    write_json({key: value for key, value in document.items() if key != "coverage"} | {"implementations": entries}, path)
    earlier = read_results(path)
    assert earlier.coverage == ()
    assert [entry.workarounds for entry in earlier.implementations] == [()] * len(entries)


def test_foreign_text_survives(tmp_path: Path) -> None:
    text = {"name": "Kraft ⚙ \udc80"}
    write_json(text, tmp_path / "a.json")
    assert read_json(tmp_path / "a.json") == text


@pytest.mark.parametrize("broken", [float("nan"), object()])
def test_a_document_that_is_no_json_leaves_the_old_file(tmp_path: Path, broken: Any) -> None:
    path = tmp_path / "results.json"
    path.write_text("old")
    with pytest.raises((ValueError, TypeError)):
        write_json({"error": broken}, path)
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("fails", ["write", "fsync", "replace"])
def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_debris(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    path = tmp_path / "results.json"
    path.write_text("old")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with (
        monkeypatch.context() as patch,
        pytest.raises(ResultsError, match=r"cannot be written \(No space left on device\); choose"),
    ):
        patch.setattr(os, fails, full)
        write_text("new", path)
    assert path.read_text() == "old"
    assert [*tmp_path.iterdir()] == [path]


def test_paths_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "below.json", tmp_path):
        with pytest.raises(ResultsError, match=r"cannot be written .*; choose another path") as caught:
            write_text("new", path)
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_links_and_pipes_are_written_through_and_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    write_text("new", tmp_path / "link")
    assert (tmp_path / "target").read_text() == "new"
    assert (tmp_path / "link").is_symlink()

    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text("through", tmp_path / "pipe")
        assert os.read(reading, 100) == b"through"
    finally:
        os.close(reading)
    assert (tmp_path / "pipe").is_fifo()


def test_objects_are_frozen_through_and_through(run: Results) -> None:
    for item in (run, run.cells[0], run.cells[0].worst, run.mechanisms[0], run.settings):
        with pytest.raises(dataclasses.FrozenInstanceError):
            item.verdict = "agrees"  # type: ignore[union-attr, misc]
    assert isinstance(run.cells[0].errors, tuple)


# What is read


def refused(path: Path, data: Any, read: Callable[[Path], object] = read_results) -> str:
    """The sentence that refuses a file with this text, or with this document."""
    text = data if isinstance(data, str) else json.dumps(data)
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ResultsError) as error:
        read(path)
    said = str(error.value)
    assert len(said) <= 500
    assert "\n" not in said and str(path) in said
    return said


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no JSON"),
        ("\udcff", "is no JSON"),
        ('{"a": 1', "is no JSON (Expecting ',' delimiter: line 1 column 8 (char 7)); write it again"),
        ("[" * 51 + "]" * 51, "is no JSON (it has more than 50 levels); write it again"),
        ('{"a":' * 51 + "1" + "}" * 51, "more than 50 levels"),
        ("[" * 100_000, "more than 50 levels"),
        ("9" * 301, "a number has 301 digits; 300 are the most"),
        ("1e999", "1e999 is too large for float64"),
        ("-Infinity", "-Infinity is no number"),
        ("١", "is no JSON"),
        ("[" + "[]," * 2_000_000 + "0]", "more than 2000000 objects and arrays"),
        ("{" + ",".join(f'"k{k}": 0' for k in range(50_000)) + ',"k49999": 1}', "the key 'k49999' occurs twice in one object"),
        ('{"\\u202ea\\u001b": 0, "\\u202ea\\u001b": 0}', "the key '\\u202ea\\x1b' occurs twice"),
    ],
)
def test_documents_within_limits_are_read_and_others_refused(tmp_path: Path, text: str, says: str) -> None:
    assert says in refused(tmp_path / "a.json", text, read_json)
    (tmp_path / "a.json").write_text("[" * 50 + "]" * 50)
    assert read_json(tmp_path / "a.json")


def test_files_that_are_none_and_files_too_large_are_refused_without_reading(tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as file:
        file.truncate(MOST_JSON_BYTES + 1)
    for path, why in (
        (tmp_path / "none", "No such file or directory"),
        (tmp_path, "it is a directory, not a regular file"),
        (tmp_path / "large", "it is larger than 128 MiB"),
    ):
        with pytest.raises(ResultsError, match=rf"{path} cannot be read \({why}\); check the path"):
            read_json(path)


def mechanism(change: Callable[[Any], object]) -> Callable[[Any], object]:
    return lambda document: change(document["mechanisms"][0])


def cell(**changes: Any) -> Callable[[Any], object]:
    return lambda document: document["cells"][0].update(changes)


def drawn(bins: Any) -> dict[str, Any]:
    return {"states": 7, "over": 0, "median": 1, "most": 1, "bins": {"zero": bins}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda d: d.pop("schema"), "is no results file of this version (schema None, not 'dalembert-results-4'); run"),
        (lambda d: d.update(schema="dalembert-results-0"), "schema 'dalembert-results-0', not 'dalembert-results-4'"),
        (lambda d: d.update(mechanisms={}), "is damaged at $.mechanisms"),
        (lambda d: d.pop("cells"), "'cells' is a required property"),
        (lambda d: d["settings"].update(seed=0.0), "seed: 0.0 is not of type 'integer'"),
        (lambda d: d["mechanisms"].extend(d["mechanisms"]), "two mechanisms have one name"),
        (cell(verdict="fine"), "is damaged at $.cells[0].verdict: 'fine'"),
        (cell(error=-1), "is damaged at $.cells[0].error"),
        (cell(errors=["\x1b[31m\u202e" * 10] * 10**5), "is damaged at $.cells[0].errors["),
        (cell(histogram=drawn([])), "is damaged at $.cells[0].histogram"),
        (cell(histogram=drawn([[0, 10**299]])), "is damaged at $.cells[0].histogram"),
        (cell(histogram=drawn([[991, 1]])), "is damaged at $.cells[0].histogram"),
        (cell(histogram=drawn([[0]])), "is damaged at $.cells[0].histogram"),
        (mechanism(lambda m: m.update(nv=10**30)), "contradicts itself: the coordinates of 'cart-pole' do not fit its size; run"),
        (mechanism(lambda m: m.update(nq=10**30)), "the positions of 'cart-pole' do not fit its size"),
        (mechanism(lambda m: m.update(bodies=1, mimics=1)), "the bodies of 'cart-pole' do not fit its size"),
        (mechanism(lambda m: m.update(bodies=3)), "the bodies of 'cart-pole' do not fit its size"),
        (mechanism(lambda m: m["skeleton"].pop()), "the bones of 'cart-pole' do not fit its size"),
        (mechanism(lambda m: m["skeleton"][1].update(parent=1)), "the parents of 'cart-pole' do not fit its size"),
        (mechanism(lambda m: m["equations"]["damping"].pop()), "the equations of 'cart-pole' do not fit its size"),
        (mechanism(lambda m: m["equations"]["M"][0].pop()), "the equations of 'cart-pole' do not fit its size"),
    ],
)
def test_results_that_cannot_be_used(run: Results, tmp_path: Path, damage: Any, says: str) -> None:
    document = json.loads(json.dumps(run.document()))
    damage(document)
    assert says in refused(tmp_path / "results.json", document)


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
    path, read, document = tmp_path / kind, READERS[kind], json.loads(texts[kind])
    path.write_text(texts[kind])
    read(path)
    for one in [*objects(document)]:
        one["surprise"] = None
        assert "is damaged at" in refused(path, document, read)
        del one["surprise"]


@pytest.mark.parametrize("error", ["2^-١", "2^-9\n", "x2^-9"])
def test_the_bound_of_a_proof_is_a_plain_number(texts: dict[str, str], tmp_path: Path, error: str) -> None:
    document = json.loads(texts["certificates"])
    document["certificates"][0]["quantities"]["gravity"]["error"] = error
    assert "gravity.error" in refused(tmp_path / "c.json", document, read_certificates)


def test_a_proof_that_would_not_fit_is_refused_at_once() -> None:
    chain = random_mechanism(0, 300, ("revolute",), shape="chain")
    with pytest.raises(MechanismError, match=r"takes too much memory, because its mass matrix has 45150 entries .*; prove a"):
        prove(chain, "chain", True)
