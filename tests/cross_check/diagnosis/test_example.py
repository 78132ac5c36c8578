"""The example in all its forms: numbers, fractions, calculations by hand, and programs that run on their own."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.causes import Example
from cross_check.explain.diagnosis.examples.by_hand import TERMS, by_hand, exact_values, short
from cross_check.explain.diagnosis.examples.example import example
from cross_check.explain.diagnosis.examples.shrink import Shrinking
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, try_states
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.typical import FAULTS
from cross_check.judge.comparison.sampling import States, sample
from implementations.plugins.registry import find_implementation
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, find_mechanism, parse_urdf
from mechanisms.files.document import from_document
from mechanisms.quantities import QUANTITIES

HOSTILE = "'''\"\"\"\n``` @all #1 <b>|\\ $(touch x)"

CHECKOUT = str(Path(__file__).parents[3])


def one(kind: Any = "revolute", name: str = "joint", **joint: Any) -> Mechanism:
    inertia = Inertia(2, (1, 0, 0), (1, 1, 1, 0, 0, 0))
    return Mechanism("one", (Body("body", "world", Joint(name, kind, **joint), inertia),), gravity=(0, 0, -10))


def states(m: Mechanism, q: Any = None, v: float = 0, a: float = 0) -> States:
    zero = sample(m, 1, 1)
    ones = np.ones_like(zero.v)
    return States(zero.kinds, zero.q if q is None else np.array([q], dtype=float), v * ones, a * ones, 0 * ones, zero.f)


def laboratory(fault: str) -> Laboratory:
    return Laboratory(InProcess(Mutant(next(x for x in FAULTS if x.name == fault))), "mutant")


def run(folder: Path, text: str, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, which does not find our packages unless ``path`` says so."""
    (folder / "program.py").write_text(text, "utf-8")
    command = [sys.executable, *arguments, "program.py"]
    return subprocess.run(command, cwd=folder, env={"PYTHONPATH": path}, capture_output=True, text=True, timeout=60)


def test_an_example_says_what_was_got_and_expected() -> None:
    m = one(armature=Fraction(1, 2), axis=(0, 1, 0), placement=Placement(Rotation(1, 0, 0, 0), (0, 0, 1)))
    e = example(laboratory("armature counts twice"), m, states(m, a=1), "inverse_dynamics", sentence="armature counts twice")
    assert (e.bodies, e.quantity, e.components, e.units) == (1, "inverse_dynamics", ("joint",), ("N m",))
    assert e.inputs == {"q": (0,), "v": (0,), "a": (1,)}
    assert e.exact == ("-33/2",) and e.got == (-16,) and e.expected == (-16.5,)
    assert from_document(json.loads(e.mechanism)) == m and parse_urdf(e.urdf).bodies == m.bodies
    assert e.calculation.splitlines() == [
        "J = axis · I axis + mass · |axis × com|² = 1 + 2 · 1 = 3",
        "weight = −axis · (com × mass · gravity) = -20, with gravity = (0, 0, -10) along the body's axes",
        "J · q̈ + armature · q̈ + weight = 3 · 1 + 0.5 · 1 + (-20) = -16.5",
    ]
    assert e.script == e.test == "" and "| joint | -16.0 | -16.5 |" in e.issue and "armature counts twice" in e.issue
    assert f"By hand:\n\n```text\n{e.calculation}\n```" in e.issue


def test_the_forces_of_forward_dynamics_are_those_of_inverse_dynamics() -> None:
    m = one(armature=1, axis=(0, 1, 0))
    e = example(laboratory("armature is missing in forward dynamics"), m, states(m, a=1), "forward_dynamics")
    assert e.inputs["tau"] == (-16,) and e.exact == ("1",) and e.got == (pytest.approx(4 / 3),) and e.units == ("rad/s²",)


def test_an_example_that_urdf_cannot_describe_has_none() -> None:
    m = one("helical", pitch=1)
    assert example(laboratory("armature counts twice"), m, states(m), "gravity").urdf == ""


def test_the_coriolis_matrix_is_shown_by_its_two_equations() -> None:
    m = find_mechanism("planar-pendulum:2")
    e = example(Laboratory(InProcess(REFERENCE), "reference"), m, states(m, q=[0, 1], v=1), "coriolis_matrix")
    first, second = m.coordinates
    assert e.components[0] == f"C + Cᵀ: {first}, {first}" and e.components[5] == f"C v: {second}"
    np.testing.assert_allclose(e.got, e.expected, atol=1e-14)


def test_quantities_without_an_answer_raise() -> None:
    m = Mechanism("massless", (Body("body", "world", Joint("joint", "revolute")),))
    with pytest.raises(NoAnswer, match="centre of mass"):
        example(laboratory("armature counts twice"), m, states(m), "center_of_mass")
    with pytest.raises(NoAnswer, match="singular"):
        example(Laboratory(InProcess(REFERENCE), "reference"), m, states(m), "forward_dynamics")


