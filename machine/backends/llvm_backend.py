"""Executes programs with an interpreter that LLVM compiles once per computer.

The interpreter goes through the instructions of a program for a block of states, then through the next block. Each operation is a
function that handles one block, in vectors, by the recipe of :mod:`machine.instructions`. The registers of a block stay in the
cache. ctypes releases Python's lock while it runs.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from functools import cache
from threading import local
from typing import Any

import numpy as np

from machine import instructions
from machine.arithmetic.sine import PAIRED, PLAIN
from machine.backends.interpreter import Memory, Step, interpreter
from machine.backends.llvm_steps import BOTH, PRODUCTS, steps_of
from machine.compiling.target import Compiled, Target, compile_text, host
from machine.compiling.translate import SourceChanged, tree_of
from machine.instructions import Precision
from machine.program import BINARY, Op, Program, Words

Array = np.ndarray[Any, np.dtype[np.float64]]

BLOCKS = {1: (128, 64, 32), 2: (64, 32)}
"""Numbers of states per block for numbers of one word and of two, the best first; a program with many registers gets a small
one."""

MEMORY = 2**21
"""Registers of so many bytes still stay in a cache."""

SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *[ctypes.c_int64] * 8)

KEPT = 2**23
"""Registers of so many bytes or fewer are kept for the next run of a thread: memory that is new is slow."""

MANY = 2**10
"""So many states pay for joined steps, which are found once per program."""


def module_text(precision: Precision, target: Target) -> str:
    """The interpreter in LLVM's assembly language."""
    pairs = precision == "double-double"
    words = 2 if pairs else 1
    recipes = instructions.DOUBLE_DOUBLE if pairs else instructions.FLOAT64
    # Several vectors at a time hide the time that an operation takes, as long as the processor's registers suffice.
    lanes = target.width * (2 if pairs and target.width < 8 else 4)

    def step(recipe: Any, operands: str, targets: str) -> Step:
        def write(*registers: Any) -> None:
            *starts, block = registers
            at = {name: [x.start, x.at(block).start][:words] for name, x in zip("abtc", starts, strict=True)}
            writer = block.writer
            loaded = [[writer.load(pointer) for pointer in at[name]] for name in operands]
            result = recipe(writer, *(tuple(x) if pairs else x[0] for x in loaded))
            for made, name in zip(result if len(targets) > 1 else [result], targets, strict=True):
                for x, pointer in zip(made if pairs else [made], at[name], strict=True):
                    writer.store(x, pointer)

        return write

    def with_product(name: str) -> Any:
        op = Op.ADD if "+" in name else Op.SUB

        def recipe(ops: Any, a: Any, b: Any, c: Any) -> Any:
            product = recipes[Op.MUL](ops, a, b)
            return recipes[op](ops, *((product, c) if name.startswith("ab") else (c, product)))

        return recipe

    table = {f"op_{op}": step(recipes[op], "ab" if op in BINARY else "a", "t") for op in Op}
    table[f"op_{BOTH}"] = step((PAIRED if pairs else PLAIN).cosine_and_sine, "a", "tb")
    table |= {f"op_{number}": step(with_product(name), "abc", "t") for name, number in PRODUCTS.items()}
    return interpreter(table, words, target, lanes)


def has_source() -> bool:
    """Whether the source of the interpreter can be compiled: its file is still what was imported."""
    try:
        tree_of(interpreter)
    except SourceChanged:
        return False
    return True


@cache
def compiled(precision: Precision, target: Target) -> Compiled:
    """The interpreter, loaded once per process."""
    return compile_text(module_text(precision, target), target, cached=True)


