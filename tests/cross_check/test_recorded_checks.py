"""Recorded data in a check: verdicts, missing states, digits that were written, and causes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from inexact_code import AsTheBookPrintsIt
from recorded_files import Rows, rows_of, write

import dalembert
from cross_check.exchange.recorded_data.table import RecordedError
from cross_check.exchange.results import Cell, Results, verdict_of
from cross_check.exchange.results.document import results_from
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.typical import FAULTS
from cross_check.judge.settings import SettingsError
from implementations.field import Real
from implementations.spatial_algebra.reference import Reference
from mechanisms import find_mechanism, random_mechanism
from reports import html, junit, markdown, services

ARM = find_mechanism("spatial-3r")
BY_NAME = {fault.name: fault for fault in FAULTS}
DYNAMICS = ("inverse_dynamics", "mass_matrix")


def check(*paths: Path, mechanism: Any = ARM, explain: bool = False, others: Sequence[Any] = (), **settings: Any) -> Results:
    return dalembert.check(mechanism, [*(f"recorded:{path}" for path in paths), *others], explain=explain, **settings)


def cell_of(results: Results, quantity: str = "inverse_dynamics", implementation: str = "") -> Cell:
    return next(c for c in results.cells if c.quantity == quantity and implementation in c.implementation)


def answers_of(rows: Rows) -> list[str]:
    return [name for name in rows if name.startswith("inverse")]


def rounded(rows: Rows, text: str, *starts: str) -> Rows:
    return {name: [float(text % x) for x in column] if name.startswith(starts) else column for name, column in rows.items()}


def test_a_state_that_is_too_far_away_is_refused(tmp_path: Path) -> None:
    rows = rows_of(ARM)
    rows[f"q.{ARM.positions[0]}"][3] = 2.0**31
    with pytest.raises(RecordedError, match=r"state 3 turns joint .* by more than 2\^30 rad; leave that state out"):
        check(write(tmp_path / "far.csv", rows))


@pytest.mark.parametrize(("ending", "nothing"), [(".csv", "nan"), (".json", "-inf"), (".npz", "nan")])
def test_an_answer_that_is_no_number_has_failed(tmp_path: Path, ending: str, nothing: str) -> None:
    """Code that answers NaN is wrong there; an empty cell says that it was not asked."""
    rows = rows_of(ARM, DYNAMICS)
    name = next(name for name in rows if name.startswith("inverse_dynamics."))
    rows[name][7] = float(nothing) if ending == ".npz" else nothing
    results = check(write(tmp_path / f"arm{ending}", rows))
    assert (cell_of(results).verdict, cell_of(results, "mass_matrix").verdict) == ("failed", "agrees")
    assert "inverse_dynamics was recorded as NaN or infinite in state 7" in cell_of(results).message
    assert verdict_of(results).exit_code == 3


def test_recorded_answers_are_judged_at_their_own_states(tmp_path: Path) -> None:
    path = write(tmp_path / "arm.json", rows_of(ARM, DYNAMICS, seed=5), {"implementation": "firmware", "version": "7"})
    results = check(path)
    assert [cell_of(results, name).verdict for name in DYNAMICS] == ["agrees", "agrees"]
    assert results.implementations[0].name == "firmware (recorded)" and results.implementations[0].version == "7"
    assert results.settings.recorded == (str(path),) and results.settings.states == 18
    assert verdict_of(results).headline.startswith("firmware (recorded) agrees with the truth on 1 mechanism")
    assert results_from(results.document()) == results


def test_missing_states_are_said_everywhere(tmp_path: Path) -> None:
    rows = rows_of(ARM, DYNAMICS)
    for name in answers_of(rows):
        rows[name][4:6] = [None, None]
    results = check(write(tmp_path / "arm.csv", {name: column[:-1] for name, column in rows.items()}, {"states": 18}))
    cell = cell_of(results)
    assert (
        cell.verdict == "agrees" and cell.missing == 3 and cell.states == (0, 1, 2, 3, *range(6, 17)) and len(cell.errors) == 15
    )
    assert cell.message == "compared in 15 of 18 states; nothing is known of the others"
    said = "3 of 18 states have no recorded answer"
    assert any(one.why == f"{said}: 4, 5, 17" for one in results.skipped)
    assert "4 recorded answers are missing, of which nothing is known" in verdict_of(results).headline
    for text in (html.render(results), junit.render(results), markdown.render(results)):
        assert said in text and "1 of 18 states have no recorded answer" in text


@pytest.mark.parametrize("left", [0, 1])
def test_a_quantity_without_answers_is_missing_and_nothing_is_green_about_it(tmp_path: Path, left: int) -> None:
    rows = rows_of(ARM, ("inverse_dynamics", "gravity"))
    for name in answers_of(rows):
        rows[name][left:] = [""] * (18 - left)
    results = check(write(tmp_path / "arm.csv", rows))
    cell = cell_of(results)
    assert cell.missing == 18 - left and cell.verdict == ("agrees" if left else "unsupported")
    assert left or verdict_of(check(tmp_path / "arm.csv", quantities="inverse_dynamics")).exit_code == 5
    assert f"{18 - left} recorded answers are missing, of which nothing is known" in verdict_of(results).headline
    assert f'"agrees, {18 - left} answers missing"' in services.badge(results) and "green" not in services.badge(results)
    case = ElementTree.fromstring(junit.render(results)).find(".//testcase[@name='inverse_dynamics']")
    assert case is not None and case.find("skipped") is not None


def test_two_files_and_code_are_compared_side_by_side_unless_they_contradict(tmp_path: Path) -> None:
    rows = rows_of(ARM, DYNAMICS)
    one = write(tmp_path / "one.csv", {name: column[:10] for name, column in rows.items()})
    two = write(tmp_path / "two.json", {name: column[5:] for name, column in rows.items() if not name.startswith("mass")})
    results = check(one, two, others=["reference"], quantities=[*DYNAMICS, "forward_dynamics"])
    assert [len(cell.errors) for cell in results.cells if cell.quantity == "inverse_dynamics"] == [10, 13, 18]
    assert not any(cell.missing for cell in results.cells)
    assert cell_of(results, "forward_dynamics", "reference").message == "the recorded states have no tau"
    assert cell_of(results, "mass_matrix", "two").verdict == "not offered"
    assert cell_of(results, "mass_matrix", "reference").verdict == "agrees"
    three = write(tmp_path / "three.csv", rows_of(ARM, seed=1))
    said = r"three.csv: its q of state 1 is not that of one.csv; check files with different states one"
    with pytest.raises(RecordedError, match=said):
        check(one, three)


@pytest.mark.parametrize(
    ("mechanisms", "settings", "sentence"),
    [
        (["spatial-3r", "pendulum"], {}, r"arm.csv is about one mechanism, and this run has 2; name the one of the file"),
        ("spatial-3r", {"seed": 3}, r"the states of arm.csv are compared, and none is sampled; leave seed out"),
        ("spatial-3r", {"states": 3, "seed": 1}, r"leave seed and states out"),
        ("spatial-3r", {"relations": ["rotated_base"]}, r"relations ask code anew, and arm.csv cannot be asked; leave"),
        ("spatial-3r", {"given": None}, r"there is no setting 'given'; use seed, states, bar"),
        ("pendulum", {}, r"'pendulum' has none: there is no column 'q.joint1'"),
    ],
)
def test_what_a_run_with_recorded_data_cannot_do(tmp_path: Path, mechanisms: Any, settings: Any, sentence: str) -> None:
    path = write(tmp_path / "arm.csv", rows_of(ARM))
    with pytest.raises((SettingsError, RecordedError), match=sentence):
        dalembert.check(mechanisms, f"recorded:{path}", **settings)


@pytest.mark.parametrize("text", ["%.6g", "%.15g"])
def test_answers_with_few_digits_are_right_as_far_as_they_show(tmp_path: Path, text: str) -> None:
    quantities = (*DYNAMICS, "forward_dynamics")
    results = check(write(tmp_path / "arm.csv", rounded(rows_of(ARM, quantities, count=36), text, *quantities)))
    for cell in (cell_of(results, quantity) for quantity in quantities):
        assert cell.verdict == "lost digits" or text == "%.15g", cell
        assert "right as far as the file can show: it has" in cell.message or cell.verdict == "agrees"
    assert verdict_of(results).exit_code == 0
    if text != "%.15g":
        assert any("write 17 digits, as %.17g does, to show more" in one.why for one in results.skipped)


def test_states_with_few_digits_may_be_rounded_states(tmp_path: Path) -> None:
    rows = rounded(rows_of(ARM, (*DYNAMICS, "forward_dynamics"), count=36), "%.7g", "q.", "v.", "a.", "tau.")
    results = check(write(tmp_path / "arm.csv", rows, {"states_are": "rounded"}))
    assert [cell_of(results, name).verdict for name in (*DYNAMICS, "forward_dynamics")] == ["lost digits"] * 3
    assert "7 digits in q, v and a" in cell_of(results).message


def on_a_grid(factor: float) -> Rows:
    """States of three decimals, and the answers there with all digits; those to gravity times a factor."""
    rows, reference = rows_of(ARM), Reference().load(ARM)
    q, v, a = np.random.default_rng(0).integers(-3000, 3000, (3, 18, 3)) / 1000
    tau = reference.inverse_dynamics(q, v, a) + (factor - 1) * reference.gravity(q)
    arrays = {"q": q, "v": v, "a": a, "inverse_dynamics": tau}
    return rows | {f"{name}.{c}": x[:, k].tolist() for name, x in arrays.items() for k, c in enumerate(ARM.coordinates)}


def test_short_states_do_not_hide_a_small_wrong_term(tmp_path: Path) -> None:
    assert cell_of(check(write(tmp_path / "right.csv", on_a_grid(1.0)))).verdict == "agrees"
    rows = on_a_grid(1 + 3e-5)
    results = check(write(tmp_path / "arm.csv", rows))
    cell = cell_of(results)
    assert cell.verdict == "discrepancy"
    assert any(one.why.startswith(cell.message) for one in results.skipped), "it is said beside the diagnosis, too"
    assert "3 decimals in q, v and a are taken as exact" in cell.message and "write '# states_are: rounded'" in cell.message
    excused = check(write(tmp_path / "rounded.csv", rows, {"states_are": "rounded"}))
    assert cell_of(excused).verdict == "lost digits", "the file says so"
    assert "is right as far as the digits of the file show in 1 comparison" in verdict_of(excused).headline
    few = rounded(rows, "%.9g", "inverse")
    assert cell_of(check(write(tmp_path / "few.csv", few))).verdict == "lost digits"
    exact = cell_of(check(write(tmp_path / "exact.csv", few, {"states_are": "exact"})))
    assert exact.verdict == "discrepancy" and exact.message == "the file has 9 digits in the answers, which does not explain it"


def test_rounded_states_near_an_extremum(tmp_path: Path) -> None:
    """The torque of the pendulum is largest at q = π/2: a step towards it changes the torque less than a step away from it."""
    pendulum = find_mechanism("pendulum")
    q = np.arange(1560, 1583) / 1000
    answers = np.asarray(Reference().load(pendulum).gravity(q[:, None] - 0.00045))
    rows: Rows = {"q.pivot": q.tolist(), "gravity.pivot": answers[:, 0].tolist()}
    cell = cell_of(check(write(tmp_path / "a.csv", rows, {"states_are": "rounded"}), mechanism=pendulum), "gravity")
    assert cell.verdict == "lost digits", cell.message


def test_answers_without_digits_say_nothing_about_the_states(tmp_path: Path) -> None:
    rows = on_a_grid(1.0) | {f"gravity.{name}": [0.0] * 18 for name in ARM.coordinates}
    rows = rounded(rows, "%.7g", "inverse")
    assert cell_of(check(write(tmp_path / "arm.csv", rows))).verdict == "lost digits"


@pytest.mark.slow
def test_a_wrong_sign_in_a_file_is_named(tmp_path: Path) -> None:
    fault = "ω × I ω has the wrong sign"
    rows = rows_of(ARM, DYNAMICS, count=54, code=Mutant(BY_NAME[fault]))
    results = check(write(tmp_path / "arm.csv", rounded(rows, "%.6g", "inverse")), explain=True)
    (cause,) = results.causes
    assert fault in cause.sentence and cause.cells == (cell_of(results).id,)
    assert any("recorded data has no answers elsewhere" in one for one in cause.untried)
    assert cause.example and cause.example.bodies == 3, "smaller mechanisms cannot be asked"


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.engines
def test_single_precision_in_a_file_is_no_wrong_number(tmp_path: Path) -> None:
    """A distance that acts on no answer, but makes the scale of errors larger, explained them once."""
    ur5 = find_mechanism("ur5")
    rows = rows_of(ur5, count=54, code=Reference(Real(np.float32)))
    (cause,) = check(write(tmp_path / "arm.csv", rounded(rows, "%.9g", "inverse")), mechanism=ur5, explain=True).causes
    assert (cause.kind, cause.sentence) == ("arithmetic", "In arm (recorded), inverse dynamics is computed in float32 somewhere")


@pytest.mark.slow
def test_a_rare_fault_with_missing_answers_is_diagnosed_at_its_own_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong in the last states alone; the numbers of the states are not their places."""
    monkeypatch.setattr("cross_check.explain.diagnosis.diagnose.MOST_OF_ONE", -900)
    pendulum = find_mechanism("furuta-pendulum")
    rows = rows_of(pendulum, count=54)
    wrong = rows_of(pendulum, count=54, code=Mutant(BY_NAME["gravity is left out"]))
    rows = {name: [*column[3:40], *wrong[name][40:]] for name, column in rows.items()}
    results = check(write(tmp_path / "arm.csv", rows), mechanism=pendulum, explain=True)
    assert cell_of(results).worst.state >= 40  # type: ignore[union-attr]
    assert results.causes[0].kind in ("unknown", "condition")


