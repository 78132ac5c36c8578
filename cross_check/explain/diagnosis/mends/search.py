"""The line of a user's Python code that is wrong, and an edit of it that makes the answers right.

Every single edit of an executed expression is tried on the smallest mechanism that shows the cause, in a worker process. An edit
is a mend if every quantity that the cause explains becomes right with it, at every state of every mechanism of the run, no
quantity that was right becomes wrong, and mechanisms that were drawn for this purpose agree, too, if the code can be asked about
others.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Cause, Mend
from cross_check.exchange.results.objects import RIGHT, Cell
from cross_check.explain.diagnosis.mends.edits import LARGEST, Place, Reads, places_of, single_edits
from cross_check.explain.diagnosis.mends.terms import lacking_terms
from cross_check.explain.faults.supposition import having_forces
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.plugins.registry import BUILT_IN
from implementations.processes.edited import Edit
from implementations.processes.home import PROGRAMS
from implementations.processes.remote import LoadedRemotely, Remote
from implementations.processes.restricted import Restricted
from implementations.processes.subject import Failure, Subject
from implementations.processes.watched import Place as Watched
from implementations.processes.watched import Watching
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.quantities import QUANTITIES

MOST_EDITS = 6000
"""So many edits are tried for all causes of one implementation."""

AT_ONCE = 100
"""Edits of one request."""

FEW = 5
"""States at which every edit is tried, the worst one first."""

CROSS = "np.cross"
"""A product that every function may take."""

ENOUGH = 16
"""So many numbers of answers a term has to explain, and those of two states more."""

MOST_HITS = 40
"""So many edits that are right there are tried at all states of all mechanisms."""

LOOSE = 1e-9
"""How far an answer without a size of its own may be off, as a part of the largest right number."""

UNSEEN = ("random:71:5:{}", "random:72:6:{}")
"""Mechanisms that the search has not seen, with the kinds of joints of the run."""

NOT_MENDED = ("failed", "known", "history")
"""Kinds of causes for which no line is sought."""


class Question(NamedTuple):
    """A quantity of a mechanism at the states of a case, in which the reference is right."""

    case: Case
    quantity: str

    @property
    def arguments(self) -> tuple[Array, ...]:
        return self.case.states.arguments(QUANTITIES[self.quantity].arguments)

    def is_right(self, code: LoadedRemotely, bar: float) -> bool:
        """Raises :class:`Failure` and :class:`Unsupported`."""
        answer = code.ask(self.quantity, *self.arguments).value
        return bool((compare(self.case, QUANTITIES[self.quantity], answer).units <= bar).all())

    def near(self, bar: float) -> tuple[Array, Array]:
        """What is expected, and how far an answer may be off."""
        quantity = QUANTITIES[self.quantity]
        expected = np.asarray(getattr(REFERENCE.load(self.case.mechanism), quantity.name)(*self.arguments))
        if quantity.has_value:
            return expected, bar * EPSILON * self.case.scale.size(quantity.name, *self.arguments)
        return expected, np.full(expected.shape, LOOSE * max(1.0, float(np.abs(expected).max(initial=0.0))))


class Mends:
    """Looks for the mends of the causes of a ``subject``, which has these ``cells``; ``code`` is what it asks."""

    def __init__(
        self,
        subject: Subject,
        code: Remote,
        cells: Sequence[Cell],
        mechanisms: Sequence[Mechanism],
        settings: Settings,
        progress: Callable[[str], None] = lambda activity: None,
    ) -> None:
        self._subject, self._code, self._settings, self._progress = subject, code, settings, progress
        self._cells = {cell.id: cell for cell in cells if cell.quantity in QUANTITIES}
        self._mechanisms = {mechanism.name: mechanism for mechanism in mechanisms}
        self._cases: dict[str, Case] = {}
        self._left = MOST_EDITS

    def mend(self, cause: Cause) -> Mend | None:
        """The mend of the cause, if there is one."""
        if cause.kind in NOT_MENDED:
            return None
        wrong = [self._cells[name] for name in cause.cells if name in self._cells and self._cells[name].verdict == "discrepancy"]
        wrong.sort(key=lambda cell: (self._mechanisms[cell.mechanism].nv, not QUANTITIES[cell.quantity].has_value))
        if not wrong:
            return None
        with suppress(Failure, Unsupported, OSError):
            for edit in self._hits(wrong[0]):
                states, mechanisms = self._agreeing(edit, wrong)
                if states:
                    return _described(edit, states, mechanisms)
        return None

    def _hits(self, cell: Cell) -> Iterator[Edit]:
        """The edits that make a wrong cell right at some of its states."""
        mechanism = self._mechanisms[cell.mechanism]
        question = Question(self._case(mechanism), cell.quantity)
        last = len(question.case.states) - 1
        errors = np.array(cell.errors[: last + 1])
        worst = int(errors.argmax()) if len(errors) else 0
        # The first state is zero as a whole.
        few = np.array(list(dict.fromkeys([worst, *np.linspace(min(1, last), last, FEW, dtype=int)])))
        question = Question(question.case.pick(few), cell.quantity)
        near = question.near(self._settings.bar)
        hits = 0
        with closing(self._code.fresh()) as subject:
            loaded = subject.load(mechanism)
            for edits in (self._single_edits, self._terms):
                made = list(edits(loaded, question))[: self._left]
                for part in (made[first : first + AT_ONCE] for first in range(0, len(made), AT_ONCE)):
                    self._progress("looking for the line")
                    self._left -= len(part)
                    for k in loaded.right_edits(cell.quantity, question.arguments, part, near):
                        hits += 1
                        yield part[k]
                        if hits == MOST_HITS:
                            return

    def _places(self, loaded: LoadedRemotely, question: Question) -> Iterator[tuple[str, bytes, list[Place]]]:
        """The files with the expressions that the answer at the first state executes."""
        lines = loaded.executed_lines(question.quantity, *(x[:1] for x in question.arguments))
        for path in lines:
            with suppress(OSError, SyntaxError, ValueError, RecursionError):
                source = Path(path).read_bytes()
                if len(source) <= LARGEST:
                    yield path, source, places_of(source, lines[path])

    def _single_edits(self, loaded: LoadedRemotely, question: Question) -> Iterator[Edit]:
        for path, _, places in self._places(loaded, question):
            values = [place for place in places if place.is_value]
            known = {}
            with suppress(Failure):
                watching = _watching(path, values, lambda reads: reads.texts)
                found = loaded.alike(question.quantity, tuple(x[:2] for x in question.arguments), watching)
                known = {id(place.node): one for place, one in zip(values, found, strict=True)}
            yield from single_edits(path, places, known)

    def _terms(self, loaded: LoadedRemotely, question: Question) -> Iterator[Edit]:
        for path, source, places in self._places(loaded, question):
            sums = [place for place in places if place.is_sum]
            functions = tuple(dict.fromkeys((*(text for place in sums for text in place.reads.functions), CROSS)))
            expected = question.near(0.0)[0]
            states = min(len(expected), 2 + ENOUGH // expected[0].size)
            watching = _watching(path, sums, lambda reads: reads.atoms)
            found = loaded.responses(question.quantity, tuple(x[:states] for x in question.arguments), watching, functions)
            yield from lacking_terms(path, source, sums, found, expected[:states].reshape(states, -1))

    def _agreeing(self, edit: Edit, wrong: Sequence[Cell]) -> tuple[int, int]:
        """At how many states of how many mechanisms the edited code agrees; none if anything is wrong that must be right."""
        right = [cell for cell in self._cells.values() if cell.verdict in RIGHT]
        asked: dict[str, list[str]] = {}
        for cell in (*wrong, *right):
            asked.setdefault(cell.mechanism, []).append(cell.quantity)
        states = 0
        with closing(self._code.with_edits([edit])) as code:
            try:
                for name, quantities in asked.items():
                    states += self._agrees(code, self._mechanisms[name], quantities)
                for mechanism in self._unseen:
                    states += self._agrees(code, mechanism, list(dict.fromkeys(cell.quantity for cell in wrong)))
            except (Failure, Unsupported, _Wrong):
                return 0, 0
        return states, len(asked) + len(self._unseen)

    def _agrees(self, code: Remote, mechanism: Mechanism, quantities: Sequence[str]) -> int:
        """The number of states. Raises :class:`_Wrong`."""
        case, loaded = self._case(mechanism), code.load(mechanism)
        if not all(Question(case, quantity).is_right(loaded, self._settings.bar) for quantity in quantities):
            raise _Wrong
        return len(case.states)

    @cached_property
    def _unseen(self) -> list[Mechanism]:
        """Mechanisms of which the code itself, without an edit, says that it can represent them; none for code for one robot."""
        kinds = dict.fromkeys(body.joint.kind for mechanism in self._mechanisms.values() for body in mechanism.bodies)
        found = [find_mechanism(spec.format(",".join(kind for kind in kinds if kind != "fixed"))) for spec in UNSEEN]
        with suppress(Failure, Unsupported):
            for mechanism in found:
                self._subject.load(mechanism)
            return found
        return []

    def _case(self, mechanism: Mechanism) -> Case:
        if mechanism.name not in self._cases:
            states = having_forces(mechanism, self._settings.sample(mechanism, self._settings.states))
            self._cases[mechanism.name] = Case.by_reference(mechanism, states)
        return self._cases[mechanism.name]


class _Wrong(Exception):
    """Something is wrong that must be right."""


def with_source(subject: Subject, spec: str) -> Remote | None:
    """The code, if its source can be edited: if it is users' Python code in a process of its own."""
    code = subject.subject if isinstance(subject, Restricted) else subject
    return code if isinstance(code, Remote) and spec not in BUILT_IN and not spec.startswith(PROGRAMS) else None


