"""States for code with less precision than float64: numbers that its format has, where it has digits for what is computed.

    |angle| ≤ ε^(−1/2)                  half of the digits are left behind the point
    |distance| ≤ 30 m                   a light body that turns beside a far one has an inertia that is not lost in m r²
    |v|, |a|, |f| ≤ 100                 less where the largest number is small: its eighth root, because forces are products of
                                        masses, two lengths and two velocities. Of angles it is the root, of distances
                                        the cube root
    m (d + s)² v² ≤ range/8             of the mechanism's mass m, largest distance d, and its size s: this bounds d, then v,
                                        a and f, and matters in float16 and in fixed point alone
    k (|q| + |rest|)² ≤ range/8         of a spring with stiffness k, in the same formats
    |turn − k π| ≥ ε^(3/5)              where a difference of positions turns into its opposite; in float64 it is 10⁻⁹

A state keeps what it was drawn for: numbers are made smaller by powers of two, each position by one of its own, and v, a and f
each by the same one for all of their numbers. Quaternions, and cosines with sines, are the numbers of the format near them whose
length is nearest to one.
"""

from __future__ import annotations

import numpy as np

from cross_check.judge.error_scale.standing import norm
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.numbers.precision import Precision

FASTEST, FARTHEST = 100.0, 30.0

NEAR_HALF_TURN = 3 / 5

ROOM = 8.0
"""Code adds several numbers, so that each is smaller than the range by this factor."""

TRIES = 512
"""So many directions beside a quaternion are tried. The best of them has a length of one but for about 1/TRIES of a rounding."""


def within_reach(mechanism: Mechanism, q: Array, v: Array, a: Array, f: Array) -> tuple[Array, Array, Array, Array]:
    """The states (batch, …), in the mechanism's precision."""
    precision = mechanism.precision
    q = q.copy()
    farthest, most = reach(mechanism)
    for form, largest in (("angle", min(precision.epsilon**-0.5, precision.largest**0.5)), ("distance", farthest)):
        for joint, slot in mechanism.slots(form):  # type: ignore[arg-type]
            k, rest = abs(float(joint.stiffness)), abs(float(joint.rest))
            stretched = max((precision.largest / ROOM / k) ** 0.5 - rest, 0.0) if k else largest
            q[:, slot] = smaller(q[:, slot], min(largest, stretched))
    rng = np.random.default_rng(0)
    for _, slot in (*mechanism.slots("quaternion"), *mechanism.slots("circle")):
        q[:, slot] = [of_unit_length(x, precision, rng) for x in q[:, slot]]
    return q, smaller(v, most), smaller(a, most), smaller(f, most)


def reach(mechanism: Mechanism) -> tuple[float, float]:
    """The largest distance (m), and the largest velocity, acceleration and force (SI units)."""
    range_ = mechanism.precision.largest
    size = 0.0
    ends: list[float] = []
    for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True):
        ends.append(norm(body.joint.placement.translation) + (ends[parent] if parent >= 0 else 0.0))
        size = max(size, ends[-1] + norm(body.inertia.com))
    mass = sum(abs(float(body.inertia.mass)) for body in mechanism.bodies)
    moments = sum(abs(float(x)) for body in mechanism.bodies for x in body.inertia.about_com[:3])
    room = range_ / ROOM
    farthest = min(FARTHEST, range_ ** (1 / 3), max((room / mass) ** 0.5 - size, 0.0) if mass else FARTHEST)
    inertia = moments + mass * (farthest + size) ** 2
    return farthest, min(FASTEST, range_**0.125, (room / inertia) ** 0.5 if inertia else FASTEST)


def beyond_range(mechanism: Mechanism) -> str:
    """Which number of the mechanism is too large for its precision, in a sentence; empty if none is."""
    for body in mechanism.bodies:
        placement, inertia = body.joint.placement, body.inertia
        masses = (inertia.mass, body.lifted.mass)
        numbers = {"distance": placement.translation, "mass": masses, "moment of inertia": inertia.about_com}
        for name, of_body in numbers.items():
            if (largest := max(abs(float(x)) for x in of_body)) > mechanism.precision.largest:
                return f"{mechanism.precision.name} has no number as large as the {name} {largest:.3g} of {body.name}"
    return ""


def smaller(x: Array, largest: float) -> Array:
    """x (batch, …), every state of it divided by the least power of two that makes no number larger than ``largest``."""
    top = np.abs(x).reshape(len(x), -1).max(axis=1, initial=0.0)
    factor = np.exp2(-np.ceil(np.log2(np.maximum(top / largest, 1.0)))) if largest else np.zeros(len(x))
    return x * factor.reshape(-1, *[1] * (x.ndim - 1))


def of_unit_length(x: Array, precision: Precision, rng: np.random.Generator) -> Array:
    """Numbers of the format near x (n,), a vector of length one. Zeros stay zeros.

    Code that does not normalise would be off by another length.
    """
    tried = x * (1 + 8 * precision.epsilon * rng.normal(size=(TRIES, len(x))))
    tried[0] = x
    tried = precision.rounded(tried / np.sqrt((tried**2).sum(axis=1, keepdims=True)))
    off = np.abs((tried**2).sum(axis=1) - 1)
    best: Array = tried[off.argmin()]
    return best


def apart_from_half_turns(turns: Array, precision: Precision) -> Array:
    """Sizes of turns (rad, any shape) that are no nearer to half and whole turns than code can tell, but for zero."""
    least = precision.epsilon**NEAR_HALF_TURN
    nearest = np.pi * np.round(turns / np.pi)
    beside = nearest + np.where(turns < nearest, -least, least)
    return np.where((nearest > 0) & (np.abs(turns - nearest) < least), beside, turns)
