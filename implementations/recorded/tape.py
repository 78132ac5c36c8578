"""Records an algorithm as a straight-line sequence of operations.

:class:`Recorded` is a field whose elements record the operations that produce them. One run of the reference over this field
gives a program. Constants are folded exactly, zeros and ones vanish, common subexpressions are shared, and operations that no
output depends on are dropped. :mod:`implementations.recorded.program` executes the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.field import Tensor
from mechanisms.numbers import Scalar


class Node:
    """The result of one recorded operation; its operands are nodes or constants."""

    __slots__ = ("arguments", "number", "op", "tape")

    def __init__(self, tape: Tape, op: str, arguments: tuple[Any, ...], number: int) -> None:
        self.tape, self.op, self.arguments, self.number = tape, op, arguments, number

    def __add__(self, other: Any) -> Any:
        return self.tape.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return self.tape.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return self.tape.sub(self, other)

    def __rsub__(self, other: Any) -> Any:
        return self.tape.sub(other, self)

    def __mul__(self, other: Any) -> Any:
        return self.tape.mul(self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.tape.mul(other, self)

    def __truediv__(self, other: Any) -> Any:
        return self.tape.div(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self.tape.div(other, self)

    def __neg__(self) -> Any:
        return self.tape.neg(self)


@dataclass
class Tape:
    """The operations recorded so far, in order. Equal operations are recorded once."""

    nodes: list[Node] = field(default_factory=list)
    _known: dict[tuple[Any, ...], Node] = field(default_factory=dict)

    def record(self, op: str, *arguments: Any) -> Node:
        arguments = tuple(x if isinstance(x, Node) else Fraction(x) for x in arguments)
        # A node is identified by its number in a tuple, a constant by its value, so that the two differ.
        key = (op, *((x.number,) if isinstance(x, Node) else x for x in arguments))
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(self, op, arguments, len(self.nodes))
            self.nodes.append(node)
        return node

    def add(self, a: Any, b: Any) -> Any:
        if not isinstance(a, Node):
            a, b = b, a
        if is_constant(b) and b == 0:
            return a
        if is_negation(b):
            return self.sub(a, b.arguments[0])
        if is_negation(a):
            return self.sub(b, a.arguments[0])
        return self.record("add", *sorted_operands(a, b))

    def sub(self, a: Any, b: Any) -> Any:
        if is_constant(b) and b == 0:
            return a
        if is_constant(a) and a == 0:
            return self.neg(b)
        if is_negation(b):
            return self.add(a, b.arguments[0])
        return self.record("sub", a, b)

    def mul(self, a: Any, b: Any) -> Any:
        if not isinstance(a, Node):
            a, b = b, a
        if is_constant(b) and abs(b) in (0, 1):
            return Fraction(0) if b == 0 else a if b == 1 else self.neg(a)
        if is_constant(b) and b < 0:
            return self.neg(self.mul(a, -b))
        if is_negation(a):
            return self.neg(self.mul(a.arguments[0], b))
        if is_negation(b):
            return self.neg(self.mul(a, b.arguments[0]))
        return self.record("mul", *sorted_operands(a, b))

    def div(self, a: Any, b: Any) -> Any:
        if is_constant(b):
            return self.mul(a, 1 / Fraction(b))
        if is_constant(a) and a == 0:
            return Fraction(0)
        return self.neg(self.div(a.arguments[0], b)) if is_negation(a) else self.record("div", a, b)

    def neg(self, a: Any) -> Any:
        return a.arguments[0] if is_negation(a) else self.record("neg", a)


def is_constant(x: Any) -> bool:
    return not isinstance(x, Node)


def is_negation(x: Any) -> bool:
    return isinstance(x, Node) and x.op == "neg"


def sorted_operands(a: Any, b: Any) -> tuple[Any, Any]:
    """The operands of a commutative operation in one fixed order, so that a + b and b + a are recorded once."""
    return (b, a) if isinstance(a, Node) and isinstance(b, Node) and b.number < a.number else (a, b)


@dataclass
class Recorded:
    """The field of recorded operations."""

    tape: Tape = field(default_factory=Tape)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(object)

    def number(self, value: Scalar) -> Any:
        return Fraction(value)

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        c, s = ([self.tape.record(op, x) for x in angle.flat] for op in ("cos", "sin"))
        return np.array(c, dtype=object).reshape(angle.shape), np.array(s, dtype=object).reshape(angle.shape)

    def angle(self, position: Tensor) -> Tensor:
        return position

    def position(self, angle: Tensor) -> Tensor:
        return angle

    def inputs(self, width: int) -> Tensor:
        """``width`` new inputs, as a batch of one state: (width, 1)."""
        first = sum(node.op == "input" for node in self.tape.nodes)
        return np.array([[self.tape.record("input", first + k)] for k in range(width)], dtype=object)


def live_nodes(outputs: Sequence[Any]) -> list[Node]:
    """The nodes that the outputs depend on, operands before results."""
    live: dict[int, Node] = {}
    waiting = [x for x in outputs if isinstance(x, Node)]
    while waiting:
        node = waiting.pop()
        if node.number not in live:
            live[node.number] = node
            waiting.extend(x for x in node.arguments if isinstance(x, Node))
    return [live[number] for number in sorted(live)]
