"""Faults of the machine, planted one by one, are caught: each test here names the test that fails then."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import test_allocate
import test_double_double
import test_exact_product
import test_sine
from flint import arb
from planted import plant
from recorded_programs import ball

from machine.arithmetic import double_double, exact_product, quarter_turns, sine
from machine.compiling import routines

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

ADD, _, MULTIPLY, _ = test_double_double.BOUNDS


def caught(test: Any, *arguments: Any) -> bool:
    """Whether a test fails now; it passes without the fault."""
    try:
        test(*arguments)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize(("table", "n"), [("SINE", 0), ("SINE", 3), ("SINE", 5), ("COSINE", 1), ("COSINE", 4), ("COSINE", 6)])
@pytest.mark.parametrize("fault", ["no low word", "last bit"])
def test_a_wrong_constant_in_the_sine(monkeypatch: pytest.MonkeyPatch, table: str, n: int, fault: str) -> None:
    recipe, exact = test_sine.PAIRS[table == "SINE"]
    check = partial(caught, test_sine.test_random_angles, recipe, exact, 0.8)
    assert not check()
    row = list(getattr(sine, table))
    high, low = row[n]
    row[n] = (high, 0.0) if fault == "no low word" else (np.nextafter(high, 0), low)
    monkeypatch.setattr(sine, table, tuple(row))
    assert check()


@pytest.mark.parametrize("piece", range(6))
def test_a_wrong_piece_of_a_quarter_turn(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    row = list(quarter_turns.QUARTER)
    row[piece] = float(np.nextafter(row[piece], 0))
    monkeypatch.setattr(quarter_turns, "QUARTER", tuple(row))
    # The last bit of the last piece is too small to show in a sine; the test of the pieces sees it.
    assert caught(test_sine.test_float64_angles_near_multiples_of_a_quarter_turn, sine.PAIRED.sine, arb.sin) or piece == 5
    monkeypatch.setattr(test_sine, "QUARTER", tuple(row))
    assert caught(test_sine.test_the_pieces_are_a_quarter_turn) or piece == 5


def test_a_dropped_low_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def add(ops: Any, x: Any, y: Any) -> Any:
        high, rest = double_double.two_sum(x[0], y[0])
        return double_double.fast_two_sum(high, rest + x[1])

    assert not caught(test_double_double.test_random_numbers, *ADD, 3)
    monkeypatch.setattr(double_double, "add", add)
    assert caught(test_double_double.test_random_numbers, *ADD, 3)


def test_a_sum_that_is_wrong_only_where_words_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cheap addition, which keeps no rest of the low words."""

    def sloppy(ops: Any, x: Any, y: Any) -> Any:
        high, rest = double_double.two_sum(x[0], y[0])
        return double_double.fast_two_sum(high, rest + (x[1] + y[1]))

    monkeypatch.setattr(double_double, "add", sloppy)
    assert caught(test_double_double.test_cancellation_of_one_word_against_the_other, *ADD)


def test_a_missing_renormalisation(monkeypatch: pytest.MonkeyPatch) -> None:
    def multiply(ops: Any, x: Any, y: Any) -> Any:
        high, rest = ops.two_product(x[0], y[0])
        return high, rest + (x[0] * y[1] + x[1] * y[0])

    assert not caught(test_double_double.test_results_are_renormalised, *MULTIPLY, 3)
    monkeypatch.setattr(double_double, "multiply", multiply)
    assert caught(test_double_double.test_results_are_renormalised, *MULTIPLY, 3)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_register_that_is_reused_too_early(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    if compiled:
        pytest.importorskip("llvmlite", reason="llvmlite is not installed, so there are no compiled loops")
    monkeypatch.setattr(routines, "works", lambda: compiled)
    assert not caught(test_allocate.test_reuse_changes_no_bit)
    plant(monkeypatch, import_module("machine.allocate"), "last_readers", ("last[x] = n", "last[x] = max(n - 1, 0)"))
    assert caught(test_allocate.test_reuse_changes_no_bit)


def test_dekkers_product_out_of_its_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_exact_product, "split_product", lambda ops, a, b: exact_product.dekker_product(a, b))
    assert caught(test_exact_product.test_at_all_borders)


def test_a_splitter_that_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_product, "SPLITTER", 2.0**24 + 1)
    assert caught(test_exact_product.test_where_nothing_underflows_the_rest_is_exact)


def test_a_ball_notices_one_bit() -> None:
    """What the comparisons with balls rest on."""
    third = double_double.divide(test_double_double.ARITHMETIC, (np.ones(1), np.zeros(1)), (np.full(1, 3.0), np.zeros(1)))
    assert abs(ball(third[0][0], np.nextafter(third[1][0], 1)) - arb(1) / 3) > abs(ball(third[0][0], third[1][0]) - arb(1) / 3)
