"""Plots of errors as inline SVG, on one logarithmic axis of ε-units with the bar drawn in.

A dot is right, a cross is wrong, so that no plot needs its colours. Marks of one kind are one path, which keeps a plot small.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cross_check.exchange.results.objects import INFINITE, Change, Results
from cross_check.exchange.results.versions import Step
from reports.words import count, one_line, raised, units

WIDTH, ROW, FOOT = 340, 15, 18
"""The width of a plot, and the heights of a row and of the numbers below the axis, in pixels."""

CHARACTER, LONGEST = 6.9, 24
"""The usual width of a character in pixels, and so many of a row's name are shown."""

VALUE = 48
"""Pixels for the number at the end of a row."""

TICKS = 5
"""An axis has about so many numbers."""

LEAST = -2
"""Errors are drawn from this decade up; those below it are drawn there."""

GROUPS = {
    "Worse": ("broken", "worse"),
    "New": ("new", "unrecorded"),
    "Fixed": ("fixed",),
    "Lost": ("lost", "replaced"),
    "Better": ("better",),
    "Moved": ("moved",),
}
"""What changes are called on the page."""

SLOPES, HEIGHT, LEFT, RIGHT, TOP = 420, 260, 70, 350, 26
"""The picture of what moved: its width and height, and the places of its axes, in pixels."""

MOST = 60
"""Lines that are drawn, the largest errors first."""

NAMED = 4
"""If there are at most so many, their errors are written beside them."""


@dataclass(frozen=True)
class PlotRow:
    """A line of a plot: the largest error, and the smallest, if there are several."""

    name: str
    error: float
    least: float | None = None


@dataclass(frozen=True)
class Axis:
    """From ``low`` to ``high``, drawn from pixel ``start`` to pixel ``end``. If it is logarithmic, both are decades.

    What lies outside is drawn at the ends.
    """

    low: float
    high: float
    start: float
    end: float
    is_logarithmic: bool = True

    def __call__(self, x: float) -> float:
        place = x if not self.is_logarithmic else math.log10(x) if x > 0 else self.low
        return self.start + (self.end - self.start) * (min(max(place, self.low), self.high) - self.low) / (self.high - self.low)

    def decades(self, factors: Sequence[int] = (1,)) -> Iterator[tuple[float, str]]:
        """Numbers, and how they are written: some powers of ten, times each of the factors."""
        low, high = math.floor(self.low), math.ceil(self.high)
        for decade in range(low, high + 1, max(1, math.ceil((high - low) / TICKS))):
            for factor in factors:
                x, power = factor * 10.0**decade, f"10{raised(decade)}"
                yield x, f"{x:g}" if abs(decade) <= 2 else power if factor == 1 else f"{factor}·{power}"


def axis_of(errors: Iterable[float], bar: float, start: float, end: float) -> Axis:
    """The axis on which all of these errors and the bar have room."""
    finite = [error for error in errors if 0 < error < INFINITE]
    return Axis(LEAST, math.ceil(math.log10(max(*finite, bar, 1.0))) + 1, start, end)


def row_plot(
    rows: Sequence[PlotRow],
    bar: float,
    about: str,
    axis: Axis | None = None,
    sign: str = "",
    write: Callable[[float], str] = units,
) -> Markup:
    """Rows of a name, a mark on the axis with a line from the smallest to the largest error, and a number.

    With an ``axis`` of its own, ``bar`` is a place to compare with, named by ``sign``, and no row is wrong.
    """
    left = CHARACTER * min(LONGEST, max(len(row.name) for row in rows)) + 8
    judged = axis is None
    axis = axis or axis_of((row.error for row in rows), bar, 0, 1)
    axis = Axis(axis.low, axis.high, left, WIDTH - VALUE)
    height = ROW * len(rows)
    texts, ranges, marks = [_ticks(axis, bar, height, sign)], "", Marks()
    for k, row in enumerate(rows):
        y, x = ROW * (k + 0.5), axis(row.error)
        wrong = judged and row.error > bar
        texts.append(text(left - 8, y + 4, one_line(row.name, LONGEST), "end"))
        texts.append(text(WIDTH, y + 4, write(row.error), "end", "over" if wrong else ""))
        ranges += f"M{axis(row.least):.1f} {y:.1f}H{x:.1f}" if row.least is not None else ""
        marks.add(x, y, wrong)
    line = Markup('<path class="range" d="{}"/>').format(ranges) if ranges else Markup("")
    return svg("plot", WIDTH, height + FOOT, about, Markup("").join([*texts[:1], line, marks.drawn(), *texts[1:]]))


def histogram(counts: dict[int, int], bar: float, about: str) -> Markup:
    """How many states have an error in every decade; the number stands above its column."""
    axis = axis_of((10.0**decade for decade in counts), bar, 14, WIDTH - 14)
    height, most, width = 88, max(counts.values()), axis(10.0) - axis(1.0)
    parts = [_ticks(axis, bar, height)]
    for decade, number in sorted(counts.items()):
        tall = max(2.0, (height - 18) * number / most)
        box = '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>'
        style = "wrong" if 10.0**decade > bar else "mixed" if 10.0 ** (decade + 1) > bar else "right"
        parts.append(Markup(box).format(style, axis(10.0**decade) + 1, height - tall, max(1.0, width - 2), tall))
        parts.append(text(axis(10.0**decade) + width / 2, height - tall - 3, str(number), "middle"))
    return svg("plot", WIDTH, height + FOOT, about, Markup("").join(parts))


