"""Text from files and words steers no terminal and no log, and what a reader ignores in a file is said aloud."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from cross_check.read.readers.results import Comparison, Reader
from mechanisms import Body, Inertia, Joint, Mechanism, write_urdf
from mechanisms.plain_text import UNPRINTABLE
from reports.readers import readers_page, readers_text

NAME = "arm\x9b31m\u202e\n::error::gate passed\u2066"
"""A colour, a turn of the writing direction, and a line that a CI server would obey."""

ARM = Body(f"body {NAME}", "world", Joint(f"joint {NAME}", "revolute"), Inertia(1, (0, 0, 1)))

CODE = f"""
from dalembert import Body, Inertia, Joint, Mechanism

NAME = "\\x1b[31m" + {NAME!r}
arm = Mechanism(NAME, (Body("b", "world", Joint(NAME, "revolute"), Inertia(1, (0, 0, 1))),))

def gravity(mechanism, q):
    return 1 + 0 * q
"""


@pytest.fixture
def files(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(write_urdf(Mechanism(NAME, (ARM,))))
    (tmp_path / "bad.urdf").write_text(write_urdf(Mechanism(NAME, (ARM,))).replace('<mass value="1.0"', '<mass value="x"'))
    (tmp_path / "code.py").write_text(CODE)


@pytest.mark.nightly
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    "words",
    [
        ("check", "code.py:arm", "-i", "code.py", "--states", 7, "-q", "gravity", "--state", 1),
        ("check", "bad.urdf", "-i", "reference"),
        ("prove", "arm.urdf", "-q", "gravity"),
        ("derive", "arm.urdf"),
        ("urdf", "arm.urdf"),
        ("gate", "code.py", "arm.urdf", "--states", 7, "--update-baseline"),
        ("check", f"no{NAME}.urdf"),
        ("report", f"no{NAME}.json"),
    ],
)
def test_names_never_steer_a_terminal(invoke: Any, words: tuple[object, ...]) -> None:
    found = invoke(*words)
    said = found.stdout + found.stderr
    assert not UNPRINTABLE.search(said), ascii(said)
    assert not [line for line in said.splitlines() if line.startswith("::")]


URDF = """<robot name="r"><link name="base"/><link name="arm"/>
<link name="&lt;b&gt;"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial></link>
<joint name="j" type="revolute"><parent link="base"/><child link="&lt;b&gt;"/><spring k="3"/></joint>
<joint name="k" type="fixed"><parent link="base"/><child link="arm"/></joint></robot>"""

NOTE = "joint 'j': the element <spring> is ignored, for the reader does not know it"


@pytest.mark.slow
@pytest.mark.parametrize("words", [("derive", "r.urdf"), ("states", "r.urdf", "-o", "s.csv"), ("prove", "r.urdf")])
def test_commands_say_it_on_standard_error(invoke: Any, words: tuple[str, ...]) -> None:
    Path("r.urdf").write_text(URDF, "utf-8")
    found = invoke(*words)
    assert (found.exit_code, found.stderr) == (0, f"note: r.urdf: {NOTE}\n")
    assert NOTE not in found.stdout


def test_a_comparison_of_readers_says_it() -> None:
    comparison = Comparison("r.urdf", "r", False, 1, (Reader("pinocchio-urdf", "4.1.0", "agrees"),), notes=(NOTE,))
    console = Console(width=200, file=io.StringIO(), color_system=None)
    console.print(readers_text(comparison))
    assert f"our reader: {NOTE}" in console.file.getvalue()
    assert "our reader: joint &#39;j&#39;: the element &lt;spring&gt; is ignored" in readers_page([comparison])


def test_a_check_and_its_reports_say_it(invoke: Any) -> None:
    Path("r.urdf").write_text(URDF, "utf-8")
    files = ("--report", "r.html", "--markdown", "r.md", "--output", "r.json")
    found = invoke("check", "r.urdf", "-i", "reference", "-q", "inverse_dynamics", "--states", 7, *files)
    assert found.exit_code == 0
    assert f"Ignored in files\n  r: {NOTE}\n" in found.output
    text = {name: Path(name).read_text("utf-8") for name in files[1::2]}
    assert NOTE in text["r.json"]
    assert "the element &lt;spring&gt; is ignored" in text["r.html"]
    assert "### Ignored in files\n\n- r\\: joint 'j'\\: the element &lt;spring&gt; is ignored" in text["r.md"]
    assert "<spring" not in text["r.html"] + text["r.md"]
