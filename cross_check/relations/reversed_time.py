"""Reverse time: v changes its sign, q and a keep theirs.

An answer is even or odd in v, as the exponent of the second in its unit is. Only damping is not reversed: τ(v) = τ(−v) + 2 D v
with the mechanism's damping D, and forward dynamics has the same acceleration for τ at v and τ − 2 D v at −v.
"""

from __future__ import annotations

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import ALL_RELATED, SAME, Back, Question, Related, Relation, replaced, same
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.units import Unit

FORCE, FORCE_BY_V = Unit(1, 2, -2), Unit(1, 2, -1)


def relate(mechanism: Mechanism, states: States) -> Related:
    data = mechanism.arrays
    damping = data.per_coordinate(data.damping)
    # Adding zero turns −0 into 0.
    reversed_ = replaced(states, v=0.0 - states.v, tau=states.tau - 2 * damping * states.v)
    back: dict[str, Back] = {}
    for name in ALL_RELATED:
        quantity = ALL_QUANTITIES[name]
        if "v" not in quantity.arguments:
            continue
        if (quantity.axes, quantity.unit) == (("nv",), FORCE):
            back[name] = _offset(2 * damping * states.v)
        elif (quantity.axes, quantity.unit) == (("nv", "nv"), FORCE_BY_V):
            back[name] = _opposite(2 * np.diag(damping))
        else:
            back[name] = SAME if quantity.unit.s % 2 == 0 else Back(np.negative, same)
    return Related(Question(mechanism, states), (Question(mechanism, reversed_),), back)


def _offset(offset: Array) -> Back:
    return Back(lambda x: x + offset, lambda size: size + np.abs(offset))


def _opposite(offset: Array) -> Back:
    return Back(lambda x: offset - x, lambda size: size + np.abs(offset))


REVERSED_TIME = Relation(
    "reversed_time",
    "reverse time, v becomes −v: forces without damping and energies stay",
    relate,
    holds_with_mimics=True,
)
