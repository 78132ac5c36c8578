"""The lines of a user's code that are wrong, and edits of them that make the answers right.

An edit is sought at the simplest question that is wrong, in a worker process. If one edit does not make every question right,
those that come nearest are assumed in turn, and a further edit is sought beside each. Edits are a mend if every quantity that the
cause explains becomes right with them, at every state of every mechanism of the run, no quantity that was right becomes wrong,
and mechanisms that the search has not seen agree, too, if the code can be asked about others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from difflib import SequenceMatcher
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from cross_check.exchange.results.causes import ChangedLines, Mend
from cross_check.exchange.results.objects import RIGHT, Cell
from cross_check.explain.diagnosis.laboratory import LOOSE, Run
from cross_check.explain.diagnosis.mends.questions import FEW, Drawn, Question, moving, questions_of
from cross_check.explain.diagnosis.mends.trials import PLAIN, Budget, CompiledTrials, Trials
from cross_check.explain.faults.mutants import having_forces
from cross_check.judge.comparison.case import Case
from implementations.plugins.registry import BUILT_IN
from implementations.processes.edited import Edit, edited_sources
from implementations.processes.home import PROGRAMS
from implementations.processes.remote import Remote
from implementations.processes.restricted import Restricted
from implementations.processes.subject import Failure, Subject
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

MOST_ASSUMED = 3
"""So many edits that mend a part are assumed in turn, those first that mend most."""

MOST_QUANTITIES = 3
"""So many wrong quantities are asked about while an edit is sought; the others decide in the end."""


class Found(NamedTuple):
    """Edits that mend, and what is said of them."""

    edits: tuple[Edit, ...]
    mend: Mend


class Mends:
    """Looks for the mends of the causes of an implementation; ``code`` is what it asks."""

    def __init__(self, run: Run, code: Remote) -> None:
        self._subject, self._code, self._settings, self._progress = run.entry.subject, code, run.settings, run.progress
        self._cells = {one.id: one for one in run.items if isinstance(one, Cell) and one.quantity in QUANTITIES}
        self._mechanisms = {mechanism.name: mechanism for mechanism in run.trees}
        self._cases: dict[str, Case] = {}
        self._found: dict[tuple[str, ...], Found | None] = {}

    def is_asked_about(self, cell: Cell) -> bool:
        """Whether an edit is judged by this cell: errors below the bar, and what is no quantity of a tree, do not show edits."""
        return cell.id in self._cells and cell.verdict == "discrepancy" and (cell.error or 0) > self._settings.bar

    def mend(self, cells: Sequence[str], budget: Budget) -> Found | None:
        """The mend of what disagrees among the cells with these ids, if there is one."""
        wrong = [self._cells[name] for name in cells if name in self._cells and self.is_asked_about(self._cells[name])]
        wrong.sort(key=lambda cell: (self._mechanisms[cell.mechanism].nv, not QUANTITIES[cell.quantity].has_value))
        # What was sought once is not sought again.
        sought = tuple(sorted(cell.id for cell in wrong))
        if wrong and sought not in self._found:
            self._found[sought] = self._mend(wrong, budget)
        return self._found.get(sought)

    def _mend(self, wrong: Sequence[Cell], budget: Budget) -> Found | None:
        # What mends another cause may mend this one, too.
        known = [found.edits for found in self._found.values() if found]
        with suppress(Failure, Unsupported, OSError):
            for edits in chain(known, self._candidates(wrong, budget)):
                states, mechanisms = self._agreeing(edits, wrong)
                if states:
                    return Found(edits, described(edits, states, mechanisms))
        return None

    def failures_that_end(self, edits: Sequence[Edit]) -> list[str]:
        """The ids of the cells that failed and agree with these edits."""
        failed = [cell for cell in self._cells.values() if cell.verdict == "failed"]
        ended = []
        with closing(self._code.with_edits(edits)) as code:
            for cell in failed:
                with suppress(Failure, Unsupported):
                    if self._agrees(code, self._mechanisms[cell.mechanism], [cell.quantity]):
                        ended.append(cell.id)
        return ended

    def _candidates(self, wrong: Sequence[Cell], budget: Budget) -> Iterator[tuple[Edit, ...]]:
        """Edits with which every question is right: single ones first, but two plain ones before one that people hardly make.

        Raises :class:`UserCodeError` for what is not built.
        """
        if self._code.sources_folder:
            with closing(self._code.with_edits(())) as code:
                _ = code.about
        questions, assumed = list(self._questions(wrong)), list[Edit]()

        def beside(first: Edit, stages: slice) -> Iterator[tuple[Edit, ...]]:
            if budget.left:
                with suppress(Failure, Unsupported), self._trials((first,), questions, budget) as trials:
                    yield from ((first, second) for second in trials.complete(stages) if second)

        with self._trials((), questions, budget) as trials:
            for edit in trials.complete():
                if edit:
                    yield (edit,)
                    continue
                for first in (one for one in trials.partial()[:MOST_ASSUMED] if one not in assumed):
                    assumed.append(first)
                    yield from beside(first, slice(0, PLAIN))
            for first in trials.partial()[:MOST_ASSUMED]:
                yield from beside(first, slice(PLAIN if first in assumed else 0, None))

    @contextmanager
    def _trials(self, before: tuple[Edit, ...], questions: Sequence[Question], budget: Budget) -> Iterator[Trials]:
        """Trials of edits beside those that are made ``before``."""
        with closing(self._code.with_edits(before)) as code:
            kind = CompiledTrials if code.sources_folder else Trials
            yield kind(code, questions, self._right_quantities, LOOSE * self._settings.bar, budget, self._progress)

    def _questions(self, wrong: Sequence[Cell]) -> Iterator[Question]:
        """What is asked while an edit is sought, simple questions first."""
        quantities = list(dict.fromkeys(cell.quantity for cell in wrong))[:MOST_QUANTITIES]
        for quantity in quantities:
            for mechanism in self._small:
                yield from questions_of(quantity, mechanism, moving(mechanism, self._settings.seed))
            cell = next(cell for cell in wrong if cell.quantity == quantity)
            case = self._case(self._mechanisms[cell.mechanism])
            last = len(case.states) - 1
            errors = np.array(cell.errors[: last + 1])
            worst = int(errors.argmax()) if len(errors) else 0
            # The first state is zero as a whole.
            few = np.array(list(dict.fromkeys([worst, *np.linspace(min(1, last), last, FEW, dtype=int)])))
            yield from questions_of(quantity, case.mechanism, case.states.pick(few))

    @cached_property
    def _right_quantities(self) -> list[str]:
        """The quantities that the code has right everywhere."""
        cells = self._cells.values()
        wrong = {cell.quantity for cell in cells if cell.verdict not in RIGHT}
        return [name for name in dict.fromkeys(cell.quantity for cell in cells if cell.verdict in RIGHT) if name not in wrong]

    def _agreeing(self, edits: Sequence[Edit], wrong: Sequence[Cell]) -> tuple[int, int]:
        """At how many states of how many mechanisms the edited code agrees; none if anything is wrong that must be right."""
        right = [cell for cell in self._cells.values() if cell.verdict in RIGHT]
        asked: dict[str, list[str]] = {}
        for cell in (*wrong, *right):
            asked.setdefault(cell.mechanism, []).append(cell.quantity)
        quantities = list(dict.fromkeys(cell.quantity for cell in wrong))
        agreeing = [self._mechanisms[name] for name in asked]
        with closing(self._code.with_edits(edits)) as code, suppress(Failure, Unsupported):
            if not all(self._agrees(code, mechanism, asked[mechanism.name]) for mechanism in agreeing):
                return 0, 0
            for mechanism in self._unseen:
                if self._agrees(code, mechanism, quantities):
                    agreeing.append(mechanism)
                # Right code may lose digits on mechanisms that are no robots. Such a mechanism is not counted.
                elif not self._agrees(code, mechanism, quantities, LOOSE):
                    return 0, 0
            return sum(len(self._case(mechanism).states) for mechanism in agreeing), len(agreeing)
        return 0, 0

    def _agrees(self, code: Remote, mechanism: Mechanism, quantities: Sequence[str], bars: float = 1) -> bool:
        """Whether all errors are at most so many bars. Raises :class:`Failure` and :class:`Unsupported`."""
        case, loaded = self._case(mechanism), code.load(mechanism)
        return all(Question(case, quantity).is_right(loaded, bars * self._settings.bar) for quantity in quantities)

    @cached_property
    def _drawn(self) -> Drawn | None:
        """None for code that knows the mechanisms of the run alone: it says so, or it ends or hangs when asked about others."""
        if isinstance(self._subject, Restricted):
            return None
        mechanisms = [*self._mechanisms.values()]
        with closing(self._code.with_edits(())) as code:
            if self._outcome(code, [*Drawn(mechanisms).small()][-1]) == "ended":
                return None
            # Code may end, or hang, where it is asked about joints that it does not know. That must not count against it.
            return Drawn(mechanisms, lambda single: self._outcome(code, single) == "right")

    def _outcome(self, code: Remote, mechanism: Mechanism) -> Literal["right", "wrong", "ended"]:
        """What comes of asking the code, without an edit, in motion about all quantities that are wrong in the run."""
        wrong = dict.fromkeys(cell.quantity for cell in self._cells.values() if self.is_asked_about(cell))
        states = moving(mechanism, self._settings.seed)
        try:
            loaded = code.load(mechanism)
            asked = ([*questions_of(quantity, mechanism, states)][-1] for quantity in wrong)
            return "right" if all(question.is_right(loaded, self._settings.bar) for question in asked) else "wrong"
        except Unsupported:
            return "wrong"
        except Failure as failure:
            return "ended" if failure.ended else "wrong"

    @cached_property
    def _unseen(self) -> list[Mechanism]:
        return self._represented(Drawn.unseen)

    @cached_property
    def _small(self) -> list[Mechanism]:
        return self._represented(Drawn.small)

    def _represented(self, some: Callable[[Drawn], Iterable[Mechanism]]) -> list[Mechanism]:
        """Some drawn mechanisms, if the code itself, without an edit, says that it can represent them."""
        mechanisms = [*some(self._drawn)] if self._drawn else []
        with suppress(Failure, Unsupported):
            for mechanism in mechanisms:
                self._subject.load(mechanism)
            return mechanisms
        return []

    def _case(self, mechanism: Mechanism) -> Case:
        if mechanism.name not in self._cases:
            states = having_forces(mechanism, self._settings.sample(mechanism, self._settings.states))
            self._cases[mechanism.name] = Case.by_reference(mechanism, states)
        return self._cases[mechanism.name]


def with_source(subject: Subject, spec: str) -> Remote | None:
    """The code, if its source can be edited: if it is users' code in a process of its own, in Python or built by a command."""
    code = subject.subject if isinstance(subject, Restricted) else subject
    if not isinstance(code, Remote) or spec in BUILT_IN or (spec.startswith(PROGRAMS) and not code.sources_folder):
        return None
    return code


def described(edits: Sequence[Edit], states: int, mechanisms: int) -> Mend:
    """The mend that consists of these edits. Raises :class:`OSError`."""
    changes = [change for path, source in edited_sources(edits).items() for change in _changes(path, source)]
    return Mend(changes, states, mechanisms)


def _changes(path: Path, changed: bytes) -> Iterator[ChangedLines]:
    before, after = (text.decode("utf-8", "replace").splitlines() for text in (path.read_bytes(), changed))
    with suppress(ValueError):
        path = path.relative_to(Path.cwd())
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        blocks = [(first, last, start, end)]
        if last - first == end - start:
            blocks = [(first + k, first + k + 1, start + k, start + k + 1) for k in range(last - first)]
        for a, b, c, d in blocks if kind != "equal" else ():
            yield ChangedLines(path.as_posix(), a + 1, "\n".join(before[a:b]).strip(), "\n".join(after[c:d]).strip())