QUARTER = math.pi / 2
TURNED = Placement(Rotation(1, 2, 3, 4), (1, 2, 3))
POSES: list[tuple[Any, Any]] = [
    ("revolute", [0]),
    ("revolute", [QUARTER]),
    ("revolute", [-QUARTER]),
    ("continuous", [0.6, 0.8]),
    ("prismatic", [2]),
]


@pytest.mark.parametrize(("kind", "q"), POSES)
@pytest.mark.parametrize("quantity", TERMS)
def test_calculations_by_hand_give_the_exact_answer(kind: Any, q: Any, quantity: str) -> None:
    axis = ("0.6", 0, "0.8")
    body = Body("b", "world", Joint("j", kind, axis, TURNED, 2, 3), Inertia(2, (1, 2, 3), (2, 3, 4, "0.5", 0, 0)))
    m = Mechanism("m", (body,), gravity=(1, 2, -10))
    f = np.array([[[1.0, 2, 3, 4, 5, 6]]])
    column = {"q": np.array(q, float), "v": np.array([2.0]), "a": np.array([3.0]), "f": f[0]}
    state = {name: column[name] for name in QUANTITIES[quantity].arguments}
    (right,) = exact_values(m, quantity, state)
    answer = getattr(REFERENCE.load(m), quantity)(*(x[None] for x in state.values()))
    assert abs(float(right) - answer.item()) < 1e-12
    *_, last = by_hand(m, quantity, state, (right,)).rpartition(" = ")
    assert Fraction(last) == right != 0
    assert by_hand(m, quantity, state, (right + 1,)) == ""


def test_angles_that_are_no_quarter_turns_have_no_exact_value() -> None:
    m = one()
    assert exact_values(m, "gravity", {"q": np.array([0.5])}) == ()
    assert exact_values(m, "gravity", {"q": np.array([0.0])}) == (0,)
    assert exact_values(one("helical", pitch=1), "potential_energy", {"q": np.array([QUARTER])}) == ()
    assert exact_values(one("spherical"), "potential_energy", {"q": np.array([0.1, 0, 0, 1])}) == ()
    assert exact_values(one("spherical"), "potential_energy", {"q": np.array([0.5, 0.5, 0.5, 0.5])}) == (0,)


def test_only_short_numbers_become_fractions() -> None:
    assert short(0.1) == Fraction(1, 10) and short(1 / 3) == Fraction(1, 3)
    assert short(0.123456789) is None and short(math.pi) is None


USERS = '''
"""A user's code: armature is forgotten."""
import numpy as np

class Arm:
    def load(self, mechanism):
        self.mechanism = mechanism
        return self
    def inverse_dynamics(self, q, v, a):
        return np.array([inverse_dynamics(self.mechanism, *state) for state in zip(q, v, a)])

def inverse_dynamics(mechanism, q, v, a):
    m = mechanism.arrays
    {reads}
    return m.masses * (m.coms ** 2).sum(axis=1) * a {armature}
'''


@pytest.mark.slow
@pytest.mark.parametrize(
    ("named", "reads"),
    [
        ("file", "pass"),
        pytest.param("class", "pass", marks=pytest.mark.nightly),
        ("class", "mechanism.bodies[0].joint.name"),
        pytest.param("module", "pass", marks=pytest.mark.nightly),
    ],
)
def test_a_program_with_users_code_runs_on_its_own(tmp_path: Path, named: str, reads: str) -> None:
    """It fails while the fault is there, passes once it is repaired, and needs our package only if the code does."""
    code = tmp_path / "my_dynamics.py"
    code.write_text(USERS.format(reads=reads, armature=""), "utf-8")
    spec = {"file": str(code), "class": f"{code}:Arm", "module": "my_dynamics"}[named]
    m = Mechanism(
        HOSTILE, (Body(HOSTILE, "world", Joint(f"j{HOSTILE}", "revolute", armature=1), Inertia(1, (1, 0, 0))),), gravity=(0, 0, 0)
    )
    e = example(laboratory("armature is ignored"), m, states(m, a=1), "inverse_dynamics", spec, sentence=HOSTILE)
    needs_us = reads != "pass" or named == "module"  # The module is not found from here.
    assert ("import Body" in e.script) == needs_us
    path = CHECKOUT if needs_us else ""
    found = run(tmp_path, e.script, path=f"{path}:{tmp_path}")
    assert (found.returncode, found.stdout.splitlines()) == (1, ["got      [1.0]", "expected [2.0]"]), found.stderr
    code.write_text(USERS.format(reads=reads, armature="+ m.armature * a"), "utf-8")
    assert run(tmp_path, e.script, path=f"{path}:{tmp_path}").returncode == 0
    assert not (tmp_path / "x").exists()


