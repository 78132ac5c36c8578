"""Compiled code and recorded programs are kept whole, for their owner alone, and not used once they are damaged.

Programs are used for exactly the code and the subject that they were recorded for."""

from __future__ import annotations

import os
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from machine import code_cache
from machine.caching import cached_programs
from machine.caching.cached_programs import CachedPrograms, read, written
from machine.caching.recently_used import RecentlyUsed
from machine.recording.recorded_function import RecordedFunction, record


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("DALEMBERT_NO_CACHE", raising=False)
    monkeypatch.setattr(code_cache, "WRITTEN", code_cache.Written())
    monkeypatch.setattr(cached_programs.PERMISSION, "allowed", True)
    return tmp_path / "dalembert" / "machine"


def test_it_is_there_again(home: Path) -> None:
    assert code_cache.kept("a") is None
    code_cache.keep("a", b"code")
    code_cache.keep("b", b"")
    assert code_cache.kept("a") == b"code"
    assert code_cache.kept("b") == b""
    assert sorted(path.name for path in home.iterdir()) == ["a.code", "b.code"]


@pytest.mark.parametrize(
    "damage", [lambda x: x[:-1], lambda x: x[:10], lambda x: b"", lambda x: x[:-1] + b"?", lambda x: b"?" + x[1:]]
)
def test_what_is_damaged_is_not_used(home: Path, damage: object) -> None:
    code_cache.keep("a", b"code")
    file = home / "a.code"
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert code_cache.kept("a") is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no such permissions")
def test_what_others_own_or_may_write_is_not_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_cache.keep("a", b"code")
    with monkeypatch.context() as patched:
        patched.setattr(os, "getuid", lambda: 123456)
        assert code_cache.kept("a") is None
    (home / "a.code").chmod(0o666)
    assert code_cache.kept("a") is None
    (home / "a.code").chmod(0o600)
    assert code_cache.kept("a") == b"code"
    home.chmod(0o777)
    assert code_cache.kept("a") is None
    code_cache.keep("b", b"code")
    home.chmod(0o700)
    assert not (home / "b.code").exists()
    (home / "a.code").unlink()
    os.mkfifo(home / "a.code", 0o600)
    assert code_cache.kept("a") is None, "a pipe is not opened, because nobody writes to it"


def test_a_write_that_fails_leaves_nothing_and_is_no_error(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int, mode: str) -> object:
        os.close(number)
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdopen", full)
        code_cache.keep("a", b"code")
    assert list(home.iterdir()) == []
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    code_cache.keep("a", b"code")
    assert code_cache.kept("a") is None


def test_the_oldest_of_a_kind_are_removed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = code_cache.FileKind("small", ".small", 3 * 36)
    for n, key in enumerate("abcd"):
        code_cache.keep(key, b"code", kind)
        os.utime(home / f"{key}.small", (n, n))
    assert code_cache.kept("b", kind) == b"code"  # which makes it the newest
    code_cache.keep("e", b"code", kind)
    assert sorted(path.stem for path in home.iterdir()) == ["b", "d", "e"]
    code_cache.keep("a", b"x", code_cache.FileKind("none", ".none", 4))
    assert {path.suffix for path in home.iterdir()} == {".small"}, "a file that is larger than all that is kept goes at once"


def test_old_files_are_looked_for_only_after_some_were_written(home: Path) -> None:
    kind = code_cache.FileKind("small", ".small", 16 * 36)
    for n in range(40):
        code_cache.keep(f"{n}", b"code", kind)
        assert len(list(home.iterdir())) <= 16 + 9
    assert code_cache.kept("39", kind) == b"code"


def test_what_an_interrupted_process_left_is_removed(home: Path) -> None:
    code_cache.keep("a", b"code", code_cache.FileKind("one", ".one", 1000))
    old, new = (home / f"{tempfile.gettempprefix()}{name}" for name in ("old", "new"))
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    code_cache.keep("a", b"code", code_cache.FileKind("other", ".other", 1000))
    assert not old.exists()
    assert new.exists()


