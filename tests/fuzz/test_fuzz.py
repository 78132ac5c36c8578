"""A short run of what ``readers.py`` and ``fixpoint.py`` do at length."""

from __future__ import annotations

from pathlib import Path

import fixpoint
import pytest
import readers

from mechanisms import MechanismError, parse_urdf, robot


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    return readers.seeds(tmp_path_factory.mktemp("seeds"))


@pytest.mark.slow
@pytest.mark.parametrize("part", [0, 1, *(pytest.param(part, marks=pytest.mark.nightly) for part in range(2, 8))])
def test_mutated_files_are_accepted_or_refused_in_one_sentence(given: dict[str, list[bytes]], part: int) -> None:
    counts, faults = readers.run(range(300 * part, 300 * (part + 1)), seed=1, given=given)
    assert not faults
    assert all(counts[form, kind] > 2 for form in readers.TRAITS for kind in ("accepted", "refused"))


@pytest.mark.slow
def test_every_reader_accepts_what_its_files_are_made_from(given: dict[str, list[bytes]], tmp_path: Path) -> None:
    found = {reader: {readers.outcome(reader, data, tmp_path / "a.urdf") for data in files} for reader, files in given.items()}
    # Files with traits are there to be refused, too.
    assert all(
        kinds == {"accepted"} or (reader in readers.TRAITS and kinds == {"accepted", "refused"})
        for reader, kinds in found.items()
    ), found


def test_tracebacks_hangs_and_long_messages_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(path: Path) -> None:
        raise KeyError("fault")

    def hangs(path: Path) -> None:
        while True:
            pass

    def rambles(path: Path) -> None:
        raise MechanismError("long")

    monkeypatch.setattr(readers, "SECONDS", 0.05)
    monkeypatch.setattr(readers, "READERS", {"fails": fails, "hangs": hangs, "rambles": rambles})
    assert "KeyError: 'fault'" in readers.outcome("fails", b"", tmp_path / "a")
    assert readers.outcome("hangs", b"", tmp_path / "a") == "hang"
    monkeypatch.setattr(MechanismError, "__str__", lambda self: "x" * 501)
    assert readers.outcome("rambles", b"", tmp_path / "a").startswith("not one sentence")


@pytest.mark.slow
def test_random_files_change_at_most_once(tmp_path: Path) -> None:
    for seed in range(40):
        text = fixpoint.random_urdf(seed)
        changed = fixpoint.outcome(parse_urdf(text))
        assert changed in (("nothing",) if fixpoint.is_expressible(text) else ("nothing", "once")), seed


@pytest.mark.engines
@pytest.mark.parametrize(("name", "changed"), [("baxter", "once"), ("icub", "nothing")])
def test_real_robots_change_at_most_once(name: str, changed: str) -> None:
    assert fixpoint.outcome(robot(name)) == changed
