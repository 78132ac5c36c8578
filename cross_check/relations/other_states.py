"""Ask about the same mechanism at other states.

If time is reversed, v changes its sign, q and a keep theirs. An answer is even or odd in v, as the exponent of the second in its
unit is. Only damping is not reversed: τ(v) = τ(−v) + 2 D v with the mechanism's damping D, and forward dynamics has the same
acceleration for τ at v and τ − 2 D v at −v.

If accelerations are superposed, what is linear in a, up to a constant, is known from three accelerations:

    x(a) = x(2a) + x(−a) − x(0)

Likewise for external forces f, which are scaled together with a, and for the acceleration of forward dynamics as a function of τ.
"""

from __future__ import annotations

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import Metamorphic
from cross_check.relations.transformation import ALL_RELATED, SAME, Back, Question, Related, replaced, same, shifted
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.units import Unit

FORCE, FORCE_BY_V = Unit(1, 2, -2), Unit(1, 2, -1)


def reversed_time(mechanism: Mechanism, states: States) -> Related:
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
            back[name] = shifted(2 * damping * states.v)
        elif (quantity.axes, quantity.unit) == (("nv", "nv"), FORCE_BY_V):
            back[name] = _opposite(2 * np.diag(damping))
        else:
            back[name] = SAME if quantity.unit.s % 2 == 0 else Back(np.negative, same)
    return Related(Question(mechanism, states), (Question(mechanism, reversed_),), back)


def _opposite(offset: Array) -> Back:
    return Back(lambda x: offset - x, lambda size: size + np.abs(offset))


def superposed(mechanism: Mechanism, states: States) -> Related:
    images = tuple(
        Question(mechanism, replaced(states, a=k * states.a, tau=k * states.tau, f=k * states.f)) for k in (2.0, -1.0, 0.0)
    )
    back = Back(_superposed, same)
    names = [name for name in ALL_RELATED if {"a", "tau", "f"} & set(ALL_QUANTITIES[name].arguments)]
    return Related(Question(mechanism, states), images, dict.fromkeys(names, back))


def _superposed(twice: Array, negative: Array, none: Array) -> Array:
    return twice + negative - none


REVERSED_TIME = Metamorphic(
    "reversed_time",
    "reverse time, v becomes −v: forces without damping and energies stay",
    reversed_time,
    holds_with_mimics=True,
)

SUPERPOSED_ACCELERATIONS = Metamorphic(
    "superposed_accelerations",
    "superpose accelerations, external forces with them: x(a) = x(2a) + x(−a) − x(0)",
    superposed,
    holds_with_mimics=True,
)
