"""Constraints: what a check compares and says, which fault it names, and a program in C++ that has them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cross_check.judge.comparison.sampling import sample
from dalembert.cli.languages import write_project
from mechanisms import find_mechanism

pytestmark = pytest.mark.slow

HEAD = """
from functools import cache
import numpy as np
from implementations.spatial_algebra.reference import REFERENCE

load = cache(REFERENCE.load)

def at(m, name, *state):
    return getattr(load(m), name)(*(x[None] for x in state))[0]
"""

CODE = """
def constraint_multipliers(m, q, v, tau):
    return -at(m, "constraint_multipliers", q, v, tau)

def constrained_acceleration(m, q, v, tau):
    J, M = at(m, "constraint_jacobian", q), at(m, "mass_matrix", q)
    free = np.linalg.solve(M, tau - at(m, "nonlinear_effects", q, v))
    pull = np.linalg.solve(M, J.T)
    return free - pull @ np.linalg.pinv(J @ pull, rcond=1e-10) @ (J @ free)

def constrained_acceleration_dv(m, q, v):
    return -at(m, "constrained_acceleration_dtau", q) @ at(m, "inverse_dynamics_dv", q, v)

def impact_velocity_half(m, q, v_minus):
    return at(m, "impact_velocity_plastic", q, v_minus) + 0.25 * v_minus
"""


@pytest.mark.nightly
def test_wrong_code_is_found_and_what_is_usual_is_named(invoke: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HEAD + CODE, "utf-8")
    done = invoke("check", "bricard", "-i", "mine.py", "-q", "constraints", "--states", 18, "--no-config", "--in-process")
    assert done.exit_code == 1
    assert "disagrees mine: the multipliers have the opposite sign" in done.output
    assert "disagrees mine: the drift is left out" in done.output
    assert "disagrees mine: it disagrees on constraints, and no usual fault with constraints explains it" in done.output
    assert "disagrees mine: ∂(J̇v)/∂v is left out of the derivatives" in done.output
    assert "mine disagrees with the truth in 4 of 4 comparisons." in done.output
    said = "bricard: 6 constrained directions leave 1 of 6 degrees of freedom; 1 follows from the others, so λ is not unique"
    assert said in done.output


RARE = """
def constraint_drift(m, q, v):
    return at(m, "constraint_drift", q, v)

def constraint_multipliers(m, q, v, tau):
    rows = [-1] * len(m.constraints[0].directions) + [1] * len(m.constrained_directions)
    right = at(m, "constraint_multipliers", q, v, tau)
    return right * rows[: len(right)] if WRONG else right

def impact_velocity_plastic(m, q, v_minus):
    return at(m, "impact_velocity_plastic", q, v_minus) * (2 if WRONG and v_minus[0] == STATE else 1)
