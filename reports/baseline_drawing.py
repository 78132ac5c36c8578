"""What moved since the baseline or the release before: in groups, and as lines from the error then to the error now."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from cross_check.results.objects import Change, Results
from cross_check.results.versions import Step
from reports.charts import axis_of, svg, text
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
    return svg("slopes", WIDTH, HEIGHT, f"Errors of {count(len(pairs), 'cell')}, then and now", Markup("").join(parts))
