"""The theorem about every tree: its lemmas, and the identities and steps that they are made from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cross_check.prove.proof.exact import on_tape
from cross_check.prove.theorem.identities import identities, same_program
from cross_check.prove.theorem.position import Position, variables
from cross_check.prove.theorem.quotients import Quotients
from cross_check.prove.theorem.theorem import LEMMAS, prove_lemmas

TREES = ((-1, 0, 0), (-1, 0, 1), (-1, -1, 1))

CASES = ("cylindrical", "helical", "spherical", "universal, on the root", *(f"parents {x}" for x in TREES))
"""Cases that are fast: a turn with an advance, joints that make several motions, and trees with branches."""


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_lemmas_hold(case: str) -> None:
    chosen = [lemma._replace(cases={case: lemma.cases[case]}) for lemma in LEMMAS if case in lemma.cases]
    assert chosen
    assert not [(proven.lemma.name, proven.broken) for proven in prove_lemmas(chosen) if proven.broken]


def test_a_rational_function_is_zero_only_if_it_is() -> None:
    ring = Quotients(2)
    x, y = ring.variables()
    one, two = ring.number(1), ring.number(2)
    n = x * x + y * y
    assert ((x * x) / n + (y * y) / n - one).is_zero()
    assert (x / two + x / two - x).is_zero()
    assert (one / (x / n) - n / x).is_zero()
    assert (one / x + one / -x).is_zero()
    assert (one / (one / x - one / (x + one)) - x - x * x).is_zero()
    assert not (x / n - y / n).is_zero()
    assert not (x / (x + one) - one).is_zero()
    with pytest.raises(ZeroDivisionError):
        one / (x - x)


def test_equal_functions_are_found_and_others_are_named() -> None:
    field = on_tape()
    x, y = field.tape.input(), field.tape.input()
    right: list[Any] = [[(x + y) * (x - y)], [x]]
    assert identities(field, [("a²", [[x * x - y * y], [x]], right)]).broken is None
    assert identities(field, [("a²", [[x * x - y * y], [y]], right)]) == (2, "a², component [2]")
    assert same_program(field, [("a²", [[x * x - y * y], [x]], right)]) == (2, "a², component [1]")


def test_a_step_is_computed_again_from_other_numbers() -> None:
    p = Position()
    x, y = p.numbers(2)[:, 0]
    square = x * x
    result, old, new = (np.array([value]) for value in (x * square + 3, square, y))
    (again,) = p.replaced((result,), (old, new))
    assert again[0] is x * y + 3
    for wrong in (np.array([p.field.tape.one]), np.array([square, square])):
        with pytest.raises(ValueError, match="no number of its own"):
            p.replaced((result,), (wrong, np.array([x, y])[: len(wrong)]))


def test_the_variables_of_a_loop_are_those_at_its_end() -> None:
    def loop(n: int, step: int = 2) -> int:
        total = 0
        for _ in range(n):
            total = doubled(total) + step  # noqa: F821
        return -total

    run = variables(loop, 3, doubled=lambda x: 2 * x)
    assert (run.total, run.answer) == (14, -14)


def test_a_divisor_that_is_the_function_zero_and_sides_without_components_prove_nothing() -> None:
    field = on_tape()
    x = field.tape.input()
    with pytest.raises(ValueError, match="shapes"):
        identities(field, [("nothing", [], [])])
    _ = 1 / (x * x - (x + 1) * (x - 1) - 1)
    with pytest.raises(ZeroDivisionError):
        identities(field, [("x", [x], [x])])