def test_inconsistent_torques_cannot_judge_the_derivative(tmp_path: Path) -> None:
    rows = rows_of(ARM, ("forward_dynamics_dq", "inverse_dynamics"))
    assert cell_of(check(write(tmp_path / "a.csv", rows)), "forward_dynamics_dq").verdict == "agrees"
    rows["tau.joint2"] = [x + 1 for x in rows["tau.joint2"]]
    with pytest.raises(
        RecordedError, match=r"tau of state 0 is not the inverse dynamics of a there, so forward_dynamics_dq cannot"
    ):
        check(write(tmp_path / "b.csv", rows))


def test_torques_alone_judge_forward_dynamics(tmp_path: Path) -> None:
    """τ need not be the inverse dynamics of any a: a logged torque is as good as another."""
    rows = rows_of(ARM, ("forward_dynamics", "forward_dynamics_dq"))
    tau = np.random.default_rng(0).normal(size=(18, 3))
    q, v = (np.array([rows[f"{x}.{name}"] for name in ARM.coordinates]).T for x in "qv")
    reference = Reference().load(ARM)
    rows |= {f"tau.{name}": column for name, column in zip(ARM.coordinates, tau.T.tolist(), strict=True)}
    for quantity in ("forward_dynamics", "forward_dynamics_dq"):
        flat = getattr(reference, quantity)(q, v, tau).reshape(18, -1).T.tolist()
        rows |= dict(zip((name for name in rows if name.startswith(f"{quantity}.")), flat, strict=True))
    results = check(write(tmp_path / "arm.csv", rows))
    assert [cell_of(results, name).verdict for name in ("forward_dynamics", "forward_dynamics_dq")] == ["agrees", "agrees"]


