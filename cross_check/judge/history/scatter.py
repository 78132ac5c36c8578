"""Code that declares ``deterministic = False``: how far its answers to the same question are from each other.

Sums in any order, as threads of a graphics card add them up, have other roundings each time. Such answers differ, and depend on
nothing that was called before. They are right if they are within the bar, like those of all other code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cross_check.judge.history.calls import Call, Session
from cross_check.judge.history.replay import Judge, in_units

TIMES = 5
"""So often a question is asked in a row."""

DECLARED = "deterministic = False"


@dataclass(frozen=True)
class Scatter:
    """The largest difference between two answers to one question that was asked in a row, in ε-units, and the question."""

    units: float
    call: Call | None = None

    @property
    def above_bar(self) -> str:
        """The sentence about a difference above the bar."""
        what = self.call.text if self.call else "a question"
        asked = f"{what}, asked {TIMES} times in a row, has answers that differ by {in_units(self.units)}"
        return f"{asked}; {DECLARED} is declared, and every answer has to be within the bar"


def scatter_of(session: Session, judge: Judge, calls: Sequence[Call]) -> Scatter:
    """The scatter of the answers to these calls of states of the case. Raises what asking raises."""
    largest = Scatter(0.0)
    for call in calls:
        answers = [session.ask(call).value for _ in range(TIMES)]
        units = max(judge.difference(call, answers[0], other) for other in answers[1:])
        if largest.call is None or units > largest.units:
            largest = Scatter(units, call)
    return largest


def within_bar(units: float) -> str:
    """The sentence about code whose answers differ by these ε-units at most."""
    return f"{DECLARED} is declared; two answers to one question differ by at most {in_units(units)}"
