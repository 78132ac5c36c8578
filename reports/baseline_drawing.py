"""What moved since the baseline: in groups, and as lines from the error then to the error now."""

from __future__ import annotations

import math

from markupsafe import Markup

from cross_check.results.objects import INFINITE, Change, Results
from reports.words import one_line, units

GROUPS = {
    "Worse": ("broken", "worse"),
    "New": ("new", "unrecorded"),
    "Fixed": ("fixed",),
    "Lost": ("lost", "replaced"),
}
"""What changes are called on the page."""

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 420, 260, 70, 350, 26

MOST = 60
"""Lines that are drawn, the largest errors first."""


def changes_of(results: Results) -> list[tuple[str, list[Change]]]:
    """The changes in groups: worse, new, fixed, lost."""
    changes = results.baseline.changes if results.baseline else ()
    groups = ((name, [change for change in changes if change.kind in kinds]) for name, kinds in GROUPS.items())
    return [(name, group) for name, group in groups if group]


def slopes(results: Results) -> Markup:
    """A line for every cell whose error is known then and now, on a logarithmic axis. Empty if there is none."""
    now = {item.id: item.error for item in results.items}
    pairs = [(change, change.then, error) for change in changes_with(results) if (error := now.get(change.id)) is not None]
    lines = [(change, then, error) for change, then, error in pairs if then is not None]
    lines = sorted(lines, key=lambda line: -max(line[1], line[2]))[:MOST]
    if not lines:
        return Markup("")
    bar = results.settings.bar
    most = max(bar, *(x for line in lines for x in line[1:] if x < INFINITE))
    top, low = math.log10(most) + 0.5, -2.0

    def height(error: float) -> float:
        decade = top if error >= INFINITE else max(low, math.log10(error)) if error > 0 else low
        return HEIGHT - 20 - (HEIGHT - 20 - TOP) * (decade - low) / (top - low)

    parts = [Markup('<line class="bar" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(LEFT, RIGHT, height(bar), height(bar))]
    for x, word, anchor in ((LEFT, "then", "start"), (RIGHT, "now", "end")):
        parts.append(Markup('<text x="{}" y="14" text-anchor="{}">{}</text>').format(x, anchor, word))
    parts.append(Markup('<text x="{}" y="{:.1f}">bar</text>').format(RIGHT + 6, height(bar) + 4))
    for k, (change, then, error) in enumerate(lines):
        title = Markup("<title>{}</title>").format(one_line(f"{change.id}: {units(then)}, now {units(error)} ε-units"))
        line = Markup('<g class="{0}"><line x1="{1}" y1="{2:.1f}" x2="{3}" y2="{4:.1f}"/><circle cx="{3}" cy="{4:.1f}" r="3"/>{5}</g>')
        parts.append(line.format("fixed" if error <= bar < then else "worse" if error > then else "", LEFT, height(then), RIGHT, height(error), title))
        if k == 0 or len(lines) <= 4:
            parts.append(Markup('<text x="{}" y="{:.1f}" text-anchor="end">{}</text>').format(LEFT - 6, height(then) + 4, units(then)))
            parts.append(Markup('<text x="{}" y="{:.1f}">{}</text>').format(RIGHT + 6, height(error) + 4, units(error)))
    svg = '<svg class="slopes" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">{3}</svg>'
    return Markup(svg).format(WIDTH, HEIGHT, f"Errors of {len(lines)} cells, then and now, in ε-units", Markup("").join(parts))


def changes_with(results: Results) -> tuple[Change, ...]:
    """The changes whose error in the baseline is known."""
    return tuple(change for change in results.baseline.changes if change.then is not None) if results.baseline else ()
