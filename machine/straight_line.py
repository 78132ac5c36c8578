"""Compiles a float64 program to code of its own: no instruction is decoded, and what an instruction makes stays in a register.

The program is cut into functions of a few hundred instructions, so that the time to compile grows in proportion to its length.
Between two functions the values that are still needed are in memory, in the registers of the interpreter, which calls one
function after another for each block of states. The results have the same bits as those of the interpreter, because the recipes
are the same.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from machine.instructions import FLOAT64
from machine.llvm_interpreter import block_function, interpreter
from machine.llvm_target import Compiled, Target, compile_text, host
from machine.llvm_text import Number, Writer
from machine.program import BINARY, Op, Program, Words

PIECE = 300
"""The number of instructions in a function."""


@lru_cache(maxsize=64)
def compiled(program: Program) -> Compiled:
    """The program's own code, compiled once per computer and loaded once per process."""
    return compile_text(module_text(program, host()), host(), cached=True)


def module_text(program: Program, target: Target, piece: int = PIECE) -> str:
    """The program in LLVM's assembly language, with the loop of the interpreter."""
    code = program.code
    pieces = [code[n : n + piece] for n in range(0, len(code), piece)]
    functions = [shared_function(op, target) for op in (Op.COS, Op.SIN)]
    for n, (part, needed) in enumerate(zip(pieces, needed_after(program, pieces), strict=True)):
        functions.append(block_function(f"piece_{n}", piece_body(program, part, needed, target)))
    return "".join(functions) + interpreter([f"piece_{n}" for n in range(len(pieces))], 1, target)


def steps(program: Program, piece: int = PIECE) -> Words:
    """Instructions for the interpreter that call the functions in turn."""
    count = -(-len(program.code) // piece)
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
            written.add(target)
        needed = (needed - written) | read
    return after[::-1]


def piece_body(program: Program, part: Words, needed: set[int], target: Target) -> Writer:
    """One function: every register is loaded at most once, and stored only if it is needed afterwards."""
    writer = Writer(target.width, target.fma)
    values: dict[int, Number] = {}
    written: set[int] = set()

    def value(register: int) -> Number:
        if register not in values:
            k = register - program.inputs
            values[register] = (
                Number(writer, writer.text(float(program.constants[k])))
                if 0 <= k < len(program.constants)
                else writer.load(pointer(writer, register))
            )
        return values[register]

    for op, a, b, result in part.tolist():
        operands = [value(a), value(b)] if op in BINARY else [value(a)]
        if op in (Op.COS, Op.SIN):
            text = f"call {writer.type} @{Op(op).name}({writer.type} {operands[0].name})"
            values[result] = Number(writer, writer.write(text))
        else:
            values[result] = FLOAT64[op](writer, *operands)
        written.add(result)
    for register in sorted(written & needed):
        writer.store(values[register], pointer(writer, register))
    return writer


def shared_function(op: Op, target: Target) -> str:
    """A cosine or sine is long, so that all places share one function."""
    writer = Writer(target.width, target.fma)
    result = FLOAT64[op](writer, Number(writer, "%x"))
    body = "\n".join([*writer.lines, f"  ret {writer.type} {result.name}"])
    return f"\ndefine internal {writer.type} @{op.name}({writer.type} %x) noinline {{\n{body}\n}}\n"


def pointer(writer: Writer, register: int) -> str:
    """Where the states %i … of a register are; %a is the first register."""
    offset = writer.write(f"mul i64 %block, {register}")
    index = writer.write(f"add i64 {offset}, %i")
    return writer.write(f"getelementptr double, ptr %a, i64 {index}")
