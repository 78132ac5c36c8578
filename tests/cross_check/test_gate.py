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
from cross_check.judge.gate.changes import FLOOR, NOISE
from cross_check.judge.settings import ALL_INVARIANTS, Settings
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism
from mechanisms.quantities import USUAL

CELL = "cart-pole/mine/gravity"
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
    assert {record.settings.states for record in baseline.implementations["mine"].values()} == {14}
    assert sum(len(record.cells) for record in baseline.implementations["mine"].values()) == 2 * (
        len(USUAL) + len(ALL_INVARIANTS)
    )
    assert compare(right, baseline, "baseline.json", NOTHING) == BaselineComparison("baseline.json", ())
    assert [path.name for path in tmp_path.iterdir()] == ["baseline.json"]


@pytest.mark.parametrize("name", [CELL, "pendulum/mine/power balance"])
@pytest.mark.parametrize(("then", "now", "worse"), [(1.0, 3.9, False), (1.0, 4.1, True), (0.0, 1.9, False), (0.0, 2.1, True)])
def test_worse_than_noise(right: Results, name: str, then: float, now: float, worse: bool) -> None:
    assert (NOISE, FLOOR) == (4, 0.5)
    baseline = baseline_of(changed(right, name, error=then))
    changes = moved(changed(right, name, error=now), baseline)
    assert [change.id for change in changes] == [name] * worse
    if worse:
        assert changes[0].kind == "worse"
        assert changes[0].message == f"is off by {now:.3g} ε-units, {then:.3g} in the baseline"
        assert changes[0].then == then


@pytest.mark.parametrize("verdict", ["not offered", "unsupported"])
def test_a_cell_that_is_compared_no_longer(right: Results, verdict: str) -> None:
    baseline = baseline_of(changed(right, CELL, error=0.5))
    (change,) = moved(changed(right, CELL, verdict=verdict, error=None, message="because"), baseline)
    assert (change.kind, change.id) == ("lost", CELL)
    assert change.message == "was compared in the baseline and is not any more (because)"
    assert (change.before, change.then) == ("agrees, 0.5 ε-units", 0.5)


def test_a_mechanism_that_is_gone_takes_its_cells_along(right: Results) -> None:
    changes = moved(only(right, "pendulum"), baseline_of(right))
    assert len(changes) == CELLS
    assert {change.message for change in changes} == {"was compared in the baseline and is not any more"}


def test_mechanisms_and_quantities_left_out_of_the_run_are_left_out_of_the_comparison(right: Results) -> None:
    assert moved(without_others(right, "pendulum"), baseline_of(right)) == ()
    few = replace(right, cells=[cell for cell in right.cells if cell.quantity == "gravity"], invariants=())
    assert moved(few, baseline_of(right), ALL_BUT_GRAVITY) == ()
    assert len(moved(few, baseline_of(right), ALL_BUT_GRAVITY - {"mass_matrix"})) == 2


def test_what_was_not_compared_then_is_new_and_what_is_wrong_now_is_no_regression(right: Results) -> None:
    baseline = baseline_of(changed(right, "pendulum/mine/gravity", verdict="unsupported", error=None))
    run = changed(right, CELL, verdict="discrepancy", error=1e9)
    run = changed(run, "cart-pole/mine/mass_matrix", verdict="failed", error=None, message="raised")
    comparison = compare(run, baseline, "baseline.json", NOTHING)
    assert comparison.regressions == ()
    assert {(change.kind, change.id) for change in comparison.changes} == {
        ("broken", CELL),
        ("broken", "cart-pole/mine/mass_matrix"),
        ("new", "pendulum/mine/gravity"),
    }
    assert all(
        change.before.startswith("agrees, ") and change.then is not None
        for change in comparison.changes
        if change.kind == "broken"
    )


@pytest.mark.parametrize(("before", "now", "kind"), [(9.0, 30.0, None), (9.0, 40.0, "worse"), (0.5, 17.0, "worse")])
def test_lost_digits_are_worse_by_the_usual_rule(right: Results, before: float, now: float, kind: str | None) -> None:
    baseline = baseline_of(changed(right, CELL, error=before))
    changes = moved(changed(right, CELL, verdict="lost digits", error=now), baseline)
    assert [change.kind for change in changes] == ([kind] if kind else [])


