"""What the reader ignores in a file is said by every command and in every report."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from cross_check.readers.results import Comparison, Reader
from dalembert.cli.main import main
from reports.readers import readers_page, readers_text

URDF = """<robot name="r"><link name="base"/><link name="arm"/>
<link name="&lt;b&gt;"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="&lt;b&gt;"/><spring k="3"/></joint>
<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint></robot>"""

NOTE = "joint 'j': the element <spring> is ignored, for the reader does not know it"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "r.urdf"
    path.write_text(URDF, "utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("words", [("derive",), ("urdf",), ("states", "-o", "s.csv"), ("prove",)])
def test_commands_say_it_on_standard_error(path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    found = CliRunner().invoke(main, [words[0], path.name, *words[1:]])
    assert (found.exit_code, found.stderr) == (0, f"note: r.urdf: {NOTE}\n")
    assert NOTE not in found.stdout


def test_a_comparison_of_readers_says_it() -> None:
    comparison = Comparison("r.urdf", "r", False, 1, (Reader("pinocchio-urdf", "4.1.0", "agrees"),), notes=(NOTE,))
    console = Console(width=200, file=io.StringIO(), color_system=None)
    console.print(readers_text(comparison))
    assert f"our reader: {NOTE}" in console.file.getvalue()
    assert "our reader: joint &#39;j&#39;: the element &lt;spring&gt; is ignored" in readers_page([comparison])


def test_a_check_and_its_reports_say_it(path: Path) -> None:
    pages = {name: path.with_name(name) for name in ("r.html", "r.md", "r.json")}
    options = ["--report", pages["r.html"], "--markdown", pages["r.md"], "--output", pages["r.json"]]
    words = ["check", path, "-i", "reference", "-q", "inverse_dynamics", "--states", "7", *options]
    found = CliRunner().invoke(main, [str(word) for word in words])
    assert found.exit_code == 0
    assert f"Ignored in files\n  r: {NOTE}\n" in found.output
    text = {name: page.read_text("utf-8") for name, page in pages.items()}
    assert NOTE in text["r.json"]
    assert "the element &lt;spring&gt; is ignored" in text["r.html"]
    assert "### Ignored in files\n\n- r\\: joint 'j'\\: the element &lt;spring&gt; is ignored" in text["r.md"]
    assert "<spring" not in text["r.html"] + text["r.md"]
