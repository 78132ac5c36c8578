"""The scoring: what counts as named, as located and as a false accusation; the page that is made of it."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from score import __main__ as command
from score import bank
from score.entry import BANK, Entry
from score.few_digits import computing_in
from score.judge import Verdict, judge
from score.page import page, tables, totals
from score.run import is_below, run

from cross_check.exchange.results import Cell, Results, RunSettings
from cross_check.exchange.results.causes import Cause
from cross_check.exchange.results.objects import Coverage
from mechanisms import find_mechanism
from reports.summary import score_sentence

ROOT = Path(__file__).resolve().parents[2]

assert bank.__all__
HAND, EVERYWHERE, SLIDES, MASSES = "ixy sign", "gyroscopic left out of sums", "gyroscopic behind slides", "swapped masses"
PAIR, WRAPPED = "ixy sign, gravity vertical", "angles wrapped"


def cause(kind: Any, sentence: str, *where: str, **others: Any) -> Cause:
    return Cause("code/x", "code", kind, sentence, ("wall-arms/code/inverse_dynamics",), where=where, **others)


def judged(entry: Entry | str, *causes: Cause, wrong: bool = True, **others: Any) -> Verdict:
    said, error = ("discrepancy", 1e9) if wrong else ("agrees", 1.0)
    cell = Cell("wall-arms/code/gravity", "wall-arms", "code", "gravity", said, error=error)
    results = Results(RunSettings("0", 0, 98, 16.0), cells=(cell,), causes=causes, **others)
    entry = BANK[entry] if isinstance(entry, str) else entry
    return judge(entry, find_mechanism(entry.tried_on if not entry.is_correct else "cart-pole"), results)


RIGHT = cause("model", "Ixy of left hand has the opposite sign", "left hand", term="products of inertia")
GRAVITY = cause("term", "gravity is left out")
GYROSCOPIC = "ω × I ω is left out"
VERTICAL = cause("term", "gravity always points along −z")
MASS_4, MASS_5 = (cause("model", f"the mass of {name} is 1 instead of 2", name) for name in ("link4", "link5"))


@pytest.mark.parametrize(
    ("entry", "causes", "expected"),
    [
        (HAND, [RIGHT], "located named"),
        (HAND, [cause("model", "Ixy of left hand is -0.001 instead of 0.001", "left wrist")], "located named"),
        (HAND, [cause("model", "the mass of left hand is 1 instead of 1.4", "left hand")], "located accusations"),
        (HAND, [cause("model", "Ixy of right slide has the opposite sign", "right slide")], "accusations"),
        (HAND, [cause("model", RIGHT.sentence, "left hand", "right slide")], "accusations"),
        (HAND, [cause("model", "Ixy has the opposite sign")], "accusations"),
        (HAND, [cause("arithmetic", RIGHT.sentence, "left hand")], "located accusations"),
        (HAND, [cause("known", "a finding")], "accusations"),
        (HAND, [RIGHT, GRAVITY], "located named accusations"),
        (HAND, [RIGHT, cause("unknown", "gravity is wrong")], "located"),
        (HAND, [cause("unknown", "not explained", "left hand")], "located"),
        (HAND, [cause("unknown", "not explained")], ""),
        (HAND, [], ""),
        (HAND, [replace(GRAVITY, alternatives=(f"{RIGHT.sentence}; ask with …",))], "uncertain"),
        (EVERYWHERE, [cause("term", GYROSCOPIC)], "located named"),
        (EVERYWHERE, [cause("term", GYROSCOPIC, "left hand")], ""),
        (SLIDES, [cause("term", GYROSCOPIC, "link4", "link5", "link6")], "located named"),
        (SLIDES, [cause("condition", f"{GYROSCOPIC} behind prismatic joints")], "located named"),
        (SLIDES, [cause("term", GYROSCOPIC)], "accusations"),
        (MASSES, [MASS_4, MASS_5], "located named"),
        (MASSES, [MASS_4], ""),
        (PAIR, [RIGHT, VERTICAL], "located named"),
        (PAIR, [RIGHT], ""),
        (PAIR, [RIGHT, VERTICAL, GRAVITY], "located named accusations"),
        (WRAPPED, [cause("arithmetic", "one rounding of the input")], ""),
        (WRAPPED, [cause("convention", "one rounding of the input")], "accusations"),
        (WRAPPED, [], "accusations"),
    ],
)
def test_verdicts(entry: str, causes: list[Cause], expected: str):
    found = judged(entry, *causes)
    assert {name for name in ("located", "named", "uncertain", "accusations") if getattr(found, name)} == set(expected.split())
    assert bool(found.reason) == ("named" not in expected and not found.correct)
    assert found.detected


def test_an_accusation_is_what_was_said_and_a_miss_has_its_reason():
    assert judged(HAND, RIGHT, GRAVITY).accusations == ("term: gravity is left out",)
    assert judged(WRAPPED).accusations == ("a discrepancy without a cause",)
    assert judged(HAND, RIGHT, cause("unknown", "gravity is wrong")).reason.startswith("only a part is explained")
    assert judged(HAND, RIGHT).term and not judged(HAND, GRAVITY).term
    assert judged(PAIR, RIGHT).group == "pairs"


def test_what_is_not_detected_may_be_declared_invisible():
    declared = Coverage(("code",), 9, (), {"products of inertia": ("Ixy has the wrong sign",)}, (), ())
    assert judged(HAND, wrong=False, coverage=(declared,)).invisible
    missed = judged(HAND, wrong=False)
    assert not missed.invisible and missed.reason == "not detected"
    assert judged(WRAPPED, wrong=False).accusations == ()


def test_the_page_has_totals_misses_and_accusations():
    right, wrong = judged(HAND, RIGHT), judged(EVERYWHERE, cause("term", "gravity | <b>is left out"))
    text = page([right, wrong, replace(right, name="few quantities", group="disguises", correct=True, detected=False)])
    assert "Of 2 faults, 2 (100.0 %) are detected, 1 (50.0 %) located" in text
    assert "| misread models | 1 | 0 | 1 | 1 | 1 | 1 | 0 | 0 | – | 0.0 |" in text
    assert "1 false accusation;" in totals([right, wrong])
    assert f"| {EVERYWHERE} | wall-arms |" in text and "<b>" not in text and f"| {HAND} |" not in text
    assert "- gyroscopic left out of sums: term: gravity \\| &lt;b>is left out" in text


def test_a_check_that_raises_ends_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    def broken(entry: Entry, precision: str) -> Results:
        raise RuntimeError("no memory")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("score.run.check", broken)
    assert run(HAND).reason == "the check raised RuntimeError: no memory"
    assert run("read only").accusations


def test_a_fault_below_the_arithmetic_is_counted_apart():
    found, missed = judged(EVERYWHERE, cause("term", GYROSCOPIC)), judged(HAND, wrong=False)
    below = replace(missed, below=True, reason="below the arithmetic")
    assert not below.shows and missed.shows
    assert "Of 1 faults, 1 (100.0 %) are detected" in totals([found, below])
    assert totals([found, below]).endswith("0 declared invisible; 1 below the arithmetic.")
    text = tables([found, below], "###")
    assert "| misread models | 1 | 0 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | – | 0.0 |" in text
    assert text.endswith("### Misses\nNone.")
    assert HAND in tables([found, missed])


def test_a_whole_run_in_float32_writes_its_tables_and_no_other_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    pages = {name: tmp_path / name for name in ("PAGE", "NUMBERS", "OTHER_PRECISIONS")}
    pages["OTHER_PRECISIONS"].write_text(command.OTHER_PRECISIONS.read_text("utf-8"), "utf-8")
    for name, path in pages.items():
        monkeypatch.setattr(command, name, path)
    verdicts = [judged(entry, wrong=False) for entry in BANK.values() if not entry.parts]
    monkeypatch.setattr("score.run.score", lambda *given: verdicts)
    monkeypatch.setattr("score.run.BANK", {verdict.name: BANK[verdict.name] for verdict in verdicts})
    for precision in ("float32", "float16"):
        monkeypatch.setattr(sys, "argv", ["score", "--precision", precision])
        command.main()
        assert ("wrote" in capsys.readouterr().out) == (precision == "float32")
    written = pages["OTHER_PRECISIONS"].read_text("utf-8")
    assert f"{totals(verdicts)}\n\n### Faulty code" in written
    assert not pages["PAGE"].exists() and not pages["NUMBERS"].exists()


@pytest.mark.slow
@pytest.mark.usefixtures("only_the_verdicts")
@pytest.mark.parametrize(("title", "expected"), [("float32 outputs", True), ("gravity sign", False)])
def test_whether_a_fault_is_below_the_arithmetic_is_measured_with_all_digits(title: str, expected: bool):
    entry = replace(BANK[title], tried_on="pendulum", offers=("gravity",))
    assert is_below(entry, "float32") == expected
    assert not is_below(entry, "float64")


def test_codes_of_the_bank_compute_in_float32_while_they_are_told_to():
    entry, pendulum, q = BANK["gravity sign"], find_mechanism("pendulum"), np.ones((1, 1), np.float32)
    with computing_in(np.float32):
        assert entry.load(pendulum).gravity(q).dtype == np.float32
    assert entry.load(pendulum).gravity(q).dtype == np.float64


@pytest.mark.nightly
def test_an_entry_is_checked_as_users_check_their_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    monkeypatch.chdir(tmp_path)
    found = run("forward dynamics of two")
    assert not found.detected and found.seconds > 0 and not found.reason
    assert run("forward dynamics of two", kept=True) == found


def test_words_choose_entries(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(sys, "argv", ["score", "--list", "ixy"])
    command.main()
    line = f"misread      wall-arms          {HAND}: Ixy of left hand has the wrong sign"
    assert capsys.readouterr().out.splitlines()[0] == line
    monkeypatch.setattr(sys, "argv", ["score", "nothing is called so"])
    with pytest.raises(SystemExit, match="no entry has such a name or class"):
        command.main()


def test_reports_state_the_score_of_the_page():
    """The numbers that every report states are those of docs/score.md."""
    text, said = (ROOT / "docs" / "score.md").read_text("utf-8"), score_sentence()
    faults, named, correct = (
        int(re.search(pattern, text)[1]) for pattern in (r"Of (\d+) faults", r"term named, (\d+) \(", r"(\d+) correct codes")
    )
    assert said.startswith(f"Of {faults} faulty codes with known causes, dalembert names {named}; of {correct} correct codes")
    assert ("accuses none" in said) == ("; 0 false accusations" in text)
