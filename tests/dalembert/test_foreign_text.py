"""Text from files and words: names never steer a terminal or a log, numbers have one grammar, sentences are short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mechanisms import Body, Inertia, Joint, Mechanism, write_urdf
from mechanisms.plain_text import UNPRINTABLE

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
        ("check", "arm.urdf", "-i", "code.py", "--states", 7, "-q", "gravity", "--state", 1),
        ("check", "code.py:arm", "-i", "code.py", "--states", 7, "-q", "gravity", "--junit", "j.xml", "--markdown", "m.md"),
        ("check", "bad.urdf", "-i", "reference"),
        ("prove", "arm.urdf", "-q", "gravity"),
        ("derive", "arm.urdf"),
        ("urdf", "arm.urdf"),
        ("gate", "code.py", "arm.urdf", "--states", 7, "--update-baseline"),
        ("check", f"no{NAME}.urdf"),
        ("report", f"no{NAME}.json"),
    ],
)
def test_names_never_steer_a_terminal(invoke: Any, tmp_path: Path, words: tuple[object, ...]) -> None:
    found = invoke(*words)
    said = found.stdout + found.stderr
    assert not UNPRINTABLE.search(said), ascii(said)
    assert not [line for line in said.splitlines() if line.startswith("::")]
    for path in (tmp_path / "j.xml", tmp_path / "m.md"):
        assert not (path.exists() and UNPRINTABLE.search(path.read_text()))