def execute(
    program: Program,
    inputs: Sequence[tuple[Array, Array | None]],
    precision: Precision,
    outputs: tuple[Array, Array],
    block: int = 0,
    begin: int = 0,
    end: int | None = None,
    code: Compiled | None = None,
    steps: Words | None = None,
    numbers: Words | None = None,
) -> None:
    """Execute ``program`` for the columns ``begin`` to ``end`` of the inputs, and fill those of the outputs.

    ``inputs`` are parts of the program's inputs, one after the other: high and low words (rows, states), or no low words. In each
    array either the states or the numbers of one state follow one another; :func:`fits` says whether that is so. ``outputs`` are
    high and low words (rows, states), in which the numbers of a state follow one another; float64 has no low words and leaves
    them alone. ``block`` is the number of states per pass, a multiple of 32. ``code`` is another compilation of the interpreter,
    and ``steps`` are other instructions for its table. ``numbers`` are the registers of the outputs; the one after the program's
    last register is zero.
    """
    states = outputs[0].shape[1]
    end = states if end is None else end
    words = 2 if precision == "double-double" else 1
    numbers = program.outputs if numbers is None else numbers
    given = [x for part in inputs for x in part[:words] if x is not None]
    if not (
        all(fits(x) and x.shape[1] == states for x in given)
        and all(part[1] is None or part[0].shape == part[1].shape for part in inputs)
        and sum(len(high) for high, _ in inputs) == program.inputs
        and all(x.shape == (len(numbers), states) and fits(x) and can_be_written(x) for x in outputs[:words])
        and numbers.dtype == np.int32
        and numbers.flags.c_contiguous
        and numbers.view(np.uint32).max(initial=0) <= program.registers  # Negative numbers are large ones.
    ):
        raise ValueError("inputs and outputs must be contiguous float64 arrays of the program's rows and one number of states")
    if not 0 <= begin <= end <= states or block % 32:
        raise ValueError(f"the states {begin} to {end} of {states} cannot be taken in blocks of {block}")
    code = code or compiled(precision, host())
    block = block or _block(words, program.registers, end - begin)
    registers = scratch(words * block * (program.registers + 1)).reshape(-1, words, block)
    first = program.inputs
    for word, constants in enumerate(program.constant_words[:words]):
        registers[first : first + len(constants), word] = constants[:, None]
    registers[-1] = 0.0
    if steps is None:
        steps = steps_of(program) if end - begin >= MANY else program.code
    zeros = np.zeros(max((len(high) for high, _ in inputs), default=0))
    streams = np.array([*streams_of(inputs, words, zeros)], np.int64)
    by_state = outputs[0].strides[1] // 8 if states > 1 else 0
    memory = Memory(code=steps, registers=registers, sources=streams, streams=streams, numbers=numbers)
    memory.give(high=outputs[0], low=outputs[words - 1])
    code.function("run", SIGNATURE)(memory, len(steps), steps.shape[1], len(streams), len(numbers), by_state, begin, end, block)


def _block(words: int, registers: int, states: int) -> int:
    """The number of states per pass. Columns without a state cost as much as others."""
    *larger, smallest = BLOCKS[words]
    return next((n for n in larger if 8 * words * n * registers <= MEMORY and states > n // 2), smallest)


def fits(x: Array) -> bool:
    """Whether compiled code can read an array (rows, states)."""
    if x.dtype != np.float64 or x.ndim != 2 or not x.flags.aligned:
        return False
    (rows, states), (by_component, by_state) = x.shape, x.strides
    one_follows = by_component == 8 or by_state == 8 or rows < 2 or states < 2
    return one_follows and not (by_component % 8 or by_state % 8)


def can_be_written(x: Array) -> bool:
    """Whether the numbers of a state follow one another, in memory that may be written."""
    return x.flags.writeable and (min(x.shape) < 1 or len(x) < 2 or x.strides[0] == 8)


def streams_of(inputs: Sequence[tuple[Array, Array | None]], words: int, zeros: Array) -> Iterator[tuple[int, ...]]:
    """What the interpreter reads (:class:`~machine.backends.interpreter.Memory`)."""
    first = 0
    for part in inputs:
        n, states = part[0].shape
        for word, x in enumerate(part[:words]):
            if x is None:
                yield zeros.ctypes.data, n, 0, 1, words * first + word
            else:
                by_component, by_state = (stride // 8 for stride in x.strides)
                # With one state, the distance between states means nothing.
                yield x.ctypes.data, n, by_state if states > 1 else 1, by_component, words * first + word
        first += n


_LOCAL = local()


def scratch(count: int) -> Array:
    """So many float64 numbers of any value that begin at a multiple of 64 bytes. A thread gets the same ones again."""
    if 8 * count > KEPT:
        return aligned(count)
    if len(getattr(_LOCAL, "memory", ())) < count:
        _LOCAL.memory = aligned(count)
    memory: Array = _LOCAL.memory[:count]
    return memory


def aligned(count: int) -> Array:
    """Zeros that begin at a multiple of 64 bytes."""
    memory = np.zeros(count + 8)
    offset = -memory.ctypes.data % 64 // 8
    return memory[offset : offset + count]
