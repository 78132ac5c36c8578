"""Line charts as inline SVG: numbers against time or against another number, on axes that are linear or logarithmic.

A line has a style of its own (solid, dashed, dotted), so that no chart needs its colours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cross_check.exchange.results.objects import INFINITE
from reports.charts import TICKS, Axis, svg, text
from reports.words import raised

WIDTH, HEIGHT = 420, 230

LEFT, RIGHT, TOP, BOTTOM = 62, 10, 14, 34
"""The margins, in pixels."""

FEW_DECADES = 2
"""An axis of so few decades has numbers between them, too."""

DECADES, BELOW = 14, 10.0
"""A logarithmic axis shows so many decades at most, down from its largest number. Bounds may lie lower than the other lines by
this factor; what lies below is not drawn."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """Points in rising order of x, joined by a line, or marked by dots. None is a gap."""

    style: str
    """A class of the style sheet: "run", "scheme", "bound" or "dots"."""
    x: Sequence[float]
    y: Sequence[float | None]

    def points(self, positive: tuple[bool, bool]) -> list[Point | None]:
        """Those that the axes can show; ``positive`` axes are logarithmic."""
        pairs = zip(self.x, self.y, strict=True)
        return [(x, y) if _is_shown(x, positive[0]) and y is not None and _is_shown(y, positive[1]) else None for x, y in pairs]


def _is_shown(x: float, positive: bool) -> bool:
    return math.isfinite(x) and abs(x) < INFINITE and not (positive and x <= 0)


def _ticks(axis: Axis) -> Iterator[tuple[float, str]]:
    """Places and numbers."""
    if axis.is_logarithmic:
        is_short = math.ceil(axis.high) - math.floor(axis.low) <= FEW_DECADES
        decades = axis.decades((1, 2, 5) if is_short else (1,))
        yield from ((axis(x), name) for x, name in decades if axis.low - 1e-9 <= math.log10(x) <= axis.high + 1e-9)
        return
    step = _round_step((axis.high - axis.low) / TICKS)
    exponent = math.floor(math.log10(max(abs(axis.low), abs(axis.high), 1e-300)))
    for k in range(math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9) + 1):
        yield axis(k * step), _short(k * step, exponent)


def _round_step(size: float) -> float:
    """The least of 1, 2 and 5 times a power of ten that is not below the size."""
    decade = 10.0 ** math.floor(math.log10(size)) if size > 0 else 1.0
    return next(factor * decade for factor in (1, 2, 5, 10) if factor * decade >= size * (1 - 1e-9))


def _short(x: float, exponent: int) -> str:
    """A number of an axis whose largest one has this exponent."""
    if x == 0:
        return "0"
    if -3 <= exponent <= 4:
        return f"{x:.10g}".replace("-", "−")
    return f"{x / 10.0**exponent:.4g}·10{raised(exponent)}".replace("-", "−", 1)


def line_chart(
    lines: Sequence[Line], x_name: str, y_name: str, about: str, logarithmic: tuple[bool, bool] = (False, False)
) -> Markup:
    """A chart of these lines; its axes have the names, and are logarithmic or not."""
    measured = [point for line in lines if line.style != "bound" for point in line.points(logarithmic) if point]
    bounds = [point for line in lines if line.style == "bound" for point in line.points(logarithmic) if point]
    if not measured:
        return Markup("")
    lowest = min(y for _, y in measured) / BELOW
    measured += [point for point in bounds if logarithmic[1] and point[1] >= lowest]
    limits = [_limits([point[k] for point in measured], logarithmic[k]) for k in (0, 1)]
    across = Axis(*limits[0], LEFT, WIDTH - RIGHT, logarithmic[0])
    up = Axis(*limits[1], HEIGHT - BOTTOM, TOP, logarithmic[1])
    parts = [Markup('<path class="grid" d="{}"/>').format("".join(f"M{LEFT} {y:.1f}H{WIDTH - RIGHT}" for y, _ in _ticks(up)))]
    if not logarithmic[1] and limits[1][0] < 0 < limits[1][1]:
        parts.append(Markup('<path class="zero" d="M{} {:.1f}H{}"/>').format(LEFT, up(0.0), WIDTH - RIGHT))
    parts += [text(LEFT - 6, y + 4, number, "end") for y, number in _ticks(up)]
    parts += [text(x, HEIGHT - BOTTOM + 15, number, "middle") for x, number in _ticks(across)]
    parts += [text(LEFT, 9, y_name, "start", "name"), text(WIDTH - RIGHT, HEIGHT - 4, x_name, "end", "name")]
    for line in lines:
        path, pen = "", "M"
        for point in line.points(logarithmic):
            if point is None or (logarithmic[1] and math.log10(point[1]) < up.low):
                pen = "M"
                continue
            x, y = across(point[0]), up(point[1])
            path += f"M{x:.1f} {y:.1f}h0" if line.style == "dots" else f"{pen}{x:.1f} {y:.1f}"
            pen = "L"
        parts.append(Markup('<path class="{}" d="{}"/>').format(line.style, path))
    return svg("plot lines", WIDTH, HEIGHT, about, Markup("").join(parts))


def _limits(numbers: Sequence[float], logarithmic: bool) -> tuple[float, float]:
    low, high = min(numbers), max(numbers)
    if logarithmic:
        most = math.log10(1.3 * high)
        return max(math.log10(low / 1.3), most - DECADES), most
    if low == high:
        room = abs(low) or 1.0
        return low - room, high + room
    return low, high
