"""Edits are tried: those with which a code answers all questions right, and those with which it answers more of them right.

Code in C and C++ is built from its sources again, in a copy of its folder.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from cross_check.explain.diagnosis.laboratory import Progress
from cross_check.explain.diagnosis.mends.questions import Question
from cross_check.explain.diagnosis.mends.terms import is_plain, lacking_terms
from cross_check.explain.slips import compiled
from cross_check.explain.slips import edits as python
from cross_check.explain.slips.places import Place, Reads, places_of
from implementations.plugins.user_code import UserCodeError
from implementations.processes.edited import Edit, edited_sources
from implementations.processes.rebuilt import files_in
from implementations.processes.remote import Remote
from implementations.processes.subject import Failure
from implementations.processes.switched import MOST_UNITS
from implementations.processes.watched import Alike, Span, Watching
from implementations.protocol import Unsupported

AT_ONCE = 100
"""Edits of one request."""

MOST_HITS = 60
"""So many edits that are right at the first wrong question are tried at the others."""

MOST_RANKING = 12
"""So many wrong questions say which edits come nearest."""

USUAL_SECONDS = 0.005
"""Seconds of CPU that an edit of plain NumPy takes. Code that a compiler translates takes ten times as long."""

PLAIN = 2
"""So many stages come first in a search: they try the edits that people make most often."""

LEAST_PART = 0.15
"""An edit that mends a part makes at least this part of them right."""

ENOUGH = 12
"""So many numbers of answers at least a term has to explain."""


class File(NamedTuple):
    """A file of the code, and expressions in it."""

    path: str
    source: bytes
    places: list[Place]


Known = Callable[[str], Mapping[int, Alike | None]]
"""What is known of the values of expressions in the file at a path, by the ids of their nodes."""

MadeEdits = Callable[[str, Sequence[Place], Mapping[int, Alike | None]], Iterator[Edit]]
"""Edits of places of the file at a path, by what is known of their values."""


@dataclass
class Budget:
    """How many edits may still be tried."""

    left: int

    def taken(self, edits: Iterable[Edit]) -> list[Edit]:
        """As many of the edits as may be tried; they count as tried."""
        taken = list(islice(edits, self.left))
        self.left -= len(taken)
        return taken

    def charge(self, edits: int, seconds: float, usual: float = USUAL_SECONDS) -> None:
        """Edits of slow code count more: four times as much, or sixteen times, …, so that a busy machine hardly changes it."""
        slowness = seconds / max(1, edits) / usual
        times = 4 ** int(math.log(max(1.0, slowness), 4))
        self.left = max(0, self.left - (times - 1) * edits)


class Trials:
    """Tries edits of a ``code``, as many as the ``budget`` has. Raises :class:`Failure` and :class:`Unsupported`."""

    at_once, usual_seconds, grammar = AT_ONCE, USUAL_SECONDS, python
    preludes: Mapping[str, int] | None = None
    """Of compiled code: the byte at which the prelude of every file goes."""

    def __init__(
        self, code: Remote, questions: Sequence[Question], right: Sequence[str], bar: float, budget: Budget, progress: Progress
    ) -> None:
        """``right`` are the quantities that the code has right everywhere. Lines that they execute are tried last."""
        self._code, self._right_quantities, self._bar, self._budget, self._progress = code, right, bar, budget, progress
        self._loaded = {one.mechanism.name: code.load(one.mechanism) for one in questions}
        self._questions: list[Question] = []
        self._wrong: list[Question] = []
        for one in questions:
            # What the code cannot answer says nothing.
            with suppress(Failure, Unsupported):
                is_right = one.is_right(self._loaded[one.mechanism.name], bar)
                self._questions.append(one)
                if not is_right:
                    self._wrong.append(one)
        self._hits: list[Edit] = []
        self._apart = False
        """Whether an edit has ended the process of the code: from then on each is tried in a process of its own."""

    def complete(self, stages: slice = slice(None)) -> Iterator[Edit | None]:
        """The edits with which all questions are right; of those that were tried together the plainest first.

        ``stages`` are those of the search that are gone through. None stands where the :data:`PLAIN` ones end.
        """
        if not self._wrong:
            return
        first = self._wrong[0]
        # All kinds of joints and all terms: the last question about this quantity that is not about the mechanism of the run.
        same = [one for one in self._wrong if one.quantity == first.quantity]
        names = dict.fromkeys(one.mechanism.name for one in self._questions)
        drawn = [one for one in same if one.mechanism.name != [*names][-1]]
        rich = (drawn or same)[-1]
        executed, right = self._executed(rich), self._lines_of_right_answers(rich)
        executed_first = executed if first is rich else self._executed(first)
        # Lines that no right answer executes are suspected first.
        for is_right in (False, True):
            files, several = (_where(every, right, is_right) for every in (executed, executed_first))
            numbered = enumerate(self._stages(files, several, first, rich), 1)
            for k, (edits, question) in islice(numbered, stages.start, stages.stop):
                hits = [self.grammar.plain(self._source(edit.path), edit) for edit in self._right(edits, question)]
                self._hits += hits
                # Questions that all terms enter leave the fewest.
                for one in (rich, *reversed(self._questions)):
                    hits = list(self._right(hits, one)) if hits else []
                yield from sorted(hits, key=lambda edit: self.grammar.oddity(self._source(edit.path), edit))
                if k == PLAIN:
                    yield None

    def _stages(
        self, files: Sequence[File], several: Sequence[File], first: Question, rich: Question
    ) -> Iterator[tuple[Iterator[Edit], Question]]:
        """Edits of the files that the ``rich`` question executes, or ``several`` of those that the first one does, each with the
        question at which they are tried."""
        known = cache(partial(self._known, rich, files))
        yield _edits(files, known, partial(python.single_edits, python.STRUCTURES + python.GROUPS)), first
        yield self._terms(files, rich), rich
        yield _edits(files, known, partial(python.single_edits, python.NAMES)), first
        yield _edits(files, known, python.repeated_edits), first
        yield _edits(files, known, python.exchanges), first
        yield self._terms(several, first), first
        yield _edits(files, known, python.sums_and_multiples), first

    def _lines_of_right_answers(self, question: Question) -> set[tuple[str, int]]:
        """The lines, by path, that right answers execute about the mechanism of the question."""
        lines = set[tuple[str, int]]()
        for quantity in self._right_quantities:
            with suppress(Failure, Unsupported):
                lines.update((path, n) for path, own in self._lines(Question(question.case, quantity)).items() for n in own)
        return lines

    def _lines(self, question: Question) -> dict[str, set[int]]:
        """The lines, by path, that the answer at the first state executes."""
        loaded = self._loaded[question.mechanism.name]
        return loaded.executed_lines(question.quantity, [x[:1] for x in question.arguments])

    def _executed(self, question: Question) -> list[File]:
        """The files with the expressions that the answer at the first state executes."""
        found = list[File]()
        for path, lines in self._lines(question).items():
            with suppress(OSError, SyntaxError, ValueError, RecursionError):
                if len(source := self._source(path)) <= python.LARGEST:
                    found.append(File(path, source, places_of(source, lines)))
        return found

    def partial(self) -> list[Edit]:
        """The edits that make the first wrong question right, and many others; those first that make most right."""
        hits = list(dict.fromkeys(self._hits))[:MOST_HITS]
        right, asked = dict.fromkeys(hits, 0), self._wrong[:: max(1, len(self._wrong) // MOST_RANKING)]
        for one in asked:
            for edit in self._right(hits, one):
                right[edit] += 1
        return [edit for edit in sorted(hits, key=lambda edit: -right[edit]) if right[edit] >= LEAST_PART * len(asked)]

    def _right(self, edits: Iterable[Edit], question: Question) -> Iterator[Edit]:
        """The edits with which a question is answered right."""
        loaded, edits, hits = self._loaded[question.mechanism.name], iter(edits), 0
        near = question.expected, self._bar * question.unit
        while hits < MOST_HITS and (part := self._budget.taken(islice(edits, self.at_once))):
            self._progress("looking for the line")
            ask = partial(loaded.right_edits, question.quantity, question.arguments, part, near, preludes=self.preludes)
            try:
                right, seconds = ask(self._apart)
            except Failure as failure:
                if self._apart or not failure.ended:
                    raise
                self._apart = True
                right, seconds = ask(True)
            self._budget.charge(len(part), seconds, self.usual_seconds)
            for k in right:
                hits += 1
                yield part[k]

    def _source(self, path: str) -> bytes:
        """The source of the file in the code. Raises :class:`OSError`."""
        return edited_sources((*self._code.edits, Edit(path, 0, 0, "")))[Path(path).resolve()]

    def _known(self, question: Question, files: Sequence[File], path: str) -> Mapping[int, Alike | None]:
        """What is known of the values that an answer computes, by the ids of the nodes of expressions in one of the files."""
        values = [place for file in files if file.path == path for place in file.places if place.is_value]
        found = list[Alike | None]()
        with suppress(Failure):
            watching = self._watching(path, values, lambda reads: reads.texts)
            loaded = self._loaded[question.mechanism.name]
            found = loaded.alike(question.quantity, tuple(x[:2] for x in question.arguments), watching)
        return {id(place.node): one for place, one in zip(values, found, strict=bool(found))}

    def _terms(self, files: Sequence[File], question: Question) -> Iterator[Edit]:
        loaded = self._loaded[question.mechanism.name]
        for path, source, places in files:
            if not (sums := [place for place in places if place.is_sum]):
                continue
            # Every function may take vector products.
            called = (text for place in sums for text in place.reads.functions)
            functions = tuple(dict.fromkeys((*called, f"{sums[0].reads.numpy}.cross")))
            expected = question.expected
            states = min(len(expected), max(2, -(-ENOUGH // expected[0].size)))
            watching = self._watching(path, sums, partial(_at_hand, sums))
            found = loaded.responses(question.quantity, tuple(x[:states] for x in question.arguments), watching, functions)
            right = expected[:states].reshape(states, -1)
            yield from lacking_terms(path, source, sums, found, right, question.mechanism.precision)

    def _watching(self, path: str, places: Sequence[Place], names: Callable[[Reads], Sequence[str]]) -> Watching:
        """What watches these places of the file, where the functions have these names at hand."""
        numbers = {reads: k for k, reads in enumerate(dict.fromkeys(place.reads for place in places))}
        watched = [Span(place.start, place.end, numbers[place.reads]) for place in places]
        return Watching(self._code.edits, path, watched, [names(reads) for reads in numbers])


def _where(files: Sequence[File], right: Set[tuple[str, int]], is_right: bool) -> list[File]:
    """The files with those expressions alone whose lines are among the right ones, or are not."""
    return [
        one._replace(places=[place for place in one.places if ((one.path, place.line) in right) == is_right]) for one in files
    ]


def _edits(files: Sequence[File], known: Known, made: MadeEdits) -> Iterator[Edit]:
    for path, _, places in files:
        yield from made(path, places, known(path))


def _at_hand(places: Sequence[Place], reads: Reads) -> Sequence[str]:
    """What a function has at hand, and the addends of these expressions in it that may be evaluated again."""
    own = (node for place in places if place.reads == reads for node, _ in python.addends_of(place) if node is not place.node)
    addends = {ast.unparse(node) for node in own if is_plain(node, reads.numpy)}
    return (*reads.at_hand, *sorted(addends.difference(reads.at_hand)))


MOST_SOURCES = 200
"""The largest number of files that are edited."""

OURS = ("dalembert.h", "dalembert.hpp")
"""Files of ours, which users have beside theirs."""


class CompiledTrials(Trials):
    """Raises :class:`UserCodeError`, too, where the command builds nothing that answers."""

    # Each edit is tried in a process of its own.
    at_once, usual_seconds, grammar = 400, 0.02, compiled

    @cached_property
    def _files(self) -> list[compiled.CompiledFile]:
        """The user's own source files."""
        folder = self._code.sources_folder or "."
        found = (file for file in files_in(folder) if file.suffix in compiled.GRAMMARS and file.name not in OURS)
        own = [file.relative_to(folder).as_posix() for file in found if file.stat().st_size <= python.LARGEST]
        return compiled.read_files({path: self._source(path) for path in own[:MOST_SOURCES]})

    @cached_property
    def preludes(self) -> dict[str, int]:  # type: ignore[override]
        return {file.path: file.prelude for file in self._files}

    def _lines(self, question: Question) -> dict[str, set[int]]:
        loaded = self._loaded[question.mechanism.name]
        units = [unit for file in self._files for unit in file.units][:MOST_UNITS]
        lines = loaded.executed_lines(question.quantity, [x[:1] for x in question.arguments], units, self.preludes)
        if not lines:
            raise UserCodeError(
                "nothing that --rebuild builds from this folder answers; let it build the code that is checked here"
            )
        return lines

    def _executed(self, question: Question) -> list[File]:
        lines = self._lines(question)
        chosen = {one.path: [place for place in one.places if place.line in lines.get(one.path, ())] for one in self._files}
        return [File(one.path, one.source, chosen[one.path]) for one in self._files if chosen[one.path]]  # type: ignore[arg-type]

    def _stages(
        self, files: Sequence[File], several: Sequence[File], first: Question, rich: Question
    ) -> Iterator[tuple[Iterator[Edit], Question]]:
        for variants in ((compiled.structures,), (compiled.names,)):
            yield (edit for file in files for edit in compiled.edits_of(file.path, file.source, file.places, variants)), first
