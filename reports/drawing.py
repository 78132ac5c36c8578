"""A mechanism drawn as inline SVG: its skeleton in one pose, seen from the side that shows most of it.

Thick lines are bodies, from joint to joint and to the centre of mass of those that carry nothing; thin lines lead to the centres
of mass of the others. Circles are joints that turn, squares are joints that slide, and a short line is a joint's axis.

Names stand beside joints: no name covers another one, and a line leads from a joint to a name that is not beside it. Joints are
taken in their order. Places around each are tried, from near to far. A place is free if the name fits into the picture there,
covers no other name and no joint, and meets no line to a name. The nearest free place counts. If there is none, the joint gets no
name.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from markupsafe import Markup

from cross_check.exchange.results.objects import Bone, Skeleton
from mechanisms.joint_kinds import JOINT_KINDS
from reports.charts import svg, text
from reports.words import one_line

WIDTH, LOWEST, HIGHEST, MARGIN = 360, 150, 300, 34
"""The size of the picture in pixels: its width, its smallest and largest height, and the margin."""

TURN, TILT = math.radians(35), math.radians(20)
"""Where the camera stands: turned from −y about the vertical, and tilted down."""

FLAT = 0.02
"""A mechanism that is flatter than this, relative to its size, is seen at right angles."""

NAMED = 8
"""Mechanisms of at most so many bodies have the names of all joints written beside them."""

MOST_NAMES, LONGEST = 16, 24
"""Of larger mechanisms so many names are written at most, and so many characters of each."""

WRONG = 2
"""The level of heat from which on a joint is wrong."""

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


def drawing(skeleton: Skeleton, about: str, faulty: Collection[str] = (), levels: Sequence[int] = ()) -> Markup:
    """The picture, with ``about`` for those who do not see it. Empty without a skeleton.

    ``faulty`` names bodies and joints to mark; ``levels`` has a level of heat (:func:`reports.words.level`) for every body.
    """
    if not skeleton:
        return Markup("")
    apart = at_one_point(skeleton)
    skeleton = _apart(skeleton) if apart else skeleton
    view = _View(skeleton, aside=apart)
    heat = [f" h{level}" for level in levels] if len(levels) == len(skeleton) else [""] * len(skeleton)
    parents = {bone.parent for bone in skeleton}
    marked = [bone.body in faulty or bone.joint in faulty for bone in skeleton]
    parts: list[Markup] = []
    for k, bone in enumerate(skeleton):
        carrier = heat[bone.parent] if bone.parent >= 0 else " ground"
        start, origin = view(bone.start), view(bone.origin)
        parts.append(_line(f"link{carrier}", view(skeleton[bone.parent].origin if bone.parent >= 0 else (0, 0, 0)), start))
        parts.append(_line("slide", start, origin))
        parts.append(_line(f"{'arm' if k in parents else 'link'}{heat[k]}", origin, view(bone.center)))
    for k, bone in enumerate(skeleton):
        x, y = view(bone.center)
        title = Markup("<title>{}</title>").format(f"the centre of mass of {one_line(bone.body)}")
        parts.append(Markup('<circle class="mass{}" cx="{:.1f}" cy="{:.1f}" r="3.5">{}</circle>').format(heat[k], x, y, title))
    parts += [_joint(view, bone, is_marked) for bone, is_marked in zip(skeleton, marked, strict=True)]
    parts += _labels(view, skeleton, marked, levels)
    return svg("drawing", WIDTH, round(view.height), about, Markup("").join([_ground(view), *parts, _axes(view)]))


def at_one_point(skeleton: Skeleton) -> bool:
    """Whether all joints and centres of mass coincide. They are drawn apart, because a point would show nothing."""
    return not any(x for bone in skeleton for point in (bone.start, bone.origin, bone.center) for x in point)


def _apart(skeleton: Skeleton) -> list[Bone]:
    """Every body a step further along x than the one that carries it, and branches one above the other."""
    bones: list[Bone] = []
    for k, bone in enumerate(skeleton):
        x, _, z = bones[bone.parent].origin if bone.parent >= 0 else (0.0, 0.0, 0.0)
        earlier = sum(one.parent == bone.parent for one in skeleton[:k])
        place = [x + 1, 0.0, z + earlier]
        bones.append(replace(bone, start=place, origin=place, center=[place[0] + 0.5, 0.0, place[2]]))
    return bones


class _View:
    """From metres along the root's axes to pixels; seen from aside if asked for, or if no other side shows all."""

    def __init__(self, skeleton: Skeleton, aside: bool = False) -> None:
        points = [(0.0, 0.0, 0.0), *(tuple(p) for bone in skeleton for p in (bone.start, bone.origin, bone.center))]
        sizes = [max(axis) - min(axis) for axis in zip(*points, strict=True)]
        flat = [size <= FLAT * max(sizes) for size in sizes]
        # Seen along y, x or z if that shows all, otherwise from above and aside.
        front, side, above = ((1, 0, 0), (0, 0, 1)), ((0, 1, 0), (0, 0, 1)), ((1, 0, 0), (0, 1, 0))
        c, s, e, d = math.cos(TURN), math.sin(TURN), math.cos(TILT), math.sin(TILT)
        oblique = ((c, s, 0.0), (-s * d, c * d, e))
        self.axes = oblique if aside else front if flat[1] else side if flat[0] else above if flat[2] else oblique
        flats = [self._flat(point) for point in points]
        (left, right), (low, high) = ((min(axis), max(axis)) for axis in zip(*flats, strict=True))
        width, height = max(right - left, 1e-30), max(high - low, 1e-30)
        self.scale = min((WIDTH - 2 * MARGIN) / width, (HIGHEST - 2 * MARGIN) / height) if max(sizes) > 0 else 1.0
        self.height = max(LOWEST, height * self.scale + 2 * MARGIN)
        self.middle = ((left + right) / 2, (low + high) / 2)
        places = [self(point) for point in points]
        corners = [(x, y) for y in (self.height - 32, 32) for x in (32, WIDTH - 32)]
        self.corner = max(corners, key=lambda corner: min(math.dist(corner, place) for place in places))
        """The emptiest corner of the picture."""

    def __call__(self, point: Sequence[float]) -> Point:
        x, y = self._flat(point)
        return WIDTH / 2 + (x - self.middle[0]) * self.scale, self.height / 2 - (y - self.middle[1]) * self.scale

    def _flat(self, point: Sequence[float]) -> Point:
        x, y = (sum(a * p for a, p in zip(axis, point, strict=True)) for axis in self.axes)
        return x, y

    def direction(self, vector: Sequence[float], length: float) -> Point:
        """The pixels that a unit vector takes, if one seen from the side takes ``length``."""
        x, y = self._flat(vector)
        return length * x, -length * y


