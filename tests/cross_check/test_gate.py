"""The gate's memory: what a baseline keeps, and what it says when a number moves."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from cross_check.gate import FLOOR, NOISE, baseline_of, read_baseline, regressions
from cross_check.harness import Entry, Settings, check
from cross_check.results import ResultsError, write_json
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.quantities import QUANTITIES

CELL = "cart-pole/mine/gravity"


@pytest.fixture(scope="module")
def right() -> dict[str, Any]:
    found = [(spec, find_mechanism(spec)) for spec in ("pendulum", "cart-pole")]
    return check(found, [Entry("mine", "mine", REFERENCE)], Settings(states=14)).document()


@pytest.fixture
def document(right: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(right)


def item(document: dict[str, Any], name: str = CELL) -> dict[str, Any]:
    return next(item for item in (*document["cells"], *document["invariants"]) if item["id"] == name)


def test_a_baseline_survives_its_file_and_finds_nothing_in_its_own_run(right: dict[str, Any], tmp_path: Path) -> None:
    write_json(baseline_of(right), tmp_path / "baseline.json")
    baseline = read_baseline(tmp_path / "baseline.json")
    assert baseline == baseline_of(right)
    assert baseline["settings"]["states"] == 14
    assert len(baseline["cells"]) == 2 * (len(QUANTITIES) + 5)
    assert regressions(right, baseline) == []


@pytest.mark.parametrize("name", [CELL, "pendulum/mine/power balance"])
@pytest.mark.parametrize(("then", "now", "moved"), [(1.0, 3.9, False), (1.0, 4.1, True), (0.0, 1.9, False), (0.0, 2.1, True)])
def test_worse_than_noise(document: dict[str, Any], name: str, then: float, now: float, moved: bool) -> None:
    assert (NOISE, FLOOR) == (4, 0.5)
    item(document, name)["error"] = then
    baseline = baseline_of(document)
    item(document, name)["error"] = now
    found = regressions(document, baseline)
    assert [regression.id for regression in found] == [name] * moved
    if moved:
        assert found[0].message == f"is off by {now:.3g} ε-units, {then:.3g} in the baseline"


@pytest.mark.parametrize("verdict", ["not offered", "unsupported"])
def test_a_cell_that_is_compared_no_longer(document: dict[str, Any], verdict: str) -> None:
    baseline = baseline_of(document)
    item(document).update(verdict=verdict, error=None, message="because")
    (found,) = regressions(document, baseline)
    assert (found.id, found.message) == (CELL, "was compared in the baseline and is not any more (because)")


def test_a_mechanism_that_is_gone_takes_its_cells_along(document: dict[str, Any]) -> None:
    baseline = baseline_of(document)
    for part in ("cells", "invariants"):
        document[part] = [item for item in document[part] if item["mechanism"] == "pendulum"]
    found = regressions(document, baseline)
    assert len(found) == len(QUANTITIES) + 5
    assert {regression.message for regression in found} == {"was compared in the baseline and is not any more"}


def test_mechanisms_left_out_of_the_run_are_left_out_of_the_comparison(document: dict[str, Any]) -> None:
    baseline = baseline_of(document)
    for part in ("cells", "invariants"):
        document[part] = [item for item in document[part] if item["mechanism"] == "pendulum"]
    document["mechanisms"] = [mechanism for mechanism in document["mechanisms"] if mechanism["name"] == "pendulum"]
    assert regressions(document, baseline) == []


def test_what_was_not_compared_then_or_is_wrong_now_is_no_regression(document: dict[str, Any]) -> None:
    item(document, "pendulum/mine/gravity").update(verdict="unsupported", error=None)
    baseline = baseline_of(document)
    item(document).update(verdict="discrepancy", error=1e9)
    item(document, "cart-pole/mine/mass_matrix").update(verdict="failed", error=None)
    item(document, "pendulum/mine/gravity").update(verdict="not offered")
    assert regressions(document, baseline) == []


def test_another_mechanism_of_the_same_name(document: dict[str, Any]) -> None:
    baseline = baseline_of(document)
    document["mechanisms"][0]["fingerprint"] = "0" * 16
    (found,) = regressions(document, baseline)
    assert found.id == "pendulum"
    assert "--update-baseline" in found.message


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda b: b.pop("schema"), "is no baseline of this version"),
        (lambda b: b.update(schema="dalembert-baseline-0"), "schema 'dalembert-baseline-0', not 'dalembert-baseline-1'"),
        (lambda b: b.pop("settings"), "is damaged"),
        (lambda b: b["settings"].update(states="many"), "is damaged"),
        (lambda b: b["settings"].update(states=0), "is damaged"),
        (lambda b: b["settings"].update(bar="16"), "is damaged"),
        (lambda b: b["settings"].pop("seed"), "is damaged"),
        (lambda b: b.update(mechanisms=[]), "is damaged"),
        (lambda b: b["mechanisms"]["pendulum"].pop("spec"), "is damaged"),
        (lambda b: b["mechanisms"].update(pendulum=None), "is damaged"),
        (lambda b: b.update(cells=None), "is damaged"),
        (lambda b: b["cells"][CELL].pop("verdict"), "is damaged"),
        (lambda b: b["cells"][CELL].update(error=None), "is damaged"),
        (lambda b: b["cells"][CELL].update(error="1"), "is damaged"),
        (lambda b: b["cells"][CELL].update(error=-1), "is damaged"),
    ],
)
def test_a_baseline_that_cannot_be_used(right: dict[str, Any], tmp_path: Path, damage: Any, says: str) -> None:
    baseline = json.loads(json.dumps(baseline_of(right)))
    damage(baseline)
    write_json(baseline, tmp_path / "baseline.json")
    with pytest.raises(ResultsError, match=says) as caught:
        read_baseline(tmp_path / "baseline.json")
    assert str(caught.value).endswith("write it anew with --update-baseline")
    assert "\n" not in str(caught.value)
