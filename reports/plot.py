"""A strip plot: rows of points on one logarithmic axis of ε-units, with the bar drawn in.

Horizontal places are percentages and vertical ones pixels, so that the picture fits any width while its text keeps
its size. ``templates/report.js`` draws the same picture when a cell is opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from cross_check.results import INFINITE
from reports.words import one_line, units

LEFT, RIGHT, ROW, LEAST = 26.0, 88.0, 22, -2
"""The axis' ends in percent, a row's height in pixels, and the decade at which smaller errors are drawn."""


def strip(
    rows: Sequence[tuple[str, Sequence[float]]],
    bar: float,
    label: str,
    stems: bool = False,
    left: float = LEFT,
    most: int | None = None,
) -> Markup:
    """An SVG of ``rows``, each a name and its errors; ``stems`` draws values as bars. ``most`` is the axis' last decade."""
    most = decades(x for _, errors in rows for x in errors) if most is None else most
    place = Scale(most, left)
    height = ROW * len(rows)
    parts = [Markup('<svg class="strip" role="img" aria-label="{}" width="100%" height="{}">').format(label, height + 20)]
    for decade in range(LEAST, most + 1, -(-(most - LEAST) // 4)):
        x = place(10.0**decade)
        parts.append(Markup('<line class="grid" x1="{0}%" x2="{0}%" y2="{1}"/>').format(x, height))
        parts.append(Markup('<text class="tick" x="{}%" y="{}">{}</text>').format(x, height + 15, tick(decade)))
    parts.append(Markup('<line class="bar" x1="{0}%" x2="{0}%" y2="{1}"/>').format(place(bar), height))
    parts += [_row(name, errors, bar, ROW * k + ROW // 2, place, stems) for k, (name, errors) in enumerate(rows)]
    return Markup("").join([*parts, Markup("</svg>")])


class Scale:
    """ε-units to percent of the width."""

    def __init__(self, most: int, left: float) -> None:
        self.most, self.left = most, left

    def __call__(self, error: float) -> str:
        decade = self.most if error >= INFINITE else math.log10(error) if error > 0 else LEAST
        share = (min(max(decade, LEAST), self.most) - LEAST) / (self.most - LEAST)
        return f"{self.left + (RIGHT - self.left) * share:.1f}"


def decades(errors: Iterable[float]) -> int:
    """The power of ten at which the axis ends: past the bar and every finite error; infinite ones stand at its end."""
    finite = [x for x in errors if x < INFINITE]
    return max(2, math.floor(math.log10(max([*finite, 1.0]))) + 1)


def tick(decade: int) -> str:
    if abs(decade) <= 2:
        return f"{10.0**decade:g}"
    return "10" + str(decade).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def jitter(k: int) -> int:
    """A few pixels up or down, so that equal errors do not hide one another."""
    return k * 7 % 13 - 6


def _row(name: str, errors: Sequence[float], bar: float, y: int, place: Scale, stems: bool) -> Markup:
    parts = [Markup('<text y="{}">{}</text>').format(y + 4, one_line(name, 22))] if name else []
    for k, error in enumerate(errors):
        x, over = place(error), Markup(' class="over"') if error > bar else ""
        if stems:
            parts.append(Markup('<line{} x1="{}%" x2="{}%" y1="{}" y2="{}"/>').format(over, place.left, x, y, y))
            parts.append(Markup('<text class="value" x="100%" y="{}">{}</text>').format(y + 4, units(error)))
        parts.append(Markup('<circle{} cx="{}%" cy="{}"/>').format(over, x, y if stems else y + jitter(k)))
    return Markup("<g>{}</g>").format(Markup("").join(parts))
