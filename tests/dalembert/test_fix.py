"""check --fix: the mends are shown, and written into the files only if the user wants that."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cross_check.exchange.results.causes import Cause, ChangedLines, Mend
from cross_check.exchange.results.files import ResultsError
from dalembert.cli.main import main
from dalembert.commands import comparing
from dalembert.fixing import difference, fixed_files, write

WRONG = """\
import numpy as np

mechanism = "pendulum"


def gravity(q):
    return [-4.7088 * np.sin(q[0])]
"""
RIGHT = WRONG.replace("-4.7088", "4.7088")


def cause(*changes: ChangedLines) -> Cause:
    return Cause("mine/cause", "mine", "unknown", "a sentence", (), mend=Mend(changes, 1, 1))


def check(*words: str, answer: str = "") -> Result:
    return CliRunner().invoke(main, ["check", "mine.py", "-q", "gravity", "--states", "20", "--no-config", *words], input=answer)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_lines_are_changed_and_nothing_else(project: Path) -> None:
    path = project / "mine.py"
    path.write_bytes(b"a = 1\r\n    b = (2 +\r\n         3)\r\n\tc = 4  \n")
    path.chmod(0o750)
    changes = (
        ChangedLines("mine.py", 2, "b = (2 +\n         3)", "b = (2 -\n         3)"),
        ChangedLines("mine.py", 4, "c = 4", "c = 5"),
    )
    files, left_out = fixed_files([cause(changes[0]), cause(*changes)])
    assert left_out == []
    assert path.read_bytes().startswith(b"a = 1\r\n    b = (2 +"), "nothing is written before write()"
    shown = list(difference(files))
    assert shown[:2] == ["--- mine.py", "+++ mine.py"]
    assert {"-    b = (2 +", "+    b = (2 -"} <= {*shown}
    write(files)
    assert path.read_bytes() == b"a = 1\r\n    b = (2 -\r\n         3)\r\n\tc = 5  \n"
    assert path.stat().st_mode & 0o777 == 0o750


def test_two_mends_of_one_line(project: Path) -> None:
    (project / "mine.py").write_text("a = 1\n")
    files, (left_out,) = fixed_files([cause(ChangedLines("mine.py", 1, "a = 1", f"a = {k}")) for k in (2, 3)])
    assert left_out == "mine.py:1 has another mend, too; check again after this one is written"
    assert [fixed.after for fixed in files.values()] == [b"a = 2\n"]


def test_a_file_that_was_changed_meanwhile_is_not_written(project: Path) -> None:
    path, change = project / "mine.py", cause(ChangedLines("mine.py", 1, "a = 1", "a = 2"))
    path.write_text("a = 1\n")
    files, _ = fixed_files([change])
    path.write_text("a = 7\n")
    for changing in (lambda: write(files), lambda: fixed_files([change])):
        with pytest.raises(ResultsError, match=r"^mine\.py was changed after the check began; check again$"):
            changing()
    assert path.read_text() == "a = 7\n"


def test_a_file_that_cannot_be_changed(project: Path) -> None:
    path, change = project / "mine.py", cause(ChangedLines("mine.py", 1, "a = 1", "a = 2"))
    with pytest.raises(ResultsError, match=r"^mine\.py cannot be changed \(.*No such file.*\); change it by hand$"):
        fixed_files([change])
    path.write_text("a = 1\n")
    path.chmod(0o444)
    with pytest.raises(ResultsError, match="it is read-only"):
        fixed_files([change])
    path.chmod(0o644)
    path.write_bytes(b"a = 1 # \xff\n")
    with pytest.raises(ResultsError, match="cannot be changed"):
        fixed_files([change])


@pytest.mark.nightly
def test_nothing_is_written_without_consent(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project / "mine.py"
    path.write_text(WRONG)
    found = check("--fix")
    assert "+    return [4.7088 * np.sin(q[0])]" in found.stdout
    assert "mine.py is left as it was; add --yes to write this" in found.stderr
    assert (found.exit_code, path.read_text()) == (1, WRONG)
    monkeypatch.setattr(comparing, "_has_terminal", lambda: True)
    for answer, text in (("n\n", WRONG), ("y\n", RIGHT)):
        found = check("--fix", answer=answer)
        assert "Write this into mine.py?" in found.stderr
        assert path.read_text() == text
    assert check("--fix").exit_code == 0, "nothing is left to mend"
    path.write_text(WRONG)
    found = check("--fix", "--yes")
    assert ("wrote mine.py" in found.stderr, path.read_text()) == (True, RIGHT)
