"""The states of test vectors: few, each for a reason, made from recipes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.memory import Array
from cross_check.vectors.positions import POSITIONS, drawn, long_drawn
from mechanisms import Mechanism, neutral
from mechanisms.quantities import Quantity

FAST = 1024.0
"""The factor of large rates."""

SLOW = (2.0**-11, 2.0**-22)
"""Factors of small rates, in turns: the products of two velocities show in the first, thresholds in both."""


@dataclass(frozen=True)
class Recipe:
    """One state. ``why`` says what it is for. Quantities use it that have all the arguments in ``needs``.

    ``positions`` names an entry of :data:`cross_check.vectors.positions.POSITIONS`, or is "neutral". ``v``, ``a`` and ``f`` are
    factors, zero for none. ``moves`` has factors of the velocities (nv,), and ``accelerates`` of the accelerations. ``least`` is
    the least number of velocities for which the state differs from others. ``shares`` is the name of a state that has the same
    position. ``is_long`` says that rates have many bits.
    """

    name: str
    why: str
    positions: str = "ordinary"
    v: float = 1.0
    a: float = 1.0
    f: float = 1.0
    needs: str = ""
    moves: Callable[[int], Array] = np.ones
    accelerates: Callable[[int], Array] = np.ones
    least: int = 1
    shares: str = ""
    is_long: bool = False


def _in_turns(nv: int) -> Array:
    return np.resize(SLOW, nv)


RECIPES = (
    Recipe("zero", "position zero, at rest, without forces", "neutral", 0, 0, 0),
    Recipe("at rest", "gravity alone", v=0, a=0),
    Recipe("accelerated from rest", "inertia and gravity, without velocities", v=0, needs="va"),
    Recipe("coasting", "velocities and gravity, without accelerations", a=0, f=0, needs="va"),
    Recipe("moving", "everything at once, with rates of many bits", is_long=True),
    Recipe(
        "moving on", "the position of the vector before with other rates, for code that keeps results", needs="v", shares="moving"
    ),
    Recipe("moving by", "nearly the same position, for code that compares positions roughly", "near", shares="moving"),
    Recipe(
        "one velocity alone",
        "no product of two velocities",
        needs="v",
        moves=lambda nv: 1.0 * (np.arange(nv) == nv // 2),
        least=2,
    ),
    Recipe("one velocity zero", "code that skips zeros", needs="v", moves=lambda nv: 1.0 * (np.arange(nv) != nv // 3), least=3),
    Recipe("quarter turns", "cosines vanish, and Euler angles lock", "quarter"),
    Recipe("half turns", "sines vanish, and quaternions have w = 0", "half"),
    Recipe("small", "angles, turns and distances below a millionth", "small"),
    Recipe("far", "hundreds of radians, tens of metres", "far"),
    Recipe("slow", "rates below a thousandth", needs="v", moves=_in_turns, accelerates=_in_turns),
    Recipe("fast", "large velocities", v=FAST, needs="v"),
    Recipe("jerked", "large accelerations", a=FAST, needs="va"),
    Recipe("negative w", "quaternions with w < 0", "negative"),
)
"""In the order of a file."""


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
