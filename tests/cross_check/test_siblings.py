"""Code that keeps a part of a mechanism, or counts its calls, is found; code that knows some mechanisms only is not accused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import dalembert
from cross_check.exchange.results import Results, verdict_of
from cross_check.exchange.results.objects import HISTORY
from cross_check.judge.history.sibling import GRAVITY, sibling
from mechanisms import find_mechanism
from mechanisms.numbers import is_zero

Write = Callable[[str], str]

BEGIN = """
import dataclasses
import numpy as np
import dalembert

KEPT, COUNT = {}, [0]


def reference(name, mechanism, *state):
    return getattr(dalembert.dynamics(mechanism), name)(*(x[None] for x in state))[0]


def inverse_dynamics(mechanism, q, v, a):
    return reference("inverse_dynamics", mechanism, q, v, a)
"""

WRONG = {
    "joints by name": """
def inverse_dynamics(mechanism, q, v, a):
    bodies = KEPT.setdefault(mechanism.name, mechanism.bodies)
    kept = [dataclasses.replace(new, joint=dataclasses.replace(old.joint, damping=new.joint.damping))
            for old, new in zip(bodies, mechanism.bodies)]
    return reference("inverse_dynamics", dataclasses.replace(mechanism, bodies=tuple(kept)), q, v, a)
""",
    "M by name and position": """
def mass_matrix(mechanism, q):
    return KEPT.setdefault((mechanism.name, q.tobytes()), reference("mass_matrix", mechanism, q))
""",
    "every call after the 500th": """
def gravity(mechanism, q):
    COUNT[0] += 1
    return reference("gravity", mechanism, q) * (1 + (COUNT[0] > 500))
""",
}
RIGHT = {
    "knows one direction of axes only": """
def gravity(mechanism, q):
    planar = [dataclasses.replace(body, joint=dataclasses.replace(body.joint, axis=(0, 1, 0))) for body in mechanism.bodies]
    return reference("gravity", dataclasses.replace(mechanism, bodies=tuple(planar)), q)
""",
    "refuses other gravity": """
def gravity(mechanism, q):
    if mechanism.gravity == (1, 2, 3):
        raise NotImplementedError("gravity points down")
    return reference("gravity", mechanism, q)
""",
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(text: str) -> str:
        file = tmp_path / "mine.py"
        file.write_text(BEGIN + text)
        return str(file)

    return write


def checked(spec: str, mechanism: str = "cart-pole") -> Results:
    return dalembert.check(mechanism, spec, explain=False, states=14)


@pytest.mark.nightly
@pytest.mark.parametrize("kept", WRONG)
def test_what_is_kept_for_another_mechanism_is_found(kept: str, write: Write) -> None:
    results = checked(write(WRONG[kept]))
    assert {cell.verdict for cell in results.cells} <= {"agrees", "not offered"}
    (found,) = (one for one in results.invariants if one.name == HISTORY)
    assert found.verdict == "discrepancy", found.message
    words = "calls of one state" if "500" in kept else "another mechanism"
    assert words in found.message


@pytest.mark.nightly
@pytest.mark.parametrize("kind", RIGHT)
def test_code_that_knows_some_mechanisms_is_not_accused(kind: str, write: Write) -> None:
    results = checked(write(RIGHT[kind]), "planar-pendulum:2")
    assert verdict_of(results).exit_code == 0


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
