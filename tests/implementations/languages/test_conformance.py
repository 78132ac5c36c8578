"""Every convention, kind of joint and language: what a program is told of q and v agrees with the q and v that it gets.

A Python module, and a probe in each language, answer weighted sums of q and of v, joint by joint, as q_slices or q_start, nq and
v_start say, and nq itself. What these must be is computed here from a table of sizes.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from dalembert.cli.main import main
from implementations.conventions.change import Change
from implementations.conventions.declared import VALUES, Conventions
from implementations.plugins.registry import find_implementation
from mechanisms import integrate, neutral, random_mechanism
from mechanisms.joint_kinds import MOVING

SKELETONS = Path(__file__).parents[3] / "dalembert" / "skeletons"
SOURCES = Path(__file__).with_name("sources")

PYTHON = """
import json, os, sys
import numpy as np
import dalembert_stdio

def summed(starts, length, x):
    assert len(x) == length
    return sum((i + 1) * (k + 1) * number
               for i, start in enumerate(starts)
               for k, number in enumerate(x[start : starts[i + 1] if i + 1 < len(starts) else length]))

dalembert_stdio.serve("probe", "1", lambda m: m, {
    "potential_energy": lambda m, q: 1000 * m.nq + summed(m.q_start, m.nq, q),
    "kinetic_energy": lambda m, q, v: 1000 * m.nv + summed(m.v_start, m.nv, v),
}, conventions=json.loads(sys.argv[1]), precision=os.environ["PROBE_PRECISION"])
"""

MODULE = """
import json, os
import numpy as np

name, value = os.environ["PROBE_CONVENTIONS"].split("=", 1)
conventions, precision = {name: value}, os.environ["PROBE_PRECISION"]


def summed(slices, length, x):
    assert len(x) == length
    weights = [(i + 1) * (k + 1) for i, own in enumerate(slices) for k in range(own.stop - own.start)]
    return 1000 * length + x @ np.array(weights, dtype=float)


def potential_energy(mechanism, q):
    return summed(mechanism.q_slices, mechanism.nq, q)


def kinetic_energy(mechanism, q, v):
    return summed(mechanism.v_slices, mechanism.nv, v)