@pytest.mark.slow
def test_very_many_states(tmp_path: Path) -> None:
    pendulum, path = find_mechanism("pendulum"), tmp_path / "many.csv"
    rows = rows_of(pendulum, ("gravity",), count=2048)
    for seed in (1, 2, 3):
        more = rows_of(pendulum, ("gravity",), count=2048, seed=seed)
        rows = {name: column + more[name] for name, column in rows.items()}
    rows["state"] = list(range(8192))
    # A whole block has no answer, and one state elsewhere.
    rows["gravity.pivot"][2048:4096] = [None] * 2048
    rows["gravity.pivot"][5000] = None
    cell = cell_of(check(write(path, rows), mechanism=pendulum), "gravity")
    assert cell.verdict == "agrees" and cell.missing == 2049 and cell.histogram and cell.histogram.states == 6143
    rows["gravity.pivot"][7000] += 1
    results = check(write(path, rows), mechanism=pendulum, explain=True)
    cell = cell_of(results, "gravity")
    assert cell.verdict == "discrepancy" and cell.worst and cell.worst.state == 7000
    assert all("failed to find out why" not in cause.sentence for cause in results.causes)


@pytest.mark.slow
def test_digits_that_rounding_takes_are_lost_and_no_error(tmp_path: Path) -> None:
    chain = random_mechanism(7, 14, ("spherical",), shape="chain")
    rows = rows_of(chain, ("forward_dynamics",), code=AsTheBookPrintsIt())
    cell = cell_of(check(write(tmp_path / "a.npz", rows), mechanism=chain), "forward_dynamics")
    assert cell.verdict == "lost digits" and "which rounding explains: the condition of M is" in cell.message


def test_a_billionth_is_no_rounding_on_usual_arms(tmp_path: Path) -> None:
    rows = rows_of(ARM, ("forward_dynamics",), code=AsTheBookPrintsIt(lambda a, q, v: a * (1 + 1e-9)))
    assert cell_of(check(write(tmp_path / "a.npz", rows)), "forward_dynamics").verdict == "discrepancy"


def test_a_name_that_is_hostile_stays_text(tmp_path: Path) -> None:
    name = '<script>alert(1)</script>"\x1b[31m' + "x" * 80
    results = check(write(tmp_path / "arm.json", rows_of(ARM), {"implementation": name}))
    assert "<script>alert(1)" not in html.render(results)
    assert "\x1b" not in results.implementations[0].name
