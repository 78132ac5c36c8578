"""The numbers of a body and of its joint, one by one: which differ, and what one is of the other, if it is a usual mistake."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from cross_check.read.readers.compare import EXACT, FEW_DIGITS
from mechanisms import Body, Inertia, Placement
from mechanisms.files.attributes import rpy
from mechanisms.numbers.exact import Scalar, Vector, is_number
from mechanisms.plain_text import listing

XYZ = ("x", "y", "z")

ORIGIN: Vector = (Fraction(0),) * 3


class Declared(NamedTuple):
    """A number of a body or its joint: what it is called, its unit (turning | sliding), its components."""

    name: str
    unit: str
    components: tuple[str, ...] = ("",)


NUMBERS = {
    "joint.placement.translation": Declared("origin", "m", XYZ),
    "joint.placement.rotation": Declared("rpy", "rad", ("roll", "pitch", "yaw")),
    "joint.axis": Declared("axis", "", XYZ),
    "joint.second_axis": Declared("second axis", "", XYZ),
    "joint.pitch": Declared("pitch", "m/rad"),
    "joint.armature": Declared("armature", "kg m²|kg"),
    "joint.damping": Declared("damping", "N m s/rad|N s/m"),
    "joint.stiffness": Declared("stiffness", "N m/rad|N/m"),
    "joint.rest": Declared("rest", "rad|m"),
    "joint.friction": Declared("friction", "N m|N"),
    "joint.mimic.multiplier": Declared("multiplier", ""),
    "joint.mimic.offset": Declared("offset", "rad|m"),
    "inertia.mass": Declared("mass", "kg"),
    "inertia.com": Declared("centre of mass", "m", XYZ),
    "lifted.mass": Declared("lifted mass", "kg"),
    "lifted.com": Declared("lifted mass's centre", "m", XYZ),
    "inertia.about_com": Declared("", "kg m²", ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")),
}
"""What is compared, by its path from the body. An inertia is about the centre of mass, along the axes of the body."""

NEEDS = {"inertia.com": "inertia.mass", "lifted.com": "lifted.mass", "joint.rest": "joint.stiffness"}
"""Numbers that mean nothing where another one is zero."""


class Number(NamedTuple):
    """A number that two bodies have differently, in the frames of the first."""

    path: str
    first: Vector
    second: Vector
    share: float
    """The largest difference, relative to the size of the number."""

    @property
    def is_joints(self) -> bool:
        return self.path.startswith("joint")

    @property
    def components(self) -> list[int]:
        """The places of those that differ; lost digits only if all are."""
        gaps = [abs(float(x - y)) for x, y in zip(self.first, self.second, strict=True)]
        return [k for k, gap in enumerate(gaps) if gap > FEW_DIGITS * max(gaps)]

    @property
    def is_digits(self) -> bool:
        return self.share <= FEW_DIGITS


def compared(a: Body, b: Body, length: float) -> list[Number]:
    """The numbers of b, in the frames of a, that differ by more than :data:`EXACT`. ``length`` (m) is the size of distances."""
    found = []
    for path in NUMBERS:
        x, y = value(a, path), value(b, path)
        if x is None or y is None or x == y or (path in NEEDS and not (value(a, NEEDS[path]) and value(b, NEEDS[path]))):
            continue
        one, other = _entries(x), _entries(y)
        size = max(_size(path, length, body.inertia) for body in (a, b)) or max(abs(float(part)) for part in (*one, *other))
        if (share := far(one, other) / size) > EXACT:
            found.append(Number(path, spoken(x), spoken(y), share))
    return found


def value(body: Body, path: str) -> Any:
    """The number at a path of :data:`NUMBERS`; None where the body has none."""
    part: Any = body
    for name in path.split("."):
        part = getattr(part, name, None)
    return part


def taken(part: Any, other: Any, path: str) -> Any:
    """``part`` with the number of ``other`` at the path."""
    name, _, rest = path.partition(".")
    new = getattr(other, name)
    return replace(part, **{name: taken(getattr(part, name), new, rest) if rest else new})


def far(x: Vector, y: Vector = ORIGIN) -> float:
    """The largest difference of two components."""
    return max(abs(float(p - q)) for p, q in zip(x, y, strict=True))


def apart(one: Placement, other: Placement) -> float:
    """The largest difference of two placements (m, and entries of rotation matrices)."""
    return max(far(one.translation, other.translation), far(_entries(one.rotation), _entries(other.rotation)))


def _entries(x: Any) -> Vector:
    return sum(x.matrix, ()) if hasattr(x, "matrix") else x if isinstance(x, tuple) else (x,)


def spoken(x: Any) -> Vector:
    """The components that are shown: roll, pitch and yaw of a rotation, as in the file if they are known."""
    return tuple(map(Fraction, x.rpy or rpy(x))) if hasattr(x, "rpy") else _entries(x)


def _size(path: str, length: float, inertia: Inertia) -> float:
    """The size that differences are relative to; zero for that of the number itself."""
    if path in ("joint.placement.translation", "inertia.com", "lifted.com"):
        return length
    if path == "inertia.about_com":
        # What is summed where inertias are added and moved.
        return max(1e-4 * float(inertia.mass) * far(inertia.com) ** 2, *(abs(float(x)) for x in inertia.about_com))
    return 1.0 if path.endswith(("rotation", "axis", "offset", "rest")) else 0.0


def decimal(x: Scalar, digits: int = 7) -> str:
    """A decimal number of at most 12 digits as it is, so many digits of others."""
    shown = f"{float(x):.12g}"
    return f"{float(shown):g}" if Fraction(f"{float(x):g}") == x else shown if Fraction(shown) == x else f"{float(x):.{digits}g}"


def decimals(vector: Vector, digits: int = 7) -> str:
    return " ".join(decimal(x, digits) for x in vector)


def pose(placement: Placement) -> str:
    return f"{decimals(placement.translation)} m, rpy {decimals(spoken(placement.rotation))}"


def relation(number: Number, inertia: Inertia) -> str:
    """What the second number is of the first, in words; empty if nothing simple. ``inertia`` is the first body's."""
    difference = max(abs(float(x - y)) for x, y in zip(number.first, number.second, strict=True))
    explains = ((said, np.max(abs(x - y)), np.max(abs(x))) for said, x, y in _relations(number, inertia))
    return next((said for said, left, size in explains if left <= min(FEW_DIGITS * size, difference / 100)), "")