def points(errors: Sequence[tuple[float, bool]], bar: float, axis: Axis, about: str) -> Markup:
    """All errors, and whether they are known faults, as marks in one line, set apart in height so that equal ones can be seen."""
    marks = Marks()
    for k, (error, known) in enumerate(errors):
        marks.add(axis(error), 12 + k * 7 % 13 - 6, error > bar, known)
    line = Markup('<path class="bar" d="M{0:.1f} 0v24"/>').format(axis(bar))
    return svg("plot points", round(axis.end + 8), 24, about, line + marks.drawn())


def scale(axis: Axis, bar: float) -> Markup:
    """The numbers of the axis alone, for the head of a column of :func:`points`."""
    return svg("plot points", round(axis.end + 8), 16, "", _ticks(axis, bar, 0))


class Marks:
    """Dots, crosses, and diamonds for known faults, as one path each."""

    def __init__(self) -> None:
        self._paths = {"dots": "", "crosses": "", "diamonds": ""}

    def add(self, x: float, y: float, wrong: bool, known: bool = False) -> None:
        if known:
            self._paths["diamonds"] += f"M{x - 3.5:.1f} {y:.1f}l3.5-3.5 3.5 3.5-3.5 3.5z"
        elif wrong:
            self._paths["crosses"] += f"M{x - 3:.1f} {y - 3:.1f}l6 6m0-6l-6 6"
        else:
            self._paths["dots"] += f"M{x:.1f} {y:.1f}h0"

    def drawn(self) -> Markup:
        given = ((name, d) for name, d in self._paths.items() if d)
        return Markup("").join(Markup('<path class="{}" d="{}"/>').format(name, d) for name, d in given)


def _ticks(axis: Axis, bar: float, height: float, sign: str = "") -> Markup:
    # The bar, and powers of ten that leave it room.
    powers = [(axis(x), name) for x, name in axis.decades() if abs(axis(x) - axis(bar)) > 24]
    places = [(axis(bar), sign or units(bar)), *powers]
    grid = "".join(f"M{x:.1f} 0v{height:g}" for x, _ in places[1:])
    texts = [text(x, height + 13, number, "middle", "" if k else "at-bar") for k, (x, number) in enumerate(places)]
    lines = Markup('<path class="grid" d="{}"/><path class="bar" d="M{:.1f} 0v{:g}"/>').format(grid, places[0][0], height)
    return (lines if height else Markup("")) + Markup("").join(texts)


def text(x: float, y: float, content: str, anchor: str, style: str = "") -> Markup:
    """A text whose start, middle or end is at this place."""
    shape = Markup(' class="{}"').format(style) if style else ""
    return Markup('<text{} x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(shape, x, y, anchor, content)


def svg(style: str, width: int, height: int, about: str, content: Markup) -> Markup:
    """A picture of this style and size. Without ``about``, assistive technology skips it."""
    role = Markup('role="img" aria-label="{}"').format(one_line(about, 300)) if about else Markup('aria-hidden="true"')
    shape = Markup('<svg class="{0}" viewBox="0 0 {1} {2}" width="{1}" height="{2}" {3}>{4}</svg>')
    return shape.format(style, width, height, role, content)


def changes_of(results: Results) -> list[tuple[str, list[Change]]]:
    """The changes in groups: worse, new, fixed, lost, better, moved."""
    changes = results.baseline.changes if results.baseline else ()
    groups = ((name, [change for change in changes if change.kind in kinds]) for name, kinds in GROUPS.items())
    return [(name, group) for name, group in groups if group]


def slopes(results: Results) -> Markup:
    """The cells of which the errors in the baseline and now are known."""
    now = {item.id: item.error for item in results.items}
    changes = results.baseline.changes if results.baseline else ()
    return _lines([(change.id, change.then, now.get(change.id)) for change in changes], results.settings.bar)


def step_slopes(step: Step, bar: float) -> Markup:
    """The cells whose verdict changed from one release to the next."""
    return _lines([(f"{c.mechanism}/{c.quantity}", c.error_before, c.error_now) for c in step.changes], bar)


def _lines(known: Sequence[tuple[str, float | None, float | None]], bar: float) -> Markup:
    """A line for every cell whose error is known then and now, on a logarithmic axis. Empty if there is none."""
    pairs = [(id, then, error) for id, then, error in known if then is not None and error is not None]
    pairs = sorted(pairs, key=lambda pair: -max(pair[1:]))[:MOST]
    if not pairs:
        return Markup("")
    height = axis_of((x for pair in pairs for x in pair[1:]), bar, HEIGHT - 20, TOP)
    parts = [Markup('<line class="bar" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>').format(LEFT, RIGHT, height(bar))]
    parts += [text(LEFT, 14, "then", "start"), text(RIGHT, 14, "now", "end"), text(RIGHT + 6, height(bar) + 4, "bar", "start")]
    for k, (id, then, error) in enumerate(pairs):
        style = "fixed" if error <= bar < then else "worse" if error > then else ""
        title = Markup("<title>{}</title>").format(one_line(f"{id}: {units(then)}, now {units(error)} ε-units"))
        line = Markup('<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}"/>').format(LEFT, height(then), RIGHT, height(error))
        end = Markup('<circle cx="{}" cy="{:.1f}" r="3"/>').format(RIGHT, height(error))
        parts.append(Markup('<g class="{}">{}</g>').format(style, title + line + end))
        if k == 0 or len(pairs) <= NAMED:
            parts.append(text(LEFT - 6, height(then) + 4, units(then), "end"))
            parts.append(text(RIGHT + 6, height(error) + 4, units(error), "start"))
    return svg("slopes", SLOPES, HEIGHT, f"Errors of {count(len(pairs), 'cell')}, then and now", Markup("").join(parts))
