"""Faults of the compiled backend, planted one by one, are caught: each test here names the test that fails then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only backend")

import test_same_bits
from test_machine_faults import caught

from machine import Op
from machine.arithmetic import sine
from machine.backends import llvm_backend, llvm_tiles
from machine.backends.llvm_target import compile_text, host
from machine.backends.llvm_tiles import joined


def plant(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let the compiled backend use another interpreter."""
    code = compile_text(text, host())
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
    plant(monkeypatch, llvm_backend.module_text(precision, host(), flags="contract"))
    assert caught(test_same_bits.test_on_every_kind_of_processor, precision, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("%more = icmp sgt i64 %left, 0\n", "%more = icmp sgt i64 %left, 31\n"),
        ("%partial = icmp slt i64 %left, %block", "%partial = icmp sle i64 %left, 40"),
        ("%in_offset = mul i64 %start, %state_stride", "%in_offset = mul i64 %begin, %state_stride"),
        ("%out_offset = mul i64 %start, %by_state", "%out_offset = mul i64 %begin, %by_state"),
        ("%next_start = add i64 %start, %block", "%next_start = add i64 %start, 64"),
    ],
)
def test_a_block_that_is_not_whole(monkeypatch: pytest.MonkeyPatch, right: str, wrong: str) -> None:
    """The last block is left out, or cut, or read from elsewhere; blocks overlap."""
    text = llvm_backend.module_text("double-double", host())
    assert text.count(right) == 1
    plant(monkeypatch, text.replace(right, wrong))
    blocks = caught(test_same_bits.test_blocks_do_not_change_a_state, "double-double")
    assert blocks or caught(test_same_bits.test_nothing_is_written_outside_the_outputs)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("turned", lambda writer, vectors: list(vectors)),
        ("joined", lambda writer, parts, width: joined(writer, [parts[0], *parts[:0:-1]], width)),
        ("least", lambda writer, state: "0"),
        ("only_if", lambda condition, line: [line]),
    ],
)
def test_a_tile_that_is_copied_wrong(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
    """It is not turned; its states stand in the wrong order; the first state stands for all; what is not there is written."""
    monkeypatch.setattr(llvm_tiles, name, wrong)
    plant(monkeypatch, llvm_backend.module_text("double-double", host()))
    assert caught(test_same_bits.test_numbers_of_every_count_are_copied, "double-double", "")


@pytest.mark.slow
def test_a_sine_in_the_place_of_the_cosine(monkeypatch: pytest.MonkeyPatch) -> None:
    right = sine.cosine_and_sine
    monkeypatch.setattr(sine, "cosine_and_sine", lambda ops, angle: right(ops, angle)[::-1])
    plant(monkeypatch, llvm_backend.module_text("double-double", host()))
    assert caught(test_same_bits.test_a_cosine_beside_a_sine, (Op.COS, Op.SIN), (1, 2), "")


@pytest.mark.slow
def test_nan_that_depends_on_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm_tiles, "canonical_word", lambda ops, x: x)
    plant(monkeypatch, llvm_backend.module_text("float64", host()))
    with np.errstate(invalid="ignore"):
        sign = np.signbit(np.float64("inf") - np.float64("inf"))  # ARM's NaN has none
    assert caught(test_same_bits.test_where_numbers_end, Op.SUB, "float64") or not sign
