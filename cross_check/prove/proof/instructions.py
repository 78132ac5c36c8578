"""The instructions of recorded programs: their kinds, what they do, and how their operands are packed."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from operator import add, mul, sub, truediv
from typing import Any


class Kind(IntEnum):
    """How a value is made. Of inputs and constants, the first operand counts them."""

    INPUT = 0
    CONSTANT = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5


INPUT, CONSTANT, ADD, SUB, MUL, DIV = (int(kind) for kind in Kind)

OPERATIONS: dict[int, Callable[[Any, Any], Any]] = {ADD: add, SUB: sub, MUL: mul, DIV: truediv}
"""What the instructions with two operands do."""

MASK = 2**32 - 1

ZERO, ONE = 0, 1
"""The numbers of the constants zero and one on every tape."""
