"""Failures of one kind have one cause, and one entry in every list."""

from __future__ import annotations

import pytest

from cross_check.exchange.results import Cell
from cross_check.exchange.results.failures import ALONE, NOT_ALONE, kind_of_failure

DEEP = "{} raised KeyError: 'a' (my code.py:7: x['a']; called at my code.py:{}: return f(x))"


def kind(message: str, quantity: str = "gravity", mechanism: str = "arm") -> str:
    return kind_of_failure(Cell(f"{mechanism}/mine/{quantity}", mechanism, "mine", quantity, "failed", message))


def test_quantity_mechanism_numbers_and_calling_lines_may_differ() -> None:
    message = DEEP.format("gravity", 9)
    assert kind(message) == kind(DEEP.format("mass_matrix", 11), "mass_matrix", "other")
    assert kind(message) == kind(f"{message}; {ALONE.format(3)}") == kind(f"{message}; {NOT_ALONE}")
    assert kind("gravity returned shape (5,); return (6,)") == kind("gravity returned shape (1,); return (2,)", mechanism="other")
    assert kind("no joint joint3 in arm") == kind("no joint joint4 in other", mechanism="other")


@pytest.mark.parametrize("other", ["x['b']", "y"])
def test_another_line_or_another_error_is_another_kind(other: str) -> None:
    message = DEEP.format("gravity", 9)
    assert kind(message) != kind(message.replace(":7:", ":8:"))
    assert kind(message) != kind(message.replace("KeyError", "IndexError"))
    assert kind(f"no {other}") != kind("no z")
