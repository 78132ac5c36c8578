"""The moves of a search: a state becomes another one. States are rows of :mod:`cross_check.judge.worst.region`.

Rounding errors jump from one float to the next, so that they have no slope; the number of terms, cancellation and thresholds
change slowly. So some moves are ulps, and others are of any size:

    ulps          x + n ulp(x), n up to 2¹²
    rescaled      one argument times a factor
    one number    one coordinate becomes that of another state, zero, its opposite, near a quarter turn, or moves a little
    recombined    arguments or coordinates of two states
    towards       x + s (y − x), with another state y; s is up to one
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.judge.worst.region import Region
from cross_check.memory import Array

Move = Callable[[Region, np.random.Generator, Array, Array], Array]
"""Takes the region, a generator, a row and another state's row."""


def ulps(region: Region, rng: np.random.Generator, x: Array, y: Array) -> Array:
    steps = np.rint(rng.normal(size=len(x)) * 2 ** rng.uniform(0, 12))
    ulp = region.mechanism.precision.spacing(x)
    return x + np.where(_some(rng, len(x)), steps * ulp, 0.0)


def rescaled(region: Region, rng: np.random.Generator, x: Array, y: Array) -> Array:
    x, own = x.copy(), region.columns[_one_of(rng, region.names)]
    x[own] *= 2 ** rng.normal(scale=2 ** rng.uniform(-8, 2))
    return x


def one_number(region: Region, rng: np.random.Generator, x: Array, y: Array) -> Array:
    x, k = x.copy(), rng.integers(len(x))
    match rng.integers(8):
        case 0:
            x[k] = y[k]
        case 1:
            x[k] = 0.0
        case 2:
            x[k] = -x[k]
        case 3 if len(region.angles):
            k = rng.choice(region.angles)
            x[k] = np.pi / 2 * np.rint(x[k] / (np.pi / 2)) + rng.normal() * 10 ** rng.uniform(-16, -1)
        case 4:
            x[k] = rng.normal()
        case _:
            x[k] += max(abs(x[k]), 0.1) * rng.normal() * 10 ** rng.uniform(-8, 0)
    return x


def recombined(region: Region, rng: np.random.Generator, x: Array, y: Array) -> Array:
    if rng.random() < 0.5 and len(region.names) > 1:
        x, own = x.copy(), region.columns[_one_of(rng, region.names)]
        x[own] = y[own]
        return x
    return np.where(_some(rng, len(x)), y, x)


def towards(region: Region, rng: np.random.Generator, x: Array, y: Array) -> Array:
    step = rng.normal() * 10 ** rng.uniform(-6, 0)
    return x + np.where(_some(rng, len(x)), step * (y - x), 0.0)


MOVES: tuple[Move, ...] = (ulps, rescaled, one_number, recombined, towards)


def _some(rng: np.random.Generator, count: int) -> Array:
    """Which of ``count`` numbers change: one, some or all."""
    chosen = rng.random(count) < rng.choice((1 / count, 0.3, 1.0))
    chosen[rng.integers(count)] = True
    return chosen


def _one_of(rng: np.random.Generator, names: tuple[str, ...]) -> str:
    return names[rng.integers(len(names))]
