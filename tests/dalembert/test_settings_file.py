"""The settings of a project: which file, what beats what, where paths count from, and one sentence for every mistake."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cross_check.judge.settings import SettingsError
from dalembert.settings import MOST_BYTES, find_file, read_table
from reports.summary import setting_rows

pytestmark = pytest.mark.usefixtures("in_this_process")

MINE = "from implementations.spatial_algebra.reference import REFERENCE as engine\n"

TABLE = """
[tool.dalembert]
implementations = "mine.py:engine"
mechanisms = ["pendulum"]
quantities = "gravity"
states = 5
seed = 3

[tool.dalembert.profiles.nightly]
states = 7
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "pyproject.toml").write_text(TABLE)
    return tmp_path


def origins(path: Path) -> dict[str, tuple[list[str], str]]:
    return {one["name"]: (one["values"], one["origin"]) for one in json.loads(path.read_text())["effective"]}


@pytest.mark.slow
def test_the_command_line_beats_a_profile_beats_the_table_beats_the_default(invoke: Any, project: Path) -> None:
    found = invoke(
        "check", "--profile", "nightly", "--seed", 4, "--settings", "-o", "r.json", "--markdown", "s.md", "--report", "r.html"
    )
    assert found.exit_code == 0, found.output
    effective = origins(project / "r.json")
    assert effective["seed"] == (["4"], "command line")
    assert effective["states"] == (["7"], "pyproject.toml [tool.dalembert.profiles.nightly]")
    assert effective["mechanisms"] == (["pendulum"], "pyproject.toml [tool.dalembert]")
    assert effective["implementations"] == (["mine.py:engine"], "pyproject.toml [tool.dalembert]")
    assert effective["bar"] == (["16"], "default")
    assert "states           7  pyproject.toml [tool.dalembert.profiles.nightly]" in found.stdout
    assert "| seed | 4 | command line |" in (project / "s.md").read_text()
    assert "<small>pyproject.toml [tool.dalembert.profiles.nightly]</small>" in (project / "r.html").read_text()


