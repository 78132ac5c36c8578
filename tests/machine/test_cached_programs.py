"""Recorded programs are kept on disk, and used for exactly the code and the subject that they were recorded for."""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from machine.caching import cached_programs
from machine.caching.cached_programs import CachedPrograms, read, written
from machine.caching.loaded_code import LoadedCode
from machine.recording import values
from machine.recording.recorded_function import RecordedFunction, record
from machine.recording.recording import Recording


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("DALEMBERT_NO_CACHE", raising=False)
    monkeypatch.setattr(cached_programs.PERMISSION, "allowed", True)
    return tmp_path / "dalembert" / "machine"


def a_function(number: Fraction = Fraction(-1, 3)) -> RecordedFunction:
    return record(lambda recording, a: np.stack([a[0] * a[1] * number, 0 * a[0], np.sin(a[1])]), [(2,)])  # type: ignore[call-overload, no-any-return]


def code() -> LoadedCode:
    return LoadedCode(values.constants, ("machine",))


class Counted:
    """Records, and counts how often."""

    def __init__(self, number: Fraction = Fraction(-1, 3)) -> None:
        self.times, self.number = 0, number

    def __call__(self) -> RecordedFunction:
        self.times += 1
        return a_function(self.number)


def same(one: RecordedFunction, other: RecordedFunction) -> bool:
    return (one.program.fingerprint(), one.shape, one.rows.tolist()) == (
        other.program.fingerprint(),
        other.shape,
        other.rows.tolist(),
    )


@pytest.mark.parametrize(
    "function",
    [
        a_function(),
        a_function(Fraction(7**900, 10**900 + 1)),
        record(lambda recording, a: a, [(0,)]),
        record(lambda recording, a: 0 * a, [(2, 3)]),
    ],
    ids=["ordinary", "long constants", "empty", "zeros"],
)
def test_what_is_written_is_read(function: RecordedFunction) -> None:
    again = read(written(function))
    assert again is not None
    assert same(again, function)
    assert again.program.constants == function.program.constants


def test_a_second_process_does_not_record(home: Path) -> None:
    for expected in (1, 0):
        counted = Counted()
        assert same(CachedPrograms(code(), "a subject").get("gravity", counted), a_function())
        assert counted.times == expected
    assert [path.suffix for path in home.iterdir()] == [".program"]


@pytest.mark.parametrize("subject, quantity", [("another", "gravity"), ("a subject", "energy"), (None, "gravity")])
def test_another_subject_or_quantity_is_recorded(subject: str | None, quantity: str) -> None:
    CachedPrograms(code(), "a subject").get("gravity", Counted())
    other = Counted(Fraction(5))
    assert same(CachedPrograms(code(), subject).get(quantity, other), a_function(Fraction(5)))
    assert other.times == 1


def test_code_that_changed_neither_reads_nor_writes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even when the change is undone: what was computed meanwhile may be kept in memory."""
    loaded = code()
    kept = CachedPrograms(loaded, "a subject")
    kept.get("gravity", Counted())
    before = set(home.iterdir())
    with monkeypatch.context() as patched:
        patched.setattr(Recording, "add", Recording.multiply)
        wrong = Counted(Fraction(9))
        CachedPrograms(loaded, "a subject").get("gravity", wrong)
        assert wrong.times == 1
        kept.get("energy", wrong)
        assert wrong.times == 2, "the subject's digest is the one of the code as it was"
        assert set(home.iterdir()) == before
    right = Counted()
    kept.get("gravity", right)
    assert right.times == 0, "what was kept before is right again"
    kept.get("energy", right)
    assert right.times == 1
    assert set(home.iterdir()) == before


def test_code_that_changes_while_it_records_writes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def recorded() -> RecordedFunction:
        monkeypatch.setattr(Recording, "add", Recording.multiply)
        return a_function()

    CachedPrograms(code(), "a subject").get("gravity", recorded)
    assert not home.exists()


def header(**changed: int) -> Callable[[bytes], bytes]:
    """Damage that exchanges a number of the header."""
    places = ("inputs", "registers", "instructions", "outputs", "rows", "axes", "constants", "shape")

    def damage(content: bytes) -> bytes:
        for name, value in changed.items():
            at = 16 + 8 * places.index(name)
            content = content[:at] + struct.pack("<q", value) + content[at + 8 :]
        return content

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        lambda x: b"",
        lambda x: x[:30],
        lambda x: x[:-1],
        lambda x: x + b"\n",
        lambda x: b"another" + x[7:],
        lambda x: x[:-1] + b"\0",
        lambda x: x[:-1] + b"\xff",
        header(inputs=-1),
        header(inputs=2**40),
        header(registers=2),
        header(registers=2**62),
        header(instructions=2**60),
        header(instructions=-1),
        header(outputs=2**61),
        header(axes=2**61),
        header(axes=-1),
        header(constants=-5),
        header(constants=2**61),
        header(constants=2),
        header(shape=4),
        header(shape=-3),
        lambda x: x[:80] + struct.pack("<i", 99) + x[84:],
        lambda x: x[:80] + struct.pack("<i", -1) + x[84:],
    ],
)
def test_a_file_that_is_no_program_is_recorded_again(damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    content = written(a_function())
    assert damage(content) != content
    assert read(damage(content)) is None
    monkeypatch.setattr(cached_programs, "kept", lambda key, kind: damage(content))
    counted = Counted()
    assert same(CachedPrograms(code(), "a subject").get("gravity", counted), a_function())
    assert counted.times == 1


def test_no_damage_raises_or_reads_out_of_bounds() -> None:
    content, random = written(a_function()), np.random.default_rng(0)
    for _ in range(1000):
        damaged = bytearray(content)
        for _ in range(random.integers(1, 4)):
            damaged[random.integers(len(damaged))] = random.integers(256)
        function = read(bytes(damaged))
        if function is not None:
            high, low = function(*([np.ones((2, function.program.inputs))]))
            assert high.shape == low.shape == (2, *function.shape)
