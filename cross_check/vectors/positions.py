"""Numbers for the states of test vectors, the same bits on every machine.

A number is taken from the SHA-256 digest of its place, "fast/v/3": the sign and a multiple of 2⁻¹¹ between ½ and 3/2. Powers of
two scale it. So no random generator and no function of the C library is involved, and most numbers are short. Only quaternions,
cosines and sines need square roots, which are computed in whole numbers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count

from mechanisms import Joint
from mechanisms.joint_kinds import Slot

SMALL, CLOSE, FAR, FARTHEST = 2.0**-22, 2.0**-24, 32.0, 512.0
"""Factors of small angles and distances, of steps to a near position, of large distances (m) and of large angles (rad)."""

QUARTER, HALF = math.pi / 2, math.pi
"""The float64 numbers next to π/2 and π."""

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


def _ordinary(joint: Joint, k: int, slot: Slot, place: str) -> Sequence[float]:
    """Angles and distances between ½ and 3/2; angles that make M singular at ±90° are half as large. w is positive."""
    if slot.form == "quaternion":
        *axis, w = _unit(place, (1, 1, 1, 1))
        return (*axis, abs(w))
    if slot.form == "circle":
        return _unit(place, (1, 1))
    return (drawn(place) / (2 if k == joint.description.singular_angle else 1),)


def _near(joint: Joint, k: int, slot: Slot, place: str) -> Sequence[float]:
    """As :func:`_ordinary`, but angles and distances are larger by a ten-millionth."""
    x = _ordinary(joint, k, slot, place)
    return (x[0] + CLOSE,) if slot.form in ("angle", "distance") else x


def _negative(joint: Joint, k: int, slot: Slot, place: str) -> Sequence[float]:
    """As :func:`_ordinary`, but w is negative."""
    x = _ordinary(joint, k, slot, place)
    return (*x[:3], -x[3]) if slot.form == "quaternion" else x


def _quarter(joint: Joint, k: int, slot: Slot, place: str) -> Sequence[float]:
    """Angles of ±π/2. A quaternion of ±½ takes the axes to one another."""
    sign = math.copysign(1, drawn(place))
    match slot.form:
        case "quaternion":
            return tuple(math.copysign(0.5, drawn(f"{place}/{i}")) for i in range(4))
        case "circle":
            return (0.0, sign)
        case "angle":
            return (sign * QUARTER,)
    return (drawn(place),)


def _half(joint: Joint, k: int, slot: Slot, place: str) -> Sequence[float]:
    """Angles of ±π, and half turns about skew axes."""
    match slot.form:
        case "quaternion":
            return _unit(place, (1, 1, 1, 0))
        case "circle":
            return (-1.0, 0.0)
        case "angle":
            return (math.copysign(HALF, drawn(place)),)
    return (drawn(place),)


def _small(joint: Joint, k: int, slot: Slot, place: str) -> Sequence[float]:
    if slot.form == "quaternion":
        *axis, w = _unit(place, (SMALL, SMALL, SMALL, 1))
        return (*axis, abs(w))
    if slot.form == "circle":
        c, s = _unit(place, (1, SMALL))
        return (abs(c), s)
    return (SMALL * drawn(place),)


def _far(joint: Joint, k: int, slot: Slot, place: str) -> Sequence[float]:
    x = _ordinary(joint, k, slot, place)
    if slot.form in ("quaternion", "circle") or k == joint.description.singular_angle:
        return x
    return ((FAR if slot.form == "distance" else FARTHEST) * x[0],)


POSITIONS: dict[str, Callable[[Joint, int, Slot, str], Sequence[float]]] = {
    "ordinary": _ordinary,
    "near": _near,
    "negative": _negative,
    "quarter": _quarter,
    "half": _half,
    "small": _small,
    "far": _far,
}
"""Numbers of one slot of a joint's position, from the joint, the slot's number in it, the slot, and its place."""


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
