"""Recorded programs: straight-line code over the registers of a machine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

import numpy as np

Words = np.ndarray[Any, np.dtype[np.int32]]
"""An array of int32."""


class Op(IntEnum):
    """What an instruction does; the numbers are part of the format."""

    ADD = 0
    SUB = 1
    MUL = 2
    DIV = 3
    NEG = 4
    SQRT = 5
    COS = 6
    SIN = 7
    SIGN = 8


BINARY = (Op.ADD, Op.SUB, Op.MUL, Op.DIV)
"""The operations with two operands."""


@dataclass(frozen=True, eq=False)
class Program:
    """Straight-line code. An instruction reads one or two registers and then writes one; it may write into one that it reads.

    - ``inputs``: the number of inputs. Input k is in register k at the start.
    - ``constants``: exact numbers. Constant k is in register ``inputs + k`` at the start; no instruction may write there.
    - ``code``: int32 (instructions, 4): :class:`Op`, first operand, second operand, target. An operation with one operand ignores
      the second number.
    - ``outputs``: int32 (outputs): the registers that hold the outputs at the end; a register may be named twice.
    - ``registers``: how many there are.

    The arrays are copied and read-only. Raises :class:`ValueError` if an instruction is unknown, if it reads a register that has
    no value yet, if it writes into a constant, or if a constant is too large for float64.
    """

    inputs: int
    code: Words
    constants: tuple[Fraction, ...]
    outputs: Words
    registers: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "code", words(self.code, "code", 4))
        object.__setattr__(self, "outputs", words(self.outputs, "outputs"))
        object.__setattr__(self, "constants", tuple(map(Fraction, self.constants)))
        _check(self)

    @cached_property
    def constant_words(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The constants as double-doubles: the high and the low words, float64 (constants)."""
        pairs = [words_of(x) for x in self.constants]
        return np.array([high for high, _ in pairs], float), np.array([low for _, low in pairs], float)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled programs are checked again when they are read."""
        return Program, (self.inputs, self.code, self.constants, self.outputs, self.registers)

    def fingerprint(self) -> str:
        """A digest of everything that decides the results, in hexadecimal digits."""
        digest = hashlib.sha256(f"{self.inputs} {self.registers} {[str(x) for x in self.constants]} {len(self.outputs)}".encode())
        digest.update(self.outputs.astype("<i4").tobytes())
        digest.update(self.code.astype("<i4").tobytes())
        return digest.hexdigest()


def words_of(x: Fraction) -> tuple[float, float]:
    """The double-double nearest to an exact number. Raises :class:`ValueError` if it is too large."""
    p, q = x.as_integer_ratio()
    try:
        high = p / q
    except OverflowError:
        bits = abs(x.numerator).bit_length() - x.denominator.bit_length()
        raise ValueError(f"a constant of about 2^{bits} is too large for float64") from None
    # Python rounds quotients of integers correctly. A fraction would look for common divisors, which takes longer.
    n, d = high.as_integer_ratio()
    return high, (p * d - n * q) / (q * d)


def irreducible(p: int, q: int) -> Fraction:
    """p / q for whole numbers without a common divisor, q positive: to look for one takes long where the numbers are long."""
    fraction: Any = object.__new__(Fraction)
    fraction._numerator, fraction._denominator = p, q
    return cast(Fraction, fraction)


def words(values: Any, name: str, columns: int | None = None) -> Words:
    """A read-only copy as int32, with so many columns or with one axis. Raises :class:`ValueError` if that loses anything."""
    array = np.array(values)
    shape = (len(array), columns) if columns else (len(array),)
    if not array.size:
        array = np.zeros((0, *shape[1:]), np.int32)
    elif array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}, not {shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be whole numbers, and has {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= 2**31):
        raise ValueError(f"{name} has a number that is negative or does not fit into 32 bits")
    copy = np.ascontiguousarray(array, np.int32)
    copy.flags.writeable = False
    return copy


def _check(program: Program) -> None:
    """Raise :class:`ValueError` if the machine could read or write where it must not: it does not check again."""
    op, a, b, target = np.ascontiguousarray(program.code.T)
    first = program.inputs + len(program.constants)
    if program.inputs < 0 or program.registers < first:
        raise ValueError(
            f"{program.registers} registers are too few for {program.inputs} inputs and {first - program.inputs} constants"
        )
    if np.any(op > max(Op)):
        raise ValueError(f"instruction {int(np.argmax(op > max(Op)))} has an unknown operation: {int(op.max())}")
    b = np.where(np.isin(op, BINARY), b, a)
    for name, row in (("reads", a), ("reads", b), ("writes", target), ("outputs", program.outputs)):
        if np.any(row >= program.registers):
            where = f"instruction {int(np.argmax(row >= program.registers))} {name}" if name != "outputs" else "an output is"
            raise ValueError(f"{where} register {int(row.max())} of {program.registers}")
    constant = (target >= program.inputs) & (target < first)
    if constant.any():
        raise ValueError(f"instruction {int(np.argmax(constant))} writes into a constant")
    # The first instruction that writes a register; inputs and constants are there before the first one.
    written = np.full(program.registers, len(op), np.int64)
    written[target[::-1]] = np.arange(len(op))[::-1]
    written[:first] = -1
    early = (written[a] >= np.arange(len(op))) | (written[b] >= np.arange(len(op)))
    if early.any():
        raise ValueError(f"instruction {int(np.argmax(early))} reads a register that has no value yet")
    if np.any(written[program.outputs] == len(op)):
        raise ValueError("an output is a register that has no value")
    _ = program.constant_words