def test_a_variable_turns_it_off(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_cache.keep("a", b"code")
    for value, code, programs in (("1", None, None), ("programs", b"code", None), ("0", b"code", b"x"), ("", b"code", b"x")):
        monkeypatch.setenv("DALEMBERT_NO_CACHE", value)
        code_cache.keep("p", b"x", code_cache.PROGRAMS)
        assert code_cache.kept("a") == code
        assert code_cache.kept("p", code_cache.PROGRAMS) == programs


# Programs


def a_function(number: Fraction = Fraction(-1, 3)) -> RecordedFunction:
    return record(lambda recording, a: np.stack([a[0] * a[1] * number, 0 * a[0], np.sin(a[1])]), [(2,)])  # type: ignore[call-overload, no-any-return]


class Counted:
    """Records, and counts how often."""

    def __init__(self, number: Fraction = Fraction(-1, 3)) -> None:
        self.times, self.number = 0, number

    def __call__(self) -> RecordedFunction:
        self.times += 1
        return a_function(self.number)


def same(one: RecordedFunction, other: RecordedFunction) -> bool:
    parts = ((x.program.fingerprint(), x.shape, x.rows.tolist()) for x in (one, other))
    return next(parts) == next(parts)


@dataclass
class Code:
    """In the place of LoadedCode, which test_loaded_code.py tests."""

    now: str | None = "digest"
    files: str = "files"
    changed: bool = False

    def digest(self) -> str | None:
        return self.now


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


def test_a_program_is_recorded_once_for_its_code_its_subject_and_its_quantity(home: Path) -> None:
    asked = [(Code(), "a subject", "gravity"), (Code(), "another", "gravity"), (Code(), "a subject", "energy")]
    asked += [(Code(now="another"), "a subject", "gravity"), (Code(files="others"), "a subject", "gravity")]
    for number, (code, subject, quantity) in enumerate(asked):
        for times in (1, 0):
            recorded = Counted(Fraction(number))
            assert same(CachedPrograms(code, subject).get(quantity, recorded), a_function(Fraction(number)))
            assert recorded.times == times
    assert [path.suffix for path in home.iterdir()] == [".program"] * len(asked)


def test_code_that_changes_or_has_no_digest_writes_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even when the change is undone: what was computed meanwhile may be kept in memory."""

    def change(now: str, changed: bool) -> RecordedFunction:
        code.now, code.changed = now, changed
        return a_function()

    for now, changed in (("another", False), ("digest", True)):
        code = Code()
        CachedPrograms(code, "a subject").get("gravity", lambda now=now, changed=changed: change(now, changed))
    CachedPrograms(Code(now=None), "a subject").get("gravity", Counted())
    CachedPrograms(Code(), None).get("gravity", Counted())
    monkeypatch.setattr(cached_programs.PERMISSION, "allowed", False)
    CachedPrograms(Code(), "a subject").get("gravity", Counted())
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
        lambda x: x[:-1],
        lambda x: x + b"\n",
        lambda x: x[:-1] + b"\0",
        header(inputs=-1),
        header(registers=2**62),
        header(instructions=2**60),
        header(axes=2**61),
        header(constants=2**61),
        lambda x: x[:80] + struct.pack("<i", 99) + x[84:],
    ],
)
def test_a_file_that_is_no_program_is_recorded_again(damage: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    content = written(a_function())
    assert damage(content) != content
    assert read(damage(content)) is None
    monkeypatch.setattr(cached_programs, "kept", lambda key, kind: damage(content))
    counted = Counted()
    assert same(CachedPrograms(Code(), "a subject").get("gravity", counted), a_function())
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


# What is in memory


@dataclass
class Thing:
    instructions: int


def test_the_oldest_is_released_and_the_last_one_never() -> None:
    kept = RecentlyUsed[Thing](limit=10)
    first, second = kept.get("first", lambda: Thing(4)), kept.get("second", lambda: Thing(4))
    assert kept.get("first", lambda: Thing(0)) is first
    first.instructions = 8
    huge = kept.get("huge", lambda: Thing(100))
    assert kept.get("huge", lambda: Thing(0)) is huge
    assert kept.get("second", lambda: Thing(1)) is not second