def _watching(path: str, places: Sequence[Place], names: Callable[[Reads], Sequence[str]]) -> Watching:
    """What watches these places of the file, where the functions have these names at hand."""
    numbers = {reads: k for k, reads in enumerate(dict.fromkeys(place.reads for place in places))}
    watched = [Watched(place.start, place.end, numbers[place.reads]) for place in places]
    return Watching((), path, watched, [names(reads) for reads in numbers])


def _described(edit: Edit, states: int, mechanisms: int) -> Mend:
    source, place = Path(edit.path).read_bytes(), Path(edit.path)
    with suppress(ValueError):
        place = place.relative_to(Path.cwd())
    line = len(source[: edit.start + 1].splitlines())
    lines = (text.splitlines()[line - 1].strip() for text in (source, _plain(source, edit).applied(source)))
    before, after = (text.decode("utf-8", "replace") for text in lines)
    return Mend(place.as_posix(), line, before, after, states, mechanisms)


def _plain(source: bytes, edit: Edit) -> Edit:
    """The same edit without the parentheses that change nothing. What stays of the source stays as it is written."""
    tree, kept = ast.parse(edit.text, mode="eval"), edit.text.removeprefix("(").removesuffix(")")
    for text in (kept, ast.unparse(tree)) if source[edit.start : edit.end].decode() in kept else (ast.unparse(tree),):
        with suppress(SyntaxError, ValueError):
            plain = edit._replace(text=text)
            if ast.dump(ast.parse(plain.applied(source))) == ast.dump(ast.parse(edit.applied(source))):
                return plain
    return edit._replace(text=f"({ast.unparse(tree)})")