def test_the_documented_example_needs_only_numpy(tmp_path: Path) -> None:
    """It reads mechanism.arrays alone."""
    code = tmp_path / "copied.py"
    code.write_text((Path(CHECKOUT) / "docs/example.py").read_text("utf-8").replace("+ m.armature[i] * a[i]", ""), "utf-8")
    m = find_mechanism("planar-pendulum:2")
    m = replace(m, bodies=tuple(replace(body, joint=replace(body.joint, armature=1)) for body in m.bodies))
    e = example(laboratory("armature is ignored"), m, sample(m, 1, 2).pick(np.array([1])), "inverse_dynamics", str(code))
    assert "dalembert" not in e.script
    found = run(tmp_path, e.script)
    assert found.returncode == 1 and found.stdout.startswith("got"), found.stderr
    got, expected = (np.array(json.loads(line.split(maxsplit=1)[1])) for line in found.stdout.splitlines())
    np.testing.assert_allclose([got, expected], [e.got, e.expected], atol=1e-12)


@pytest.mark.slow
def test_the_test_fails_until_the_fault_is_repaired(tmp_path: Path) -> None:
    code = tmp_path / "my_dynamics.py"
    code.write_text(USERS.format(reads="pass", armature=""), "utf-8")
    m = one(armature=1, axis=(0, 0, 1))
    e = example(laboratory("armature is ignored"), m, states(m, a=1), "inverse_dynamics", str(code), sentence=HOSTILE)
    pytest_alone = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:dalembert")
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    found = run(tmp_path, e.test, *pytest_alone)
    assert found.returncode == 1 and "1 failed" in found.stdout, found.stdout + found.stderr
    code.write_text(code.read_text("utf-8").replace("* a ", "* a + m.armature * a + m.inertias[:, 2, 2] * a"), "utf-8")
    assert run(tmp_path, e.test, *pytest_alone).returncode == 0


def test_foreign_text_stays_text_in_an_issue() -> None:
    m = one(name=HOSTILE)
    e = example(laboratory("gravity is left out"), m, states(m), "gravity", "pinocchio", "1", HOSTILE)
    text, _, program = e.issue.partition("This program shows it:")
    escaped = "'''\"\"\" \\`\\`\\` @\u200ball \\#\u200b1 &lt;b&gt;\\|\\\\ \\$(touch x)"
    assert text.startswith(f"**{escaped}**\n") and f"\n| {escaped} | 0.0 | 0.0 |\n" in text
    # Three backticks in a name do not end the program.
    assert program.split("\n")[2] == "````python" and program.rstrip().endswith("\n````") and repr(HOSTILE)[1:-1] in program


@pytest.mark.parametrize("spec", ["reference", "traced", "", "my dynamics", "a.b.py", "package-name"])
def test_other_code_has_no_program(spec: str) -> None:
    m = one()
    e: Example = example(laboratory("gravity is left out"), m, states(m), "gravity", spec)
    assert e.script == e.test == ""


def test_large_mechanisms_have_bounded_texts_and_no_program() -> None:
    m = find_mechanism("random:1:60")
    state = sample(m, 1, 2).pick(np.array([1]))
    e = example(laboratory("gravity is left out"), m, state, "inverse_dynamics_with_forces", "pinocchio", "4.1.0")
    assert e.script == e.test == "" and "… and 20 more components" in e.issue and "… 300 more]" in e.issue
    assert len(e.issue) < 10_000


FINDINGS = {
    "kinetic_energy": (one(axis=("0.6", 0, "0.8"), armature=10), "J"),
    "coriolis_matrix": (find_mechanism("random:7:3:all"), ""),
}


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize("quantity", FINDINGS)
def test_pinocchio_alone_shows_its_findings(quantity: str, tmp_path: Path) -> None:
    mechanism, unit = FINDINGS[quantity]
    pinocchio = Laboratory(InProcess(find_implementation("pinocchio")), "pinocchio")

    def shows(m: Mechanism, state: States) -> bool:
        return bool(try_states(pinocchio, m, state).errors(quantity)[0] > 1000)

    smaller, state = Shrinking(mechanism, sample(mechanism, 1, 2).pick(np.array([1])), shows).run()
    e = example(pinocchio, smaller, state, quantity, "pinocchio", "4.1.0")
    assert e.bodies == 1 and (not unit or set(e.units) == {unit})
    found = run(tmp_path, e.script)
    assert found.returncode == 1 and found.stdout.startswith("got "), found.stderr


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize(("engine", "version"), [("pinocchio", "4.1.0"), ("rbdl", "3.3.1 (biorbd 1.12.4)")])
def test_the_engine_alone_tells_whether_it_is_at_fault(engine: str, version: str, tmp_path: Path) -> None:
    """A fault of an adapter does not show without it; another number in the program does."""
    m = find_mechanism("free:double-pendulum")
    state = sample(m, 1, 2).pick(np.array([1]))
    e = example(laboratory("gravity is left out"), m, state, "inverse_dynamics", engine, version)
    found = run(tmp_path, e.script)
    assert found.returncode == 0, found.stdout + found.stderr
    mass = str(float(m.bodies[0].inertia.mass))
    assert mass in e.script and run(tmp_path, e.script.replace(mass, "77.0")).returncode == 1
