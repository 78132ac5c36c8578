"""Mimic joints in the reference, the traced reference and Pinocchio, and code that does not know them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from implementations.engines.pinocchio.calls import NOT_OFFERED
from implementations.engines.pinocchio.joint_models import depth_first
from implementations.plugins.registry import find_implementation
from implementations.plugins.user_code import as_implementation
from implementations.processes.subject import InProcess, require_mimic_joints
from implementations.protocol import Unsupported
from mechanisms import Mechanism, find_mechanism, integrate, neutral, random_mechanism
from mechanisms.quantities import QUANTITIES, USUAL
from oracle import EulerLagrange

STATES = 3


def state(m: Mechanism, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = integrate(m, np.tile(neutral(m), (STATES, 1)), rng.normal(size=(STATES, m.nv)))
    v, a, tau = rng.normal(size=(3, STATES, m.nv))
    return {"q": q, "v": v, "a": a, "tau": tau, "f": rng.normal(size=(STATES, len(m.bodies), 6))}


def arguments(m: Mechanism, name: str) -> list[np.ndarray]:
    given = state(m)
    return [given[argument] for argument in QUANTITIES[name].arguments]


@pytest.mark.parametrize("name", ["newton-euler", "screws", "rbdl"])
def test_what_has_no_mimic_joints_says_so(name: str) -> None:
    with pytest.raises(Unsupported, match=r"mimic joints, and joint 'joint\d+' is one; it moves on its own in independent:FILE"):
        require_mimic_joints(find_implementation(name), find_mechanism("random:3:8:mimic"))


def user(**attributes: object) -> InProcess:
    module = SimpleNamespace(gravity=lambda m, q: np.zeros(m.nv), **attributes)
    return InProcess(as_implementation(module, "user", "user"))


def test_users_code_is_not_asked_about_mimic_joints_unless_it_declares_them() -> None:
    m = find_mechanism("random:3:8:mimic")
    for undeclared in (user(), user(mimic_joints=False), user(mimic_joints="yes"), user(mimic_joints=1)):
        with pytest.raises(Unsupported, match="it does not declare that it knows mimic joints, and joint 'joint1' is one"):
            undeclared.load(m)
    assert user().load(m.independent).offers("gravity")
    assert user(mimic_joints=True).load(m).ask("gravity", np.zeros((2, m.nq))).value.shape == (2, m.nv)


@pytest.mark.engines
@pytest.mark.parametrize("name", ["random:13:7:mimic", "mimic:panda"])
def test_pinocchio_agrees_where_it_has_mimic_joints(name: str) -> None:
    pytest.importorskip("pinocchio", reason="Pinocchio is not installed")
    m = find_mechanism(name)
    dynamics, truth = find_implementation("pinocchio").load(m), EulerLagrange(m)
    for quantity in sorted(set(USUAL) - NOT_OFFERED.keys()):
        for _ in range(2):  # The second answer must not depend on the first.
            answer = getattr(dynamics, quantity)(*arguments(m, quantity))
        expected = getattr(truth, quantity)(*arguments(m, quantity))
        np.testing.assert_allclose(answer, expected, atol=1e-11 * max(1, np.abs(expected).max()), err_msg=quantity)
    for quantity, reason in NOT_OFFERED.items():
        with pytest.raises(Unsupported, match=reason):
            getattr(dynamics, quantity)(*arguments(m, quantity))


def test_leaders_come_before_their_mimic_joints_in_depth_first_order() -> None:
    m = find_mechanism("random:3:8:mimic")
    branches = replace(m, bodies=tuple(replace(body, parent="world") for body in m.bodies))
    order = depth_first(branches)
    assert sorted(order) == list(range(8))
    assert all(order.index(leader) <= order.index(i) for i, leader in enumerate(branches.leaders))
    plain = find_mechanism("branched-tree")
    paths = [[k] for k in range(len(plain.bodies))]
    for k, parent in enumerate(plain.parents):
        paths[k] = [*(paths[parent] if parent >= 0 else []), k]
    assert depth_first(plain) == sorted(range(len(paths)), key=paths.__getitem__)


def test_a_leader_behind_its_mimic_joint_has_no_place_in_pinocchio() -> None:
    behind = next(
        m
        for m in (random_mechanism(seed, 3, ("revolute",), shape="chain", mimics=True) for seed in range(20))
        if any(leader > i for i, leader in enumerate(m.leaders))
    )
    with pytest.raises(
        Unsupported, match=r"Pinocchio needs a leader before its mimic joint, and 'joint\d' cannot come before 'joint"
    ):
        depth_first(behind)
