"""Results on disk: whole or not touched, and refused in one sentence when they cannot be used."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from cross_check.harness import Entry, Settings, check
from cross_check.results import ResultsError, read_json, read_results, write_json, write_text
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return check([("pendulum", find_mechanism("pendulum"))], [Entry("mine", "mine", REFERENCE)], Settings(states=7)).document()


def test_what_is_written_is_read_back(document: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "results.json"
    write_json(document, path)
    assert read_results(path) == document
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [*path.parent.iterdir()] == [path]


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


@pytest.mark.parametrize("fails", ["write_text", "replace"])
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
        patch.setattr(Path, fails, full)
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
        (lambda d: "[]", r"is no results file of this version \(schema None, not 'dalembert-results-1'\); run"),
        (lambda d: change(d, "schema", to="dalembert-results-0"), "schema 'dalembert-results-0', not 'dalembert-results-1'"),
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
