"""The numbers of a body and of its joint, one by one: which differ, and what one is of the other, if it is a usual mistake."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.results.plain_text import listing
from cross_check.read.readers.compare import EXACT, FEW_DIGITS
from mechanisms import Body
from mechanisms.files.attributes import rpy
from mechanisms.inertia import Inertia
from mechanisms.numbers.exact import Scalar, Vector, is_number

XYZ = ("x", "y", "z")


class Declared(NamedTuple):
    """A number of a body or its joint: what it is called, where its line is, its unit (turning | sliding), its components."""

    name: str
    place: str
    unit: str
    components: tuple[str, ...] = ("",)


NUMBERS = {
    "joint.placement.translation": Declared("origin", "joint", "m", XYZ),
    "joint.placement.rotation": Declared("rpy", "joint", "rad", ("roll", "pitch", "yaw")),
    "joint.axis": Declared("axis", "joint", "", XYZ),
    "joint.second_axis": Declared("second axis", "joint", "", XYZ),
    "joint.pitch": Declared("pitch", "joint", "m/rad"),
    "joint.armature": Declared("armature", "joint", "kg m²|kg"),
    "joint.damping": Declared("damping", "joint", "N m s/rad|N s/m"),
    "joint.mimic.multiplier": Declared("multiplier", "joint", ""),
    "joint.mimic.offset": Declared("offset", "joint", "rad|m"),
    "inertia.mass": Declared("mass", "inertial", "kg"),
    "inertia.com": Declared("centre of mass", "inertial", "m", XYZ),
    "inertia.about_com": Declared("", "inertial", "kg m²", ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")),
}
"""What is compared, by its path from the body. An inertia is about the centre of mass, along the axes of the body."""


class Number(NamedTuple):
    """A number that two bodies have differently, in the frames of the first."""

    path: str
    first: Vector
    second: Vector
    share: float
    """The largest difference, relative to the size of the number."""

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
        if x is None or y is None or x == y or (path == "inertia.com" and not (a.inertia.mass and b.inertia.mass)):
            continue
        pair = _entries(x), _entries(y)
        size = max(_size(path, length, a.inertia), _size(path, length, b.inertia))
        gap = max(abs(float(p - q)) for p, q in zip(*pair, strict=True))
        share = gap / (size or max(abs(float(part)) for part in (*pair[0], *pair[1])))
        if share > EXACT:
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


def _entries(x: Any) -> Vector:
    return sum(x.matrix, ()) if hasattr(x, "matrix") else x if isinstance(x, tuple) else (x,)


def spoken(x: Any) -> Vector:
    """The components that are shown: roll, pitch and yaw of a rotation, as in the file if they are known."""
    return tuple(map(Fraction, x.rpy or rpy(x))) if hasattr(x, "rpy") else _entries(x)


def _size(path: str, length: float, inertia: Inertia) -> float:
    """The size that differences are relative to; zero for that of the number itself."""
    if path in ("joint.placement.translation", "inertia.com"):
        return length
    if path == "inertia.about_com":
        # What is summed where inertias are added and moved.
        lever = 1e-4 * float(inertia.mass) * max(abs(float(x)) for x in inertia.com) ** 2
        return max(lever, *(abs(float(x)) for x in inertia.about_com))
    return 1.0 if path.endswith(("rotation", "axis", "offset")) else 0.0


def decimal(x: Scalar, digits: int = 7) -> str:
    """A decimal number of at most 12 digits as it is, so many digits of others."""
    shown = f"{float(x):.12g}"
    return f"{float(shown):g}" if Fraction(f"{float(x):g}") == x else shown if Fraction(shown) == x else f"{float(x):.{digits}g}"


def relation(number: Number, inertia: Inertia) -> str:
    """What the second number is of the first, in words; empty if nothing simple. ``inertia`` is the first body's."""
    x, y = (np.array(side, dtype=float) for side in (number.first, number.second))
    names, is_moments = NUMBERS[number.path].components, number.path == "inertia.about_com"
    if is_moments:
        origin = Inertia(inertia.mass, inertia.com).about((Fraction(0),) * 3)
        steiner = np.array([float(origin[i][j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))])
        for sign, said in (
            (1, "about the link's origin, not the centre of mass"),
            (-1, "as if it had been about the link's origin"),
        ):
            if np.any(steiner) and _alike(x + sign * steiner, y):
                return said
    if np.any(x) and np.any(y) and not number.path.endswith(("rotation", "axis")):
        ratio = float(y[abs(x).argmax()] / x[abs(x).argmax()])
        if _alike(ratio * x, y) and (ratio == -1 or abs(ratio) in (2, 0.5) or _is_power_of_ten(abs(ratio))):
            return "with the other sign" if ratio == -1 else f"{ratio:.6g} times as much"
    if len(x) > 1 and _alike(abs(x), abs(y)):
        return f"with the other sign of {listing([names[k] for k in range(len(x)) if x[k] * y[k] < 0])}"
    for order in permutations(range(3)) if len(x) == 3 else ():
        if _alike(x[list(order)], y):
            return f"in the order {' '.join(names[k] for k in order)}"
    if is_moments and _alike(*(np.linalg.eigvalsh(_matrix(six)) for six in (x, y))):
        return "the same principal moments along other axes"
    if all(is_number(p) and is_rounding(p, q) for p, q in zip(number.first, number.second, strict=True)):
        return "the same number with fewer digits"
    return ""


def is_rounding(x: Scalar, y: Scalar) -> bool:
    """Whether one of two numbers is the other one with fewer decimals, three digits of it at least."""
    return x == y or (abs(x - y) < abs(x) / 200 and any(round(x, k) == round(y, k) in (x, y) for k in range(12)))


def _matrix(six: np.ndarray) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _is_power_of_ten(ratio: float) -> bool:
    power = math.log10(ratio)
    return abs(power) > 0.5 and abs(power - round(power)) < FEW_DIGITS


def _alike(x: np.ndarray, y: np.ndarray) -> bool:
    return bool(np.max(abs(x - y)) <= FEW_DIGITS * np.max(abs(x)))