def test_lost_digits_in_the_baseline(right: Results) -> None:
    baseline = baseline_of(changed(right, CELL, verdict="lost digits", error=500.0))
    assert moved(right, baseline) == ()
    (change,) = compare(changed(right, CELL, verdict="discrepancy", error=1e9), baseline, "baseline.json", NOTHING).changes
    assert (change.kind, change.before) == ("broken", "lost digits, 500 ε-units")


@pytest.mark.parametrize("verdict", ["discrepancy", "known"])
def test_a_cell_that_agrees_again_is_fixed(right: Results, verdict: str) -> None:
    (change,) = moved(right, baseline_of(changed(right, CELL, verdict=verdict, error=1e9)))
    assert (change.kind, change.before, change.then) == ("fixed", f"{verdict}, 1e+09 ε-units", 1e9)


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
    run = right
    for cell in right.cells:
        if cell.quantity != "gravity":
            run = changed(run, cell.id, verdict="not offered", error=None)
    run = replace(run, invariants=())
    assert {name: list(record.cells) for name, record in records_of(run).items()} == {
        "pendulum": ["gravity"],
        "cart-pole": ["gravity"],
    }


def test_a_cell_that_agreed_and_has_a_known_fault_now_is_a_regression(right: Results) -> None:
    baseline = Baseline({"mine": records_of(right)})
    run = changed(right, CELL, verdict="known", error=1e6, message="a known fault of this version")
    (change,) = compare(run, baseline, "baseline.json", NOTHING).regressions
    assert (change.kind, change.id) == ("worse", CELL)
    assert change.message == "is off by 1e+06 ε-units (a known fault of this version)"


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
        (lambda b: pendulum(b).pop("settings"), "is damaged"),
        (lambda b: pendulum(b)["settings"].update(states="many"), "is damaged"),
        (lambda b: pendulum(b)["settings"].update(states=0), "is damaged"),
        (lambda b: pendulum(b)["settings"].update(bar="16"), "is damaged"),
        (lambda b: pendulum(b)["settings"].update(bar=1e300), r"has a bar of 1e\+300 for pendulum; 16 is the largest"),
        (lambda b: pendulum(b)["settings"].update(bar=-1), "is damaged"),
        (lambda b: pendulum(b)["settings"].pop("seed"), "is damaged"),
        (lambda b: b.update(implementations=[]), "is damaged"),
        (lambda b: b.update(implementations={}), "knows no implementation"),
        (lambda b: b["implementations"]["mine"].update(mechanisms=[]), "is damaged"),
        (lambda b: pendulum(b).pop("spec"), "is damaged"),
        (lambda b: b["implementations"]["mine"]["mechanisms"].update(pendulum=None), "is damaged"),
        (lambda b: pendulum(b).update(cells=None), "is damaged"),
        (lambda b: [one.update(cells={}) for one in b["implementations"]["mine"]["mechanisms"].values()], "has no cell of mine"),
        (lambda b: pendulum(b)["cells"]["gravity"].pop("verdict"), "is damaged"),
        (lambda b: pendulum(b)["cells"]["gravity"].update(verdict="fine"), "is damaged"),
        (lambda b: pendulum(b)["cells"]["gravity"].update(error=None), "is damaged"),
        (lambda b: pendulum(b)["cells"]["gravity"].update(error="1"), "is damaged"),
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
    run = changed(right, CELL, verdict=verdict, error=error, sharpness=sharpness, states=(), errors=[error])
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


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e999"])
def test_a_bar_that_is_not_finite_is_refused(right: Results, tmp_path: Path, number: str) -> None:
    path = tmp_path / "baseline.json"
    update_baseline(path, right, NOTHING)
    path.write_text(path.read_text().replace('"bar": 16.0', f'"bar": {number}'))
    with pytest.raises(ResultsError, match=r"is no JSON|has a bar of inf"):
        read_baseline(path)
