"""Steps that code took."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cross_check.memory import Array
from mechanisms import Joint, Mechanism

TURN = 2 * np.pi


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


def unwrapped(mechanism: Mechanism, step: Step) -> Step:
    """The step, whose angles go on from those at its start, where code takes away whole turns."""
    q = step.next_q.copy()
    for _, own in returning(mechanism):
        q[:, own] -= TURN * np.round((q[:, own] - step.q[:, own]) / TURN)
    return step._replace(next_q=q)


def returning(mechanism: Mechanism) -> list[tuple[Joint, slice]]:
    """Angles that mean the same after a whole turn: not those of helical joints, springs, or leaders of mimic joints."""
    angles = mechanism.slots("angle") if not mechanism.has_mimics else ()
    return [(joint, own) for joint, own in angles if joint.kind != "helical" and "spring" not in joint.forces]