@pytest.mark.slow
def test_a_run_does_not_depend_on_the_folder_it_was_started_from(
    invoke: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert invoke("gate", "--update-baseline").exit_code == 0
    (project / "sub").mkdir()
    (project / "sub" / "two.py").write_text(MINE)
    monkeypatch.chdir(project / "sub")
    again = invoke("gate", "-o", "r.json")
    assert again.exit_code == 0, again.output
    assert origins(project / "sub" / "r.json")["seed"] == (["3"], "pyproject.toml [tool.dalembert]")
    assert sorted(path.name for path in (project / "sub").iterdir() if path.suffix) == ["r.json", "two.py"]
    assert sorted(path.name for path in project.glob("*.json*")) == ["dalembert-baseline.json"]
    other = invoke("check", "-i", "two.py:engine", "-o", "r.json")
    assert other.exit_code == 0, other.output
    assert origins(project / "sub" / "r.json")["implementations"] == (["sub/two.py:engine"], "command line")
    assert Path.cwd() == project / "sub"


def test_the_nearest_file_with_the_table_counts_within_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "package"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(TABLE)
    (inner / "pyproject.toml").write_text("[tool.other]\n")
    assert find_file(inner) == tmp_path / "pyproject.toml"
    (tmp_path / "repository" / ".git").write_text("")
    assert find_file(inner) is None
    (tmp_path / "repository" / "pyproject.toml").write_text(TABLE)
    assert find_file(inner) == tmp_path / "repository" / "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.dalembert]\nstate = 5", "[tool.dalembert] has no setting 'state'; did you mean 'states'?"),
        ("[tool.dalembert.profiles.n]\nSeed = 5", "[tool.dalembert.profiles.n] has no setting 'Seed'; did you mean 'seed'?"),
        ("[tool.dalembert]\nzzz = 5", "has no setting 'zzz'; use implementations, "),
        ("[tool.dalembert]\nstates = true", "has states = True; give a whole number"),
        ("[tool.dalembert]\nstates = '5'", "has states = '5'; give a whole number"),
        ("[tool.dalembert]\nbar = nan", "has bar = nan; give a number"),
        (f"[tool.dalembert]\nbar = 1{'0' * 400}", "give a number"),
        ("[tool.dalembert]\ncertified = 1", "has certified = 1; give true or false"),
        ("[tool.dalembert]\nmechanisms = []", "has mechanisms = []; give a string or a list of strings"),
        ("[tool.dalembert]\nmechanisms = ['ur5', 5]", "give a string or a list of strings"),
        ("[tool.dalembert]\nbaseline = ''", "has baseline = ''; give a path below the file's folder"),
        ("[tool.dalembert]\nreport = '/etc/report.html'", "give a path below the file's folder"),
        ("[tool.dalembert]\nbadge = 'build/../../badge.json'", "give a path below the file's folder"),
        ("[tool.dalembert]\npython = ''", "has python = ''; give a string"),
        ("[tool.dalembert]\nprofiles = 5", "profiles must hold tables"),
        ("[tool.dalembert]\n'\\u202e\\u0007' = 5", "has no setting"),
        ("[tool.dalembert\n", "is no TOML"),
        ("x = " + "[" * 5000, "correct it, or give --no-config"),
        ("x = " + "9" * 5000, "is no TOML"),
        ("[tool]\ndalembert = 5", "has no table [tool.dalembert]"),
        ("#" * (MOST_BYTES + 1), "is larger than 1 MiB"),
    ],
)
def test_mistakes_in_the_file_are_one_sentence_that_names_it(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(text)
    with pytest.raises(SettingsError) as caught:
        read_table(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "setting",
    [
        "badge = 'b.json'",
        "output = 'out/b.json'",
        "baseline = 'new.json'",
        "report = 'circle'",
        "[tool.dalembert.profiles.nightly]\nbadge = 'b.json'",
    ],
)
def test_settings_write_nothing_elsewhere_through_links(invoke: Any, tmp_path: Path, setting: str) -> None:
    folder, elsewhere = tmp_path / "repository", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (elsewhere / "b.json").write_text("precious")
    links = {"b.json": "../elsewhere/b.json", "new.json": elsewhere / "new.json", "out": elsewhere, "circle": "circle"}
    for name, target in links.items():
        (folder / name).symlink_to(target)
    (folder / "pyproject.toml").write_text(f"[tool.dalembert]\nstates = 3\n{setting}\n")
    found = invoke("gate", "reference", "pendulum", "--update-baseline", "--config", folder / "pyproject.toml")
    assert (found.exit_code, "a link out of the file's folder; remove it" in found.stderr) == (2, True), found.output
    assert [(path.name, path.read_text()) for path in elsewhere.iterdir()] == [("b.json", "precious")]


def test_settings_write_through_links_within_the_folder(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "out").symlink_to("build")
    (tmp_path / "pyproject.toml").write_text("[tool.dalembert]\nbadge = 'out/b.json'\n")
    assert read_table(tmp_path / "pyproject.toml").values == {"badge": "out/b.json"}


def test_results_from_python_say_what_the_call_gave(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dalembert

    monkeypatch.chdir(project)
    results = dalembert.check("pendulum", "reference", states=5, quantities=["gravity"])
    rows = {row.name: row for row in setting_rows(results)}
    assert rows["states"] == ("states", "5", "the call"), "a file must not change what a call means"
    assert rows["seed"] == ("seed", "0", "default")
    assert rows["invariants"] == ("invariants", "no", "the call")


@pytest.mark.slow
def test_settings_of_a_file_leave_out_nothing_that_the_baseline_records(invoke: Any, project: Path) -> None:
    gate, quantities = ("gate", "mine.py:engine", "-j", 1), ("-q", "gravity", "-q", "inverse_dynamics")
    words = (*gate, "--no-config", "pendulum", "cart-pole", "--states", 5, "--seed", 3)
    assert invoke(*words, *quantities, "--update-baseline").exit_code == 0

    (project / "pyproject.toml").write_text(TABLE.replace('"pendulum"', '"pendulum", "cart-pole"'))
    fewer = invoke(*gate, "--badge", "b.json")
    assert (fewer.exit_code, "2 cells were compared in the baseline and are not any more" in fewer.stdout) == (1, True)
    assert "pendulum/reference/inverse_dynamics was compared in the baseline, and pyproject.toml [tool.dalembert]" in fewer.stdout
    assert json.loads((project / "b.json").read_text())["color"] == "red"
    assert invoke(*gate, "-q", "gravity").exit_code == 0, "the command line says what to compare"

    (project / "pyproject.toml").write_text(TABLE.replace('quantities = "gravity"', ""))
    fewer = invoke(*gate, *quantities)
    assert (fewer.exit_code, "2 cells were compared in the baseline and are not any more" in fewer.stdout) == (1, True)
    assert "cart-pole/reference/gravity was compared in the baseline, and pyproject.toml [tool.dalembert]" in fewer.stdout
    assert invoke(*gate, "pendulum", *quantities).exit_code == 0


@pytest.mark.nightly
def test_a_large_bar_is_said_and_gives_no_green_badge(invoke: Any, project: Path) -> None:
    (project / "pyproject.toml").write_text(TABLE.replace("states = 5", "states = 5\nbar = 1e30\nbadge = 'b.json'"))
    (project / "mine.py").write_text("def gravity(mechanism, q): return 1 + 0 * q\n")
    found = invoke("check", "-i", "mine.py")
    assert (found.exit_code, "code with any typical fault gives the same answers" in found.stdout) == (5, True), found.stdout
    found = invoke("check", "-i", "reference", "--bar", "1e13")
    assert (found.exit_code, "within a bar of 1e+13 ε-units, not 16" in found.stdout) == (0, True), found.stdout
    badge = json.loads((project / "b.json").read_text())
    assert (badge["message"], badge["color"]) == ("agrees within 1e+13 ε-units", "lightgrey")


@pytest.mark.nightly
def test_a_project_keeps_the_files_that_try_its_reader(invoke: Any) -> None:
    Path("pyproject.toml").write_text("[tool.dalembert]\nas_read = true\nquantities = 'inverse_dynamics'\nstates = 9\n")
    words = ("check", "pendulum", "-i", "reference", "--settings")
    said = invoke(*words).stdout
    assert "reference did not ask for a file" in said
    assert re.search(r"relations +reads_inertial_rpy.* pyproject.toml \[tool.dalembert\]", said)
    assert "did not ask for a file" not in invoke(*words, "--no-as-read").stdout
