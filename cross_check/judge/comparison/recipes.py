"""The states of test vectors: few, each for a reason, made from recipes, with the same bits on every machine.

A number is taken from the SHA-256 digest of its place, "fast/v/3": the sign and a multiple of 2⁻¹¹ between ½ and 3/2. Powers of
two scale it. So no random generator and no function of the C library is involved, and most numbers are short. Only quaternions,
cosines and sines need square roots, which are computed in whole numbers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from mechanisms import Mechanism, neutral
from mechanisms.quantities import Quantity

FAST = 1024.0
"""The factor of large rates."""

SLOW = (2.0**-11, 2.0**-22)
"""Factors of small rates, in turns: the products of two velocities show in the first, thresholds in both."""


@dataclass(frozen=True)
class Recipe:
    """One state. ``why`` says what it is for. Quantities use it that have all the arguments in ``needs``.

    ``positions`` names an entry of :data:`POSITIONS`, or is "neutral". ``v``, ``a`` and ``f`` are
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
            form = "locking" if k == body.joint.description.singular_angle else slot.form
            values = POSITIONS[recipe.positions][form](f"{recipe.shares or recipe.name}/q/{start}")
            q[start : start + len(values)] = values
    return q


SMALL, CLOSE, FAR, FARTHEST = 2.0**-22, 2.0**-24, 32.0, 512.0
"""Factors of small angles and distances, of steps to a near position, of large distances (m) and of large angles (rad)."""

QUARTER, HALF = math.pi / 2, math.pi
"""The float64 numbers next to π/2 and π."""

Draw = Callable[[str], Sequence[float]]
"""The numbers of a slot, from its place."""

SLACK = {2: Fraction(1, 2**60), 4: Fraction(1, 2**55)}
"""How far the square of the length of a cosine and sine, and of a quaternion, may be from one: engines do not normalise them."""


def drawn(place: str) -> float:
    """The number of a place: ±(½ … 3/2), a multiple of 2⁻¹¹."""
    digest = hashlib.sha256(place.encode()).digest()
    size = 1024 + int.from_bytes(digest[1:3]) % 2048
    return (-size if digest[0] & 1 else size) / 2048


def long_drawn(place: str) -> float:
    """The same with more bits: a multiple of 2⁻⁵⁰, which float32 cannot represent."""
    return drawn(place) + (2 * int.from_bytes(hashlib.sha256(place.encode()).digest()[3:7]) + 1) * 2.0**-50


def _turn(place: str, *scale: float, positive: int | None = None) -> Sequence[float]:
    """A cosine and a sine, or a quaternion, in about these ratios; the entry ``positive`` is not negative."""
    return [abs(x) if k == positive else x for k, x in enumerate(_unit(place, scale))]


def _signed(size: float) -> Draw:
    return lambda place: (math.copysign(size, drawn(place)),)


def _negative_w(place: str) -> Sequence[float]:
    *axis, w = _turn(place, 1, 1, 1, 1, positive=3)
    return (*axis, -w)


ORDINARY: dict[str, Draw] = {
    "angle": lambda place: (drawn(place),),
    "locking": lambda place: (drawn(place) / 2,),
    "distance": lambda place: (drawn(place),),
    "circle": lambda place: _turn(place, 1, 1),
    "quaternion": lambda place: _turn(place, 1, 1, 1, 1, positive=3),
}
"""By the form of a slot: angles and distances between ½ and 3/2. Angles that make M singular at ±90° are half as large."""

POSITIONS: dict[str, dict[str, Draw]] = {
    "ordinary": ORDINARY,
    "near": ORDINARY
    | {
        "angle": lambda place: (drawn(place) + CLOSE,),
        "locking": lambda place: (drawn(place) / 2 + CLOSE,),
        "distance": lambda place: (drawn(place) + CLOSE,),
    },
    "negative": ORDINARY | {"quaternion": _negative_w},
    "quarter": ORDINARY
    | {
        "angle": _signed(QUARTER),
        "locking": _signed(QUARTER),
        "circle": lambda place: (0.0, math.copysign(1, drawn(place))),
        # It takes the axes to one another.
        "quaternion": lambda place: [math.copysign(0.5, drawn(f"{place}/{i}")) for i in range(4)],
    },
    "half": ORDINARY
    | {
        "angle": _signed(HALF),
        "locking": _signed(HALF),
        "circle": lambda place: (-1.0, 0.0),
        "quaternion": lambda place: _turn(place, 1, 1, 1, 0),
    },
    "small": {
        "angle": lambda place: (SMALL * drawn(place),),
        "locking": lambda place: (SMALL * drawn(place),),
        "distance": lambda place: (SMALL * drawn(place),),
        "circle": lambda place: _turn(place, 1, SMALL, positive=0),
        "quaternion": lambda place: _turn(place, SMALL, SMALL, SMALL, 1, positive=3),
    },
    "far": ORDINARY
    | {
        "angle": lambda place: (FARTHEST * drawn(place),),
        "distance": lambda place: (FAR * drawn(place),),
    },
}
"""By a word of a recipe and the form of a slot: the numbers of the slot."""


def _unit(place: str, scale: Sequence[float]) -> tuple[float, ...]:
    """Numbers in about the ratios of ``scale``, whose length is one to within :data:`SLACK`: the first such draw."""
    for attempt in count():
        direction = [Fraction(x) * Fraction(drawn(f"{place}/{attempt}/{i}")) for i, x in enumerate(scale)]
        square = sum(x * x for x in direction)
        length = Fraction(math.isqrt((square.numerator << 400) // square.denominator), 1 << 200)
        rounded = tuple(float(x / length) + 0.0 for x in direction)
        if abs(sum((Fraction(x) ** 2 for x in rounded), Fraction(-1))) < SLACK[len(scale)]:
            return rounded
    raise AssertionError  # The loop has no end.
