"""A strip plot: rows of points on one logarithmic axis of ε-units, with the bar drawn in.

Horizontal places are percentages and vertical ones pixels, so that the picture fits any width and its text keeps
its size. ``templates/strip.js`` draws the same picture when a cell is opened.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from markupsafe import Markup

from cross_check.results import INFINITE
from cross_check.results.histograms import lower_end
from reports.words import one_line, units

ROW, LEAST = 22, -2
"""A row's height in pixels, and the decade at which smaller errors are drawn."""


Rows = Sequence[tuple[str, Sequence[float]]]


def strip(rows: Rows, bar: float, label: str, stems: bool = False, axis: Axis | None = None) -> Markup:
    """``rows``, each a name and its errors, with names on the left of the SVG. ``stems`` draws values as bars and prints them."""
    axis = axis or Axis([x for _, errors in rows for x in errors], bar)
    groups = [_points(errors, bar, ROW * k + ROW // 2, axis, stems) for k, (_, errors) in enumerate(rows)]
    values = _column([units(max(errors)) for _, errors in rows]) if stems else Markup("")
    return _figure([name for name, _ in rows], groups, bar, label, axis, values)


def histogram(bins: Mapping[str, Sequence[Sequence[int]]], largest: float, bar: float, label: str) -> Markup:
    """How many states of every kind have which error; ``bins`` as in :class:`cross_check.results.Histogram`.

    The height of a line is the logarithm of the number, because a few wrong states among millions must be seen.
    """
    axis = Axis([largest], bar)
    most = max((math.log1p(number) for pairs in bins.values() for _, number in pairs), default=1.0)
    groups = [_counts(pairs, bar, ROW * (k + 1) - 2, axis, most) for k, pairs in enumerate(bins.values())]
    return _figure(list(bins), groups, bar, label, axis)


def _counts(pairs: Sequence[Sequence[int]], bar: float, foot: int, axis: Axis, most: float) -> Markup:
    parts = []
    for k, number in pairs:
        over = Markup(' class="over"') if lower_end(k) > bar else ""
        top = foot - 2 - round((ROW - 6) * math.log1p(number) / most)
        parts.append(Markup('<line{0} x1="{1}%" x2="{1}%" y1="{2}" y2="{3}"/>').format(over, axis(lower_end(k)), foot, top))
    return Markup("<g>{}</g>").format(Markup("").join(parts))


def _figure(names: list[str], groups: list[Markup], bar: float, label: str, axis: Axis, values: str = "") -> Markup:
    """One group of marks per row, with the axis, the bar, the names on the left and ``values`` on the right."""
    height = ROW * len(groups)
    parts = [Markup('<svg width="100%" height="{}" aria-hidden="true">').format(height + 20)]
    for x, text in axis.ticks():
        parts.append(Markup('<line class="grid" x1="{0}%" x2="{0}%" y2="{1}"/>').format(x, height))
        parts.append(Markup('<text class="tick" x="{}%" y="{}">{}</text>').format(x, height + 15, text))
    parts.append(Markup('<line class="bar" x1="{0}%" x2="{0}%" y2="{1}"/>').format(axis(bar), height))
    parts.append(Markup('<text class="tick at-bar" x="{}%" y="{}">{}</text>').format(axis(bar), height + 15, units(bar)))
    svg = Markup("").join([*parts, *groups, Markup("</svg>")])
    column = _column(names) if any(names) else Markup("<div></div>")
    return Markup('<div class="strip" role="group" aria-label="{}">{}{}{}</div>').format(label, column, svg, values)


def _column(texts: Iterable[str]) -> Markup:
    """A line of text for every row."""
    lines = (Markup('<span dir="auto" title="{0}">{0}</span>').format(one_line(text)) for text in texts)
    return Markup("<div>{}</div>").format(Markup("").join(lines))


class Axis:
    """ε-units to percent of the width. It ends beyond the bar and the finite errors; infinite errors stand at the end."""

    def __init__(self, errors: Iterable[float], bar: float) -> None:
        errors = list(errors)
        self.bar, self.infinite = bar, any(x >= INFINITE for x in errors)
        largest = max([bar, *(x for x in errors if x < INFINITE)])
        self.most = max(2, math.floor(math.log10(largest)) + 1) + self.infinite

    def __call__(self, error: float) -> str:
        decade = self.most if error >= INFINITE else math.log10(error) if error > 0 else LEAST
        return f"{100 * (min(max(decade, LEAST), self.most) - LEAST) / (self.most - LEAST):.1f}"

    def ticks(self) -> Iterator[tuple[str, str]]:
        """Place and label of every decade that has room for one."""
        taken = [math.log10(self.bar), *([self.most] if self.infinite else [])]
        span, step = self.most - LEAST, -(-(self.most - LEAST) // 5)
        for decade in range(LEAST, self.most + 1):
            if decade % step == 0 and all(abs(decade - other) >= span / 12 for other in taken):
                yield self(10.0**decade), tick(decade)
        if self.infinite:
            yield self(INFINITE), units(INFINITE)


def tick(decade: int) -> str:
    if abs(decade) <= 2:
        return f"{10.0**decade:g}"
    return "10" + str(decade).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def jitter(k: int) -> int:
    """A few pixels up or down, so that equal errors do not hide one another."""
    return k * 7 % 13 - 6


def _points(errors: Sequence[float], bar: float, y: int, axis: Axis, stems: bool) -> Markup:
    parts: list[Markup] = []
    for k, error in enumerate(errors):
        x, over = axis(error), Markup(' class="over"') if error > bar else ""
        if stems:
            parts.append(Markup('<line{} x2="{}%" y1="{}" y2="{}"/>').format(over, x, y, y))
        parts.append(Markup('<circle{} cx="{}%" cy="{}"/>').format(over, x, y if stems else y + jitter(k)))
    return Markup("<g>{}</g>").format(Markup("").join(parts))
