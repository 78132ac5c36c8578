"""Known faults: exactly they are known, in the listed versions only, and they hide no other fault."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cross_check.explain.findings.finding import Repaired
from cross_check.explain.findings.known import FINDINGS, findings_of
from cross_check.explain.findings.motion_derivatives import CONCERNED
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.processes.find import find_subject
from implementations.processes.remote import Remote
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import FRAMES, USUAL

PAGES = Path(__file__).parents[2]
ARMATURE, *_ = FINDINGS
VERSION = "4.1.0"
ENERGIES = ("kinetic_energy", "power balance")

SKEW, MINUS_X, MINUS_Z, X = ("0.6", 0, "0.8"), (-1, 0, 0), (0, 0, -1), (1, 0, 0)


def turning(*joints: tuple[Any, Any], armature: object = "10") -> Mechanism:
    """A chain of bodies on joints about these axes and of these kinds, all with a rotor."""
    inertia = Inertia(1, (0, "0.2", "0.1"), (1, 1, 1, 0, 0, 0))
    names = ["world", *(f"body{k}" for k in range(len(joints)))]
    bodies = [
        Body(names[k + 1], names[k], Joint(f"joint{k}", kind, axis, armature=armature), inertia)
        for k, (axis, kind) in enumerate(joints)
    ]
    return Mechanism("one", tuple(bodies), gravity=(0, "9.81", 0))


ONE = turning((SKEW, "revolute"))
FEW = ("kinetic_energy", "potential_energy", "mass_matrix", "gravity", "forward_dynamics")


class Faulty:
    """The reference with the fault of the finding, and with other faults on demand."""

    name = "pinocchio"

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


def verdicts(
    implementation: Any,
    mechanism: Mechanism,
    engine: str = "pinocchio",
    finding: Any = ARMATURE,
    quantities: tuple[str, ...] = ("kinetic_energy", "gravity"),
    invariants: bool = True,
) -> dict[str, str]:
    """The verdicts that are not "agrees", by quantity and invariant. What is known names the finding's page."""
    entry = Entry("engine", "engine", InProcess(implementation, engine=engine))
    settings = Settings(states=14, quantities=quantities, invariants=invariants)
    results = check([("one", mechanism)], [entry], settings, explain=False)
    items = {getattr(item, "quantity", "") or getattr(item, "name", ""): item for item in results.items}
    assert all(item.message.endswith(finding.page) == (item.verdict == "known") for item in items.values())
    return {name: item.verdict for name, item in items.items() if item.verdict != "agrees"}


def test_exactly_the_fault_is_known() -> None:
    """Of revolute and helical joints about skew and negative axes, in one quantity and one invariant of all."""
    mechanism = turning((SKEW, "revolute"), (MINUS_X, "helical"), (MINUS_Z, "revolute"), (X, "revolute"), (SKEW, "prismatic"))
    assert verdicts(Faulty(), mechanism, quantities=FEW) == dict.fromkeys(ENERGIES, "known")


@pytest.mark.parametrize(
    ("code", "engine"),
    [(Faulty("4.1.1"), "pinocchio"), (Faulty(), ""), (Faulty(scale=1.001), "pinocchio")],
    ids=["another version", "code that only calls itself pinocchio", "another fault in the same cell"],
)
def test_nothing_else_is_excused(code: Faulty, engine: str) -> None:
    assert verdicts(code, ONE, engine) == dict.fromkeys(ENERGIES, "discrepancy")


def test_another_fault_beside_it_is_not_excused() -> None:
    judged = verdicts(Faulty(gravity=1.001), ONE)
    assert judged["gravity"] == "discrepancy"
    assert judged["kinetic_energy"] == "known"


def test_an_engine_that_was_mended_agrees() -> None:
    assert verdicts(SimpleNamespace(name="pinocchio", load=REFERENCE.load, version=VERSION), ONE) == {}


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


def test_every_finding_has_a_page_and_names_versions_whole() -> None:
    for finding in FINDINGS:
        page = (PAGES / finding.page).read_text("utf-8")
        assert finding.implementation.removesuffix("-urdf") in page.casefold()
        # After a semicolon come versions that were not run.
        claimed = next(line for line in page.splitlines() if line.startswith("- **versions**")).partition(";")[0]
        versions = re.findall(r"\d+\.\d+\.\d+(?: \(.*?\))?", claimed)
        assert versions and (finding.implementation != "pinocchio" or VERSION in versions)
        assert all(finding in findings_of(finding.implementation, version) for version in versions)
    for version in ("3.5.0", "4.1.1", "4.1.0.dev1", "4.10", "5.1.0", "14.1.0", "unknown"):
        assert not findings_of("pinocchio", version), version


# Against the engine itself

(DERIVATIVES,) = (finding for finding in FINDINGS if finding.name == "pinocchio-derivatives-subspace")
(DRIFTS,) = (finding for finding in FINDINGS if finding.name == "pinocchio-jacobian-time-variation-subspace")
MOVE_THEIR_AXES = ("universal", "euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx")


def pinocchio(finding: Any) -> Any:
    """The adapter, of a version with the fault."""
    pin = pytest.importorskip("pinocchio", reason='pip install "dalembert[pinocchio]"')
    if finding not in findings_of("pinocchio", str(getattr(pin, "__version__", ""))):
        pytest.skip("the finding is about other versions than the one installed")
    from implementations.engines.pinocchio.adapter import Pinocchio

    return Pinocchio()


@pytest.mark.nightly
@pytest.mark.engines
@pytest.mark.parametrize("kind", ["revolute", "helical"])
@pytest.mark.parametrize("axis", [SKEW, MINUS_X, MINUS_Z, X, (0, 1, 0), (0, 0, 1)])
def test_the_engine_is_excused_where_its_joint_is_skew_and_nowhere_else(axis: Any, kind: str) -> None:
    known = dict.fromkeys(ENERGIES, "known") if axis in (SKEW, MINUS_X, MINUS_Z) else {}
    assert verdicts(pinocchio(ARMATURE), turning((axis, kind)), quantities=USUAL) == known
    assert verdicts(pinocchio(ARMATURE), turning((axis, kind), armature=0)) == {}
    assert verdicts(pinocchio(ARMATURE), turning((axis, "prismatic"))) == {}


@pytest.mark.nightly
@pytest.mark.engines
@pytest.mark.parametrize("finding", [DERIVATIVES, DRIFTS], ids=lambda finding: finding.name)
@pytest.mark.parametrize("kind", MOVING)
def test_the_engine_is_excused_where_axes_move_and_nowhere_else(finding: Any, kind: Any) -> None:
    names = CONCERNED if finding is DERIVATIVES else [f"drifts_{frame}" for frame in FRAMES]
    wrong = tuple(name for name in names if "frame_" not in name)
    mechanism = random_mechanism(7, 3, (kind,), shape="chain" if finding is DERIVATIVES else "tree")
    judged = verdicts(pinocchio(finding), mechanism, finding=finding, quantities=wrong, invariants=False)
    assert judged == (dict.fromkeys(wrong, "known") if kind in MOVE_THEIR_AXES else {})