"""


@pytest.mark.nightly
def test_a_fault_of_one_constraint_and_one_of_one_state_differ_from_usual_faults(invoke: Any, tmp_path: Path) -> None:
    state = sample(find_mechanism("four-bar"), 0, 98).v[40, 0]
    mine = tmp_path / "one_of_two.py"
    mine.write_text(f"{HEAD}{RARE}WRONG, STATE = True, {float(state)!r}\n", "utf-8")
    words = ("-q", "constraints", "--no-config", "--in-process", "-o", "results.json")
    done = invoke("check", "four-bar", "flyball-governor", "-i", "one_of_two.py", *words)
    assert done.exit_code == 1
    other = "wrong in another way in λ on flyball-governor"
    assert f"the multipliers have the opposite sign (only in λ on four-bar; {other})" in " ".join(done.output.split())
    causes = json.loads((tmp_path / "results.json").read_text("utf-8"))["causes"]
    named, unknown = sorted(causes, key=lambda cause: cause["kind"])
    assert named["alternatives"] and unknown["kind"] == "unknown"
    assert unknown["example"]["quantity"] == "impact_velocity_plastic"
    for right in (False, True):
        if right:
            mine.write_text(mine.read_text("utf-8").replace("WRONG, STATE = True", "WRONG, STATE = False"), "utf-8")
        for cause in (named, unknown):
            sys.modules.pop("one_of_two", None)
            with pytest.raises(SystemExit) as ended:
                exec(cause["example"]["script"], {})
            assert ended.value.code == (0 if right else 1)


@pytest.mark.nightly
def test_constraints_stand_beside_a_urdf_file(invoke: Any, tmp_path: Path) -> None:
    urdf = invoke("urdf", "four-bar", "-o", "bar.urdf")
    assert "URDF has no constraints, so those of four-bar are left out" in urdf.output
    lines = ["[[constraint]]", 'name = "pin"', 'first = "coupler"', 'second = "rocker"', 'directions = "point"']
    beside = tmp_path / "bar.constraints.toml"
    beside.write_text("\n".join([*lines, "first_xyz = [0.8, 0, 0]", "second_xyz = [0.7, 0, 0]"]), "utf-8")
    words = ("-i", "reference", "-q", "constraints", "--states", 6, "--no-config", "--in-process")
    done = invoke("check", "closed:bar.urdf", *words)
    assert done.exit_code == 0
    assert "3 constrained directions leave 1 of 3 degrees of freedom; 1 follows from the others" in done.output
    assert invoke("check", "bar.urdf", *words).exit_code == 5  # A tree has nothing to compare.
    beside.write_text("\n".join([*lines, "second_xyz = [30, 0, 0]"]), "utf-8")
    done = invoke("check", "closed:bar.urdf", *words)
    assert done.exit_code == 5
    assert "no position was found that satisfies the constraints 'pin'; they may contradict each other" in done.output


SOURCE = Path(__file__).with_name("closed_loops.cpp")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The implementation: the skeleton's example of dynamics, with quantities of constraints in its main file."""
    compiler = shutil.which("g++") or pytest.skip("this machine has no g++")
    folder = tmp_path_factory.mktemp("closed") / "loops"
    write_project("cpp", folder)
    shutil.copy(SOURCE, folder / "main.cpp")
    warnings = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-pedantic", "-Werror"]
    command = [compiler, "-std=c++17", "-O0", *warnings, "main.cpp", "-o", "loops"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return f"cmd:{folder / 'loops'}"


WORDS = ("-q", "constraints", "--states", "18", "--no-config", "--in-process")


def test_a_program_that_is_right_agrees_and_passes_the_gate(program: str, invoke: Any) -> None:
    done = invoke("smoke", program)
    assert done.exit_code == 0, done.output
    assert "✓ loads a mechanism of 5 bodies with a loop" in done.output
    assert "✓ dynamics: constraint_drift: agrees with the reference" in done.output
    done = invoke("gate", program, "four-bar", "flyball-governor", *WORDS, "--update-baseline", "--baseline", "baseline.json")
    assert done.exit_code == 0, done.output
    assert "agrees with the truth on 2 mechanisms" in done.output


def test_a_wrong_sign_of_the_drift_is_named_and_a_script_shows_it(program: str, invoke: Any, tmp_path: Path) -> None:
    done = invoke("check", "pendulum", "four-bar", "-i", f"{program} wrong", *WORDS, "-o", "results.json")
    assert done.exit_code == 1, done.output
    assert "✗ disagrees closed_loops: the drift has the opposite sign" in done.output
    assert "3 of 3 cells: J̇v, q̈, λ on four-bar" in done.output
    results = json.loads((tmp_path / "results.json").read_text("utf-8"))
    assert {cell["mechanism"] for cell in results["cells"]} == {"four-bar"}, "the pendulum has no constraints"
    (cause,) = results["causes"]
    script = cause["example"]["script"]
    for text, code in ((script, 1), (script.replace("loops wrong", "loops"), 0)):
        with pytest.raises(SystemExit) as ended:
            exec(text, {})
        assert ended.value.code == code
