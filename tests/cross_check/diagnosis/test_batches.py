"""What depends on the batch is a condition on the batch; only what equal questions show to be kept is history."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from stateful import Stateful, cache_by_position, previous_answer
from wrong_codes import Code

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause
from cross_check.explain.diagnosis import diagnose
from cross_check.harness import check
from cross_check.judge.settings import Settings
from implementations.processes.subject import InProcess
from mechanisms import Mechanism, find_mechanism

Array = Any
SPEC = "cart-pole"


def batchwise(change: Callable[[Array, Array, Array], Array]) -> Code:
    """Inverse dynamics and gravity of the reference; ``change`` is given τ, q and g, and changes τ."""

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        return {
            "inverse_dynamics": lambda q, v, a: change(right.inverse_dynamics(q, v, a), q, right.gravity(q)),
            "gravity": right.gravity,
        }

    return Code(make)


def causes_of(code: Any) -> list[Cause]:
    settings = Settings(quantities=("inverse_dynamics", "gravity"), relations=())
    causes = check([(SPEC, find_mechanism(SPEC))], [Entry("code", "code", InProcess(code))], settings).causes
    assert len(causes) == 1, [cause.sentence for cause in causes]
    assert any(cell.endswith("independent of history") for cell in causes[0].cells)
    return list(causes)


def without_gravity(rows: Callable[[Array, int], Array]) -> Callable[[Array, Array, Array], Array]:
    return lambda tau, q, g: tau - g * rows(np.arange(len(q)), len(q))[:, None]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda tau, q, g: np.vstack([tau[:-1], tau[:1]]),
            "inverse dynamics is that of the first state of the batch where the state is the last of several in its batch",
        ),
        (
            lambda tau, q, g: np.where(np.arange(len(q))[:, None] == 0, tau + np.sin(1 + tau), tau),
            "inverse dynamics is wrong where the state is the first of its batch: "
            "the same state has another answer in another batch",
        ),
    ],
)
def test_what_depends_on_the_batch_is_a_condition(change: Any, words: str) -> None:
    (cause,) = causes_of(batchwise(change))
    assert cause.kind == "condition"
    assert cause.sentence.removeprefix("In code, ").partition(" (only")[0] == words


@pytest.mark.slow
def test_a_column_of_another_state() -> None:
    broadcast = Code(lambda m, right: {"inverse_dynamics": lambda q, v, a: right.inverse_dynamics(q, 0 * v + v[:1], a)})
    (cause,) = causes_of(broadcast)
    assert (cause.kind, cause.sentence) == ("condition", "In code, v of every state is that of the first state of the batch")


@pytest.mark.slow
def test_the_answer_to_the_previous_state_of_the_batch_is_history() -> None:
    (cause,) = causes_of(batchwise(lambda tau, q, g: np.vstack([tau[:1], tau[:-1]])))
    assert (cause.kind, cause.sentence) == ("history", "In code, inverse dynamics is that of the previous state of the batch")


@pytest.mark.slow
def test_a_pattern_that_no_condition_predicts_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnose, "MOST_OF_ONE", -100_000)
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71]
    (cause,) = causes_of(batchwise(without_gravity(lambda i, n: np.isin(i, primes))))
    assert cause.kind == "condition"
    assert cause.sentence.startswith("answers depend on the batch that is asked: inverse_dynamics at state")


@pytest.mark.parametrize("fault", [cache_by_position, previous_answer])
def test_what_an_earlier_call_changes_stays_history(fault: Any) -> None:
    (cause,) = causes_of(Stateful(fault, ("inverse_dynamics", "gravity")))
    assert cause.kind == "history"
    assert "called before" in cause.sentence or "kept" in cause.sentence
