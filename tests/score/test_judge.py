"""The scoring: what counts as named, as located and as a false accusation; the page that is made of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from score import bank
from score.entry import BANK, Entry
from score.judge import Verdict, judge
from score.page import page, totals
from score.run import run

from cross_check.results import Cell, Results, RunSettings
from cross_check.results.causes import Cause
from cross_check.results.objects import Coverage
from mechanisms import Mechanism, find_mechanism
from reports.summary import score_sentence

ROOT = Path(__file__).resolve().parents[2]

assert bank.__all__
HAND = "ixy sign"
EVERYWHERE = "gyroscopic left out of sums"
TREE = find_mechanism("wall-arms")


def cause(kind: Any, sentence: str, *where: str, **others: Any) -> Cause:
    return Cause("code/x", "code", kind, sentence, ("wall-arms/code/inverse_dynamics",), where=where, **others)


def judged(entry: Entry | str, *causes: Cause, wrong: bool = True, mechanism: Mechanism = TREE, **others: Any) -> Verdict:
    said, error = ("discrepancy", 1e9) if wrong else ("agrees", 1.0)
    cell = Cell("wall-arms/code/gravity", "wall-arms", "code", "gravity", said, error=error)
    results = Results(RunSettings("0", 0, 98, 16.0), cells=(cell,), causes=causes, **others)
    return judge(BANK[entry] if isinstance(entry, str) else entry, mechanism, results)


RIGHT = cause("model", "Ixy of left hand has the opposite sign", "left hand", term="products of inertia")


@pytest.mark.parametrize("said", [RIGHT, cause("model", "Ixy of left hand is -0.001 instead of 0.001", "left wrist")])
def test_the_right_cause_is_named_and_located_by_words_or_by_both_numbers_at_a_body_or_its_joint(said: Cause):
    found = judged(HAND, said)
    assert (found.detected, found.located, found.named, found.accusations) == (True, True, True, ())
    assert judged(HAND, RIGHT).term


@pytest.mark.parametrize(
    ("kind", "sentence", "where"),
    [
        ("model", "the mass of left hand is 1 instead of 1.4", ("left hand",)),
        ("model", "Ixy of right slide has the opposite sign", ("right slide",)),
        ("model", "Ixy of left hand has the opposite sign", ("left hand", "right slide")),
        ("model", "Ixy has the opposite sign", ()),
        ("arithmetic", "Ixy of left hand has the opposite sign", ("left hand",)),
        ("known", "a finding", ()),
    ],
)
def test_another_cause_or_place_is_a_false_accusation(kind: str, sentence: str, where: tuple[str, ...]):
    found = judged(HAND, cause(kind, sentence, *where))
    assert not found.named
    assert found.accusations == (f"{kind}: {sentence}",)
    assert found.reason


@pytest.mark.parametrize(
    ("causes", "named", "located", "accused"),
    [
        ((RIGHT, cause("term", "gravity is left out")), True, True, ("term: gravity is left out",)),
        ((RIGHT, cause("unknown", "gravity is wrong")), False, True, ()),
        ((cause("unknown", "not explained", "left hand"),), False, True, ()),
        ((cause("unknown", "not explained"),), False, False, ()),
        ((), False, False, ()),
    ],
)
def test_a_wrong_cause_beside_the_right_one_counts_and_an_open_question_is_neither_named_nor_false(
    causes: tuple[Cause, ...], named: bool, located: bool, accused: tuple[str, ...]
):
    found = judged(HAND, *causes)
    assert (found.named, found.located, found.accusations) == (named, located, accused)
    assert bool(found.reason) == (not named)


def test_the_right_answer_among_alternatives_is_not_false():
    found = judged(HAND, cause("term", "gravity is left out", alternatives=(f"{RIGHT.sentence}; ask with …",)))
    assert found.uncertain and not found.named and not found.accusations


def test_a_fault_that_is_everywhere():
    assert judged(EVERYWHERE, cause("term", "ω × Iω is left out")).named
    assert judged(EVERYWHERE, cause("term", "ω × Iω is left out", "left hand")).named is False


def test_a_condition_may_stand_for_names():
    slides, stanford = BANK["gyroscopic behind slides"], find_mechanism("stanford-arm")
    said = "ω × I ω is left out"
    assert judged(slides, cause("term", said, "link4", "link5", "link6"), mechanism=stanford).named
    assert judged(slides, cause("condition", f"{said} behind prismatic joints"), mechanism=stanford).named
    assert judged(slides, cause("term", said), mechanism=stanford).accusations


def test_several_causes_may_name_the_places_of_one_fault():
    swapped, puma = BANK["swapped masses"], find_mechanism("puma560")
    two = [cause("model", f"the mass of {name} is 1 instead of 2", name) for name in ("link4", "link5")]
    assert judged(swapped, *two, mechanism=puma).named
    alone = judged(swapped, two[0], mechanism=puma)
    assert (alone.named, alone.located, alone.accusations) == (False, False, ())


def test_what_is_not_detected_may_be_declared_invisible():
    declared = Coverage(("code",), 9, (), {"products of inertia": ("Ixy has the wrong sign",)}, (), ())
    assert judged(HAND, wrong=False, coverage=(declared,)).invisible
    missed = judged(HAND, wrong=False)
    assert not missed.invisible and missed.reason == "not detected"


def test_correct_code_must_not_be_accused():
    right = replace(BANK[EVERYWHERE], kinds=(), says=())
    assert judged(right, wrong=False).accusations == ()
    assert judged(right).accusations == ("a discrepancy without a cause",)
    assert judged(right, cause("term", "gravity is left out"), wrong=False).accusations
    wrapped = BANK["angles wrapped"]
    assert not judged(wrapped, cause("arithmetic", "one rounding of the input")).accusations
    assert judged(wrapped, cause("convention", "one rounding of the input")).accusations


def test_the_page_has_totals_misses_and_accusations():
    right = judged(HAND, cause("model", "Ixy of left hand has the opposite sign", "left hand"))
    wrong = judged(EVERYWHERE, cause("term", "gravity | <b>is left out"))
    text = page([right, wrong, replace(right, name="few quantities", group="disguises", correct=True, detected=False)])
    assert "Of 2 faults, 2 (100.0 %) are detected, 1 (50.0 %) located" in text
    assert "1 false accusation;" in totals([right, wrong])
    assert f"| {EVERYWHERE} | wall-arms |" in text and "<b>" not in text and f"| {HAND} |" not in text
    assert "- gyroscopic left out of sums: term: gravity \\| &lt;b>is left out" in text


def test_a_check_that_raises_ends_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    def broken(entry: Entry) -> Results:
        raise RuntimeError("no memory")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("score.run.check", broken)
    assert run(HAND).reason == "the check raised RuntimeError: no memory"
    assert run("read only").accusations


@pytest.mark.nightly
def test_an_entry_is_checked_as_users_check_their_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    monkeypatch.chdir(tmp_path)
    found = run("forward dynamics of two")
    assert not found.detected and found.seconds > 0 and not found.reason
    assert run("forward dynamics of two", kept=True) == found


def test_of_two_faults_both_are_named_and_nothing_else_is_blamed():
    gravity, pair = cause("term", "gravity always points along −z"), "ixy sign, gravity vertical"
    found = judged(pair, RIGHT, gravity)
    assert (found.located, found.named, found.accusations, found.group) == (True, True, (), "pairs")
    assert not judged(pair, RIGHT).named
    assert judged(pair, RIGHT, gravity, cause("term", "damping is ignored")).accusations == ("term: damping is ignored",)


def test_reports_state_the_score_of_the_page():
    """The numbers that every report states are those of docs/score.md."""
    text, said = (ROOT / "docs" / "score.md").read_text("utf-8"), score_sentence()
    faults, named, correct = (
        int(re.search(pattern, text)[1]) for pattern in (r"Of (\d+) faults", r"term named, (\d+) \(", r"(\d+) correct codes")
    )
    assert said.startswith(f"Of {faults} faulty codes with known causes, dalembert names {named}; of {correct} correct codes")
    assert ("accuses none" in said) == ("; 0 false accusations" in text)
