"""Code of its own gives a program's results with the same bits, however the program is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_programs import bits_differ, random_inputs, random_program

from machine import Op, Program, allocate, run
from machine.backends import llvm_backend, straight_line

pytest.importorskip("llvmlite", reason="llvmlite is not installed, so NumPy is the only backend")

from machine.compiling.target import MASKS, compile_text, host


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def in_pieces(program: Program, inputs: Any, piece: int, without: str = "") -> tuple[Any, Any]:
    code = compile_text(straight_line.module_text(program, host(without), piece), host(without))
    shape = inputs.shape[1], len(program.outputs)
    outputs = np.zeros(shape).T, np.zeros(shape).T
    steps = straight_line.steps(program, piece)
    llvm_backend.execute(program, [(inputs, None)], "float64", outputs, code=code, steps=steps)
    return outputs


@pytest.mark.slow
@pytest.mark.parametrize("without", MASKS)
def test_it_gives_the_same_bits_on_every_kind_of_processor(without: str) -> None:
    for seed, ops in ((1, tuple(Op)), (2, (Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.NEG))):
        program, inputs = random_program(seed, 150, ops=ops), random_inputs(seed, 5, 200)[0]
        assert not bits_differ(in_pieces(program, inputs, 300, without), run(program, inputs, "float64", by="numpy"))


@pytest.mark.slow
@pytest.mark.parametrize("piece", [1, 7, 60])
def test_pieces_change_no_bit(piece: int) -> None:
    """Nor where a cosine and a sine, which are computed together, are needed by later pieces, in registers that are reused."""
    code = [[op, n, n] for n in range(5, 20) for op in (Op.COS, Op.SIN, Op.ADD)]
    made = [[op, a - 3, b - 3 if op != Op.ADD else b] for op, a, b in code]
    program = allocate(5, [[Op.MUL, 0, 1], *made, [Op.ADD, 6, 7], [Op.SUB, 8, 9]], (), range(5, 50, 3))
    inputs = random_inputs(4, 5, 70)[0]
    for whole in (program, random_program(3, 61)):
        assert not bits_differ(in_pieces(whole, inputs, piece), run(whole, inputs, "float64", by="numpy"))


def test_run_takes_it_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    program, inputs = random_program(5, 40), random_inputs(6, 5, 70)
    plain = run(program, inputs, "float64"), run(program, inputs)
    assert not bits_differ(run(program, inputs, "float64", compiled=True), plain[0])
    assert not bits_differ(run(program, inputs, "float64", compiled=True, threads=3), plain[0])
    assert not bits_differ(run(program, inputs, compiled=True), plain[1])
    assert straight_line.compiled(program) is straight_line.compiled(program)
