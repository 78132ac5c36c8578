"""The states of test vectors: few, each for a reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from cross_check.memory import Array

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
