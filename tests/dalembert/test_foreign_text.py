"""Text from files and words: names never steer a terminal or a log, numbers have one grammar, sentences are short."""

from __future__ import annotations

import os
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


@pytest.mark.parametrize("number", ["1_0", "١٠", "0x10", "1e1", "10 ", "inf"])
@pytest.mark.parametrize("option", ["--states", "--seed", "--state"])
def test_whole_numbers_are_plain_digits(invoke: Any, option: str, number: str) -> None:
    found = invoke("check", "pendulum", option, number)
    assert found.exit_code == 2
    assert f"{number!r} is not a valid integer" in found.stderr


@pytest.mark.parametrize("number", ["1_6", "١٦", "0x10", "inf", "nan", "1e", "16 "])
def test_numbers_are_plain_decimals(invoke: Any, number: str) -> None:
    found = invoke("check", "pendulum", "--bar", number)
    assert found.exit_code == 2
    assert f"{number!r} is not a valid number" in found.stderr


@pytest.mark.parametrize("word", ["random:1_0", "random:١", "random:1:0x3", "planar-pendulum:1e1", "random: 1"])
def test_numbers_in_names_of_mechanisms_are_plain_digits(invoke: Any, word: str) -> None:
    found = invoke("derive", word)
    assert found.exit_code == 2
    assert "; write whole numbers there, as in random:7:30" in found.stderr


def test_what_is_wrong_is_short_and_ends_with_the_remedy(invoke: Any) -> None:
    found = invoke("check", "x" * 3000 + ".urdf")
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("Error: ")]
    assert len(line) <= 500 + len("Error: ")
    assert line.endswith("give the path of a URDF file")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "words", [("check", "a.urdf"), ("report", "a.urdf"), ("prove", "--check", "a.urdf"), ("prove", "a.urdf")]
)
def test_a_pipe_is_refused_and_not_waited_for(invoke: Any, tmp_path: Path, words: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "a.urdf")
    found = invoke(*words)
    assert found.exit_code == 2
    assert "cannot be read (it is a pipe, not a regular file)" in found.stderr
