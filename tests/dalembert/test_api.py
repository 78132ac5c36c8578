"""The library as one writes against it: words or objects, and the example of the package's docstring."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from importlib.metadata import version
from types import SimpleNamespace

import numpy as np
import pytest

import dalembert
from cross_check.entry import Entry
from dalembert.session import Execution, find_entries
from implementations.protocol import Missing
from mechanisms.quantities import USUAL
from mechanisms.textbook import pendulum


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"^    import dalembert\n(?:\n|    .*\n)+", dalembert.__doc__ or "", re.M)
    assert example
    exec(textwrap.dedent(example[0]), {})
    assert capsys.readouterr().out == "[]\n[(Fraction(32, 125), {})]\n"


@pytest.mark.nightly
def test_words_and_objects_alike() -> None:
    heavy = dataclasses.replace(pendulum(mass=70), name="heavy")
    mine = SimpleNamespace(name="mine", gravity=lambda mechanism, q: np.zeros(1))
    results = dalembert.check(
        ("pendulum", heavy, ("file.urdf", pendulum(mass=3))), ["reference", mine], states=7, seed=2, explain=False
    )
    assert isinstance(results, dalembert.Results)
    assert [(m.name, m.spec) for m in results.mechanisms] == [
        ("pendulum", "pendulum"),
        ("heavy", "heavy"),
        ("file.urdf", "file.urdf"),
    ]
    assert results.settings.seed == 2
    assert {cell.implementation for cell in results.cells if cell.verdict == "discrepancy"} == {"mine"}
    assert len({cell.id for cell in results.cells}) == len(results.cells) == 3 * 2 * len(USUAL)


def test_one_of_each_needs_no_list_and_equal_names_are_told_apart() -> None:
    alone = dalembert.check("cart-pole", "reference", quantities=["gravity"], states=7)
    assert [cell.id for cell in alone.cells] == ["cart-pole/reference/gravity"]
    assert alone.invariants == ()
    sweep = dalembert.check([pendulum(mass=m) for m in (1, 2, 3)], "reference", states=7)
    assert [m.name for m in sweep.mechanisms] == ["pendulum", "pendulum 2", "pendulum 3"]


def test_slips_are_one_sentence() -> None:
    with pytest.raises(dalembert.MechanismError, match="did you mean 'cart-pole'"):
        dalembert.check("cart-poll", "reference")
    with pytest.raises(ValueError, match="there is no setting 'colour'; use seed, states"):
        dalembert.check("pendulum", "reference", colour="red")


def test_equations_and_urdf_by_word_or_object() -> None:
    assert dalembert.derive("pendulum").M == dalembert.derive(pendulum()).M
    assert dalembert.write_urdf("pendulum") == dalembert.write_urdf(pendulum())


def test_everything_named_is_there() -> None:
    assert all(getattr(dalembert, name) for name in dalembert.__all__)
    assert dalembert.__version__ == version("dalembert")
    with pytest.raises(AttributeError, match="dalembert has no 'chekc'; it offers"):
        _ = dalembert.chekc


def test_representations_are_one_short_line() -> None:
    assert repr(dalembert.find_mechanism("branched-tree")) == "<Mechanism 'branched-tree': 5 bodies, nv 5>"
    assert repr(dalembert.derive("pendulum")) == "<Equations of 'pendulum': nv 1, 3 terms>"


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


def test_dynamics_of_a_word_and_of_an_object() -> None:
    q, v = np.random.default_rng(0).normal(size=(2, 5, 2))
    by_word, by_object = (dalembert.dynamics(x) for x in ("cart-pole", dalembert.find_mechanism("cart-pole")))
    np.testing.assert_array_equal(by_word.nonlinear_effects(q, v), by_object.nonlinear_effects(q, v))
    by_name = dalembert.find_implementation("traced").load(dalembert.find_mechanism("cart-pole"))
    np.testing.assert_array_equal(by_word.nonlinear_effects(q, v), by_name.nonlinear_effects(q, v))
    with pytest.raises(dalembert.MechanismError, match="no-such-robot"):
        dalembert.dynamics("no-such-robot")
    with pytest.raises(TypeError, match="and nothing of the type int"):
        dalembert.dynamics(7)  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="no_such_quantity"):
        by_word.no_such_quantity(q)
