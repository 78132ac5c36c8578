"""Recorded data of code in few digits: the file or the run declares the precision, and it is judged in its ε."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from derivations import direct, rounded

import dalembert
from cross_check.exchange.recorded_data.subject import find_recorded
from cross_check.exchange.recorded_data.table import RecordedError
from cross_check.exchange.recorded_data.write import write_states
from cross_check.exchange.results import Cell, Results
from cross_check.judge.comparison.given import sampled_states
from mechanisms import find_mechanism
from mechanisms.numbers.precision import FLOAT64, PRECISIONS, Precision, precision_named

ARM = find_mechanism("spatial-3r")
FLOAT32 = PRECISIONS["float32"]


def written(path: Path, declared: Precision, computed: Precision, states: Any = None, change: Any = lambda x: x) -> Path:
    """A file that declares one precision, with answers that are computed in another one from the states nearest to its own."""
    states = sampled_states(ARM.in_precision(declared), 0, 36, ("inverse_dynamics",)) if states is None else states
    given = [computed.nearest(states[name]) for name in ("q", "v", "a")]
    code = (direct(np.float32) if computed == FLOAT32 else rounded(computed, computed))["Newton and Euler"]
    answer = np.asarray(code.load(ARM).inverse_dynamics(*given), np.float64)
    write_states(path, ARM.in_precision(declared), {**states, "inverse_dynamics": change(answer)})
    return path


def cell_of(path: Path, **settings: Any) -> Cell:
    (cell,) = checked(path, **settings).cells
    return cell


def checked(path: Path, **settings: Any) -> Results:
    return dalembert.check(ARM, f"recorded:{path}", explain=False, quantities="inverse_dynamics", **settings)


@pytest.mark.parametrize("ending", ["csv", "json", "npz"])
@pytest.mark.parametrize("name", ["float32", "bfloat16", "q15.16"])
def test_a_file_declares_its_precision(tmp_path: Path, ending: str, name: str) -> None:
    precision = precision_named(name)
    path = written(tmp_path / f"arm.{ending}", precision, precision)
    results = checked(path)
    assert [cell.verdict for cell in results.cells] == ["agrees"]
    assert results.cells[0].error > 0.005
    assert results.implementations[0].precision == name


def test_without_a_header_the_run_says_it(tmp_path: Path) -> None:
    path = written(tmp_path / "arm.csv", FLOAT64, FLOAT32)
    alone = cell_of(path)
    assert alone.verdict == "discrepancy"
    assert cell_of(path, precision="float32").verdict == "agrees"
    exact = sampled_states(ARM.in_precision(FLOAT32), 0, 36, ("inverse_dynamics",))
    alone = cell_of(written(tmp_path / "exact.csv", FLOAT64, FLOAT32, exact))
    assert alone.verdict == "discrepancy"
    assert alone.message.endswith("if the code computes in float32, write '# precision: float32' into the file")


def test_states_are_the_numbers_that_the_code_can_have(tmp_path: Path) -> None:
    """A program in float32 that reads float64 text computes with the nearest float32 numbers."""
    states = sampled_states(ARM, 0, 9, ("inverse_dynamics",))
    states = {name: np.clip(x, -100, 100) for name, x in states.items()}
    path = written(tmp_path / "arm.csv", FLOAT32, FLOAT32, {name: np.round(x, 12) for name, x in states.items()})
    assert cell_of(path).verdict == "agrees"
    recording = find_recorded(f"recorded:{path}").load(ARM).recording
    for name, x in states.items():
        assert np.array_equal(recording.states[name], FLOAT32.nearest(x)), name
        assert not recording.slack[name][np.abs(x) > 1e-3].any(), "12 decimals tell them apart"


def test_few_digits_explain_errors_in_any_precision(tmp_path: Path) -> None:
    def short(x: Any) -> Any:
        return np.vectorize(lambda y: float(f"{y:.4g}"))(x)

    cell = cell_of(written(tmp_path / "short.csv", FLOAT32, FLOAT32, change=short))
    assert cell.verdict == "lost digits"
    assert "it has 4 digits in the answers" in cell.message


def test_wrong_answers_in_few_digits_are_seen(tmp_path: Path) -> None:
    for factor, verdict in ((1 + 1e-7, "agrees"), (1 + 1e-4, "discrepancy")):
        cell = cell_of(written(tmp_path / "arm.csv", FLOAT32, FLOAT32, change=partial(np.multiply, factor)))
        assert cell.verdict == verdict


def test_an_unknown_precision_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "arm.csv", FLOAT32, FLOAT32)
    path.write_text(path.read_text("utf-8").replace("float32", "single"), "utf-8")
    with pytest.raises(RecordedError, match=r"arm\.csv.*there is no precision 'single'; use float64"):
        cell_of(path)
