"""Known faults: still present in the listed versions, known in these only, and hiding no other fault."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.explain.findings.finding import Repaired
from cross_check.explain.findings.known import FINDINGS, findings_of
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.processes.find import find_subject
from implementations.processes.remote import Remote
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism

PAGES = Path(__file__).parents[2]
ARMATURE, *_ = FINDINGS
VERSION = "4.1.0"

SKEW = {"skew": ("0.6", 0, "0.8"), "minus x": (-1, 0, 0), "minus z": (0, 0, -1)}
ALIGNED = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def turning(axis: Any, kind: Any = "revolute", armature: object = "10", name: str = "one") -> Mechanism:
    body = Body("body", "world", Joint("joint", kind, axis, armature=armature), Inertia(1, (0, 0, 0), (1, 1, 1, 0, 0, 0)))
    return Mechanism(name, (body,), gravity=(0, 0, 0))


class Faulty:
    """The reference with the fault of the finding, and with other faults on demand."""

    def __init__(self, version: str = VERSION, scale: float = 1.0, gravity: float = 1.0) -> None:
        self.version, self.scale, self.gravity = version, scale, gravity

    def load(self, mechanism: Mechanism) -> Any:
        right = REFERENCE.load(mechanism)
        armature = np.array([float(body.joint.armature) * self._is_skew(body.joint) for body in mechanism.bodies])
        energy = lambda q, v: self.scale * (right.kinetic_energy(q, v) - (armature * v * v).sum(axis=1) / 2)  # noqa: E731
        return Repaired(right, kinetic_energy=energy, gravity=lambda q: self.gravity * right.gravity(q))

    @staticmethod
    def _is_skew(joint: Joint) -> bool:
        return joint.kind in ("revolute", "helical") and sorted(joint.axis) != [0, 0, 1]


def verdicts(implementation: Any, mechanism: Mechanism, engine: str = "pinocchio") -> dict[str, str]:
    implementation.name = "pinocchio"
    document = check(
        [("one", mechanism)],
        [Entry("pinocchio", "pinocchio", InProcess(implementation, engine=engine))],
        Settings(states=14),
        explain=False,
    ).document()
    items = [(cell["quantity"], cell) for cell in document["cells"]] + [(item["name"], item) for item in document["invariants"]]
    assert all(item["message"].endswith(ARMATURE.page) == (item["verdict"] == "known") for _, item in items)
    return {name: item["verdict"] for name, item in items if item["verdict"] != "agrees"}


@pytest.mark.parametrize("kind", ["revolute", "helical"])
@pytest.mark.parametrize("axis", SKEW.values(), ids=SKEW)
def test_exactly_the_fault_is_known(axis: Any, kind: str) -> None:
    assert verdicts(Faulty(), turning(axis, kind)) == {"kinetic_energy": "known", "power balance": "known"}


@pytest.mark.parametrize("version", ["4.1.1", "4.1.0.dev1", "4.10", "5.1.0", "14.1.0", "unknown"])
def test_another_version_is_not_excused(version: str) -> None:
    judged = verdicts(Faulty(version), turning(SKEW["skew"]))
    assert judged == {"kinetic_energy": "discrepancy", "power balance": "discrepancy"}


def test_code_that_only_calls_itself_pinocchio_is_not_excused() -> None:
    assert set(verdicts(Faulty(), turning(SKEW["skew"]), engine="").values()) == {"discrepancy"}


def test_only_registered_names_are_engines(tmp_path: Path) -> None:
    """The name that code gives itself, an object, and an entry of that name are not the adapter."""
    file = tmp_path / "pinocchio.py"
    file.write_text('name, version = "pinocchio", "4.1.0"\ndef gravity(mechanism, q): return q\n', "utf-8")
    for spec, in_process in ((str(file), False), (str(file), True), ("reference", True), ("newton-euler", False)):
        assert find_subject(spec, in_process).engine == ""
    for spec in ("pinocchio", "pinocchio-urdf"):
        assert {find_subject(spec, in_process).engine for in_process in (False, True)} == {spec}
    assert Remote("pinocchio", implementation=REFERENCE).engine == InProcess(REFERENCE).engine == ""
    assert findings_of("", VERSION) == ()


def test_another_fault_in_the_same_cell_is_not_excused() -> None:
    judged = verdicts(Faulty(scale=1.001), turning(SKEW["skew"]))
    assert judged == {"kinetic_energy": "discrepancy", "power balance": "discrepancy"}


def test_another_fault_beside_it_is_not_excused() -> None:
    swinging = Mechanism("one", turning(SKEW["skew"]).bodies, gravity=(0, "9.81", 0))
    offset = Body("tip", "body", Joint("hinge", "revolute", (1, 0, 0)), Inertia(1, (0, "0.2", "0.1"), (1, 1, 1, 0, 0, 0)))
    judged = verdicts(Faulty(gravity=1.001), Mechanism("one", (*swinging.bodies, offset), gravity=(0, "9.81", 0)))
    assert judged["gravity"] == "discrepancy"
    assert judged["kinetic_energy"] == "known"


def test_an_engine_that_was_mended_agrees() -> None:
    assert verdicts(SimpleNamespace(load=REFERENCE.load, version=VERSION), turning(SKEW["skew"])) == {}


def test_every_finding_has_a_page_and_names_versions_whole() -> None:
    for finding in FINDINGS:
        page = (PAGES / finding.page).read_text("utf-8")
        assert finding.implementation.removesuffix("-urdf") in page.casefold()
        # After a semicolon come versions that were not run.
        claimed = next(line for line in page.splitlines() if line.startswith("- **versions**")).partition(";")[0]
        versions = re.findall(r"\d+\.\d+\.\d+(?: \(.*?\))?", claimed)
        assert versions and (finding.implementation != "pinocchio" or VERSION in versions)
        assert all(finding in findings_of(finding.implementation, version) for version in versions)
    assert not list(findings_of("pinocchio", "3.5.0"))


# Against the engine itself


@pytest.fixture(scope="module")
def pin() -> Any:
    pinocchio = pytest.importorskip("pinocchio", reason='pip install "dalembert[pinocchio]"')
    if not list(findings_of("pinocchio", str(getattr(pinocchio, "__version__", "")))):
        pytest.skip("the finding is about other versions than the one installed")
    return pinocchio


@pytest.mark.engines
def test_the_page_is_still_true(pin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    page = (PAGES / ARMATURE.page).read_text("utf-8")
    exec(re.search(r"```python\n(.*?)```", page, re.S)[1], {})
    assert capsys.readouterr().out.split() == ["2.0", "11.0", "11.0"]


@pytest.mark.engines
@pytest.mark.parametrize("joint", ["skew", "minus x", "plus x", "skew screw", "RX", "RY", "RZ", "HX", "slide"])
def test_who_is_right_by_the_engine_itself(pin: Any, joint: str) -> None:
    model = {
        "skew": lambda: pin.JointModelRevoluteUnaligned(np.array([0.6, 0, 0.8])),
        "minus x": lambda: pin.JointModelRevoluteUnaligned(np.array([-1.0, 0, 0])),
        "plus x": lambda: pin.JointModelRevoluteUnaligned(np.array([1.0, 0, 0])),
        "skew screw": lambda: pin.JointModelHelicalUnaligned(np.array([0.6, 0, 0.8]), 0.0),
        "HX": lambda: pin.JointModelHX(0.0),
        "RX": pin.JointModelRX,
        "RY": pin.JointModelRY,
        "RZ": pin.JointModelRZ,
        "slide": lambda: pin.JointModelPrismaticUnaligned(np.array([0.6, 0, 0.8])),
    }[joint]()
    m = pin.Model()
    m.appendBodyToJoint(
        m.addJoint(0, model, pin.SE3.Identity(), "j"), pin.Inertia(1.0, np.zeros(3), np.eye(3)), pin.SE3.Identity()
    )
    m.armature = np.array([10.0])
    m.gravity.linear = np.zeros(3)
    q, v, a = np.array([0.3]), np.array([2.0]), np.array([1.0])
    T = pin.computeKineticEnergy(m, m.createData(), q, v)
    by_definition = v @ pin.crba(m, m.createData(), q) @ v / 2
    assert by_definition == pytest.approx(22)
    power = v @ pin.rnea(m, m.createData(), q, v, a)
    assert power == pytest.approx(22), "dT/dt = v M a, which is T's own value where v = 2 and a = 1"
    assert pin.aba(m, m.createData(), q, v, np.array([11.0])) == pytest.approx(1)
    missing = 20 if joint in ("skew", "minus x", "plus x", "skew screw") else 0
    assert pytest.approx(by_definition - missing) == T


@pytest.mark.nightly
@pytest.mark.engines
@pytest.mark.parametrize("kind", ["revolute", "helical"])
@pytest.mark.parametrize("axis", [*SKEW.values(), *ALIGNED.values()], ids=[*SKEW, *ALIGNED])
def test_the_engine_is_excused_where_its_joint_is_skew_and_nowhere_else(pin: Any, axis: Any, kind: str) -> None:
    from implementations.engines.pinocchio.adapter import Pinocchio

    known = {"kinetic_energy": "known", "power balance": "known"}
    assert verdicts(Pinocchio(), turning(axis, kind)) == (known if axis in SKEW.values() else {})
    assert verdicts(Pinocchio(), turning(axis, armature=0)) == {}
    assert verdicts(Pinocchio(), turning(axis, kind="prismatic")) == {}
