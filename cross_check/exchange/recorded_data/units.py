"""Units that a column may declare, and their conversion to SI. A number may stand before a unit, such as ``1/101 rad``.

A decimal factor is exact: the number is divided by a power of ten and rounded once. For angles the number is multiplied by π/180
or π/30 in double-double and rounded once. No code is sure to get the same last bit: radians need no conversion.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from cross_check.memory import Array
from machine.double_doubles import DoubleDoubles
from mechanisms.errors import MechanismError
from mechanisms.limits import LARGEST, SMALLEST
from mechanisms.numbers.exact import exact

_PI = Fraction("3.14159265358979323846264338327950288419716939937510")

_FACTORS: dict[str, dict[str, tuple[Fraction | float, float]]] = {
    "rad": {"deg": (_PI, 180.0)},
    "rad/s": {"deg/s": (_PI, 180.0), "rpm": (_PI, 30.0)},
    "rad/s^2": {"deg/s^2": (_PI, 180.0)},
    "m": {"cm": (1.0, 100.0), "mm": (1.0, 1000.0)},
    "m/s": {"cm/s": (1.0, 100.0), "mm/s": (1.0, 1000.0)},
    "m/s^2": {"cm/s^2": (1.0, 100.0), "mm/s^2": (1.0, 1000.0)},
    "N m": {"N mm": (1.0, 1000.0), "N cm": (1.0, 100.0), "mN m": (1.0, 1000.0), "kN m": (1000.0, 1.0)},
    "N": {"mN": (1.0, 1000.0), "kN": (1000.0, 1.0)},
    "J": {"mJ": (1.0, 1000.0), "kJ": (1000.0, 1.0)},
}
"""By SI unit: other units, as a numerator and a denominator."""


_SPELLINGS = {"Nm": "N m", "Nmm": "N mm", "Ncm": "N cm", "mNm": "mN m", "kNm": "kN m", "degree": "deg", "degrees": "deg"}


def plain(unit: str) -> str:
    """The unit in one spelling: ``Nm``, ``N·m`` and ``N*m`` are ``N m``; ``deg/s²`` and ``deg/s2`` are ``deg/s^2``."""
    text = unit.replace("²", "^2").replace("s2", "s^2").replace("·", " ").replace("*", " ").replace("°", "deg")
    return " ".join(_SPELLINGS.get(word, word) for word in text.split())


def choices(si: str) -> list[str]:
    """The units that may be declared for a column whose SI unit is ``si``; none if it is empty."""
    return [si, *_FACTORS.get(si, {})] if si else []


def to_si(numbers: Array, unit: str, si: str) -> Array:
    """The numbers, given in ``unit``, in the unit ``si``. Raises :class:`KeyError` for a unit that nobody knows.

    A number may stand before the unit or alone, such as ``1/101 rad`` for the angle of a motor before a gear.
    """
    if unit == si and si:
        return numbers
    multiple, rest = _split(unit)
    numerator, denominator = (1, 1) if multiple is not None and rest in ("", si) else _FACTORS[si][rest]
    factor = Fraction(numerator) * (1 if multiple is None else multiple.numerator)
    divisor = int(denominator) * (1 if multiple is None else multiple.denominator)
    high = float(factor)
    times = DoubleDoubles(np.asarray(high), np.asarray(float(factor - Fraction(high))))
    return (times * numbers / float(divisor)).astype(np.float64)


def _split(unit: str) -> tuple[Fraction | None, str]:
    """The number before the unit, None without one, and the rest."""
    number, rest = unit.partition(" ")[::2]
    over, _, under = number.partition("/")
    try:
        multiple = Fraction(exact(over, "a number")) / Fraction(exact(under or "1", "a number"))
    except (MechanismError, ZeroDivisionError):
        return None, unit
    return (multiple, rest) if SMALLEST <= abs(multiple) <= LARGEST else (None, unit)
