"""Executes programs with an interpreter that LLVM compiles once per computer.

The interpreter goes through the instructions of a program for a block of states, then through the next block. Each operation is a
function that handles one block, in vectors, by the recipe of :mod:`machine.instructions`. The registers of a block stay in the
cache. ctypes releases Python's lock while it runs.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from machine import instructions
from machine.double_double import canonical, canonical_word
from machine.instructions import Precision
from machine.llvm_interpreter import block_function, interpreter
from machine.llvm_target import Compiled, Target, compile_text, host
from machine.llvm_text import Writer
from machine.program import BINARY, Op, Program, Words

Array = np.ndarray[Any, np.dtype[np.float64]]

BLOCKS = (128, 64, 32)
"""Numbers of states per block, the best first; a program with many registers gets a small one."""

MEMORY = 2**20
"""Registers of so many bytes still stay in a cache."""

SIGNATURE = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p if kind == "p" else ctypes.c_int64 for kind in "pipippippp" + "iiii"))


def module_text(precision: Precision, target: Target, flags: str = "") -> str:
    """The interpreter in LLVM's assembly language. ``flags`` are for tests: LLVM may do to every operation what they say."""
    pairs = precision == "double-double"
    recipes = instructions.DOUBLE_DOUBLE if pairs else instructions.FLOAT64
    lanes = 2 * target.width

    def function(name: str, recipe: Any, operands: int) -> str:
        writer = Writer(lanes, target.fma, flags)

        def pointers(of: str) -> list[str]:
            high = writer.write(f"getelementptr double, ptr %{of}, i64 %i")
            return [high, writer.write(f"getelementptr double, ptr {high}, i64 %block")] if pairs else [high]

        loaded = [[writer.load(pointer) for pointer in pointers(of)] for of in "ab"[:operands]]
        result = recipe(writer, *(tuple(x) if pairs else x[0] for x in loaded))
        for x, pointer in zip(result if pairs else [result], pointers("t"), strict=True):
            writer.store(x, pointer)
        return block_function(name, writer)

    functions = [function(f"op_{op}", recipes[op], 2 if op in BINARY else 1) for op in Op]
    functions.append(function("canonical", canonical if pairs else canonical_word, 1))
    return "".join(functions) + interpreter([f"op_{op}" for op in Op], 2 if pairs else 1)


@cache
def compiled(precision: Precision, target: Target) -> Compiled:
    """The interpreter, loaded once per process."""
    return compile_text(module_text(precision, target), target, cached=True)


def execute(
    program: Program,
    inputs: tuple[Array, Array],
    precision: Precision,
    outputs: tuple[Array, Array],
    block: int = 0,
    begin: int = 0,
    end: int | None = None,
    code: Compiled | None = None,
    steps: Words | None = None,
) -> None:
    """Execute ``program`` for the columns ``begin`` to ``end`` of the inputs, and fill those of the outputs.

    ``inputs`` and ``outputs`` are high and low words (rows, states), contiguous; float64 has no low words and leaves them alone.
    ``block`` is the number of states per pass, a multiple of 32. ``code`` is another compilation of the interpreter, and
    ``steps`` are other instructions for its table.
    """
    states = inputs[0].shape[1]
    end = states if end is None else end
    rows = (program.inputs, program.inputs, len(program.outputs), len(program.outputs))
    fits = [
        x.flags.c_contiguous and x.dtype == np.float64 and x.shape == (n, states)
        for x, n in zip((*inputs, *outputs), rows, strict=True)
    ]
    # Float64 has no low words.
    if not (all(fits) if precision == "double-double" else fits[0] and fits[2]):
        raise ValueError("inputs and outputs must be contiguous float64 arrays of the program's rows and one number of states")
    if not 0 <= begin <= end <= states or block % 32:
        raise ValueError(f"the states {begin} to {end} of {states} cannot be taken in blocks of {block}")
    code = code or compiled(precision, host())
    words = 2 if precision == "double-double" else 1
    block = block or next((n for n in BLOCKS if 8 * words * n * program.registers <= MEMORY), BLOCKS[-1])
    registers = aligned(words * block * program.registers).reshape(program.registers, words, block)
    first = program.inputs
    for word, constants in enumerate(program.constant_words[:words]):
        registers[first : first + len(constants), word] = constants[:, None]
    steps = program.code if steps is None else steps
    arrays = (steps, registers, *inputs, program.outputs, *outputs)
    addresses = [x.ctypes.data for x in arrays]
    SIGNATURE(code.address("run"))(
        *(addresses[0], len(steps), addresses[1], first, *addresses[2:4]),
        *(len(program.outputs), *addresses[4:7], states, begin, end, block),
    )


def aligned(count: int) -> Array:
    """Zeros that begin at a multiple of 64 bytes."""
    memory = np.zeros(count + 8)
    offset = -memory.ctypes.data % 64 // 8
    return memory[offset : offset + count]
