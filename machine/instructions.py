"""The recipe of every operation, in both precisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Literal

from machine.arithmetic import double_double
from machine.arithmetic.double_double import Pair
from machine.arithmetic.operations import Value
from machine.arithmetic.sine import PAIRED, PLAIN
from machine.program import Op

Precision = Literal["double-double", "float64"]

DOUBLE_DOUBLE: Mapping[Op, Callable[..., Pair]] = MappingProxyType(
    {
        Op.ADD: double_double.add,
        Op.SUB: double_double.subtract,
        Op.MUL: double_double.multiply,
        Op.DIV: double_double.divide,
        Op.NEG: double_double.negate,
        Op.SQRT: double_double.square_root,
        Op.COS: PAIRED.cosine,
        Op.SIN: PAIRED.sine,
        Op.SIGN: double_double.sign,
    }
)
"""Recipes that take and give pairs of words."""

FLOAT64: Mapping[Op, Callable[..., Value]] = MappingProxyType(
    {
        Op.ADD: lambda ops, x, y: x + y,
        Op.SUB: lambda ops, x, y: x - y,
        Op.MUL: lambda ops, x, y: x * y,
        Op.DIV: lambda ops, x, y: x / y,
        Op.NEG: lambda ops, x: -x,
        Op.SQRT: lambda ops, x: ops.sqrt(x),
        Op.COS: PLAIN.cosine,
        Op.SIN: PLAIN.sine,
        Op.SIGN: double_double.sign_of_word,
    }
)
"""Recipes that take and give one word."""
