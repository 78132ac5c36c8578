"""Files that differ from a file by some roundings: where an engine is right about them, it has made no mistake.

A reader turns angles and axes into matrices, which are rounded. So are the numbers of its model, once for all states. On a long
chain such roundings may add up to a little more than the bar, which allows for those of an algorithm. In another file, whose
angles, places and axes differ by :data:`STEP` at most, they are others. A wrong term or number stays what it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cross_check.relations.as_read.rewriting import text_of
from mechanisms.untrusted_xml import parse_xml

FILES = 8

RIGHT_FILES = 6
"""An engine has made no mistake if it is right about so many of the files, and nowhere worse than :data:`LARGEST`."""

LARGEST = 2.0
"""Times the bar. Larger errors are not tried."""

STEP = 2.0**-44
"""Relative to the number. It is 256 roundings."""

PLACES = {"origin": ("xyz", "rpy"), "axis": ("xyz",)}


def nearby(text: str) -> Iterator[str]:
    """:data:`FILES` texts, the same from run to run."""
    rng = np.random.default_rng(0)
    for _ in range(FILES):
        robot = parse_xml(text, "robot", "URDF")
        for tag, names in PLACES.items():
            for element in robot.iter(tag):
                element.attrib.update({name: _moved(element.attrib[name], rng) for name in names if name in element.attrib})
        yield text_of(robot)


def _moved(numbers: str, rng: np.random.Generator) -> str:
    return " ".join(repr(float(x) * (1 + STEP * rng.uniform(-1, 1))) for x in numbers.split())
