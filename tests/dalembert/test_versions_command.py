"""``dalembert versions``: releases of a package, each in an environment of its own, without a network."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from released_engine import MINE, write_index

from cross_check.exchange.results import read_results
from dalembert.commands.versions import Comparison
from dalembert.environments import installer, kept
from dalembert.environments.requirement import parse
from implementations.processes.home import require_python

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    write_index(folder, tmp_path_factory.mktemp("sources"))
    return folder


@pytest.fixture(scope="module")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Environments that several tests use; what a test does to its own does not touch them."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def offline(index: Path, shared_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The index as pip's only one, a user's code ``mine.py``, and another engine of the same name where it must not be found."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_FIND_LINKS", "UV_EXCLUDE_NEWER"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "elsewhere" / "toy_engine").mkdir(parents=True)
    (tmp_path / "elsewhere" / "toy_engine" / "__init__.py").write_text("raise SystemExit('this is not isolated')")
    settings = {
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(index),
        "UV_NO_CONFIG": "1",
        "UV_NO_CACHE": "1",
        "XDG_CACHE_HOME": str(shared_cache),
        "PYTHONPATH": str(tmp_path / "elsewhere"),
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "mine.py").write_text(MINE)
    installer.pip_settings.cache_clear()
    yield tmp_path
    installer.pip_settings.cache_clear()


def words(*requirements: str, more: tuple[object, ...] = ()) -> tuple[object, ...]:
    return ("versions", *requirements, "-i", "mine.py", "-m", "pendulum", "-q", "gravity", "--states", 20, "-j", 1, *more)


@pytest.mark.nightly
def test_what_moved_and_what_broke_from_release_to_release(offline: Path, invoke: Any) -> None:
    more = ("-o", "r.json", "--report", "r.html", "--markdown", "r.md")
    found = invoke(*words("toy-engine==1.0", "toy_engine==1.1", "toy-engine==1.2", "toy-engine==1.1.1", more=more))
    assert found.exit_code == 1, found.output
    results = read_results(offline / "r.json")
    assert [entry.version for entry in results.implementations] == ["1.0", "1.1", "1.2"], "each has its own engine"
    assert [cell.verdict for cell in results.cells] == ["agrees", "agrees", "discrepancy"]
    first, bits, sign = (cell.moved for cell in results.cells)
    assert first is None
    assert 0 < bits <= 4, "another order of the factors moves the last bits"
    assert sign > 1e10
    one, two = results.versions.steps
    assert (one.compared, one.moved, one.largest, one.changes) == (1, 1, bits, ())
    assert [(change.kind, change.before, change.now) for change in two.changes] == [("broke", "agrees", "discrepancy")]
    assert [skipped.what for skipped in results.skipped] == ["toy-engine==1.1.1"]
    assert "toy-engine==1.1.1: cannot be installed from wheels (" in found.stderr
    assert "broke: g of pendulum agrees → disagrees by" in found.stdout
    assert "1 of 1 answer moved" in found.stdout
    assert "From toy-engine==1.1 to toy-engine==1.2" in (offline / "r.html").read_text()
    assert "broke\\: g of pendulum" in (offline / "r.md").read_text()
    assert all("numpy" in one.packages for one in results.versions.environments)


@pytest.mark.nightly
def test_a_release_that_is_not_there_is_said_and_the_exit_code_is_3(
    offline: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = invoke(*words("toy-engine==1.0", "toy-engine==7.7"))
    assert found.exit_code == 3
    assert "toy-engine==7.7: cannot be installed from wheels (" in found.stderr
    assert "choose another release, or another Python" in found.stderr
    assert "✓" in found.stdout, "the other release is compared"
    assert found.stdout.splitlines()[-1].startswith("! toy-engine==7.7 could not run: cannot be installed")
    nothing = invoke(*words("toy-engine==7.7", "toy-engine==7.8"))
    assert (nothing.exit_code, nothing.stdout) == (3, "")
    assert nothing.stderr.splitlines()[-1].startswith("Error: none of the releases can run here; toy-engine==7.8: cannot")
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://localhost:9/simple")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")
    installer.pip_settings.cache_clear()
    unreached = invoke(*words("toy-engine==1.0,other-engine"))
    assert (unreached.exit_code, "see whether the index can be reached" in unreached.stderr) == (3, True), unreached.stderr


@pytest.mark.nightly
def test_an_environment_is_kept_until_it_is_removed(offline: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(offline / "cache"))
    assert "installed in" in invoke(*words("toy-engine==1.0")).stderr
    monkeypatch.setenv("PIP_FIND_LINKS", str(offline))
    installer.pip_settings.cache_clear()
    again = invoke(*words("toy-engine==1.0"))
    assert (again.exit_code, "kept from before" in again.stderr) == (0, True), "nothing is asked of the index, which is empty"
    listed = invoke("versions", "--list").stdout
    assert listed.startswith("toy-engine==1.0  ")
    python = listed.split()[-1]
    assert Path(python).exists()
    removed = invoke("versions", "--remove")
    assert (removed.exit_code, removed.stdout.startswith("removed 1 environments")) == (0, True)
    assert not Path(python).exists()
    assert invoke("versions", "--list").stdout == ""


def test_an_environment_that_was_not_finished_is_made_anew(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(offline / "cache"))
    release = parse("toy-engine==1.2")

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    def folders() -> list[Path]:
        return [path for path in kept.folder_of_environments().iterdir() if path.is_dir()]

    with monkeypatch.context() as patch:
        patch.setattr(kept, "installed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            kept.environment(release, sys.executable)
        assert folders() == [], "an interruption leaves no folder"
        patch.setattr(kept, "_remove", lambda folder: None)  # As after `kill -9`.
        with pytest.raises(KeyboardInterrupt):
            kept.environment(release, sys.executable)
    (left,) = folders()
    (left / "trace").touch()
    assert list(kept.kept_environments()) == []
    require_python.cache_clear()
    made = kept.environment(release, sys.executable)
    assert made.is_new
    assert made.record.packages["toy-engine"] == "1.2"
    assert not (left / "trace").exists()
    assert made.day == "", "the index is a folder, which does not tell when a wheel was published"


@pytest.mark.nightly
def test_the_release_that_broke_is_found(offline: Path, invoke: Any) -> None:
    found = invoke(*words("toy-engine==1.10", "toy-engine==1.0", more=("--bisect", "--every", "-o", "b.json")))
    assert found.exit_code == 1, found.output
    assert "Gravity of pendulum broke in toy-engine 1.2" in found.stdout
    results = read_results(offline / "b.json")
    tested = {one.version: one.state for one in results.versions.bisection.tested}
    assert tested == {"1.0": "as before", "1.1": "as before", "1.2": "as after", "1.3": "not run", "1.10": "as after"}
    assert [entry.version for entry in results.implementations] == ["1.0", "1.1", "1.2", "1.10"]
    assert "libtoy.so.4" in found.stdout
    named = {(cause.implementation, cause.sentence.partition(", ")[2]) for cause in results.causes}
    assert {one for one, _ in named} == {"toy-engine==1.2", "toy-engine==1.10"}, named
    assert all("sign" in cause for _, cause in named), "the cause of every release that is wrong is named"


@pytest.mark.nightly
def test_a_bisection_that_is_interrupted_keeps_what_it_tested(
    offline: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = Comparison.entry

    def interrupting(self: Comparison, requirement: Any) -> Any:
        if requirement.version not in ("1.0", "1.10"):
            raise KeyboardInterrupt
        return entry(self, requirement)

    monkeypatch.setattr(Comparison, "entry", interrupting)
    found = invoke(*words("toy-engine==1.0", "toy-engine==1.10", more=("--bisect", "-o", "b.json")))
    assert found.exit_code == 130
    assert "broke in toy-engine a release after 1.0, at the latest 1.10" in found.stdout
    assert len(json.loads((offline / "b.json").read_text())["cells"]) == 2


@pytest.mark.nightly
@pytest.mark.engines
def test_releases_of_a_real_engine_from_the_index(tmp_path: Path, invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    asked = "-m four-bar -m furuta-pendulum -q mass_matrix -q constraint_jacobian --states 20 -o r.json"
    found = invoke("versions", "pin==2.7.0", "pin==3.9.0", *asked.split())
    shutil.rmtree(tmp_path / "cache")  # 760 MB
    assert found.exit_code == 1, found.output
    assert "pin==2.7.0: installed in" in found.stderr
    assert "with dependencies as of 2024-01-26" in found.stderr
    assert "In pin==2.7.0, armature is ignored" in found.stdout
    cells = {(cell.implementation, cell.quantity): cell for cell in read_results("r.json").cells if cell.mechanism == "four-bar"}
    lacking = cells["pin==3.9.0", "constraint_jacobian"]
    assert (lacking.verdict, lacking.message.partition(", ")[0]) == ("unsupported", "not offered by pinocchio 3.9.0")
    assert cells["pin==3.9.0", "mass_matrix"].verdict == "agrees", "what the release has is compared"


def test_a_python_that_is_none_is_said(offline: Path, invoke: Any) -> None:
    found = invoke(*words("toy-engine==1.0", more=("--python", "no-python")))
    assert (found.exit_code, "give the path of a Python to --python" in found.stderr) == (3, True), sys.version
