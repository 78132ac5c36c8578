"""Writes what is done with numbers in LLVM's assembly language.

A :class:`Number` is the name of a number in the body of a function. Its operators write one instruction each. No instruction has
a flag, so that LLVM may not fuse or reorder operations of float64: every one rounds as IEEE 754 says, on every processor.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from machine.arithmetic import exact_product

ARITHMETIC: dict[Any, str] = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.divide: "div",
    np.negative: "neg",
    np.floor_divide: "udiv",
    np.right_shift: "lshr",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.bitwise_xor: "xor",
}
"""Operators as instructions; those of float64 begin with f. Whole numbers that are divided or shifted are not negative."""

COMPARISONS: dict[Any, str] = {
    np.equal: "eq",
    np.not_equal: "ne",
    np.less: "lt",
    np.less_equal: "le",
    np.greater: "gt",
    np.greater_equal: "ge",
}

INT, UNSIGNED, POINTER = "i64", "unsigned", "ptr"
"""Kinds of numbers beside vectors: whole numbers of 64 bits, with a sign and without, and addresses."""


@dataclass
class Writer:
    """The body of a function. ``lanes`` states are in a vector; ``fma``: whether the processor multiplies and adds at once."""

    lanes: int = 1
    fma: bool = False
    lines: list[str] = field(default_factory=list)
    _names: int = 0

    @property
    def type(self) -> str:
        return f"<{self.lanes} x double>"

    def name(self) -> str:
        """A new name."""
        self._names += 1
        return f"v{self._names}"

    def write(self, instruction: str, kind: str | None = None) -> Number:
        """Add an instruction that has a result, by default a vector of float64."""
        name = self.name()
        self.lines.append(f"  %{name} = {instruction}")
        return Number(self, f"%{name}", kind or self.type)

    def operation(self, ufunc: Any, *operands: Any) -> Number:
        """What an operator writes."""
        kind = next(x.kind for x in operands if isinstance(x, Number))
        is_float = kind.endswith("double>")
        if kind == INT and any(x.kind == UNSIGNED if isinstance(x, Number) else x >= 2**63 for x in operands):
            kind = UNSIGNED
        if ufunc is np.negative and not is_float:
            return self.operation(np.subtract, 0, *operands)
        words = f"{type_of(kind)} {', '.join([text(x, kind) for x in operands])}"
        if ufunc not in COMPARISONS:
            name = ARITHMETIC[ufunc]
            return self.write(f"{f'f{name}' if is_float else name} {words}", kind)
        order = COMPARISONS[ufunc]
        if is_float:
            return self.write(f"fcmp o{order} {words}", kind.replace("double", "i1"))
        sign = "" if order in ("eq", "ne") else "u" if kind == UNSIGNED else "s"
        return self.write(f"icmp {sign}{order} {words}", "i1")

    def call(self, name: str, *operands: Number | float) -> Number:
        """One of LLVM's own functions of float64."""
        arguments = ", ".join(f"{self.type} {text(x, self.type)}" for x in operands)
        return self.write(f"call {self.type} @llvm.{name}.v{self.lanes}f64({arguments})")

    def load(self, pointer: Number, lanes: int = 0) -> Number:
        """A vector of a register, or so many numbers from anywhere."""
        kind, align = (f"<{lanes} x double>", 8) if lanes else (self.type, min(64, 8 * self.lanes))
        return self.write(f"load {kind}, ptr {pointer.name}, align {align}", kind)

    def store(self, x: Number, pointer: Number, aligned: bool = True) -> None:
        align = min(64, 8 * self.lanes) if aligned else 8
        self.lines.append(f"  store {x.kind} {x.name}, ptr {pointer.name}, align {align}")

    # What follows is machine.arithmetic.operations.Operations.

    def sqrt(self, x: Number) -> Number:
        return self.call("sqrt", x)

    def absolute(self, x: Number) -> Number:
        return self.call("fabs", x)

    def select(self, condition: Number, yes: Number | float, no: Number | float) -> Number:
        kind = next((x.kind for x in (yes, no) if isinstance(x, Number)), self.type if "<" in condition.kind else INT)
        words = f"{type_of(kind)} {text(yes, kind)}, {type_of(kind)} {text(no, kind)}"
        return self.write(f"select {condition.kind} {condition.name}, {words}", kind)

    def two_product(self, a: Number, b: Number | float) -> tuple[Number, Number]:
        if not self.fma:
            return exact_product.split_product(self, a, b)
        product: Any = a * b
        return product, self.call("fma", a, b, -product)


@dataclass(frozen=True, eq=False)
class Number(np.lib.mixins.NDArrayOperatorsMixin):
    """A number in a function's body, of a ``kind``: that of a vector is its type."""

    writer: Writer
    name: str
    kind: str

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any) -> Number:
        return self.writer.operation(ufunc, *operands)

    def __bool__(self) -> bool:
        raise TypeError("what a number is, is not known where code is compiled")


@dataclass(frozen=True)
class Array:
    """Numbers in memory, of a type of LLVM: whole numbers, addresses or float64."""

    start: Number
    element: str

    def __getitem__(self, index: Number | int) -> Number:
        writer, at = self.start.writer, self.at(index).start.name
        if self.element == UNSIGNED or self.element in (INT, POINTER):
            return writer.write(f"load {type_of(self.element)}, ptr {at}", self.element)
        loaded = writer.write(f"load {self.element}, ptr {at}", self.element)
        return writer.write(f"sext {self.element} {loaded.name} to i64", INT)

    def __setitem__(self, index: Number | int, value: Number | int) -> None:
        writer, at, kind = self.start.writer, self.at(index).start.name, type_of(self.element)
        if isinstance(value, Number) and kind != INT:
            value = writer.write(f"trunc i64 {value.name} to {kind}", kind)
        writer.lines.append(f"  store {kind} {text(value, kind)}, ptr {at}")

    def at(self, index: Number | int) -> Array:
        """The numbers from one of them on."""
        address = f"getelementptr {type_of(self.element)}, ptr {self.start.name}, i64 {text(index, INT)}"
        return Array(self.start.writer.write(address, POINTER), self.element)


def type_of(kind: str) -> str:
    """The type of LLVM."""
    return "i64" if kind == UNSIGNED else kind


def text(x: Number | float, kind: str) -> str:
    """A number's name, or a number that is known."""
    if isinstance(x, Number):
        return x.name
    if kind.endswith("double>"):
        return f"splat (double 0x{struct.pack('>d', x).hex()})"
    return str(int(x)) if kind != "i1" else str(bool(x)).lower()
