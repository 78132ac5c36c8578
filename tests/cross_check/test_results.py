"""Results on disk: whole or not touched, and refused in one sentence when they cannot be used."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from cross_check.exchange.results import Results, ResultsError, read_json, read_results, results_from, write_json, write_text
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from cross_check.part import summary_of_mechanism
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.robots import ROBOTS


@pytest.fixture(scope="module")
def without_coverage() -> None:
    """The results have all that results can have."""


@pytest.fixture(scope="module")
def results() -> Results:
    return check([("pendulum", find_mechanism("pendulum"))], [Entry("mine", "mine", InProcess(REFERENCE))], Settings(states=7))


@pytest.fixture(scope="module")
def document(results: Results) -> dict[str, Any]:
    return results.document()


def test_what_is_written_is_read_back(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "results.json"
    write_json(results.document(), path)
    assert read_results(path) == results
    assert read_results(path).document() == results.document()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [*path.parent.iterdir()] == [path]


def is_read_back(run: Results, path: Path) -> bool:
    write_json(run.document(), path)
    return read_results(path) == run


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["random:3:4:revolute,mimic", "random:7:9:all,mimic", "free:random:5:9:revolute,mimic"])
def test_results_of_mechanisms_with_mimic_joints_are_read_back(tmp_path: Path, spec: str) -> None:
    settings, mechanism = Settings(states=1, quantities=("gravity",), invariants=False), find_mechanism(spec)
    run = check([(spec, mechanism)], [Entry("mine", "mine", InProcess(REFERENCE))], settings, explain=False)
    assert mechanism.has_mimics and is_read_back(run, tmp_path / "results.json")
    damaged = dataclasses.replace(run, mechanisms=[dataclasses.replace(run.mechanisms[0], mimics=0)])
    if len(mechanism.bodies) > mechanism.nv:
        with pytest.raises(ResultsError, match=r"the bodies of .* do not fit its size"):
            is_read_back(damaged, tmp_path / "results.json")


@pytest.mark.nightly
@pytest.mark.engines
def test_results_of_every_robot_with_mimic_joints_are_read_back(results: Results, tmp_path: Path) -> None:
    robots = [robot for name in ROBOTS if (robot := find_mechanism(f"mimic:{name}")).has_mimics]
    assert len(robots) >= 5
    for robot in robots:
        summary = summary_of_mechanism(robot.name, robot, "jets", ["zero"])
        run = dataclasses.replace(results, mechanisms=[summary], cells=(), invariants=())
        assert is_read_back(run, tmp_path / "results.json")


def test_a_file_without_coverage_is_read(document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "earlier.json"
    write_json({key: value for key, value in document.items() if key != "coverage"}, path)
    assert read_results(path).coverage == ()


def test_a_file_without_workarounds_is_read(document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "earlier.json"
    entries = [{key: entry[key] for key in ("name", "spec", "version")} for entry in document["implementations"]]
    write_json(document | {"implementations": entries}, path)
    assert [entry.workarounds for entry in read_results(path).implementations] == [()] * len(entries)


def test_foreign_text_survives(tmp_path: Path) -> None:
    text = {"name": "Kraft ⚙ \udc80"}
    write_json(text, tmp_path / "a.json")
    assert read_json(tmp_path / "a.json") == text


@pytest.mark.parametrize("broken", [float("nan"), float("inf"), object()])
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


def change(document: dict[str, Any], *where: Any, to: Any) -> str:
    copy = json.loads(json.dumps(document))
    at = copy
    for key in where[:-1]:
        at = at[key]
    at[where[-1]] = to
    return json.dumps(copy)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda d: None, r"cannot be read \(No such file or directory\); check the path"),
        (lambda d: "", "is no JSON .*; write it again"),
        (lambda d: json.dumps(d)[:-40], "is no JSON"),
        (lambda d: "\udcff", "is no JSON"),
        (lambda d: "[" * 100_000, "is no JSON"),
        (lambda d: change(d, "cells", 0, "error", to=float("nan")), "is no JSON .NaN is no number"),
        (lambda d: "[]", r"is no results file of this version \(schema None, not 'dalembert-results-4'\); run"),
        (lambda d: change(d, "schema", to="dalembert-results-0"), "schema 'dalembert-results-0', not 'dalembert-results-4'"),
        (lambda d: change(d, "cells", 0, "verdict", to="fine"), r"is damaged at \$\.cells\[0\]\.verdict: 'fine'.*; run"),
        (lambda d: change(d, "cells", 0, "error", to=-1), r"is damaged at \$\.cells\[0\]\.error"),
        (lambda d: change(d, "mechanisms", to={}), r"is damaged at \$\.mechanisms"),
        (lambda d: change(d, "surprise", to=1), "is damaged at .*surprise"),
        (lambda d: json.dumps({k: v for k, v in d.items() if k != "cells"}), "is damaged at .*'cells' is a required property"),
    ],
)
def test_files_that_cannot_be_read(document: dict[str, Any], tmp_path: Path, damage: Any, says: str) -> None:
    text = damage(document)
    path = tmp_path / "results.json"
    if text is not None:
        path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ResultsError, match=says) as caught:
        read_results(path)
    assert str(path) in str(caught.value)


def test_objects_are_frozen_through_and_through(results: Results) -> None:
    assert results_from(results.document()) == results
    for item in (results, results.cells[0], results.cells[0].worst, results.mechanisms[0], results.settings):
        with pytest.raises(dataclasses.FrozenInstanceError):
            item.verdict = "agrees"  # type: ignore[union-attr, misc]
    assert isinstance(results.cells[0].errors, tuple)
