"""Causes with the lines of a user's Python code that are wrong, and with what mends them.

One edit that makes everything right is looked for first. It is one cause, whatever else was found: what other causes explain
follows from the line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause, Mend
from cross_check.exchange.results.objects import Results
from cross_check.exchange.results.plain_text import one_line
from cross_check.explain.diagnosis.laboratory import Progress
from cross_check.explain.diagnosis.mends.search import Mends, with_source
from cross_check.explain.diagnosis.mends.trials import Budget
from cross_check.explain.diagnosis.words import identifier, line_is_wrong
from cross_check.judge.settings import Settings
from mechanisms import Mechanism

MOST_EDITS = 8000
"""So many edits are tried to mend everything, and half as many to mend the causes one by one."""

NOT_MENDED = ("failed", "known", "history")
"""Kinds of causes for which no line is sought."""

NO_LINE = "another mistake, because no change of the code that was tried mends this one"
"""What else a cause may be of which the source shows nothing."""


def mended(
    entry: Entry,
    causes: Sequence[Cause],
    results: Results,
    mechanisms: Sequence[Mechanism],
    settings: Settings,
    progress: Progress,
) -> tuple[list[Cause], bool]:
    """The causes with their mends, and whether the search was interrupted."""
    found, code = list(causes), with_source(entry.subject, entry.spec)
    if code is None:
        return found, False
    cells = [cell for cell in results.cells if cell.implementation == entry.name]
    mends = Mends(entry.subject, code, cells, mechanisms, settings, progress)
    asked = {cell.id: mends.is_asked_about(cell) for cell in cells}
    places = [k for k, cause in enumerate(causes) if cause.kind not in NOT_MENDED and is_decided(cause, asked)]
    budget = Budget(MOST_EDITS)
    try:
        if whole := mends.mend([cell for k in places for cell in causes[k].cells], budget):
            if len(whole.mend.changes) > 1:
                return [replace(one, mend=whole.mend) if k in places else one for k, one in enumerate(causes)], False
            own = one_cause([causes[k] for k in places], entry.name, whole.mend, mends.failures_that_end(whole.edits))
            return [own, *(one for k, one in enumerate(causes) if k not in places)], False
        was_edited, budget = budget.left < MOST_EDITS, Budget(MOST_EDITS // 2)
        for k in places:
            if part := mends.mend(causes[k].cells, budget):
                found[k] = replace(causes[k], mend=part.mend)
            elif was_edited and causes[k].kind != "unknown":
                found[k] = replace(causes[k], alternatives=(*causes[k].alternatives, NO_LINE))
    except KeyboardInterrupt:
        return found, True
    except Exception as error:
        # No cause must be lost because of the line that is sought.
        why = one_line(f"the line: dalembert failed to find it ({type(error).__name__}: {error}), please report it", 300)
        found = [replace(one, untried=(*one.untried, why)) if k in places else one for k, one in enumerate(found)]
    return found, False


def is_decided(cause: Cause, asked: Mapping[str, bool]) -> bool:
    """Whether edits are judged by all that the cause explains; ``asked`` says it of cells, by their ids.

    Invariants are no cells. They follow from the quantities that they take.
    """
    return all(asked.get(cell, True) for cell in cause.cells) and any(asked.get(cell) for cell in cause.cells)


def one_cause(causes: Sequence[Cause], name: str, mend: Mend, failed: Sequence[str]) -> Cause:
    """One cause for all that one change mends: of those that name a fault, the one that explains most."""
    best = max(causes, key=lambda cause: (cause.kind != "unknown", len(cause.cells)))
    cells = tuple(dict.fromkeys((*(cell for cause in causes for cell in cause.cells), *failed)))
    if best.kind == "unknown" or 2 * len(best.cells) <= len(cells) - len(failed):
        said = line_is_wrong(name, mend.changes[0], cells)
        return Cause(identifier(name, said), name, "line", said, cells, mend=mend, evidence=best.evidence, example=best.example)
    return replace(best, cells=cells, mend=mend)
