"""Compiles a float64 program to code of its own: no instruction is decoded, and what an instruction makes stays in a register.

The program is cut into functions of some hundred instructions, so that the time to compile grows in proportion to its length.
Between two functions the values that are still needed are in memory, in the registers of the interpreter, which calls one
function after another for each block of states. The results have the same bits as those of the interpreter, because the recipes
are the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from machine.arithmetic.sine import PLAIN
from machine.backends.interpreter import Step, interpreter
from machine.backends.llvm_steps import BOTH, with_turns
from machine.compiling.target import Compiled, Target, compile_text, host
from machine.compiling.writer import Array, Number, Writer, text
from machine.instructions import FLOAT64
from machine.program import BINARY, Op, Program, Words

PIECE = 200
"""The number of instructions in a function."""


@lru_cache(maxsize=64)
def compiled(program: Program) -> Compiled:
    """The program's own code, compiled once per computer and loaded once per process."""
    return compile_text(module_text(program, host()), host(), cached=True)


def module_text(program: Program, target: Target, piece: int = PIECE) -> str:
    """The program in LLVM's assembly language, with the loop of the interpreter."""
    code = with_turns(program.code)
    pieces = [code[n : n + piece] for n in range(0, len(code), piece)]
    parts = zip(pieces, needed_after(program, pieces), strict=True)
    table = {f"piece_{n}": one_piece(program, part, needed) for n, (part, needed) in enumerate(parts)}
    return "".join(shared_function(name, target) for name in SHARED) + interpreter(table, 1, target, target.width)


def steps(program: Program, piece: int = PIECE) -> Words:
    """Instructions for the interpreter that call the functions in turn."""
    count = -(-len(with_turns(program.code)) // piece)
    return np.column_stack([np.arange(count), *[np.zeros(count)] * 3]).astype(np.int32)


def needed_after(program: Program, pieces: list[Words]) -> list[set[int]]:
    """For every piece, the registers whose values a later piece or the output reads."""
    needed = set(program.outputs.tolist())
    after = []
    for part in reversed(pieces):
        after.append(needed)
        read: set[int] = set()
        written: set[int] = set()
        for op, a, b, target in part.tolist():
            read |= {a, b if op in BINARY else a} - written
            written |= {b, target} if op == BOTH else {target}
        needed = (needed - written) | read
    return after[::-1]


def one_piece(program: Program, part: Words, needed: set[int]) -> Step:
    """One function: every register is loaded at most once, and stored only if it is needed afterwards."""

    def write(first: Array, _b: Array, _t: Array, _c: Array, block: Number) -> None:
        writer = block.writer
        values: dict[int, Number] = {}
        written: set[int] = set()

        def place(register: int) -> Number:
            return first.at(block * register).start

        def value(register: int) -> Any:
            if register not in values:
                k = register - program.inputs
                is_constant = 0 <= k < len(program.constants)
                values[register] = (
                    Number(writer, text(float(program.constants[k]), writer.type), writer.type)
                    if is_constant
                    else writer.load(place(register))
                )
            return values[register]

        for op, a, b, result in part.tolist():
            if op in (Op.COS, Op.SIN):
                values[result] = writer.write(f"call {writer.type} @{Op(op).name}({writer.type} {value(a).name})")
            elif op == BOTH:
                pair = f"{{ {writer.type}, {writer.type} }}"
                both = writer.write(f"call {pair} @BOTH({writer.type} {value(a).name})", pair)
                for n, register in enumerate((result, b)):
                    values[register] = writer.write(f"extractvalue {pair} {both.name}, {n}")
                written.add(b)
            else:
                operands = [value(a), value(b)] if op in BINARY else [value(a)]
                values[result] = FLOAT64[Op(op)](writer, *operands)
            written.add(result)
        for register in sorted(written & needed):
            writer.store(values[register], place(register))

    return write


SHARED = {"COS": PLAIN.cosine, "SIN": PLAIN.sine, "BOTH": PLAIN.cosine_and_sine}
"""Recipes that are long, so that all places share one function."""


def shared_function(name: str, target: Target) -> str:
    """A function of a vector."""
    writer = Writer(target.width, target.fma)
    result: Any = SHARED[name](writer, Number(writer, "%x", writer.type))
    kind = writer.type
    if name == "BOTH":
        kind = f"{{ {kind}, {kind} }}"
        first = writer.write(f"insertvalue {kind} undef, {writer.type} {result[0].name}, 0")
        result = writer.write(f"insertvalue {kind} {first.name}, {writer.type} {result[1].name}, 1")
    body = "\n".join([*writer.lines, f"  ret {kind} {result.name}"])
    return f"\ndefine internal {kind} @{name}({writer.type} %x) noinline {{\n{body}\n}}\n"
