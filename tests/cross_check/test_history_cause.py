"""Answers that depend on earlier calls become a cause that names the two calls."""

from __future__ import annotations

from typing import Any

import pytest
from stateful import Stateful, cache_by_position, reused_buffer
from test_history import ARM, SOME, case_of, history

from cross_check.explain.diagnosis.causes.plain import cause_of_history
from implementations.spatial_algebra.reference import REFERENCE


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (cache_by_position, "a call with the same q and other rates changes the answer"),
        (reused_buffer, "the array returned for"),
    ],
)
def test_what_is_found_becomes_a_cause(fault: Any, words: str) -> None:
    found = history(case_of(ARM), lambda: Stateful(fault, SOME), SOME)
    cause = cause_of_history(found, "mine", ARM, [f"{ARM}/mine/independent of history"])
    assert cause is not None
    assert (cause.kind, cause.id, cause.cells) == ("history", "mine/history", (f"{ARM}/mine/independent of history",))
    assert words in cause.sentence
    assert cause.evidence[0].seen == found.message


def test_code_that_remembers_nothing_has_no_such_cause() -> None:
    assert cause_of_history(history(case_of(ARM), lambda: REFERENCE, SOME), "mine", ARM, []) is None
