"""Neighbours of states that satisfy constraints, a few roundings away, which satisfy them as well.

Code may continue J and the drift otherwise than the oracle where a constraint is violated. So a neighbour must not violate it by
more than rounding does. Its position is reached along a motion that the constraints allow: what remains of φ is of the square of
the step. Its velocity loses what J v = 0 does not allow there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cross_check.comparison.constrained_case import ConstrainedCase
from cross_check.comparison.constrained_states import ConstrainedStates
from cross_check.comparison.sampling import States
from cross_check.memory import Array
from machine.double_doubles import DoubleDoubles
from mechanisms.states import difference, integrate


def satisfying_neighbours(case: ConstrainedCase, states: States, nearby: States) -> ConstrainedStates:
    """The neighbours ``nearby`` of ``states`` moved so that they satisfy the constraints."""
    assert isinstance(states, ConstrainedStates) and isinstance(nearby, ConstrainedStates)
    step = _allowed(_rows(case, states.q, states.rows), difference(case.mechanism, states.q, nearby.q))
    q = integrate(case.mechanism, states.q, step)
    J = _rows(case, q, states.rows)
    v: Any = DoubleDoubles(nearby.v, np.zeros_like(nearby.v))
    inverse = np.linalg.pinv(J.high)
    for _ in range(2):
        v = v - np.einsum("bij,bj->bi", inverse, np.einsum("bij,bj->bi", J, v).high)
    return replace(nearby, q=q, v=np.asarray(v.high))


def _rows(case: ConstrainedCase, q: Array, rows: Array) -> Any:
    """The independent rows of J (batch, rank, nv) at q."""
    J: Any = DoubleDoubles(*case.truth.afresh().high_low("constraint_jacobian", q))
    return J[np.arange(len(q))[:, None], rows]


def _allowed(J: DoubleDoubles, step: Array) -> Array:
    """The part of the step (batch, nv) that J does not see."""
    return step - np.einsum("bij,bjk,bk->bi", np.linalg.pinv(J.high), J.high, step)
