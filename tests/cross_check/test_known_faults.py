"""A discrepancy is known only if a finding's repair explains it, and not because a second call is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import cross_check.part as part
from cross_check.findings.dart import AtOtherPositions
from cross_check.findings.known import Finding
from cross_check.findings.repaired import Repaired
from cross_check.harness import Entry, check
from cross_check.settings import Settings
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, random_mechanism
from mechanisms.states import integrate

MECHANISM = random_mechanism(3, 3, ("revolute",))
MORE = 2 * np.eye(3)
TWICE = Finding("x", "code", ".*", lambda mechanism, code: Repaired(code, mass_matrix=lambda q: (code.mass_matrix(q) - MORE) / 2))
NOTHING = Finding("x", "code", ".*", lambda mechanism, dynamics: dynamics)
OTHER = Finding("x", "code", ".*", lambda mechanism, right: Repaired(right, gravity=lambda q: right.gravity(q) / 2))
SAME_POSITIONS = Finding("x", "code", ".*", lambda mechanism, dynamics: AtOtherPositions(dynamics, lambda q: q))
A_TURN_LESS = Finding(
    "x",
    "code",
    ".*",
    lambda mechanism, dynamics: AtOtherPositions(dynamics, lambda q: integrate(mechanism, q, np.full_like(q, 2 * np.pi))),
)


class Code:
    """Right code, but for the mass matrix in the calls whose number ``is_wrong`` takes."""

    name, version = "code", "1"

    def __init__(self, is_wrong: Callable[[int], bool]) -> None:
        self._is_wrong, self._calls = is_wrong, 0

    def load(self, mechanism: Mechanism) -> Any:
        right = REFERENCE.load(mechanism)

        def mass_matrix(q: Any) -> Any:
            self._calls += 1
            M = right.mass_matrix(q)
            return 2 * M + MORE if self._is_wrong(self._calls) else M

        return Repaired(right, mass_matrix=mass_matrix)


def verdicts(monkeypatch: pytest.MonkeyPatch, finding: Finding, is_wrong: Callable[[int], bool], **chosen: Any) -> dict[str, str]:
    monkeypatch.setattr(part, "findings_of", lambda name, version: [finding])
    entry = Entry("code", "code", InProcess(Code(is_wrong)))
    settings = Settings(states=7, **{"quantities": ("mass_matrix",), "invariants": False, **chosen})
    document = check([("one", MECHANISM)], [entry], settings, explain=False).document()
    items: Sequence[Any] = [*document["cells"], *document["invariants"]]
    return {item.get("quantity") or item["name"]: item["verdict"] for item in items}


def test_what_the_repair_makes_right_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert verdicts(monkeypatch, TWICE, lambda call: True) == {"mass_matrix": "known"}


@pytest.mark.parametrize("finding", [NOTHING, OTHER, SAME_POSITIONS, A_TURN_LESS, TWICE])
@pytest.mark.parametrize("is_wrong", [lambda call: call == 1, lambda call: call % 2, lambda call: call < 3])
def test_a_fault_that_is_gone_in_a_later_call_is_not_known(
    monkeypatch: pytest.MonkeyPatch, finding: Finding, is_wrong: Callable[[int], bool]
) -> None:
    assert verdicts(monkeypatch, finding, is_wrong) == {"mass_matrix": "discrepancy"}


PASSIVE = "vᵀ(Ṁ − 2C)v = 0"
ALL = {"quantities": ("mass_matrix", "nonlinear_effects", "gravity"), "invariants": True, "relations": ("scaled_mass",)}


def test_invariants_and_relations_that_the_repair_makes_right_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    found = verdicts(monkeypatch, TWICE, lambda call: True, **ALL)
    assert (found["mass_matrix"], found[PASSIVE], found["scaled_mass"]) == ("known", "known", "known")


@pytest.mark.parametrize("finding", [NOTHING, SAME_POSITIONS, A_TURN_LESS, TWICE])
def test_invariants_and_relations_that_hold_when_checked_again_are_not_known(
    monkeypatch: pytest.MonkeyPatch, finding: Finding
) -> None:
    # The first call is the cell's; so few are wrong that the second check finds nothing wrong.
    found = verdicts(monkeypatch, finding, lambda call: 2 <= call < 11, **ALL)
    assert found[PASSIVE] == "discrepancy"
    found = verdicts(monkeypatch, finding, lambda call: call == 2, **{**ALL, "invariants": False})
    assert found["scaled_mass"] == "discrepancy"


def test_a_motion_that_is_right_in_the_second_call_has_not_lost_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What explains lost digits asks again, and must not take the second answer for the first."""

    class WrongOnce(Code):
        def load(self, mechanism: Mechanism) -> Any:
            right = REFERENCE.load(mechanism)

            def jacobians_local(q: Any) -> Any:
                self._calls += 1
                return right.jacobians_local(q) * (2 if self._calls == 1 else 1)

            return Repaired(right, jacobians_local=jacobians_local)

    entry = Entry("code", "code", InProcess(WrongOnce(bool)))
    settings = Settings(states=7, quantities=("jacobians_local",), invariants=False)
    (cell,) = check([("one", MECHANISM)], [entry], settings, explain=False).cells
    assert cell.verdict == "discrepancy"
