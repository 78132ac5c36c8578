"""Causes with the lines of a user's code that are wrong, and with what mends them.

One edit that makes everything right is looked for first. It is one cause, whatever else was found: what other causes explain
follows from the line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from cross_check.exchange.results.causes import Cause, Mend
from cross_check.exchange.results.objects import Cell, Item
from cross_check.explain.diagnosis.laboratory import FOUND, Run
from cross_check.explain.diagnosis.mends.search import Found, Mends, with_source
from cross_check.explain.diagnosis.mends.trials import Budget
from cross_check.explain.diagnosis.words import identifier, lines_are_wrong
from implementations.plugins.user_code import UserCodeError
from implementations.protocol import Missing
from mechanisms.plain_text import one_line

MOST_EDITS = 8000
"""So many edits are tried to mend everything, and as many to mend the causes one by one."""

NOT_MENDED = ("failed", "known", "history")
"""Kinds of causes for which no line is sought."""

NO_LINE = "another mistake, because no change of the code that was tried mends this one"
"""What else a cause may be that explains answers together with another one, if the source shows neither.

One fault that predicts every answer is no accident. Of two, each has fewer numbers to explain.
"""


class Lines:
    """The lines of one code that are wrong. What mends everything is sought before any cause is: then that search is short."""

    def __init__(self, run: Run) -> None:
        self._progress, self._name = run.progress, run.entry.name
        code, cells = with_source(run.entry.subject, run.entry.spec), [item for item in run.items if isinstance(item, Cell)]
        self._mends = Mends(run, code) if code else None
        self._asked = {cell.id: self._mends.is_asked_about(cell) for cell in cells} if self._mends else {}
        self._budget, self._why = Budget(MOST_EDITS), ""
        self.whole: Found | None = None
        """What mends everything that disagrees and shows edits."""
        self._cells: Sequence[str] = ()
        """What it mends."""

    def seek(self, items: Sequence[Item]) -> Sequence[Cause]:
        """Look for what mends all of these items that an edit can mend. It makes no cause yet. An interruption passes."""
        self._cells = [item.id for item in items if self._asked.get(item.id)]
        self.whole = self._sought(self._cells, self._budget)
        if self.whole:
            change = self.whole.mend.changes[0]
            self._progress(f"{FOUND}{change.file}:{change.line} is wrong")
        return ()

    def mended(self, causes: Sequence[Cause]) -> tuple[list[Cause], bool]:
        """The causes with their mends, and whether the search was interrupted."""
        found = list(causes)
        places = [k for k, cause in enumerate(causes) if cause.kind not in NOT_MENDED and is_decided(cause, self._asked)]
        try:
            if self.whole is None:
                self._cells = [cell for k in places for cell in causes[k].cells]
                self.whole = self._sought(self._cells, self._budget)
            if self.whole and self._mends:
                if len(self.whole.mend.changes) > 1:
                    both = (with_mend(one, self.whole.mend) if k in places else one for k, one in enumerate(causes))
                    return list(both), False
                ends = self._mends.failures_that_end(self.whole.edits)
                own = one_cause([causes[k] for k in places], self._name, self.whole.mend, self._cells, ends)
                return [own, *(one for k, one in enumerate(causes) if k not in places)], False
            was_edited, budget = self._budget.left < MOST_EDITS, Budget(MOST_EDITS)
            for k in places:
                if part := self._sought(causes[k].cells, budget):
                    found[k] = with_mend(causes[k], part.mend)
                elif was_edited and causes[k].kind != "unknown" and _is_one_of_several(causes[k], causes):
                    found[k] = replace(causes[k], alternatives=(*causes[k].alternatives, NO_LINE))
        except KeyboardInterrupt:
            return found, True
        if self._why:
            found = [replace(one, untried=(*one.untried, self._why)) if k in places else one for k, one in enumerate(found)]
        return found, False

    def _sought(self, cells: Sequence[str], budget: Budget) -> Found | None:
        """The mend of these cells. If the search fails, no cause must be lost because of the line that is sought."""
        if self._mends is None or self._why:
            return None
        try:
            return self._mends.mend(cells, budget)
        except (UserCodeError, Missing) as error:
            self._why = one_line(f"the line: {error}", 300)
            return None
        except Exception as error:
            import traceback

            traceback.print_exc()
            why = f"the line: dalembert failed to find it ({type(error).__name__}: {error}), please report it"
            self._why = one_line(why, 300)
            return None


def is_decided(cause: Cause, asked: Mapping[str, bool]) -> bool:
    """Whether edits are judged by all that the cause explains; ``asked`` says it of cells, by their ids.

    Invariants are no cells. They follow from the quantities that they take.
    """
    return all(asked.get(cell, True) for cell in cause.cells) and any(asked.get(cell) for cell in cause.cells)


def _is_one_of_several(cause: Cause, causes: Sequence[Cause]) -> bool:
    """Whether it explains some cell together with another cause alone."""
    return any(other is not cause and not {*cause.cells}.isdisjoint(other.cells) for other in causes)


def one_cause(causes: Sequence[Cause], name: str, mend: Mend, mends: Sequence[str], ends: Sequence[str]) -> Cause:
    """One cause for all that one change mends: of those that name a fault, the one that explains most.

    It is a cause of all cells that the change ``mends``, and of the failed ones that it ``ends``.
    """
    wrong = dict.fromkeys((*(cell for cause in causes for cell in cause.cells), *mends))
    cells = tuple(dict.fromkeys((*wrong, *ends)))
    best = max(causes, key=lambda cause: (cause.kind != "unknown", len(cause.cells)), default=None)
    if best and best.kind != "unknown" and 2 * len(best.cells) > len(wrong):
        return replace(best, cells=cells, mend=mend)
    return with_mend(replace(best or Cause("", name, "unknown", "", ()), kind="unknown", cells=cells), mend)


def with_mend(cause: Cause, mend: Mend) -> Cause:
    """The cause with its mend. If it is unknown, the lines that the mend changes are the cause."""
    if cause.kind != "unknown":
        return replace(cause, mend=mend)
    said = lines_are_wrong(cause.implementation, mend.changes, cause.cells)
    line = Cause(identifier(cause.implementation, said), cause.implementation, "line", said, cause.cells, mend=mend)
    return replace(line, evidence=cause.evidence, example=cause.example)
