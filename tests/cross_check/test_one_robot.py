"""Code for one robot is judged on this robot, is never red for knowing no other, and hides no stale cache."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dalembert
from cross_check.exchange.results import Results, verdict_of
from cross_check.exchange.results.document import results_from
from cross_check.exchange.results.objects import HISTORY
from cross_check.explain.coverage import ENOUGH
from cross_check.judge.history.sibling import sibling
from cross_check.judge.settings import SettingsError
from implementations.one_robot import OneRobot, takes_no_mechanism
from implementations.plugins.user_code import UserCodeError
from implementations.processes.find import find_subject
from mechanisms import Inertia, find_mechanism

CART_POLE = """
import numpy as np


def mass_matrix({mechanism}q):
    c = np.cos(q[1])
    return np.array([[1.1, 0.05 * c], [0.05 * c, 0.0333]])


def gravity({mechanism}q):
    return np.array([0, {sign}0.4905 * np.sin(q[1])])


def inverse_dynamics({mechanism}q, v, a):
    C = np.array([[0, -0.05 * np.sin(q[1]) * v[1]], [0, 0]])
    return mass_matrix({given}q) @ a + C @ v + gravity({given}q) + np.diag([0.1, 0.002]) @ v
"""
"""The cart-pole, typed in; its gravity has a sign of its own."""

STALE = """
import dalembert

KEPT = {}


def inverse_dynamics(mechanism, q, v, a):
    kept = KEPT.setdefault(KEY, mechanism)
    return dalembert.dynamics(kept).inverse_dynamics(q[None], v[None], a[None])[0]
