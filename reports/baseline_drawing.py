"""What moved since the baseline: in groups, and as lines from the error then to the error now."""

from __future__ import annotations

import math
from collections.abc import Callable

from markupsafe import Markup

from cross_check.results.objects import INFINITE, Change, Results
from reports.words import count, one_line, units

GROUPS = {
    "Worse": ("broken", "worse"),
    "New": ("new", "unrecorded"),
    "Fixed": ("fixed",),
    "Lost": ("lost", "replaced"),
    "Better": ("better",),
    "Moved": ("moved",),
}
"""What changes are called on the page."""

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 420, 260, 70, 350, 26

MOST = 60
"""Lines that are drawn, the largest errors first."""

NAMED = 4
"""If there are at most so many, their errors are written beside them."""


def changes_of(results: Results) -> list[tuple[str, list[Change]]]:
    """The changes in groups: worse, new, fixed, lost, better, moved."""
    changes = results.baseline.changes if results.baseline else ()
    groups = ((name, [change for change in changes if change.kind in kinds]) for name, kinds in GROUPS.items())
    return [(name, group) for name, group in groups if group]


def slopes(results: Results) -> Markup:
    """A line for every cell whose error is known then and now, on a logarithmic axis. Empty if there is none."""
    now = {item.id: item.error for item in results.items}
    changes = results.baseline.changes if results.baseline else ()
    known = [(change.id, change.then, now.get(change.id)) for change in changes]
    pairs = [(id, then, error) for id, then, error in known if then is not None and error is not None]
    pairs = sorted(pairs, key=lambda pair: -max(pair[1:]))[:MOST]
    if not pairs:
        return Markup("")
    bar = results.settings.bar
    height = _scale(max(bar, *(x for pair in pairs for x in pair[1:] if x < INFINITE)))
    parts = [Markup('<line class="bar" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>').format(LEFT, RIGHT, height(bar))]
    parts += [_text(LEFT, 14, "then"), _text(RIGHT, 14, "now", "end"), _text(RIGHT + 6, height(bar) + 4, "bar")]
    for k, (id, then, error) in enumerate(pairs):
        style = "fixed" if error <= bar < then else "worse" if error > then else ""
        title = Markup("<title>{}</title>").format(one_line(f"{id}: {units(then)}, now {units(error)} ε-units"))
        line = Markup('<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}"/>').format(LEFT, height(then), RIGHT, height(error))
        end = Markup('<circle cx="{}" cy="{:.1f}" r="3"/>').format(RIGHT, height(error))
        parts.append(Markup('<g class="{}">{}</g>').format(style, title + line + end))
        if k == 0 or len(pairs) <= NAMED:
            parts.append(_text(LEFT - 6, height(then) + 4, units(then), "end"))
            parts.append(_text(RIGHT + 6, height(error) + 4, units(error)))
    svg = '<svg class="slopes" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">{3}</svg>'
    return Markup(svg).format(WIDTH, HEIGHT, f"Errors of {count(len(pairs), 'cell')}, then and now", Markup("").join(parts))


def _scale(most: float) -> Callable[[float], float]:
    """The height of an error in the picture, on a logarithmic axis from 0.01 to beyond ``most``."""
    low, top = -2.0, math.log10(most) + 0.5

    def height(error: float) -> float:
        decade = math.log10(error) if error > 0 else low
        return HEIGHT - 20 - (HEIGHT - 20 - TOP) * (min(max(decade, low), top) - low) / (top - low)

    return height


def _text(x: float, y: float, text: str, anchor: str = "start") -> Markup:
    return Markup('<text x="{}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, text)
