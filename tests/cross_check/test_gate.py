"""The gate's memory: what a baseline keeps, and what it says when a number moves."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from cross_check.exchange.results import Results, ResultsError, read_results, write_json
from cross_check.exchange.results.objects import BaselineComparison, Change, Item, Sharpness
from cross_check.harness import Entry, check
from cross_check.judge.gate import Baseline, compare, read_baseline, update_baseline
from cross_check.judge.gate.baseline import records_of
from cross_check.judge.settings import ALL_INVARIANTS, Settings
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.quantities import USUAL

CELL, INVARIANT = "cart-pole/mine/gravity", "pendulum/mine/power balance"
CELLS = len(USUAL) + len(ALL_INVARIANTS)
NOTHING: frozenset[str] = frozenset()
ALL_BUT_GRAVITY = Settings(quantities=("gravity",), invariants=False).left_out


@pytest.fixture(scope="module")
def right() -> Results:
    found = [(spec, find_mechanism(spec)) for spec in ("pendulum", "cart-pole")]
    return check(found, [Entry("mine", "mine", InProcess(REFERENCE))], Settings(states=14))


def changed(run: Results, name: str, **changes: Any) -> Results:
    """The run with the cell or invariant of this id changed."""

    def each(items: Any) -> tuple[Any, ...]:
        return tuple(replace(item, **changes) if item.id == name else item for item in items)

    return replace(run, cells=each(run.cells), invariants=each(run.invariants))


def only(run: Results, mechanism: str) -> Results:
    """The run without the cells and invariants of other mechanisms."""

    def each(items: Any) -> tuple[Item, ...]:
        return tuple(item for item in items if item.mechanism == mechanism)

    return replace(run, cells=each(run.cells), invariants=each(run.invariants))


def without_others(run: Results, mechanism: str) -> Results:
    """The run as if it were of one mechanism."""
    return replace(only(run, mechanism), mechanisms=[one for one in run.mechanisms if one.name == mechanism])


def baseline_of(run: Results) -> Baseline:
    return Baseline({"mine": records_of(run)})


def moved(run: Results, baseline: Baseline, left_out: Any = NOTHING) -> tuple[Change, ...]:
    return tuple(compare(run, baseline, "baseline.json", left_out).changes)


def test_a_baseline_survives_its_file_and_finds_nothing_in_its_own_run(right: Results, tmp_path: Path) -> None:
    update_baseline(tmp_path / "baseline.json", right, NOTHING)
    baseline = read_baseline(tmp_path / "baseline.json")
    assert baseline == baseline_of(right)
    assert [record.settings.states for record in baseline.implementations["mine"].values()] == [14, 14]
    assert [len(record.cells) for record in baseline.implementations["mine"].values()] == [CELLS, CELLS]
    assert compare(right, baseline, "baseline.json", NOTHING) == BaselineComparison("baseline.json", ())
    assert [path.name for path in tmp_path.iterdir()] == ["baseline.json"]


def cell(verdict: str, error: float | None = None, message: str = "", missing: int = 0) -> dict[str, Any]:
    return {"verdict": verdict, "error": error, "message": message, "missing": missing}


FEWER = "is compared in fewer states: 2 recorded answers of it missing, 1 in the baseline"


@pytest.mark.parametrize(
    ("then", "now", "kind", "message"),
    [
        (cell("agrees", 1.0), cell("agrees", 3.9), "", ""),
        (cell("agrees", 1.0), cell("agrees", 4.1), "worse", "is off by 4.1 ε-units, 1 in the baseline"),
        (cell("agrees", 0.0), cell("agrees", 1.9), "", ""),
        (cell("agrees", 0.0), cell("agrees", 2.1), "worse", "is off by 2.1 ε-units, 0 in the baseline"),
        (cell("agrees", 9.0), cell("lost digits", 30.0), "", ""),
        (cell("agrees", 9.0), cell("lost digits", 40.0), "worse", "is off by 40 ε-units, 9 in the baseline"),
        (cell("lost digits", 500.0), cell("agrees", 1.0), "", ""),
        (cell("lost digits", 500.0), cell("discrepancy", 1e9), "broken", "is off by 1e+09 ε-units"),
        (cell("agrees", 1.0), cell("failed", None, "raised"), "broken", "raised"),
        (cell("agrees", 1.0), cell("known", 1e6, "a known fault"), "worse", "is off by 1e+06 ε-units (a known fault)"),
        (cell("agrees", 0.5), cell("not offered", None, "why"), "lost", "was compared in the baseline and is not any more (why)"),
        (cell("agrees", 0.5), cell("unsupported", None, "why"), "lost", "was compared in the baseline and is not any more (why)"),
        (cell("agrees", 0.5, missing=1), cell("agrees", 0.5, missing=2), "lost", FEWER),
        (cell("agrees", 0.5, missing=2), cell("agrees", 0.5, missing=1), "", ""),
        (cell("unsupported"), cell("agrees", 1.0), "new", "is compared now and was not in the baseline"),
        (cell("discrepancy", 1e9), cell("agrees", 1.0), "fixed", "agrees now, within 1 ε-units"),
        (cell("known", 1e9), cell("lost digits", 20.0), "fixed", "lost digits now, within 20 ε-units"),
    ],
)
def test_a_cell_that_changes(right: Results, then: dict[str, Any], now: dict[str, Any], kind: str, message: str) -> None:
    baseline = baseline_of(changed(right, CELL, **then))
    comparison = compare(changed(right, CELL, **now), baseline, "baseline.json", NOTHING)
    assert [(change.id, change.kind, change.message) for change in comparison.changes] == (
        [(CELL, kind, message)] if kind else []
    )
    assert len(comparison.regressions) == (kind in ("worse", "lost"))
    for change in comparison.changes:
        assert change.then == then["error"]
        assert change.before in ("", f"{then['verdict']}, {then['error'] or 0:.3g} ε-units")
        assert bool(change.before) == (kind in ("broken", "lost", "fixed") or now["verdict"] == "known")


def test_an_invariant_that_is_worse(right: Results) -> None:
    (change,) = moved(changed(right, INVARIANT, error=4.1), baseline_of(changed(right, INVARIANT, error=1.0)))
    assert (change.kind, change.id) == ("worse", INVARIANT)


def test_a_mechanism_that_is_gone_takes_its_cells_along(right: Results) -> None:
    changes = moved(only(right, "pendulum"), baseline_of(right))
    assert len(changes) == CELLS
    assert {change.message for change in changes} == {"was compared in the baseline and is not any more"}


def test_mechanisms_and_quantities_left_out_of_the_run_are_left_out_of_the_comparison(right: Results) -> None:
    assert moved(without_others(right, "pendulum"), baseline_of(right)) == ()
    few = replace(right, cells=[cell for cell in right.cells if cell.quantity == "gravity"], invariants=())
    assert moved(few, baseline_of(right), ALL_BUT_GRAVITY) == ()
    assert len(moved(few, baseline_of(right), ALL_BUT_GRAVITY - {"mass_matrix"})) == 2


def test_another_mechanism_of_the_same_name(right: Results) -> None:
    first, *others = right.mechanisms
    (change,) = moved(replace(right, mechanisms=[replace(first, fingerprint="0" * 16), *others]), baseline_of(right))
    assert (change.kind, change.id) == ("replaced", "pendulum")
    assert "--update-baseline" in change.message


def test_a_mechanism_and_an_implementation_that_the_baseline_does_not_know_are_regressions(right: Results) -> None:
    for baseline in (baseline_of(without_others(right, "cart-pole")), baseline_of(only(right, "cart-pole"))):
        comparison = compare(right, baseline, "baseline.json", NOTHING)
        assert [(change.kind, change.id) for change in comparison.regressions] == [("unrecorded", "pendulum")]
    stranger = compare(right, Baseline({"other": records_of(right)}), "baseline.json", NOTHING)
    assert {change.kind for change in stranger.regressions} == {"unrecorded"}


def test_only_compared_cells_are_recorded(right: Results) -> None:
    recorded = {name: set(record.cells) for name, record in records_of(changed(right, CELL, **cell("not offered"))).items()}
    assert recorded["pendulum"] - recorded["cart-pole"] == {"gravity"}


def test_an_update_keeps_what_the_run_does_not_cover(right: Results, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    other = replace(right, implementations=[replace(right.implementations[0], spec="./other.py")])
    update_baseline(path, without_others(right, "pendulum"), NOTHING)
    update_baseline(path, without_others(right, "cart-pole"), NOTHING)
    update_baseline(path, other, NOTHING)
    baseline = read_baseline(path)
    assert baseline == Baseline({"mine": records_of(right), "other.py": records_of(right)})
    few = changed(
        replace(right, cells=[cell for cell in right.cells if cell.quantity == "gravity"], invariants=()), CELL, error=9.0
    )
    update_baseline(path, few, ALL_BUT_GRAVITY)
    cells = read_baseline(path).implementations["mine"]["cart-pole"].cells
    assert len(cells) == CELLS
    assert cells["gravity"].error == 9.0
    with pytest.raises(ResultsError, match="for other settings; record all quantities"):
        update_baseline(path, replace(few, settings=replace(few.settings, seed=1)), ALL_BUT_GRAVITY)
    edited = replace(few, mechanisms=[replace(mechanism, fingerprint="0" * 16) for mechanism in few.mechanisms])
    with pytest.raises(ResultsError, match="for another version of the mechanism; record all quantities"):
        update_baseline(path, edited, ALL_BUT_GRAVITY)
    assert read_baseline(path).implementations["mine"]["cart-pole"].cells == cells
    update_baseline(path, replace(right, settings=replace(right.settings, seed=1)), NOTHING)
    assert read_baseline(path).implementations["mine"]["cart-pole"].settings.seed == 1


def _record(path: Path, run: Results) -> None:
    update_baseline(path, run, NOTHING)


def test_runs_in_several_processes_lose_nothing(right: Results, tmp_path: Path) -> None:
    path = tmp_path / "baseline.json"
    runs = [replace(right, implementations=[replace(right.implementations[0], spec=f"engine{k}")]) for k in range(12)]
    with ProcessPoolExecutor(4, mp_context=get_context("fork")) as pool:
        list(pool.map(_record, [path] * len(runs), runs))
    assert set(read_baseline(path).implementations) == {f"engine{k}" for k in range(12)}


def pendulum(baseline: Any) -> Any:
    return baseline["implementations"]["mine"]["mechanisms"]["pendulum"]


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda b: b.pop("schema"), "is no baseline of this version"),
        (lambda b: b.update(schema="dalembert-baseline-0"), "schema 'dalembert-baseline-0', not 'dalembert-baseline-2'"),
        (lambda b: pendulum(b)["settings"].update(states=0), "is damaged"),
        (lambda b: pendulum(b)["settings"].update(bar=1e300), r"has a bar of 1e\+300 for pendulum; 16 is the largest"),
        (lambda b: pendulum(b)["settings"].update(bar=-1), "is damaged"),
        (lambda b: pendulum(b)["settings"].pop("seed"), "is damaged"),
        (lambda b: b.update(implementations={}), "knows no implementation"),
        (lambda b: pendulum(b).pop("spec"), "is damaged"),
        (lambda b: b["implementations"]["mine"]["mechanisms"].update(pendulum=None), "is damaged"),
        (lambda b: [one.update(cells={}) for one in b["implementations"]["mine"]["mechanisms"].values()], "has no cell of mine"),
        (lambda b: pendulum(b)["cells"]["gravity"].update(verdict="fine"), "is damaged"),
        (lambda b: pendulum(b)["cells"]["gravity"].update(error=None), "is damaged"),
        (lambda b: pendulum(b)["cells"]["gravity"].update(error=-1), "is damaged"),
    ],
)
def test_a_baseline_that_cannot_be_used(right: Results, tmp_path: Path, damage: Any, says: str) -> None:
    path = tmp_path / "baseline.json"
    update_baseline(path, right, NOTHING)
    document = json.loads(path.read_text())
    damage(document)
    path.write_text(json.dumps(document))
    with pytest.raises(ResultsError, match=says) as caught:
        read_baseline(path)
    assert str(caught.value).endswith("write it anew with --update-baseline")
    assert "\n" not in str(caught.value)
    update_baseline(path, right, NOTHING)
    assert read_baseline(path) == baseline_of(right)


VERDICTS = [
    ("discrepancy", 2.0, False, False),
    ("discrepancy", 2.0, True, True),
    ("discrepancy", 20.0, False, True),
    ("lost digits", 2.0, True, False),
    ("lost digits", 20.0, False, True),
    ("agrees", 2.0, False, True),
    ("agrees", 2.0, True, False),
    ("agrees", 20.0, False, False),
]
"""A verdict, an error, whether the errors are systematic, and whether that can be."""


@pytest.mark.parametrize(("verdict", "error", "is_systematic", "can_be"), VERDICTS)
def test_results_and_baselines_refuse_a_verdict_that_does_not_follow(
    right: Results, tmp_path: Path, verdict: Any, error: float, is_systematic: bool, can_be: bool
) -> None:
    sharpness = Sharpness(1e4 if is_systematic else 0.0, 1e-16, 3, 3)
    run = changed(right, CELL, verdict=verdict, error=error, sharpness=sharpness, states=(), errors=[error], missing=13)
    results, baseline = tmp_path / "results.json", tmp_path / "baseline.json"
    write_json(run.document(), results)
    update_baseline(baseline, run, NOTHING)
    for path, read, says in (
        (results, read_results, f"has the verdict '{verdict}' with an error of {error}"),
        (baseline, read_baseline, "whose verdict does not follow from its error"),
    ):
        with nullcontext() if can_be else pytest.raises(ResultsError, match=says):
            read(path)
    if can_be:
        assert read_baseline(baseline) == baseline_of(run)
