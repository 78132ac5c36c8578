"""The library as one writes against it: words or objects, the examples of docstring and README, conversions of coordinates."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from importlib.metadata import version
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dalembert
from cross_check.entry import Entry
from cross_check.judge.comparison.sampling import sample
from dalembert import coordinates
from dalembert.gatekeeper import run_gate
from dalembert.session import Execution, find_entries
from implementations.conventions.declared import VALUES
from implementations.protocol import Missing
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import random_mechanism
from mechanisms.library.textbook import TEXTBOOK, pendulum


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"^    import dalembert\n(?:\n|    .*\n)+", dalembert.__doc__ or "", re.M)
    assert example
    exec(textwrap.dedent(example[0]), {})
    assert capsys.readouterr().out == "[]\n[(Fraction(32, 125), {})]\n"


def test_words_objects_and_pairs_are_checked_alike_and_equal_names_are_told_apart() -> None:
    heavy = dataclasses.replace(pendulum(mass=70), name="heavy")
    mine = SimpleNamespace(name="mine", gravity=lambda mechanism, q: np.zeros(1))
    given = ("pendulum", heavy, ("file.urdf", pendulum(mass=3)), pendulum(mass=4), pendulum(mass=5))
    results = dalembert.check(given, ["reference", mine], quantities="gravity", states=7, seed=2, explain=False)
    assert isinstance(results, dalembert.Results)
    names = [("pendulum", "pendulum"), ("heavy", "heavy"), ("file.urdf", "file.urdf")]
    assert [(m.name, m.spec) for m in results.mechanisms[:3]] == names
    assert [m.name for m in results.mechanisms[3:]] == ["pendulum 2", "pendulum 3"]
    assert results.settings.seed == 2
    assert {cell.implementation for cell in results.cells if cell.verdict == "discrepancy"} == {"mine"}
    assert len({cell.id for cell in results.cells}) == len(results.cells)


def test_one_of_each_needs_no_list() -> None:
    alone = dalembert.check("cart-pole", "reference", quantities=["gravity"], states=7)
    assert [cell.id for cell in alone.cells] == ["cart-pole/reference/gravity"]
    assert alone.invariants == ()


def test_everything_named_is_there() -> None:
    assert all(getattr(dalembert, name) for name in dalembert.__all__)
    assert dalembert.__version__ == version("dalembert")
    with pytest.raises(AttributeError, match="dalembert has no 'chekc'; it offers"):
        _ = dalembert.chekc


@pytest.mark.parametrize(("word", "suffix"), [("engines", False), ("readers", True)])
def test_a_word_for_several_names_them_and_skips_the_missing(word: str, suffix: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def entry(name: str, *, execution: Execution) -> Entry:
        if name.startswith("drake"):
            raise Missing("Drake is not installed")
        return Entry(name, name, SimpleNamespace())

    monkeypatch.setattr("dalembert.session.entry", entry)
    entries, skipped = find_entries(["mine", word], [], Execution())
    assert entries.pop(0).name == "mine"
    assert {entry.name.endswith("-urdf") for entry in entries} == {suffix}
    assert {entry.name.removesuffix("-urdf") for entry in entries} > {"pinocchio", "mujoco", "pybullet"}
    assert [item.what for item in skipped] == ["drake-urdf" if suffix else "drake"]


def test_dynamics_and_equations_of_a_word_and_of_an_object() -> None:
    q, v = np.random.default_rng(0).normal(size=(2, 5, 2))
    cart_pole = dalembert.find_mechanism("cart-pole")
    by_word, by_object = (dalembert.dynamics(x) for x in ("cart-pole", cart_pole))
    by_name = dalembert.find_implementation("traced").load(cart_pole)
    for other in (by_object, by_name):
        np.testing.assert_array_equal(by_word.nonlinear_effects(q, v), other.nonlinear_effects(q, v))
    assert dalembert.derive("pendulum").M == dalembert.derive(pendulum()).M
    assert repr(dalembert.derive("pendulum")) == "<Equations of 'pendulum': nv 1, 3 terms>"
    assert repr(dalembert.find_mechanism("branched-tree")) == "<Mechanism 'branched-tree': 5 bodies, nv 5>"
    assert dalembert.write_urdf("pendulum") == dalembert.write_urdf(pendulum())
    with pytest.raises(dalembert.MechanismError, match="no-such-robot"):
        dalembert.dynamics("no-such-robot")
    with pytest.raises(TypeError, match="and nothing of the type int"):
        dalembert.dynamics(7)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="no_such_quantity"):
        by_word.no_such_quantity(q)


ROOT = Path(__file__).parents[2]


def test_what_the_readme_tells_to_write_down_works(tmp_path: Path) -> None:
    """With docs/example.py behind the engine that it imports."""
    (block,) = re.findall(r"```python\n(# my_dynamics.py\n.*?)```", (ROOT / "README.md").read_text("utf-8"), re.S)
    (tmp_path / "my_dynamics.py").write_text(block, "utf-8")
    engine = f"import sys\n\nsys.path.insert(0, {str(ROOT / 'docs')!r})\nfrom example import inverse_dynamics as rnea\n"
    (tmp_path / "my_engine.py").write_text(f"{engine}\n\ndef load(mechanism):\n    return mechanism\n", "utf-8")
    words = (str(tmp_path / "my_dynamics.py"), ["branched-tree"], None, False)
    results, problems = run_gate(*words, quantities="inverse_dynamics", states=14, in_process=True)
    assert problems == []
    assert [cell.verdict for cell in results.cells] == ["agrees"]


MECHANISM = random_mechanism(5, 6, ("free", "spherical", "planar", "continuous", "revolute", "helical"))
FRAMES = ("local", "world", "aligned")


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_rates_and_forces_come_back(name: str, value: str) -> None:
    change = coordinates.change(MECHANISM, **{name: value})
    states = sample(MECHANISM, 4, 1)
    q, v, a = states.q, states.v, states.a
    assert np.allclose(change.our_velocity(q, change.velocity(q, v)), v, rtol=0, atol=1e-12)
    assert np.allclose(change.our_acceleration(q, change.velocity(q, v), change.acceleration(q, v, a)), a, rtol=0, atol=1e-10)
    assert np.allclose(change.our_force(q, change.force(q, a)), a, rtol=0, atol=1e-11)
    # Power does not depend on coordinates.
    power = (change.force(q, a) * change.velocity(q, v)).sum(axis=1)
    assert np.allclose(power, (a * v).sum(axis=1), rtol=1e-12, atol=1e-10)


def test_joints_in_the_order_of_the_code() -> None:
    names = [body.joint.name for body in MECHANISM.bodies]
    change = coordinates.change(MECHANISM, joints=names[::-1])
    v = np.arange(MECHANISM.nv, dtype=float)[None]
    q = sample(MECHANISM, 1, 1).q
    last = MECHANISM.v_slices[-1]
    assert np.array_equal(change.velocity(q, v)[0, : last.stop - last.start], v[0, last])
    assert np.array_equal(change.our_velocity(q, change.velocity(q, v)), v)
    with pytest.raises(ValueError, match="list each once, in the order of the code"):
        coordinates.change(MECHANISM, joints=names[1:])


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no convention 'speed'"):
        coordinates.change(MECHANISM, speed="high")
    with pytest.raises(ValueError, match="a six-vector has 6"):
        coordinates.exchanged(np.zeros(5))
    with pytest.raises(ValueError, match="there is no frame 'body'; use local, world, aligned"):
        coordinates.force(np.eye(3, 4), np.zeros(6), "body", "world")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"give \[R p\]"):
        coordinates.motion(np.eye(4), np.zeros(6), "local", "world")


@pytest.mark.parametrize(("source", "target"), list(product(FRAMES, FRAMES)))
def test_motions_and_forces_in_every_frame(source, target) -> None:
    """Against the reference's velocities in every frame; power does not depend on the frame."""
    mechanism = TEXTBOOK["every-joint"]()
    states = sample(mechanism, 3, 1)
    reference = REFERENCE.load(mechanism)
    placements = reference.placements(states.q)
    V = {frame: getattr(reference, f"velocities_{frame}")(states.q, states.v) for frame in FRAMES}
    assert np.allclose(coordinates.motion(placements, V[source], source, target), V[target], rtol=0, atol=1e-10)
    F = np.random.default_rng(1).normal(size=V["local"].shape)
    there = coordinates.force(placements, F, source, target)
    assert np.allclose((there * V[target]).sum(axis=-1), (F * V[source]).sum(axis=-1), rtol=1e-10, atol=1e-9)


def test_six_vectors_and_quaternions() -> None:
    assert coordinates.exchanged(np.arange(6.0)).tolist() == [3, 4, 5, 0, 1, 2]
    assert coordinates.w_first(np.array([1.0, 2, 3, 4])).tolist() == [4, 1, 2, 3]
