"""Names beside points of a picture: no name covers another one, and a line leads from a point to a name that is not beside it.

Points are taken in their order. Places around each are tried, from near to far. A place is free if the name fits into the picture
there, covers no other name and no point, and meets no line to a name. The nearest free place counts. If there is none, the point
gets no name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

CHARACTER, LINE = 7.2, 13.0
"""The largest usual width of a character in pixels, and the height of a line."""

DISTANCES = (13.0, 22.0, 34.0, 48.0, 64.0, 82.0, 102.0, 124.0, 150.0)
DIRECTIONS = (0, 180, 35, -35, 145, -145, 90, -90, 15, -15, 165, -165, 60, -60, 120, -120)
"""Where a name may stand: pixels from its point, and degrees from the right, upwards."""

BESIDE = 20.0
"""Names further away than this need a line."""

ACROSS, UPRIGHT = 40.0, 30.0
"""By so many pixels a place counts as further away for every body that the name covers, and if it is above or below its point: a
name there is in the way of lines to further names."""

Point = tuple[float, float]
Segment = tuple[Point, Point]


@dataclass(frozen=True)
class Label:
    """A name in the picture. ``x`` is its left end, ``y`` its middle; ``index`` is the place of its point in the input."""

    index: int
    text: str
    x: float
    y: float
    leader: Segment | None = None

    @property
    def width(self) -> float:
        return CHARACTER * len(self.text)

    def covers(self, other: Label) -> bool:
        """Whether the rectangles of both names have a point in common."""
        return self.x < other.x + other.width and other.x < self.x + self.width and abs(self.y - other.y) < LINE

    def is_met(self, segment: Segment, margin: float = 0.0) -> bool:
        """Whether the segment enters the rectangle with this margin. The segment is cut to it (Liang and Barsky, 1984)."""
        first, last = 0.0, 1.0
        sides = ((self.x, self.x + self.width), (self.y - LINE / 2, self.y + LINE / 2))
        for start, end, (low, high) in zip(*segment, sides, strict=True):
            step, least, most = end - start, low - margin - start, high + margin - start
            if step:
                first, last = max(first, min(least / step, most / step)), min(last, max(least / step, most / step))
            elif not least < 0 < most:
                return False
        return first < last


def placed(
    named: Iterable[tuple[int, str]], points: Sequence[Point], bodies: Sequence[Segment], width: float, height: float
) -> list[Label]:
    """The names, each with the index of its point; ``points`` are all joints, and ``bodies`` the lines that are drawn."""
    labels: list[Label] = []
    for index, text in named:
        best, least = None, math.inf
        for distance, direction in product(DISTANCES, DIRECTIONS):
            if distance >= least:
                break
            label = _at(index, text, points[index], distance, direction)
            if _is_free(label, labels, points, width, height):
                cost = distance + ACROSS * sum(label.is_met(body, 1) for body in bodies) + UPRIGHT * (abs(direction) == 90)
                best, least = (label, cost) if cost < least else (best, least)
        labels += [best] if best else []
    return labels


def _at(index: int, text: str, point: Point, distance: float, direction: float) -> Label:
    """The name in this direction from its point. Its line ends at its side, or above or below it."""
    c, s = round(math.cos(math.radians(direction)), 9), math.sin(math.radians(direction))
    x, y, length = point[0] + distance * c, point[1] - distance * s, CHARACTER * len(text)
    left = x if c > 0 else x - length if c < 0 else x - length / 2
    end = (x - math.copysign(2, c), y) if c else (x, y + LINE / 2 * s)
    return Label(index, text, left, y, (point, end) if distance > BESIDE else None)


def _is_free(label: Label, labels: Sequence[Label], points: Sequence[Point], width: float, height: float) -> bool:
    own, leader = points[label.index], label.leader
    return (
        label.x >= 2
        and label.x + label.width <= width - 2
        and LINE / 2 <= label.y <= height - LINE / 2
        and not any(label.covers(one) or (one.leader and label.is_met(one.leader)) for one in labels)
        and not any(leader and one.is_met(leader) for one in labels)
        and not any(label.is_met((point, point), 4) for point in points if point != own)
    )
