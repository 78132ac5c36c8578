"""What a recipe may do with float64 numbers.

A recipe is a function that says which operations of float64 make a result, for example the sum of two double-doubles. It is
written once and knows neither NumPy nor LLVM: its values are NumPy arrays when the NumPy backend runs it, and names of LLVM
registers when the LLVM backend compiles it. So both backends do the same operations in the same order, and their results have the
same bits.

Values have ``+``, ``-``, ``*``, ``/``, unary ``-`` and ``<``, with each other and with Python floats. Conditions have ``&`` and
``|``. :class:`Operations` has the rest. Every operation rounds once, to nearest, as IEEE 754 says; none is fused with another.
"""

from __future__ import annotations

from typing import Any, Protocol

Value = Any
"""float64 numbers, one for each state: an array, or the name of a register that will hold them."""

Condition = Any
"""What a comparison gives, one for each state."""


class Operations(Protocol):
    """The operations that have no sign in Python."""

    def sqrt(self, x: Value) -> Value:
        """The square root, correctly rounded."""

    def absolute(self, x: Value) -> Value:
        """x without its sign."""

    def select(self, condition: Condition, yes: Value | float, no: Value | float) -> Value:
        """``yes`` for the states where the condition holds, ``no`` for the others."""

    def two_product(self, a: Value, b: Value) -> tuple[Value, Value]:
        """a·b rounded, p, and the rest a·b − p, rounded once: what a fused multiply-add gives, for all a and b."""
