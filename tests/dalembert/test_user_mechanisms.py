"""Mechanisms that users define in Python, in every command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dalembert
from implementations.plugins.user_code import UserCodeError
from implementations.plugins.user_mechanism import find_any_mechanism
from mechanisms import MechanismError, find_mechanism
from mechanisms.library.textbook import pendulum

ARM = """
from __future__ import annotations

import dalembert
from mechanisms.library.textbook import pendulum
from dalembert import Mechanism

MASS = "2"


def arm() -> Mechanism:
    return pendulum(mass=MASS)


def helper(mass: str) -> Mechanism:
    return pendulum(mass=mass)


def unannotated():
    return pendulum(mass="3")


class Family:
    long = pendulum(length="4")


def breaks():
    raise ValueError("no such arm")


number = 7
"""


@pytest.fixture
def arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "my_arm.py").write_text(ARM)
    (tmp_path / "arms").mkdir()
    (tmp_path / "arms" / "__init__.py").write_text("")
    (tmp_path / "arms" / "first.py").write_text(ARM)
    return tmp_path / "my_arm.py"


def test_a_function_or_an_object_of_a_file_or_a_module(arm: Path) -> None:
    right = pendulum(mass="2").fingerprint
    for spec in ("my_arm.py:arm", "./my_arm.py:arm", f"{arm}:arm", "my_arm.py", "arms.first:arm", "my_arm:arm"):
        assert find_any_mechanism(spec).fingerprint == right, spec
    assert find_any_mechanism("my_arm.py:unannotated").fingerprint == pendulum(mass="3").fingerprint
    assert find_any_mechanism("my_arm.py:Family.long").fingerprint == pendulum(length="4").fingerprint
    assert find_any_mechanism("free:my_arm.py:arm").name == "free:pendulum"
    assert find_any_mechanism("free:my_arm.py").nv == 7


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("my_arm.py:leg", "there is no 'leg' in it; name something that it defines"),
        ("my_arm.py:number", "it is of type int; name a Mechanism, or a function without arguments that returns one"),
        ("my_arm.py:helper", "calling it raised TypeError"),
        ("my_arm.py:breaks", r"calling it raised ValueError: no such arm \(my_arm.py:\d+: .*\); correct that first"),
        ("nowhere.py:arm", "there is no file 'nowhere.py'; correct the path"),
        ("arms.second:arm", "module 'arms.second' is not found"),
        ("unphysical:my_arm.py:arm", "unphysical: is for URDF files; leave it out"),
        ("several.py", r"it defines 2 mechanisms \(one, two\); name the object or the function, as in several.py:one"),
        ("none.py", "it defines no mechanism; name the object or the function, as in none.py:arm"),
    ],
)
def test_slips_are_one_sentence(arm: Path, spec: str, says: str) -> None:
    head = "from mechanisms.library.textbook import pendulum\n"
    Path("several.py").write_text(f"{head}one, two = pendulum(), pendulum()\n")
    Path("none.py").write_text(f"{head}def arm(): return pendulum()\n")
    with pytest.raises(UserCodeError, match=says) as caught:
        find_any_mechanism(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("spec", ["random:x", "pendulum:arm", "ur5:arm", "cart-poll"])
def test_a_mechanisms_name_before_a_colon_is_no_module(spec: str) -> None:
    with pytest.raises(MechanismError):
        find_any_mechanism(spec)


def test_a_lookup_of_urdf_files_executes_nothing(arm: Path) -> None:
    arm.write_text("raise SystemExit('executed')")
    with pytest.raises(MechanismError, match="no XML"):
        find_mechanism("my_arm.py")


@pytest.mark.nightly
def test_every_command_takes_them(invoke: Any, arm: Path) -> None:
    few = ("-q", "gravity", "--states", 3)
    assert invoke("check", "my_arm.py:arm", "arms.first:Family.long", "-i", "reference", *few, "-o", "r.json").exit_code == 0
    mechanisms = json.loads(Path("r.json").read_text())["mechanisms"]
    assert [mechanism["spec"] for mechanism in mechanisms] == ["my_arm.py:arm", "arms.first:Family.long"]
    assert invoke("derive", "my_arm.py:arm").stdout != invoke("derive", "pendulum").stdout != ""
    assert invoke("urdf", "my_arm.py:arm").stdout.startswith("<?xml")
    assert invoke("prove", "my_arm.py", "-q", "gravity").exit_code == 0
    assert dalembert.check("my_arm.py", "reference", states=3, quantities=["gravity"]).cells[0].verdict == "agrees"


@pytest.mark.nightly
def test_a_gate_notices_when_the_mechanism_changes(invoke: Any, arm: Path) -> None:
    assert invoke("gate", "reference", "my_arm.py:arm", "-q", "gravity", "--states", 3, "--update-baseline").exit_code == 0
    baseline = json.loads(Path("dalembert-baseline.json").read_text())
    assert baseline["implementations"]["reference"]["mechanisms"]["pendulum"]["spec"] == "my_arm.py:arm"
    assert invoke("gate", "reference", "-q", "gravity").exit_code == 0
    arm.write_text(ARM.replace('MASS = "2"', 'MASS = "5"'))
    changed = invoke("gate", "reference", "-q", "gravity")
    assert changed.exit_code == 1
    assert "regression: pendulum the mechanism is not the one of the baseline" in changed.stdout
