"""Superpose accelerations: what is linear in a, up to a constant, is known from three accelerations.

    x(a) = x(2a) + x(−a) − x(0)

Likewise for external forces f, which are scaled together with a, and for the acceleration of forward dynamics as a function of τ.
"""

from __future__ import annotations

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.relations.relation import ALL_RELATED, Back, Question, Related, Relation, replaced, same
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES


def relate(mechanism: Mechanism, states: States) -> Related:
    images = tuple(
        Question(mechanism, replaced(states, a=k * states.a, tau=k * states.tau, f=k * states.f)) for k in (2.0, -1.0, 0.0)
    )
    back = Back(_superposed, same)
    names = [name for name in ALL_RELATED if {"a", "tau", "f"} & set(ALL_QUANTITIES[name].arguments)]
    return Related(Question(mechanism, states), images, dict.fromkeys(names, back))


def _superposed(twice: Array, negative: Array, none: Array) -> Array:
    return twice + negative - none


SUPERPOSED_ACCELERATIONS = Relation(
    "superposed_accelerations",
    "superpose accelerations, external forces with them: x(a) = x(2a) + x(−a) − x(0)",
    relate,
    holds_with_mimics=True,
)
