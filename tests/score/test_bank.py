"""The bank is what it says: correct code agrees with the truth, code with a fault does not, and both share nothing with it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import score
from score import bank
from score.entry import BANK, NAME, Entry, disguise, pair

from cross_check.exchange.results import Cell
from cross_check.exchange.results.causes import CauseKind
from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.case import Case, prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.history.check import ask_again
from implementations.processes.subject import InProcess
from implementations.protocol import Unsupported
from mechanisms import find_mechanism
from mechanisms.library.robots import ROBOTS
from mechanisms.quantities import QUANTITIES

STATES = 18
"""One state of every kind."""

FAULTS = [entry for entry in BANK.values() if not entry.is_correct]
CORRECT = [entry for entry in BANK.values() if entry.is_correct]
OURS = {"cross_check", "implementations", "oracle", "reports", "dalembert"}


@cache
def case_of(spec: str, states: int) -> Case:
    return prepare(find_mechanism(spec), 0, states)


def errors(entry: Entry, spec: str) -> dict[str, float]:
    """The largest error of every quantity that the entry offers, in ε-units."""
    case = case_of(spec, STATES)
    loaded, found = entry.load(case.mechanism), {}
    for name, function in vars(loaded).items():
        quantity = QUANTITIES[name]
        answer = np.asarray(function(*case.states.arguments(quantity.arguments)))
        found[name] = float(compare(case, quantity, answer).units.max(initial=0))
    return found


def specs(entries: list[Entry]) -> list[object]:
    """The mechanisms of these entries; some need the robots."""
    names = sorted({entry.tried_on for entry in entries})
    robots = {name for name in names if name.removeprefix("free:") in ROBOTS}
    return [pytest.param(name, marks=pytest.mark.engines) if name in robots else name for name in names]


def test_it_is_large_enough():
    assert len(FAULTS) >= 100
    assert len(CORRECT) >= 60
    assert {entry.group for entry in BANK.values()} == {*bank.__all__, "pairs"}


def test_entries_are_documented():
    assert {entry.name for entry in BANK.values()} == {NAME}, "a name would tell a diagnosis what it has to find"
    for entry in BANK.values():
        assert entry.sentence.lower() != entry.title, "the docstring says what it is"
        assert set(entry.kinds) <= set(get_args(CauseKind)) - {"unknown", "known"}, entry.title
        assert set(entry.offers) <= set(QUANTITIES), entry.title
        for words in (*entry.says, entry.term, entry.tolerated):
            re.compile(words)
        assert entry.is_correct or entry.says or len(entry.parts) == 2, entry.title
        assert not entry.source or re.fullmatch(r"https://github\.com/[\w.-]+/[\w.-]+/(issues|pull)/\d+", entry.source)


def test_an_entry_has_one_name_and_a_pair_one_mechanism():
    with pytest.raises(ValueError, match="'com sign' twice; rename one"):

        @disguise()
        def com_sign(code: object) -> None:
            """Another one."""

    with pytest.raises(ValueError, match="'com sign' and 'ixy sign' are on other mechanisms"):
        pair("com sign", "ixy sign")


@pytest.mark.nightly
@pytest.mark.parametrize("spec", specs([*BANK.values()]))
def test_faults_show_and_disguises_agree_with_the_truth(spec: str):
    for entry in BANK.values():
        if entry.tried_on != spec:
            continue
        found = {name: error for name, error in errors(entry, spec).items() if error > BAR}
        if not entry.is_correct:
            assert found or shows_later(entry), entry.title
            continue
        assert not found or entry.tolerated, f"{entry.title}: {found}"
        # One rounding of an angle of a thousand radians is a thousand ε-units.
        assert max(found.values(), default=0) < 1e5, f"{entry.title}: {found}"


def shows_later(entry: Entry) -> bool:
    """Whether a fault that one answer does not show shows in a large batch, or when it is asked again."""
    case, subject = case_of(entry.tried_on, 98), InProcess(entry)
    loaded, answers, cells = entry.load(case.mechanism), {}, []
    for name, function in vars(loaded).items():
        answers[name] = np.array(function(*case.states.arguments(QUANTITIES[name].arguments)))
        units = compare(case, QUANTITIES[name], answers[name]).units.reshape(98, -1).max(axis=1)
        cells.append(Cell(name, "", "", name, "agrees", errors=units.tolist()))
    if any(max(cell.errors) > BAR for cell in cells):
        return True
    return ask_again(case, subject, subject.load(case.mechanism), answers, cells, BAR).verdict != "agrees"


@pytest.mark.parametrize("spec", specs([entry for entry in FAULTS if not callable(entry.where)]))
def test_places_exist(spec: str):
    mechanism = find_mechanism(spec)
    names = {name for body in mechanism.bodies for name in (body.name, body.joint.name)}
    for entry in FAULTS:
        if entry.tried_on == spec and not callable(entry.where):
            assert set(entry.where) <= names, entry.title
            assert entry.at_fault(mechanism), entry.title


def test_a_fault_at_a_name_changes_nothing_elsewhere():
    for entry in FAULTS:
        if entry.group == "misread" and not callable(entry.where) and entry.unnamed != ".":
            assert max(errors(entry, "cart-pole").values()) < BAR, entry.title


def test_code_that_supports_hinges_alone_says_so():
    with pytest.raises(Unsupported, match="free joints"):
        BANK["few quantities"].load(find_mechanism("satellite"))


def test_the_bank_shares_nothing_with_what_it_scores():
    home = Path(score.__file__).parent
    files = [*home.glob("bank/*.py"), *home.glob("library/*.py"), *(home / f"{x}.py" for x in ("changes", "words", "entry"))]
    assert len(files) > 15
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & OURS, file.name
