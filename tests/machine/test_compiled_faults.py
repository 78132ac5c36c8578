"""Faults of the compiled backend, planted one by one, are caught: each test here names the test that fails then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only backend")

import test_same_bits
from planted import plant
from test_machine_faults import caught

from machine import Op
from machine.arithmetic.sine import Sines
from machine.backends import interpreter, llvm_backend, tiles
from machine.compiling.target import compile_text, host


def use(monkeypatch: pytest.MonkeyPatch, precision: Any, flags: str = "") -> None:
    """Let the compiled backend use the interpreter as it is written now."""
    code = compile_text(llvm_backend.module_text(precision, host(), flags), host())
    monkeypatch.setattr(llvm_backend, "compiled", lambda precision, target: code)
    monkeypatch.setattr(test_same_bits, "interpreter", lambda precision, without: code)


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["double-double", "float64"])
def test_a_fused_multiply_add_where_the_product_is_not_exact(monkeypatch: pytest.MonkeyPatch, precision: Any) -> None:
    """LLVM may fuse operations with this flag; every operation is written without it."""
    if not host().fma:
        pytest.skip("this computer cannot fuse operations")
    plain = llvm_backend.module_text(precision, host())
    assert "contract" not in plain
    assert "fast" not in plain
    use(monkeypatch, precision, " contract")
    assert caught(test_same_bits.test_on_every_kind_of_processor, precision, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("range(begin, end, block)", "range(begin, end - 31, block)"),
        ("count = min(block, end - start)", "count = block if end - start > 40 else end - start"),
        ("source.at(start * stream[2])", "source.at(begin * stream[2])"),
        ("memory.low.at(start * by_state)", "memory.low.at(begin * by_state)"),
        ("range(begin, end, block)", "range(begin, end, 64)"),
    ],
)
def test_a_block_that_is_not_whole(monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> None:
    """The last block is left out, or not cut, or read from elsewhere; blocks overlap."""
    plant(monkeypatch, interpreter, "interpreter", (right, wrong))
    monkeypatch.setattr(llvm_backend, "interpreter", interpreter.interpreter)
    use(monkeypatch, "double-double")
    blocks = caught(test_same_bits.test_blocks_do_not_change_a_state, "double-double")
    assert blocks or caught(test_same_bits.test_nothing_is_written_outside_the_outputs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("turned", ("while distance < len(rows)", "while distance < 1")),
        ("joined", ("zip(parts[::2], parts[1::2], strict=True)", "zip(parts[::2], parts[:0:-2], strict=True)")),
        ("write_tile", ("reversed([*zip(states, rows, strict=True)])", "zip(states, rows, strict=True)")),
        ("states_until", ("select(last > k, k, last)", "select(last > k, k, 0)")),
    ],
)
def test_a_tile_that_is_copied_wrong(monkeypatch: pytest.MonkeyPatch, name: str, edit: tuple[str, str]) -> None:
    """It is not turned; its states are in the wrong order; the first state or a missing state takes the place of others."""
    plant(monkeypatch, tiles, name, edit)
    for user in ("write_tile", "states_until"):
        monkeypatch.setattr(interpreter, user, getattr(tiles, user))
    use(monkeypatch, "double-double")
    assert caught(test_same_bits.test_numbers_of_every_count_are_copied, "double-double", "")


@pytest.mark.slow
def test_a_sine_in_the_place_of_the_cosine(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Sines.cosine_and_sine
    monkeypatch.setattr(Sines, "cosine_and_sine", lambda self, ops, angle: right(self, ops, angle)[::-1])
    use(monkeypatch, "double-double")
    assert caught(test_same_bits.test_a_cosine_beside_a_sine, (Op.COS, Op.SIN), (1, 2), "")


@pytest.mark.slow
def test_nan_that_depends_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "canonical_word", lambda ops, x: x)
    use(monkeypatch, "float64")
    with np.errstate(invalid="ignore"):
        sign = np.signbit(np.float64("inf") - np.float64("inf"))  # ARM's NaN has none
    assert caught(test_same_bits.test_where_numbers_end, Op.SUB, "float64") or not sign