"""


def module_probe(folder: Path) -> Callable[[str, str], str]:
    def spec(name: str, value: str) -> str:
        os.environ["PROBE_CONVENTIONS"] = f"{name}={value}"
        file = folder / f"{name}_{value.replace(' ', '_').replace(',', '')}.py"
        file.write_text(MODULE)
        return str(file)

    return spec


def python_probe(folder: Path) -> Callable[[str, str], str]:
    shutil.copy(SKELETONS / "python" / "dalembert_stdio.py", folder)
    (folder / "probe.py").write_text(PYTHON)
    words = f"cmd:{shlex.quote(sys.executable)} {shlex.quote(str(folder / 'probe.py'))}"
    return lambda name, value: f"{words} {shlex.quote(json.dumps({name: value}))}"


def c_probe(folder: Path) -> Callable[[str, str], str]:
    library = folder / "libprobe.so"
    _build("cc", "-shared", "-fPIC", "-I", str(SKELETONS / "c"), str(SOURCES / "probe.c"), "-o", str(library))

    def spec(name: str, value: str) -> str:
        os.environ["PROBE_CONVENTIONS"] = f"{name}={value}"
        return f"lib:{library}"

    return spec


def cpp_probe(folder: Path) -> Callable[[str, str], str]:
    _build("g++", "-std=c++17", "-I", str(SKELETONS / "cpp"), str(SOURCES / "probe.cpp"), "-o", str(folder / "probe"))
    return lambda name, value: f"cmd:{shlex.quote(str(folder / 'probe'))} {name} {shlex.quote(value)}"


def rust_probe(folder: Path) -> Callable[[str, str], str]:
    shutil.copy(SKELETONS / "rust" / "src" / "dalembert.rs", folder)
    shutil.copy(SOURCES / "probe.rs", folder)
    _build("rustc", "--edition", "2021", "-A", "dead_code", "-o", str(folder / "probe"), str(folder / "probe.rs"))
    return lambda name, value: f"cmd:{shlex.quote(str(folder / 'probe'))} {name} {shlex.quote(value)}"


def matlab_probe(folder: Path) -> Callable[[str, str], str]:
    if shutil.which("octave-cli") is None:
        pytest.skip("there is no octave-cli")
    for file in (SKELETONS / "matlab" / "dalembert_serve.m", SKELETONS / "matlab" / "my_dynamics.sh", *SOURCES.glob("*.m")):
        shutil.copy(file, folder)

    def spec(name: str, value: str) -> str:
        os.environ.update(PROBE_NAME=name, PROBE_VALUE=value)
        return f"cmd:sh {shlex.quote(str(folder / 'my_dynamics.sh'))} octave-cli"

    return spec


def _build(*words: str) -> None:
    if shutil.which(words[0]) is None:
        pytest.skip(f"there is no {words[0]}")
    subprocess.run(words, check=True)


PROBES = {
    "module": module_probe,
    "python": python_probe,
    "c": c_probe,
    "c++": cpp_probe,
    "rust": rust_probe,
    "matlab": matlab_probe,
}


def size(kind: str, nq: int, name: str, value: str) -> int:
    """How many numbers of q a joint has in code with this convention."""
    fewer = (value == "angle" and kind == "continuous") or (value == "rotation vector" and kind in ("spherical", "free"))
    return nq - int(fewer)


def weighted(sizes: list[int], x: Any) -> Any:
    """The sum that a probe answers: (batch,)."""
    weights = [(i + 1) * (k + 1) for i, n in enumerate(sizes) for k in range(n)]
    assert x.shape[1] == len(weights)
    return 1000 * len(weights) + x @ np.array(weights, dtype=float)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("language", PROBES)
def test_the_layout_that_is_told_is_that_of_the_states(tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PROBE_CONVENTIONS", "PROBE_NAME", "PROBE_VALUE"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("PROBE_PRECISION", "float64")
    spec = PROBES[language](tmp_path)
    rng = np.random.default_rng(3)
    trees = [random_mechanism(5, 3, (kind,)) for kind in MOVING] + [random_mechanism(6, 2 * len(MOVING), MOVING)]
    for name, values in VALUES.items():
        for value in values:
            program = find_implementation(spec(name, value))
            conventions = Conventions.declared({name: value})
            for tree in trees:
                q = integrate(tree, np.tile(neutral(tree), (2, 1)), rng.normal(size=(2, tree.nv)))
                v = rng.normal(size=(2, tree.nv))
                loaded, change = program.load(tree), Change(tree, conventions)
                sizes = [size(body.joint.kind, body.joint.nq, name, value) for body in tree.bodies]
                expected = weighted(sizes, change.position(q))
                assert np.allclose(loaded.potential_energy(q), expected), (name, value, tree.bodies[0].joint.kind)
                expected = weighted([body.joint.nv for body in tree.bodies], change.velocity(q, v))
                assert np.allclose(loaded.kinetic_energy(q, v), expected), (name, value, tree.bodies[0].joint.kind)
            getattr(program, "close", lambda: None)()


@pytest.mark.slow
@pytest.mark.parametrize("language", PROBES)
def test_every_language_declares_a_precision(tmp_path: Path, language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PROBE_CONVENTIONS", "PROBE_NAME", "PROBE_VALUE"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("PROBE_PRECISION", "q15.16")
    program = find_implementation(PROBES[language](tmp_path)("quaternion", "wxyz"))
    assert program.precision == "q15.16"
    getattr(program, "close", lambda: None)()


WRONG_FREE = """
import numpy as np
import dalembert

conventions = {{"quaternion": "{declared}"}}


class Loaded:
    def __init__(self, mechanism):
        self.mechanism, self.dynamics = mechanism, dalembert.dynamics(mechanism)

    def gravity(self, q):
        q = q.copy()
        for _, slot in self.mechanism.slots("quaternion"):
            q[:, slot] = np.roll(q[:, slot], -1, axis=1)
        return self.dynamics.gravity(q)


def load(mechanism):
    return Loaded(mechanism)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declared", "wrong"),
    [
        pytest.param("wxyz", [], marks=pytest.mark.nightly),
        ("xyzw", ["spherical joints", "free joints", "all of them in one tree"]),
    ],
)
def test_a_user_can_try_every_kind_of_joint(tmp_path: Path, declared: str, wrong: list[str]) -> None:
    file = tmp_path / "theirs.py"
    file.write_text(WRONG_FREE.format(declared=declared))
    found = CliRunner().invoke(main, ["smoke", "--all", str(file)])
    assert found.exit_code == (1 if wrong else 0), found.output
    marked = [line.split(": ")[1] for line in found.output.splitlines() if line.startswith("✗")]
    assert marked == wrong
    assert "✓ dynamics: revolute joints: agrees with the reference in 1 quantity" in found.output


@pytest.mark.parametrize(
    ("code", "says"), [("1 / 0", "importing it raised"), ("def load(mechanism): return None", "answers no quantity")]
)
def test_what_cannot_be_tried_is_no_success(tmp_path: Path, code: str, says: str) -> None:
    file = tmp_path / "theirs.py"
    file.write_text(code)
    found = CliRunner().invoke(main, ["smoke", "--all", str(file)])
    assert (found.exit_code, says in found.output) == (3, True), found.output
