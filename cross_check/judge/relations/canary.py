"""A file of another mechanism: code that answers about it as about the plain file does not read the file that it is given."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from xml.etree.ElementTree import Element

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from cross_check.read.as_read.elements import MOMENTS, vector_of
from cross_check.read.as_read.rewriting import edited, read
from implementations.recorded.traced import PRECISE
from machine.double_doubles import DoubleDoubles
from mechanisms import Mechanism, Source
from mechanisms.files.write_urdf import decimal, decimals
from mechanisms.numbers.exact import exact
from mechanisms.quantities import Quantity

VISIBLE = 1e-3
"""Code reads a file if its answers change by more than this share of what they should change by."""


class Canary:
    """``mechanism`` is the plain one with the file of another: the file has other masses and lengths, and all names are the same.

    Only the file tells the two apart: not the arrays, not the fingerprint, not the robot's name in the file.
    """

    def __init__(self, plain: Mechanism) -> None:
        made = edited(plain, _other)
        self.plain, self.other = plain, read(made, plain.name, plain)
        name = f"{plain.name.removesuffix(' [plain]')} [another mechanism]"
        source = Source(made.text, free_base=made.free_base, fingerprint=plain.fingerprint)
        self.mechanism = replace(plain, name=name, read_from=source)

    def change(self, quantity: Quantity, states: States) -> Array:
        """By how much the right answers about the file differ from those about the plain one."""
        return np.abs(
            (in_double_double(quantity, self.other, states) - in_double_double(quantity, self.plain, states)).astype(np.float64)
        )


def in_double_double(quantity: Quantity, mechanism: Mechanism, states: States) -> DoubleDoubles:
    """What the reference answers in double-double."""
    answer: DoubleDoubles = getattr(PRECISE.load(mechanism), quantity.name)(*states.arguments(quantity.arguments))
    return answer


def _other(robot: Element) -> None:
    for inertial in robot.iter("inertial"):
        for tag, names in (("mass", ("value",)), ("inertia", MOMENTS)):
            for element in inertial.findall(tag):
                element.attrib.update({name: decimal(3 * exact(element.get(name, "0"))) for name in names})
    for joint in robot.findall("joint"):
        for origin in joint.findall("origin"):
            origin.set("xyz", decimals(tuple(x * Fraction(5, 4) for x in vector_of(origin, "xyz"))))
