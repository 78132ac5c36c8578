"""Recorded programs as lists of values: what the Taylor coefficients and the bounds of a right-hand side are computed from."""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import fmpq

from machine.program import Op, Program

Ball = Any
"""A ball of Arb."""


class Code(NamedTuple):
    """A program in single assignment: values are the inputs, the constants, and then one for each instruction.

    The sine of an angle stands right behind its cosine, and both are computed where one is needed: their series need each other.
    """

    inputs: int
    constants: tuple[Any, ...]
    """Exact numbers, as FLINT's fractions."""
    instructions: tuple[tuple[Op, int, int], ...]
    outputs: tuple[int, ...]


def code_of(program: Program) -> Code:
    """The program with values in the place of registers."""
    first = program.inputs + len(program.constants)
    value = list(range(program.registers))
    instructions: list[tuple[Op, int, int]] = []
    cosines: dict[int, int] = {}
    for op, x, y, target in program.code.tolist():
        a, b, made = value[x], value[y], first + len(instructions)
        if op in (Op.COS, Op.SIN):
            if a not in cosines:
                cosines[a] = made
                instructions += [(Op.COS, a, a), (Op.SIN, a, a)]
            value[target] = cosines[a] + (op == Op.SIN)
        else:
            value[target] = made
            instructions.append((Op(op), a, b))
    constants = tuple(fmpq(x.numerator, x.denominator) for x in program.constants)
    return Code(program.inputs, constants, tuple(instructions), tuple(value[k] for k in program.outputs.tolist()))
