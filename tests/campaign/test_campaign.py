"""The campaign's codes: the same for the same seed, wrong where they are said to be wrong, and right where they are right."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from campaign import run
from campaign.__main__ import table
from campaign.codes import one_robot
from campaign.effect import states, variant
from campaign.library import ARGUMENTS, Library
from campaign.links import numbers_of
from campaign.right import right
from campaign.run import judged
from campaign.wrong import CLASSES, draw

import dalembert

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "example.py"


def test_library_agrees_with_the_example_of_the_docs():
    spec = importlib.util.spec_from_file_location("example", EXAMPLE)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    mechanism = dalembert.find_mechanism("branched-tree")
    library = Library(numbers_of(mechanism))
    drawn = states(library, 8, np.random.default_rng(0))
    expected = [example.inverse_dynamics(mechanism, *row) for row in zip(drawn["q"], drawn["v"], drawn["a"], strict=True)]
    np.testing.assert_allclose(library.inverse_dynamics(drawn["q"], drawn["v"], drawn["a"]), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.nightly
def test_codes_are_the_same_for_the_same_seed_and_wrong_ones_differ_from_right_ones():
    drawn, again = ([(one.sentence, one.offers, *measured) for one, *measured in map(variant, range(n))] for n in (20, 6))
    assert again == drawn[:6]
    assert draw(1, 0).sentence != draw(1, 1).sentence
    assert sum(effect > 0 for *_, effect in drawn) >= 19  # The rest are marked inert.


@pytest.mark.nightly
def test_every_class_is_drawn_and_a_hundred_codes_are_for_one_robot():
    drawn = [draw(k) for k in range(1000)]
    assert {one.group for one in drawn} == {name for name, _ in CLASSES}
    assert sum(bool(one.robot) for one in drawn) >= 100


@pytest.mark.parametrize("k", [k for k in range(30) if not right(k).declared])
def test_right_codes_agree_with_the_library(k):
    """Those in our conventions; dalembert converts the numbers of the others."""
    one = right(k)
    mechanism = dalembert.find_mechanism(one.mechanisms[0])
    library, other = Library(numbers_of(mechanism)), one.code().load(mechanism)
    drawn = states(library, 9, np.random.default_rng(k))
    for name in one.offers:
        args = [drawn[letter] for letter in ARGUMENTS[name]]
        expected = getattr(library, name)(*args)
        assert np.abs(getattr(other, name)(*args) - expected).max() <= 1e-10 * np.abs(expected).max()


def test_functions_for_one_robot_give_the_same_answers():
    one = next(one for one in map(right, range(300)) if one.robot and "inverse_dynamics" in one.offers)
    mechanism = dalembert.find_mechanism(one.robot)
    library, module = Library(numbers_of(mechanism)), one_robot(one.code(), mechanism)
    drawn = states(library, 9, np.random.default_rng(0))
    args = [drawn[letter] for letter in "qva"]
    answers = [module.inverse_dynamics(*row) for row in zip(*args, strict=True)]
    np.testing.assert_allclose(answers, library.inverse_dynamics(*args), rtol=1e-9, atol=1e-9)


def test_a_code_is_red_if_anything_is_a_discrepancy_and_green_only_if_something_was_compared():
    cell = {"mechanism": "m", "quantity": "gravity", "message": "", "error": 1.0}
    assert judged([cell | {"verdict": "agrees"}])["colour"] == "green"
    assert judged([cell | {"verdict": "agrees"}, cell | {"verdict": "discrepancy"}])["colour"] == "red"
    assert judged([cell | {"verdict": "failed"}])["colour"] == "other"
    assert judged([cell | {"verdict": "not offered"}])["colour"] == "other"
    said = [cell | {"verdict": "discrepancy"}]
    assert judged([*said, cell | {"verdict": "agrees"}], twin=said)["colour"] == "green"


def test_the_table_counts_colours_by_class_and_size_and_lists_what_passes():
    one = {"kind": "wrong", "group": "term", "size": 0.5, "effect": 0.1, "colour": "red", "name": "wrong1", "mechanisms": ["ur5"],
           "robot": "", "offers": 2, "sentence": "a sign", "seen": []}  # fmt: skip
    text = table(
        [one, one | {"colour": "green"}, one | {"effect": 1e-15}, one | {"kind": "right", "colour": "red", "seen": ["a cell"]}]
    )
    assert "| wrong | term | 1e-01 | 1 | 1 |  | 1 |  |  |  |" in text
    assert "## Wrong codes that are green: 1\n\n- wrong1 (term, ur5; 2 quantities): a sign. effect 0.1\n" in text
    assert "## Right codes that are not green: 1\n\n- wrong1 (term, ur5; 2 quantities): a sign. a cell\n" in text


def test_codes_have_names_for_the_command_line():
    assert run.right3.name == "right3" and run.right3_1.offers == right(3, 1).offers
    with pytest.raises(AttributeError):
        _ = run.left3