Array = np.ndarray[Any, np.dtype[np.float64]]


def _relations(number: Number, inertia: Inertia) -> Iterator[tuple[str, Array, Array]]:
    """Usual mistakes, and two arrays that are alike if it is the one."""
    x, y = (np.array(side, dtype=float) for side in (number.first, number.second))
    names, is_moments = NUMBERS[number.path].components, number.path == "inertia.about_com"
    if is_moments:
        one, other = (np.array(replace(inertia, about_com=six).matrix, dtype=float) for six in (number.first, number.second))
        steiner = np.array(Inertia(inertia.mass, inertia.com).about(ORIGIN), dtype=float)
        if np.any(steiner):
            yield "about the link's origin, not the centre of mass", one + steiner, other
            yield "as if it had been about the link's origin", one - steiner, other
    if np.any(x) and np.any(y) and not number.path.endswith(("rotation", "axis")):
        ratio = float(y[abs(x).argmax()] / x[abs(x).argmax()])
        if ratio == -1 or abs(ratio) in (2, 0.5) or _is_power_of_ten(abs(ratio)):
            yield "with the other sign" if ratio == -1 else f"{ratio:.6g} times as much", ratio * x, y
    if len(x) > 1:
        yield f"with the other sign of {listing([names[k] for k in range(len(x)) if x[k] * y[k] < 0])}", abs(x), abs(y)
    for three in np.arange(len(x) // 3 * 3).reshape(-1, 3):
        for order in permutations(three):
            ordered = x.copy()
            ordered[three] = x[list(order)]
            yield f"in the order {' '.join(names[k] for k in order)}", ordered, y
    if is_moments:
        yield "the same principal moments along other axes", np.linalg.eigvalsh(one), np.linalg.eigvalsh(other)
    if all(is_number(p) and is_rounding(p, q) for p, q in zip(number.first, number.second, strict=True)):
        yield "one is the other with fewer digits", x, x


def is_rounding(x: Scalar, y: Scalar) -> bool:
    """Whether one of two numbers is the other one with fewer decimals, three digits of it at least."""
    return x == y or (abs(x - y) < abs(x) / 200 and any(round(x, k) == round(y, k) in (x, y) for k in range(12)))


def _is_power_of_ten(ratio: float) -> bool:
    power = math.log10(ratio) if ratio else 0.0
    return abs(power) > 0.5 and abs(power - round(power)) < FEW_DIGITS
