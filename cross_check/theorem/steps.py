"""Single steps of the loops of the reference, cut from recorded programs.

A loop runs as it is, on one body or on two, and its variables are read when it returns. A step of the loop is then the part of
the program between two variables. ``replaced`` computes this part again, from other numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from operator import add, mul, sub, truediv
from types import FrameType, FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from cross_check.proof.instructions import ADD, CONSTANT, DIV, INPUT, MUL, SUB
from cross_check.proof.scalars import Number
from cross_check.proof.tape import Tape

OPERATIONS: dict[int, Any] = {ADD: add, SUB: sub, MUL: mul, DIV: truediv}
"""Of the kinds of instructions."""


def variables(algorithm: Any, *arguments: Any, **instead: Any) -> Any:
    """The local variables of ``algorithm`` when it returns, and its ``answer``.

    The functions ``instead`` take the places of those that it imports.
    """
    code, local = algorithm.__code__, dict[str, Any]()

    def keep(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is code:
            local.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(keep)
    try:
        answer = FunctionType(code, {**algorithm.__globals__, **instead}, None, algorithm.__defaults__)(*arguments)
    finally:
        sys.setprofile(before)
    return SimpleNamespace(answer=answer, **local)


class Steps:
    """Parts of the program on ``tape``."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._program: list[tuple[int, int, int]] = []

    def replaced(self, results: Iterable[Any], *given: tuple[Any, Any]) -> list[Any]:
        """Arrays of values, computed again with the second array of each pair in place of the first.

        Raises :class:`ValueError` where a constant, or one value by two others, would be replaced.
        """
        known: dict[int, Number] = {}
        for old, new in given:
            for x, y in zip(old.flat, np.broadcast_to(new, old.shape).flat, strict=True):
                n, number = self._tape.lift(x).n, self._tape.lift(y)
                if self._tape.kind[n] == CONSTANT or known.setdefault(n, number) is not number:
                    raise ValueError("a variable of the loop is no number of its own")

        def again(n: int) -> Number:
            if n not in known:
                kind, a, b = self._program[n]
                known[n] = self._tape.value(n) if kind in (INPUT, CONSTANT) else OPERATIONS[kind](again(a), again(b))
            return known[n]

        return [np.vectorize(lambda x: again(self._recorded(x)), otypes=[object])(array) for array in results]

    def _recorded(self, x: Any) -> int:
        """The number of a value, of which the instructions are known."""
        n = self._tape.lift(x).n
        if n >= len(self._program):
            self._program = list(self._tape.instructions())
        return n