def _line(style: str, start: Point, end: Point) -> Markup:
    if math.dist(start, end) < 0.5:
        return Markup("")
    return Markup('<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(style, *start, *end)


def _joint(view: _View, bone: Bone, marked: bool) -> Markup:
    """The sign of a joint, with its axis."""
    x, y = view(bone.origin)
    turns = any(coordinate.turns for coordinate in JOINT_KINDS[bone.kind].coordinates) if bone.kind in JOINT_KINDS else True
    sign = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="4.5"/>' if turns else '<rect x="{:.1f}" y="{:.1f}" width="9" height="9"/>')
    parts = [Markup("<title>{}</title>").format(one_line(f"{bone.joint}, {bone.kind}"))]
    if len(bone.axis) == 3:
        u, w = view.direction(bone.axis, 13)
        parts.append(_line("axis", (x - u, y - w), (x + u, y + w)))
    parts.append(sign.format(x, y) if turns else sign.format(x - 4.5, y - 4.5))
    if marked:
        parts.append(Markup('<circle class="ring" cx="{:.1f}" cy="{:.1f}" r="10"/>').format(x, y))
    return Markup('<g class="joint{}">{}</g>').format(" faulty" if marked else "", Markup("").join(parts))


def _labels(view: _View, skeleton: Skeleton, marked: Sequence[bool], levels: Sequence[int]) -> list[Markup]:
    """The names of joints: of all if they are few, otherwise of those that are marked or wrong, the hottest first."""
    wrong = levels if len(levels) == len(skeleton) else [0] * len(skeleton)
    worth = [k for k in range(len(skeleton)) if len(skeleton) <= NAMED or marked[k] or wrong[k] >= WRONG]
    order = sorted(worth, key=lambda k: (not marked[k], -wrong[k]))[:MOST_NAMES]
    points = [view(bone.origin) for bone in skeleton]
    ends = [(view(skeleton[bone.parent].origin if bone.parent >= 0 else (0, 0, 0)), view(bone.start)) for bone in skeleton]
    bodies = [end for end in [*ends, *((view(bone.origin), view(bone.center)) for bone in skeleton)] if math.dist(*end) > 1]
    names = [(k, one_line(skeleton[k].joint, LONGEST)) for k in order]
    parts = []
    for label in placed(names, points, bodies, WIDTH, view.height):
        parts.append(_line("leader", *label.leader) if label.leader else Markup(""))
        # The width of a text is only estimated, so the end that is next to the point is the one that is fixed.
        x, anchor = (label.x, "start") if label.x >= points[label.index][0] else (label.x + label.width, "end")
        parts.append(text(x, label.y + 4, label.text, anchor, "faulty" if marked[label.index] else ""))
    return parts


def _ground(view: _View) -> Markup:
    x, y = view((0, 0, 0))
    hatch = "".join(f"M{x + k:.1f} {y + 7:.1f}l-4 6" for k in (-8, -2, 4, 10))
    return Markup('<path class="base" d="M{:.1f} {:.1f}h24{}"><title>the root</title></path>').format(x - 12, y + 7, hatch)


def _axes(view: _View) -> Markup:
    """The root's axes, in a corner."""
    parts = []
    left, low = view.corner
    for name, unit in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        u, w = view.direction(unit, 18)
        if math.hypot(u, w) > 2:
            x, y = left + u * 1.45, low + w * 1.45
            text = Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>').format(x, y + 3.5, name)
            parts.append(_line("axis", (left, low), (left + u, low + w)) + text)
    return Markup('<g class="frame" aria-hidden="true">{}</g>').format(Markup("").join(parts))


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
    for index, name in named:
        best, least = None, math.inf
        for distance, direction in product(DISTANCES, DIRECTIONS):
            if distance >= least:
                break
            label = _at(index, name, points[index], distance, direction)
            if _is_free(label, labels, points, width, height):
                cost = distance + ACROSS * sum(label.is_met(body, 1) for body in bodies) + UPRIGHT * (abs(direction) == 90)
                best, least = (label, cost) if cost < least else (best, least)
        labels += [best] if best else []
    return labels


def _at(index: int, name: str, point: Point, distance: float, direction: float) -> Label:
    """The name in this direction from its point. Its line ends at its side, or above or below it."""
    c, s = round(math.cos(math.radians(direction)), 9), math.sin(math.radians(direction))
    x, y, length = point[0] + distance * c, point[1] - distance * s, CHARACTER * len(name)
    left = x if c > 0 else x - length if c < 0 else x - length / 2
    end = (x - math.copysign(2, c), y) if c else (x, y + LINE / 2 * s)
    return Label(index, name, left, y, (point, end) if distance > BESIDE else None)


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
