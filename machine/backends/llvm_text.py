"""Writes recipes as LLVM's assembly language.

A value is the name of a vector of float64 numbers, one for each state. Its operators write one instruction each. No instruction
has a flag, so that LLVM may not fuse or reorder them: every one rounds as IEEE 754 says, on every processor.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from machine.arithmetic import exact_product


@dataclass
class Writer:
    """The body of a function. ``lanes`` states are in a vector; ``fma``: whether the processor multiplies and adds in one step.

    ``flags`` are written on every operation. Tests use them to show that fusing would be noticed.
    """

    lanes: int
    fma: bool
    flags: str = ""
    lines: list[str] = field(default_factory=list)
    _names: int = 0

    @property
    def type(self) -> str:
        return f"<{self.lanes} x double>"

    def write(self, instruction: str) -> str:
        """Add an instruction that has a result, and return the result's name."""
        self._names += 1
        self.lines.append(f"  %v{self._names} = {instruction}")
        return f"%v{self._names}"

    def text(self, x: Number | float) -> str:
        """A value's name, or a number as a vector."""
        if isinstance(x, Number):
            return x.name
        return f"splat (double 0x{struct.pack('>d', x).hex()})"

    def operation(self, name: str, *operands: Number | float) -> Number:
        flags = f" {self.flags}" if self.flags else ""
        return Number(self, self.write(f"{name}{flags} {self.type} {', '.join(map(self.text, operands))}"))

    def less(self, a: Number | float, b: Number | float) -> Truth:
        return Truth(self, self.write(f"fcmp olt {self.type} {self.text(a)}, {self.text(b)}"))

    def call(self, name: str, *operands: Number | float) -> Number:
        """One of LLVM's own functions."""
        arguments = ", ".join(f"{self.type} {self.text(x)}" for x in operands)
        return Number(self, self.write(f"call {self.type} @llvm.{name}.v{self.lanes}f64({arguments})"))

    def load(self, pointer: str) -> Number:
        return Number(self, self.write(f"load {self.type}, ptr {pointer}, align {min(64, 8 * self.lanes)}"))

    def store(self, x: Number, pointer: str) -> None:
        self.lines.append(f"  store {self.type} {x.name}, ptr {pointer}, align {min(64, 8 * self.lanes)}")

    # What follows is machine.arithmetic.operations.Arithmetic.

    def sqrt(self, x: Number) -> Number:
        return self.call("sqrt", x)

    def absolute(self, x: Number) -> Number:
        return self.call("fabs", x)

    def select(self, condition: Truth, yes: Number | float, no: Number | float) -> Number:
        words = f"select <{self.lanes} x i1> {condition.name}, {self.type} {self.text(yes)}, {self.type} {self.text(no)}"
        return Number(self, self.write(words))

    def two_product(self, a: Number, b: Number | float) -> tuple[Number, Number]:
        if not self.fma:
            return exact_product.split_product(self, a, b)
        product = a * b
        return product, self.call("fma", a, b, -product)


@dataclass(frozen=True)
class Number:
    """A vector of float64 numbers in a function's body."""

    writer: Writer
    name: str

    def __add__(self, other: Number | float) -> Number:
        return self.writer.operation("fadd", self, other)

    def __radd__(self, other: float) -> Number:
        return self.writer.operation("fadd", other, self)

    def __sub__(self, other: Number | float) -> Number:
        return self.writer.operation("fsub", self, other)

    def __rsub__(self, other: float) -> Number:
        return self.writer.operation("fsub", other, self)

    def __mul__(self, other: Number | float) -> Number:
        return self.writer.operation("fmul", self, other)

    def __rmul__(self, other: float) -> Number:
        return self.writer.operation("fmul", other, self)

    def __truediv__(self, other: Number | float) -> Number:
        return self.writer.operation("fdiv", self, other)

    def __neg__(self) -> Number:
        return self.writer.operation("fneg", self)

    def __lt__(self, other: Number | float) -> Truth:
        return self.writer.less(self, other)

    def __gt__(self, other: Number | float) -> Truth:
        return self.writer.less(other, self)


@dataclass(frozen=True)
class Truth:
    """A vector of conditions."""

    writer: Writer
    name: str

    def __and__(self, other: Truth) -> Truth:
        return self._combined("and", other)

    def __or__(self, other: Truth) -> Truth:
        return self._combined("or", other)

    def _combined(self, name: str, other: Truth) -> Truth:
        return Truth(self.writer, self.writer.write(f"{name} <{self.writer.lanes} x i1> {self.name}, {other.name}"))
