"""Code that keeps a part of a mechanism, or counts its calls, is found; code that knows some mechanisms only is not accused."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import dalembert
from cross_check.exchange.results import Results, verdict_of
from cross_check.exchange.results.objects import HISTORY
from cross_check.judge.comparison.case import prepare
from cross_check.judge.history.sibling import GRAVITY, is_for_one_robot, sibling
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.numbers.exact import is_zero

BEGIN = """
import dataclasses
import dalembert

KEPT, COUNT = {}, [0]


def gravity_of(mechanism, joints, q):
    bodies = (dataclasses.replace(body, joint=joint) for body, joint in zip(mechanism.bodies, joints))
    return dalembert.dynamics(dataclasses.replace(mechanism, bodies=tuple(bodies))).gravity(q[None])[0]


def gravity(mechanism, q):
"""

WRONG = {
    "joints by name": """
    kept = KEPT.setdefault(mechanism.name, [body.joint for body in mechanism.bodies])
    return gravity_of(mechanism, kept, q)
""",
    "every call after the 500th": """
    COUNT[0] += 1
    return gravity_of(mechanism, [body.joint for body in mechanism.bodies], q) * (1 + (COUNT[0] > 500))
""",
}
PLANAR = """
    return gravity_of(mechanism, [dataclasses.replace(body.joint, axis=(0, 1, 0)) for body in mechanism.bodies], q)
"""


def checked(folder: Path, text: str, mechanism: str) -> Results:
    (folder / "mine.py").write_text(BEGIN + text)
    return dalembert.check(mechanism, str(folder / "mine.py"), explain=False, states=14)


@pytest.mark.nightly
@pytest.mark.parametrize(("kept", "words"), [("joints by name", "another mechanism"), ("every call after the 500th", "in turn")])
def test_what_is_kept_for_another_mechanism_is_found(kept: str, words: str, tmp_path: Path) -> None:
    results = checked(tmp_path, WRONG[kept], "cart-pole")
    assert {cell.verdict for cell in results.cells} <= {"agrees", "not offered"}
    (found,) = (one for one in results.invariants if one.name == HISTORY)
    assert found.verdict == "discrepancy", found.message
    assert words in found.message


@pytest.mark.nightly
def test_code_that_knows_one_direction_of_axes_only_is_not_accused(tmp_path: Path) -> None:
    assert verdict_of(checked(tmp_path, PLANAR, "planar-pendulum:2")).exit_code == 0


@pytest.mark.parametrize("spec", ["every-joint", "mimic:panda", "cart-pole"])
def test_every_number_of_a_sibling_differs(spec: str) -> None:
    mechanism = find_mechanism(spec)
    other = sibling(mechanism)
    assert (other.name, other.coordinates) == (mechanism.name, mechanism.coordinates)
    assert other.gravity == (mechanism.gravity if mechanism.source else GRAVITY)
    for k, (mine, its) in enumerate(zip(mechanism.bodies, other.bodies, strict=True)):
        assert mine.inertia.mass != its.inertia.mass
        assert all(x != y for x, y in zip(mine.inertia.com, its.inertia.com, strict=True))
        for name in ("damping", "armature"):
            one, two = getattr(mine.joint, name), getattr(its.joint, name)
            assert (one != two) or (is_zero(one) and is_zero(two))
        if k:
            assert mine.joint.placement.translation != its.joint.placement.translation
            assert mine.joint.placement.rotation.matrix != its.joint.placement.rotation.matrix
            assert mine.joint.axis != its.joint.axis or not mine.joint.description.has_axis


def keeping_by_name() -> InProcess:
    """Code that keeps what it has made of the first mechanism of a name."""
    kept = dict[str, Any]()
    return InProcess(SimpleNamespace(name="code", version="", load=lambda one: kept.setdefault(one.name, REFERENCE.load(one))))


def of_one_robot() -> InProcess:
    """Code that ignores what it is given."""
    return InProcess(SimpleNamespace(name="code", version="", load=lambda _: REFERENCE.load(find_mechanism("cart-pole"))))


@pytest.mark.parametrize("is_fresh", [True, False])
def test_code_that_ignores_mechanisms_is_told_from_code_that_keeps_them(is_fresh: bool) -> None:
    case = prepare(find_mechanism("cart-pole"), 0, 14)
    for code in (keeping_by_name, of_one_robot):
        subject = code()
        loaded = subject.load(case.mechanism)
        found = is_for_one_robot(case, subject, loaded, code if is_fresh else None)
        assert found == (code is of_one_robot)
