"""A discrepancy is known only if a finding predicts it, and not because a second call is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from wrong_codes import Changed

import cross_check.part as part
from cross_check.explain.findings.finding import Finding
from cross_check.harness import Entry, check
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from mechanisms import Mechanism, random_mechanism

MECHANISM = random_mechanism(3, 3, ("revolute",))
MORE = 2 * np.eye(3)
TWICE = Finding("twice", "code", ".*", lambda mechanism, right: {"mass_matrix": lambda q: 2 * right.mass_matrix(q) + MORE})
NOTHING = Finding("x", "code", ".*")
RIGHT = Finding("x", "code", ".*", lambda mechanism, right: {"mass_matrix": right.mass_matrix})
OTHER = Finding("x", "code", ".*", lambda mechanism, right: {"gravity": lambda q: 2 * right.gravity(q)})
LESS = Finding("x", "code", ".*", lambda mechanism, right: {"mass_matrix": lambda q: 2 * right.mass_matrix(q) + MORE / 2})
BY_HALF = Finding("x", "code", ".*", bound=lambda mechanism: {"mass_matrix": lambda q: MORE / 2 + 0 * q[:, :1, None]})


def code(
    is_wrong: Callable[[int], bool], quantity: str = "mass_matrix", wrong: Callable[[Any], Any] = lambda M: 2 * M + MORE
) -> Changed:
    """Right code, but for the quantity in the calls whose number ``is_wrong`` takes."""
    calls = count(1)

    def change(mechanism: Mechanism, name: str, answer: Any, arguments: Any) -> Any:
        return wrong(answer) if name == quantity and is_wrong(next(calls)) else answer

    return Changed(change)


def verdicts(
    monkeypatch: pytest.MonkeyPatch, findings: Finding | Sequence[Finding], is_wrong: Callable[[int], bool], **chosen: Any
) -> dict[str, str]:
    findings = [findings] if isinstance(findings, Finding) else findings
    monkeypatch.setattr(part, "findings_of", lambda engine, version: findings)
    entry = Entry("code", "code", InProcess(code(is_wrong)))
    settings = Settings(states=7, **{"quantities": ("mass_matrix",), "invariants": False, **chosen})
    document = check([("one", MECHANISM)], [entry], settings, explain=False).document()
    items: Sequence[Any] = [*document["cells"], *document["invariants"]]
    return {item.get("quantity") or item["name"]: item["verdict"] for item in items}


def test_what_is_predicted_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdicts(monkeypatch, TWICE, lambda call: True) == {"mass_matrix": "known"}


@pytest.mark.parametrize("findings", [NOTHING, RIGHT, OTHER, LESS, BY_HALF, [LESS, OTHER], [TWICE, LESS]])
def test_other_predictions_and_too_narrow_bounds_explain_nothing(monkeypatch: pytest.MonkeyPatch, findings: Any) -> None:
    assert verdicts(monkeypatch, findings, lambda call: True) == {"mass_matrix": "discrepancy"}


def test_a_prediction_with_a_bound_and_one_that_roundings_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    by_chance = replace(TWICE, name="by chance", by_chance=True)
    for findings in ([LESS, BY_HALF], [by_chance], [OTHER, by_chance]):
        assert verdicts(monkeypatch, findings, lambda call: True) == {"mass_matrix": "known"}
        assert verdicts(monkeypatch, findings, lambda call: False) == {"mass_matrix": "agrees"}


@pytest.mark.parametrize("finding", [RIGHT, TWICE])
@pytest.mark.parametrize("is_wrong", [lambda call: call == 1, lambda call: call % 2, lambda call: call < 3])
def test_a_fault_that_is_gone_in_a_later_call_is_not_known(
    monkeypatch: pytest.MonkeyPatch, finding: Finding, is_wrong: Callable[[int], bool]
) -> None:
    assert verdicts(monkeypatch, finding, is_wrong) == {"mass_matrix": "discrepancy"}


PASSIVE = "vᵀ(Ṁ − 2C)v = 0"
ALL = {"quantities": ("mass_matrix", "nonlinear_effects", "gravity"), "invariants": True, "relations": ("scaled_mass",)}


def test_invariants_and_relations_that_are_predicted_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verdicts(monkeypatch, TWICE, lambda call: True, **ALL)
    assert (found["mass_matrix"], found[PASSIVE], found["scaled_mass"]) == ("known", "known", "known")


@pytest.mark.parametrize("finding", [RIGHT, TWICE])
def test_invariants_and_relations_that_hold_when_checked_again_are_not_known(
    monkeypatch: pytest.MonkeyPatch, finding: Finding
) -> None:
    # The first call is the cell's; so few are wrong that the second check finds nothing wrong.
    found = verdicts(monkeypatch, finding, lambda call: 2 <= call < 7, **ALL)
    assert found[PASSIVE] == "discrepancy"
    found = verdicts(monkeypatch, finding, lambda call: call == 2, **{**ALL, "invariants": False})
    assert found["scaled_mass"] == "discrepancy"


def test_a_motion_that_is_right_in_the_second_call_has_not_lost_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What explains lost digits asks again, and must not take the second answer for the first."""

    wrong_once = code(lambda call: call == 1, "jacobians_local", lambda J: 2 * J)
    entry = Entry("code", "code", InProcess(wrong_once))
    settings = Settings(states=7, quantities=("jacobians_local",), invariants=False)
    (cell,) = check([("one", MECHANISM)], [entry], settings, explain=False).cells
    assert cell.verdict == "discrepancy"
