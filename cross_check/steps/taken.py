"""Steps that code took."""

from __future__ import annotations

from typing import NamedTuple

from cross_check.memory import Array


class Step(NamedTuple):
    """Steps of code: from states (batch, …), with forces held for a time h (batch, 1), to q⁺ and v⁺."""

    q: Array
    v: Array
    tau: Array
    h: Array
    before: Array
    """The force of the state that was asked before."""
    next_q: Array
    next_v: Array

    def pick(self, chosen: Array) -> Step:
        """Those of the states with these indices."""
        return Step(*(column[chosen] for column in self))
