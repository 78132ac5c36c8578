"""Names beside points of a picture: no name covers another one, and a line leads from a point to a name that is not beside it.

Points are taken in their order. For each, places around it are tried, from near to far. A place is free if the name fits into the
picture there, covers no other name and no joint, and crosses no leading line. Of the free places the nearest counts; one across a
body counts as further away. A point without a free place gets no name.
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

ACROSS = 40.0
"""By so many pixels a place counts as further away that covers a body or whose line crosses a body."""

UPRIGHT = 30.0
"""By so many pixels a place above or below counts as further away: a name there is in the way of lines to further names."""

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
        apart = self.x >= other.x + other.width or other.x >= self.x + self.width
        return not apart and abs(self.y - other.y) < LINE

    def has(self, point: Point) -> bool:
        """Whether the point is in the rectangle, or nearly."""
        return self.x - 4 < point[0] < self.x + self.width + 4 and abs(point[1] - self.y) < LINE / 2 + 4

    def is_crossed(self, segment: Segment, margin: float = 0.0) -> bool:
        """Whether the segment enters the rectangle, made larger by the margin. The segment is cut to it (Liang, Barsky 1984)."""
        (x, y), (u, w) = segment
        first, last = 0.0, 1.0
        low, high = (self.x - margin, self.y - LINE / 2 - margin), (self.x + self.width + margin, self.y + LINE / 2 + margin)
        for start, step, least, most in zip((x, y), (u - x, w - y), low, high, strict=True):
            if not step:
                if not least < start < most:
                    return False
                continue
            ends = sorted(((least - start) / step, (most - start) / step))
            first, last = max(first, ends[0]), min(last, ends[1])
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
            if not _is_free(label, labels, points, width, height):
                continue
            cost = distance + ACROSS * sum(_meets(label, body) for body in bodies) + UPRIGHT * (abs(direction) == 90)
            if cost < least:
                best, least = label, cost
        labels += [best] if best else []
    return labels


def _at(index: int, text: str, point: Point, distance: float, direction: float) -> Label:
    """The name in this direction from its point."""
    c, s = math.cos(math.radians(direction)), math.sin(math.radians(direction))
    x, y = point[0] + distance * c, point[1] - distance * s
    length = CHARACTER * len(text)
    left = x if c > 0.1 else x - length if c < -0.1 else x - length / 2
    end = (x - math.copysign(2, c) if abs(c) > 0.1 else x, y + (LINE / 2 * s if abs(c) <= 0.1 else 0))
    return Label(index, text, left, y, (point, end) if distance > BESIDE else None)


def _is_free(label: Label, labels: Sequence[Label], points: Sequence[Point], width: float, height: float) -> bool:
    inside = label.x >= 2 and label.x + label.width <= width - 2 and LINE / 2 <= label.y <= height - LINE / 2
    own = points[label.index]
    return (
        inside
        and not any(label.has(point) for point in points if point != own)
        and not any(label.covers(other) for other in labels)
        and not any(label.is_crossed(other.leader) for other in labels if other.leader)
        and not (label.leader and any(other.is_crossed(label.leader) for other in labels))
    )


def _meets(label: Label, body: Segment) -> bool:
    """Whether the name covers a part of the body, or its line crosses the body away from its own joint."""
    return label.is_crossed(body, 1.0) or bool(label.leader and _cross(label.leader, body))


def _cross(a: Segment, b: Segment) -> bool:
    """Whether two segments cross within both of them."""

    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(*a, b[0]) * side(*a, b[1]) < 0 > side(*b, a[0]) * side(*b, a[1])
