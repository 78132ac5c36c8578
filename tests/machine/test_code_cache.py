"""Compiled code is kept whole, for its owner alone, and not used once it is damaged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from machine import code_cache


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
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
    monkeypatch.setattr(code_cache, "FILES", 3)
    for n, key in enumerate("abcd"):
        code_cache.keep(key, b"code")
        os.utime(home / f"{key}.code", (n, n))
    assert code_cache.kept("b") == b"code"  # which makes it the newest
    code_cache.keep("e", b"code")
    assert sorted(path.stem for path in home.iterdir()) == ["b", "d", "e"]
