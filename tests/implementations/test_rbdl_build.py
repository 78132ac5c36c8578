"""The script that builds RBDL's own binding: it says in one sentence what is missing, and builds nothing but the release."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from implementations.engines.rbdl import build_binding
from implementations.engines.rbdl.build_binding import COMPILED, RELEASE, CannotBuild, digest, install, main, run, sources_from


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without programs, without RBDL, and without Eigen."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("CXX", "CONDA_PREFIX", "EIGEN3_INCLUDE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(build_binding, "EIGEN", (str(tmp_path / "eigen3"),))
    monkeypatch.setattr(build_binding, "installed", lambda: "")
    (tmp_path / "bin").mkdir()
    return tmp_path


def program(folder: Path, name: str) -> None:
    (folder / "bin" / name).write_text("#!/bin/sh\nexit 1\n")
    (folder / "bin" / name).chmod(0o755)


def said(*arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code not in (0, None)
    return str(ended.value.code)


def test_what_is_missing_is_said_one_after_the_other(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begins = "RBDL's binding was not built: "
    assert said().startswith(f"{begins}cmake is missing; install it")
    program(empty, "cmake")
    assert said().startswith(f"{begins}there is no C++ compiler; install one")
    program(empty, "c++")
    assert said() == (
        f"{begins}Eigen's headers are not in {empty / 'eigen3'}; install them, for example with `apt install libeigen3-dev`, "
        "or set EIGEN3_INCLUDE_DIR"
    )
    (empty / "eigen3" / "Eigen").mkdir(parents=True)
    (empty / "eigen3" / "Eigen" / "Core").touch()
    monkeypatch.setattr(build_binding.metadata, "version", lambda name: "3.1.2")
    assert said() == f"{begins}Cython 3.1.2 cannot compile the binding; `pip install cython==0.29.37`"
    monkeypatch.setattr(build_binding.metadata, "version", lambda name: "0.29.37")
    assert said("nowhere") == f"{begins}git is missing; install it, or give a folder with RBDL's sources"


def test_only_the_release_is_built_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "CMakeLists.txt").write_text("project(RBDL)")
    (tmp_path / "src" / "Joint.cc").write_text("int main;")
    with pytest.raises(CannotBuild, match=rf"has not the files of RBDL {RELEASE}, or they were changed; give those of the tag"):
        sources_from(str(tmp_path), tmp_path / "work")
    monkeypatch.setattr(build_binding, "SHA256", digest(tmp_path))
    assert sources_from(str(tmp_path), tmp_path / "work") == tmp_path
    (tmp_path / "README.md").write_text("it is not compiled")
    sources_from(str(tmp_path), tmp_path / "work")
    (tmp_path / "src" / "More.cc").write_text("")
    with pytest.raises(CannotBuild, match="or they were changed"):
        sources_from(str(tmp_path), tmp_path / "work")


def test_the_digest_sees_names_and_limits_of_files(tmp_path: Path) -> None:
    found = set()
    for k, files in enumerate([{"a": "bc"}, {"ab": "c"}, {"a": "b", "b": "c"}, {"a": ""}, {}]):
        (tmp_path / str(k) / "src").mkdir(parents=True)
        for name, text in files.items():
            (tmp_path / str(k) / "src" / name).write_text(text)
        found.add(digest(tmp_path / str(k)))
    assert len(found) == 5 and "src" in COMPILED


def test_a_source_that_cannot_be_cloned_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotBuild, match="is no folder with RBDL's sources and cannot be cloned; `git` printed:"):
        sources_from(str(tmp_path / "nowhere"), tmp_path)
    with pytest.raises(CannotBuild, match="cannot be cloned"):
        sources_from("--upload-pack=touch evil", tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_end_of_a_long_log_is_shown() -> None:
    prints = "import sys; print(*range(9000), sep='\\n'); sys.exit(3)"
    with pytest.raises(CannotBuild) as error:
        run([sys.executable, "-c", prints], "it does not compile", {})
    assert str(error.value).splitlines()[::25] == [f"it does not compile; `{sys.executable}` printed:", "8999"]


def test_both_files_are_installed_and_nothing_else(tmp_path: Path) -> None:
    built, target = tmp_path / "build", tmp_path / "site"
    (built / "python").mkdir(parents=True)
    target.mkdir()
    (built / "python" / "rbdl.so").write_text("binding")
    (built / f"librbdl.so.{RELEASE}").write_text("library")
    (built / "librbdl.so").symlink_to(f"librbdl.so.{RELEASE}")
    (target / "rbdl.so").write_text("old")
    install(built, target)
    assert {path.name: path.read_text() for path in target.iterdir()} == {
        f"librbdl.so.{RELEASE}": "library",
        "rbdl.so": "binding",
    }
    with pytest.raises(CannotBuild, match=r"rbdl\.so.* cannot be copied to .*nowhere"):
        install(built, tmp_path / "nowhere")


def test_nothing_is_done_twice(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was run again")

    monkeypatch.setattr(build_binding, "installed", lambda: RELEASE)
    monkeypatch.setattr(subprocess, "run", never)
    main([])
    assert capsys.readouterr().out == f"RBDL {RELEASE} and its binding are there already.\n"