"""
"""Code for any mechanism, which keeps the first one that it sees under a key."""

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file of code, and gives its name. The present folder is where it is."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, text: str) -> str:
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(textwrap.dedent(text))
        return name

    return write


def cart_pole(is_given_mechanism: bool = False, sign: str = "-") -> str:
    argument = "mechanism, " if is_given_mechanism else ""
    return CART_POLE.format(mechanism=argument, given=argument, sign=sign)


def checked(code: str, *mechanisms: str, **settings: Any) -> Results:
    return dalembert.check(list(mechanisms), [code], **{"states": 28, **settings})


def history(results: Results) -> str:
    return next(invariant.verdict for invariant in results.invariants if invariant.name == HISTORY)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("code", "mechanisms", "reason"),
    [
        (cart_pole(), ["cart-pole"], "its functions take no mechanism"),
        (cart_pole() + 'mechanism = "cart-pole"\n', [], "it declares its mechanism"),
        (cart_pole(True) + 'mechanism = "cart-pole"\n', [], "it declares its mechanism"),
        (cart_pole(True), ["cart-pole"], "its answers stay the same when masses and lengths change"),
    ],
)
def test_right_code_for_one_robot_is_green_and_said_to_be_so(write: Write, code: str, mechanisms: list[str], reason: str) -> None:
    results = checked(write("arm.py", code), *mechanisms)
    verdict = verdict_of(results)
    assert (verdict.exit_code, history(results)) == (0, "agrees")
    assert verdict.sentences[-1] == f"arm is code for cart-pole alone, because {reason}; it was asked about no other mechanism"
    assert results.implementations[0].one_robot == {"cart-pole": reason}
    assert results_from(results.document()) == results


@pytest.mark.nightly
def test_a_wrong_sign_is_the_first_cause_and_the_example_is_of_the_robot(write: Write) -> None:
    results = checked(write("arm.py", cart_pole(sign="+")), "cart-pole")
    cause = results.causes[0]
    assert cause.sentence == "In arm, gravity has the wrong sign"
    assert cause.example is not None
    assert cause.example.bodies == 2
    assert cause.example.inputs["q"] != [0.0, 0.0]
    assert any(text.startswith("experiments on other mechanisms: it is code for cart-pole alone") for text in cause.untried)
    assert not cause.ruled_out
    assert history(results) == "agrees"


@pytest.mark.nightly
@pytest.mark.parametrize("in_process", [False, True])
def test_a_stale_cache_stays_red(write: Write, in_process: bool) -> None:
    code = write(f"stale_{in_process}.py", STALE.replace("KEY", "mechanism.name"))
    results = checked(code, "cart-pole", in_process=in_process)
    assert history(results) == "discrepancy"
    assert not results.implementations[0].one_robot


@pytest.mark.slow
def test_code_for_any_mechanism_is_not_taken_for_code_for_one_robot(write: Write) -> None:
    code = STALE.replace("KEPT.setdefault(KEY, mechanism)", "mechanism")
    results = checked(write("any_robot.py", code), "cart-pole", "pendulum", states=7)
    assert verdict_of(results).exit_code == 0
    assert not results.implementations[0].one_robot


@pytest.mark.nightly
def test_code_that_goes_by_names_knows_the_robots_of_these_names(write: Write) -> None:
    known = 'dalembert.find_mechanism({"cart-pole": "cart-pole", "pendulum": "pendulum"}[mechanism.name])'
    code = STALE.replace("KEPT.setdefault(KEY, mechanism)", known)
    results = checked(write("by_name.py", code), "cart-pole", "pendulum")
    assert verdict_of(results).exit_code == 0
    assert set(results.implementations[0].one_robot) == {"cart-pole", "pendulum"}


@pytest.mark.slow
def test_which_robot_must_be_named(write: Write) -> None:
    code = write("arm.py", cart_pole())
    with pytest.raises(SettingsError, match="arm is code for one robot, because its functions take no mechanism, and"):
        checked(code)
    with pytest.raises(SettingsError, match="this run has 2 mechanisms; name its robot alone, or declare it in the code"):
        checked(code, "cart-pole", "pendulum")


@pytest.mark.slow
def test_a_robot_that_it_does_not_know_is_unsupported(write: Write) -> None:
    results = checked(write("arm.py", cart_pole() + 'mechanism = "cart-pole"\n'), "pendulum")
    assert verdict_of(results).exit_code == 5
    assert results.skipped[0].why == "it is code for cart-pole alone, because it declares its mechanism"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declaration", "spec", "known"),
    [
        ('mechanism = "two.urdf"', "sub/two.urdf", "sub/two.urdf"),
        ('mechanism = pathlib.Path("two.urdf")', "sub/two.urdf", "sub/two.urdf"),
        ('def mechanism(): return "two.urdf"', "sub/two.urdf", "sub/two.urdf"),
        ('mechanism = dalembert.find_mechanism("pendulum")', "sub/arm.py:mechanism", "pendulum"),
        ('def mechanism(): return dalembert.find_mechanism("pendulum")', "sub/arm.py:mechanism", "pendulum"),
    ],
)
def test_a_file_that_counts_from_the_modules_folder_or_an_object_is_declared(
    write: Write, declaration: str, spec: str, known: str
) -> None:
    code = write("sub/arm.py", f"import pathlib, dalembert\n{declaration}\ndef gravity(q): return q\n")
    Path("sub/two.urdf").write_text(dalembert.write_urdf("planar-pendulum:2"))
    robot = find_subject(code, in_process=True).one_robot
    assert robot is not None and robot.mechanism is not None
    assert (robot.spec, robot.mechanism.fingerprint) == (spec, find_mechanism(known).fingerprint)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ('"three.urdf"', r"arm declares the mechanism 'sub/three.urdf', which cannot be used: "),
        ("3", "its 'mechanism' is of type int; give a name, a path, a Mechanism, or a function"),
    ],
)
def test_what_is_no_mechanism_is_not_declared(write: Write, declared: str, said: str) -> None:
    code = write("sub/arm.py", f"mechanism = {declared}\ndef gravity(q): return q\n")
    with pytest.raises(UserCodeError, match=said):
        _ = find_subject(code).one_robot


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("q, v, a", True),
        ("q, v, a, gravity=9.81", True),
        ("theta, dtheta, ddtheta, *rest", True),
        ("mechanism, q, v, a", False),
        ("mechanism, q, v, a=None", False),
        ("model: dalembert.Mechanism, q, v, a=None", False),
        ("model, q, v, a", False),
        ("*arguments", False),
    ],
)
def test_the_signature_says_whether_a_function_takes_a_mechanism(signature: str, expected: bool) -> None:
    space: dict[str, Any] = {}
    exec(f"from __future__ import annotations\ndef inverse_dynamics({signature}): ...", space)
    assert takes_no_mechanism(space["inverse_dynamics"], "inverse_dynamics") is expected


def test_what_crosses_the_border_of_processes_is_validated() -> None:
    robot = OneRobot("declaration", find_mechanism("pendulum"), "pendulum")
    assert OneRobot.from_document(robot.to_document()) == robot
    guess = {"known by": "a guess", "mechanism": None, "spec": ""}
    for broken in ({}, 3, guess, {**robot.to_document(), "mechanism": {"name": 1}}):
        with pytest.raises(UserCodeError, match="sent no mechanism"):
            OneRobot.from_document(broken)


def test_a_sibling_has_other_numbers_where_the_robot_has_zeros() -> None:
    cart = find_mechanism("cart-pole")
    bodies = tuple(dataclasses.replace(body, inertia=Inertia.massless()) for body in cart.bodies)
    other = sibling(dataclasses.replace(cart, bodies=bodies, physical=False), keeps_gravity=True)
    assert all(body.inertia.mass > 0 and any(body.inertia.com) for body in other.bodies)
    assert (other.name, other.gravity, other.coordinates) == (cart.name, cart.gravity, cart.coordinates)
    assert not other.faults


@pytest.mark.slow
@pytest.mark.usefixtures("with_coverage")
def test_coverage_proposes_no_other_mechanism(write: Write) -> None:
    results = checked(write("arm.py", cart_pole()), "cart-pole", states=7)
    (coverage,) = results.coverage
    assert coverage.add == ()
    assert coverage.states == ENOUGH


@pytest.mark.slow
def test_relations_ask_about_no_other_mechanism(write: Write) -> None:
    code = write("arm.py", cart_pole(True))
    results = checked(code, "cart-pole", quantities=["relations"])
    verdicts = {invariant.name: invariant for invariant in results.invariants}
    assert "discrepancy" not in {one.verdict for one in verdicts.values()}
    assert "agrees" in {one.verdict for one in verdicts.values()}
    assert any("code for cart-pole alone" in one.message for one in verdicts.values() if one.verdict == "unsupported")
