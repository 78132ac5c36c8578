"""Compiled code is kept whole, for its owner alone, and not used once it is damaged."""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from machine import code_cache


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("DALEMBERT_NO_CACHE", raising=False)
    monkeypatch.setattr(code_cache, "WRITTEN", code_cache.Written())
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
def test_what_others_may_write_is_not_used(home: Path) -> None:
    code_cache.keep("a", b"code")
    (home / "a.code").chmod(0o666)
    assert code_cache.kept("a") is None
    (home / "a.code").chmod(0o600)
    assert code_cache.kept("a") == b"code"
    home.chmod(0o777)
    assert code_cache.kept("a") is None
    code_cache.keep("b", b"code")
    assert not (home / "b.code").exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no such permissions")
def test_what_another_user_owns_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    code_cache.keep("a", b"code")
    monkeypatch.setattr(os, "getuid", lambda: 123456)
    assert code_cache.kept("a") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    code_cache.keep("a", b"code")
    assert code_cache.kept("a") is None


def test_a_write_that_fails_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int, mode: str) -> object:
        os.close(number)
        raise OSError("no space left")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdopen", full)
        code_cache.keep("a", b"code")
    assert list(home.iterdir()) == []


def test_the_oldest_are_removed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = code_cache.FileKind("small", ".small", 3 * 36)
    for n, key in enumerate("abcd"):
        code_cache.keep(key, b"code", kind)
        os.utime(home / f"{key}.small", (n, n))
    assert code_cache.kept("b", kind) == b"code"  # which makes it the newest
    code_cache.keep("e", b"code", kind)
    assert sorted(path.stem for path in home.iterdir()) == ["b", "d", "e"]


def test_kinds_do_not_remove_each_other(home: Path) -> None:
    code_cache.keep("a", b"code")
    code_cache.keep("a", b"x", code_cache.FileKind("none", ".none", 4))
    assert code_cache.kept("a") == b"code"
    assert [path.name for path in home.iterdir()] == ["a.code"], "a file that is larger than all that is kept goes at once"


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


def test_processes_that_write_at_once_leave_whole_files(home: Path) -> None:
    """Each writes the same files again and again, of different lengths, and removes old ones; whatever is read is whole."""
    kind = code_cache.FileKind("shared", ".shared", 200_000)
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(write_and_read, kind, n) for n in range(4)]
        assert sum(job.result() for job in jobs) > 0
    assert all(path.suffix == ".shared" for path in home.iterdir())


def write_and_read(kind: code_cache.FileKind, n: int) -> int:
    found = 0
    for k in range(30):
        code_cache.keep(f"{k % 5}", bytes([n]) * (5000 * n + 5000), kind)
        content = code_cache.kept(f"{k % 3}", kind)
        if content is not None:
            assert content in {bytes([m]) * (5000 * m + 5000) for m in range(4)}
            found += 1
    return found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_the_folder_is_not_opened(home: Path) -> None:
    code_cache.keep("a", b"code")
    (home / "a.code").unlink()
    os.mkfifo(home / "a.code", 0o600)
    assert code_cache.kept("a") is None
