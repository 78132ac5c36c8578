"""The states of the vectors of a quantity, made from their recipes."""

from __future__ import annotations

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.vectors.positions import POSITIONS, drawn, long_drawn
from cross_check.vectors.recipes import RECIPES, Recipe
from mechanisms import Mechanism, neutral
from mechanisms.quantities import Quantity


def states_for(mechanism: Mechanism, quantity: Quantity) -> States:
    """The states of the vectors of a quantity; ``kinds`` are the names of their recipes. τ is zero."""
    rates = {"tau": "a"}
    have = {rates.get(name, name) for name in quantity.arguments}
    used = [recipe for recipe in RECIPES if set(recipe.needs) <= have and _suits(recipe, mechanism)]
    nv, bodies = mechanism.nv, len(mechanism.bodies)
    q = [_configuration(mechanism, recipe) for recipe in used]
    v = [recipe.v * recipe.moves(nv) * _numbers(recipe, "v", nv) + 0.0 for recipe in used]
    a = [recipe.a * recipe.accelerates(nv) * _numbers(recipe, "a", nv) + 0.0 for recipe in used]
    f = [recipe.f * _numbers(recipe, "f", 6 * bodies).reshape(bodies, 6) + 0.0 for recipe in used]
    return States(tuple(recipe.name for recipe in used), *map(np.array, (q, v, a, np.zeros((len(used), nv)), f)))


def _suits(recipe: Recipe, mechanism: Mechanism) -> bool:
    """Whether the state differs on this mechanism from every other."""
    forms = {slot.form for body in mechanism.bodies for slot in body.joint.slots}
    turning = forms & {"angle", "circle", "quaternion"}
    if recipe.positions in ("quarter", "half") and not turning:
        return False
    if recipe.positions == "near" and not forms & {"angle", "distance"}:
        return False
    return mechanism.nv >= recipe.least and (recipe.positions != "negative" or "quaternion" in forms)


def _numbers(recipe: Recipe, column: str, n: int) -> Array:
    draw = long_drawn if recipe.is_long else drawn
    return np.array([draw(f"{recipe.name}/{column}/{k}") for k in range(n)], np.float64)


def _configuration(mechanism: Mechanism, recipe: Recipe) -> Array:
    if recipe.positions == "neutral":
        return neutral(mechanism)
    q = np.empty(mechanism.nq)
    for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        for k, slot in enumerate(body.joint.slots):
            start = own.start + slot.q.start
            place = f"{recipe.shares or recipe.name}/q/{start}"
            values = POSITIONS[recipe.positions](body.joint, k, slot, place)
            q[start : start + len(values)] = values
    return q
