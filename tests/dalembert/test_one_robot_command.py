"""Code for one robot on the command line: as a word of its own, generated, as a program, as a library."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cross_check.exchange.results import read_results
from dalembert.cli.languages import SKELETONS

GRAVITY = "import numpy as np\ndef gravity(q):\n    return np.array([0, -0.4905 * np.sin(q[1])])\n"
"""Of the cart-pole."""

PROGRAM = """
import sys
import numpy as np
from dalembert_stdio import serve

gravity = lambda model, q: np.array([0, -0.4905 * np.sin(q[1])])
serve("firmware", "1", lambda mechanism: None, {"gravity": gravity}, robot=sys.argv[1] if sys.argv[1:] else None)
"""

LIBRARY = """
#include <math.h>
#include "dalembert.h"
DALEMBERT_LIBRARY("firmware", "1")
#ifdef ROBOT
const char *dalembert_robot(void) { return ROBOT; }
#endif
int dalembert_load(const struct dalembert_mechanism *m, void **model) { return *model = 0, m->bodies ? DALEMBERT_OK : -1; }
void dalembert_forget(void *model) { (void)model; }
int dalembert_gravity(void *model, const double *q, double *g) { return (void)model, g[1] = -0.4905 * sin(q[1]), DALEMBERT_OK; }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.nightly
def test_a_file_of_code_is_checked_on_the_robot_that_it_declares(invoke: Any) -> None:
    Path("arm.py").write_text(GRAVITY + 'mechanism = "cart-pole"\n')
    gate = ("gate", "arm.py", "cart-pole")
    assert invoke(*gate, "--states", 7, "--update-baseline").exit_code == 0
    check = ("check", "--states", 7)
    for words in ((*check, "arm.py"), (*check, "-i", "arm.py"), (*check, "arm.py", "cart-pole"), gate):
        found = invoke(*words)
        assert (found.exit_code, found.stderr.count("Error")) == (0, 0)
        assert "arm is code for cart-pole alone, because it declares its mechanism" in " ".join(found.stdout.split())
    found = invoke(*check, "arm.py", "pendulum")
    assert found.exit_code == 5
    assert "it is code for cart-pole alone" in " ".join(found.stdout.split())


@pytest.mark.usefixtures("in_this_process")
def test_without_a_robot_one_sentence_says_what_to_name(invoke: Any) -> None:
    Path("arm.py").write_text(GRAVITY)
    for words in (["arm.py"], ["-i", "arm.py"], ["-i", "arm.py", "cart-pole", "pendulum"]):
        found = invoke("check", *words)
        assert (found.exit_code, found.stdout) == (2, "")
        assert "name its robot alone, or declare it in the code" in found.stderr


@pytest.mark.nightly
def test_code_for_any_mechanism_is_code_as_a_word_of_its_own_too(invoke: Any) -> None:
    Path("any_robot.py").write_text(
        "import dalembert\ndef gravity(mechanism, q):\n    return dalembert.dynamics(mechanism).gravity(q[None])[0]\n"
        'def arm() -> dalembert.Mechanism:\n    return dalembert.find_mechanism("pendulum")\n'
    )
    found = invoke("check", "any_robot.py", "cart-pole", "--states", 7)
    assert (found.exit_code, "cart-pole" in found.stdout, "pendulum " in found.stdout) == (0, True, False)
    # Named as an implementation, too, the word is the file's mechanism.
    found = invoke("check", "any_robot.py", "-i", "any_robot.py", "--states", 7)
    assert (found.exit_code, "pendulum " in found.stdout) == (0, True)


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", ["cart-pole", "floating-base-link", "random:3:4:revolute,mimic"])
def test_what_derive_writes_is_checked_as_it_is(invoke: Any, mechanism: str) -> None:
    source = invoke("derive", mechanism, "--format", "python").stdout
    Path("derived.py").write_text(source)
    found = invoke("check", "derived.py", "--states", 14, "-o", "results.json")
    assert found.exit_code == 0
    assert f"derived is code for {mechanism} alone" in " ".join(found.stdout.split())
    compared = {cell.quantity for cell in read_results(Path("results.json")).cells if cell.verdict == "agrees"}
    assert compared >= {"mass_matrix", "gravity", "nonlinear_effects", "inverse_dynamics", "forward_dynamics"}
    Path("wrong.py").write_text(source.replace("+ D @ v", "- D @ v"))
    assert invoke("check", "wrong.py", "--states", 14, "--no-explain").exit_code == 1


def program(robot: str) -> str:
    shutil.copy(SKELETONS / "python" / "dalembert_stdio.py", ".")
    Path("program.py").write_text(PROGRAM)
    return f"cmd:{sys.executable} program.py {robot}"


def library(robot: str) -> str:
    shutil.copy(SKELETONS / "c" / "dalembert.h", ".")
    Path("library.c").write_text(LIBRARY)
    name = f"./library{len(robot)}.so"
    define = [f'-DROBOT="{robot.strip(chr(39))}"'] if robot else []
    subprocess.run(["gcc", "-shared", "-fPIC", *define, "library.c", "-o", name, "-lm"], check=True)
    return f"lib:{name}"


@pytest.mark.nightly
@pytest.mark.parametrize("code", [program, library])
def test_a_program_or_a_library_declares_its_robot_or_is_recognised(invoke: Any, code: Callable[[str], str]) -> None:
    """``code`` gives the spec of code that declares a robot, given as a word of a shell; empty if it declares none."""
    for robot, mechanisms, reason in (
        ("cart-pole", [], "it declares its mechanism"),
        ("''", ["cart-pole"], "it says so"),
        ("", ["cart-pole"], "its answers stay the same when masses and lengths change"),
    ):
        found = invoke("check", *mechanisms, "-i", code(robot), "--states", 7)
        assert found.exit_code == 0
        assert f"firmware is code for cart-pole alone, because {reason}" in " ".join(found.stdout.split())
    assert invoke("check", "-i", code("''")).exit_code == 2
