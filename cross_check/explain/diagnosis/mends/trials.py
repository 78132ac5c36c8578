"""Edits are tried: those with which a code answers all questions right, and those with which it answers more of them right."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from itertools import islice
from pathlib import Path

from cross_check.explain.diagnosis.mends.described import plain
from cross_check.explain.diagnosis.mends.questions import Question
from cross_check.explain.diagnosis.mends.terms import is_plain, lacking_terms
from cross_check.explain.formulations.edits import (
    GROUPS,
    LARGEST,
    NAMES,
    STRUCTURES,
    addends_of,
    exchanges,
    repeated_edits,
    single_edits,
    sums_and_multiples,
)
from cross_check.explain.formulations.places import Place, Reads, places_of
from implementations.processes.edited import Edit, edited_sources
from implementations.processes.remote import Remote
from implementations.processes.subject import Failure
from implementations.processes.watched import Alike, Span, Watching
from implementations.protocol import Unsupported

AT_ONCE = 100
"""Edits of one request."""

MOST_HITS = 60
"""So many edits that are right at the first wrong question are tried at the others."""

MOST_RANKING = 12
"""So many wrong questions say which edits come nearest."""

LEAST_PART = 0.15
"""An edit that mends a part makes at least this part of them right."""

CROSS = "np.cross"
"""A product that every function may take."""

ENOUGH = 12
"""So many numbers of answers at least a term has to explain."""


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


File = tuple[str, bytes, list[Place]]
"""A path, its source, and expressions in it."""


class Trials:
    """Tries edits of a ``code``, as many as the ``budget`` has. Raises :class:`Failure` and :class:`Unsupported`."""

    def __init__(
        self,
        code: Remote,
        questions: Sequence[Question],
        right: Sequence[str],
        bar: float,
        budget: Budget,
        progress: Callable[[str], None],
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
        self._executed: dict[Question, list[File]] = {}
        self._lines: dict[Question, set[tuple[str, int]]] = {}
        self._alike: dict[tuple[Question, str], Mapping[int, Alike | None]] = {}

    def complete(self) -> Iterator[Edit]:
        """The edits with which all questions are right; of those that were tried together the plainest first."""
        if not self._wrong:
            return
        first = self._wrong[0]
        # All kinds of joints and all terms: the last question about this quantity that is not about the mechanism of the run.
        same = [one for one in self._wrong if one.quantity == first.quantity]
        names = dict.fromkeys(one.mechanism.name for one in self._questions)
        drawn = [one for one in same if one.mechanism.name != [*names][-1]]
        rich = (drawn or same)[-1]
        for files, several in zip(self._by_suspicion(rich, rich), self._by_suspicion(first, rich), strict=True):
            for edits, question in (
                (self._edits(files, rich, partial(single_edits, STRUCTURES + GROUPS)), first),
                (self._terms(files, rich), rich),
                (self._edits(files, rich, partial(single_edits, NAMES)), first),
                (self._edits(files, rich, repeated_edits), first),
                (self._edits(files, rich, exchanges), first),
                (self._terms(several, first), first),
                (self._edits(files, rich, sums_and_multiples), first),
            ):
                hits = [self._plain(edit) for edit in self._right(edits, question)]
                self._hits += hits
                # Questions that all terms enter leave the fewest.
                for one in (rich, *reversed(self._questions)):
                    hits = list(self._right(hits, one)) if hits else []
                yield from sorted(hits, key=self._oddity)

    def _by_suspicion(self, question: Question, about: Question) -> tuple[list[File], list[File]]:
        """The files with the expressions that the answer executes: those that no right answer executes, and the others."""
        right, files = self._lines_of_right_answers(about), self._places(question)

        def part(is_right: bool) -> list[File]:
            chosen = ([one for one in places if ((path, one.statement.lineno) in right) == is_right] for path, _, places in files)
            return [(path, source, places) for (path, source, _), places in zip(files, chosen, strict=True)]

        return part(False), part(True)

    def _lines_of_right_answers(self, question: Question) -> set[tuple[str, int]]:
        """The lines, by path, that right answers execute about the mechanism of the question."""
        if question not in self._lines:
            lines = self._lines[question] = set[tuple[str, int]]()
            loaded = self._loaded[question.mechanism.name]
            for quantity in self._right_quantities:
                with suppress(Failure, Unsupported):
                    arguments = (x[:1] for x in Question(question.case, quantity).arguments)
                    lines.update((path, n) for path, own in loaded.executed_lines(quantity, *arguments).items() for n in own)
        return self._lines[question]

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
        while hits < MOST_HITS and (part := self._budget.taken(islice(edits, AT_ONCE))):
            self._progress("looking for the line")
            for k in loaded.right_edits(question.quantity, question.arguments, part, near):
                hits += 1
                yield part[k]

    def _source(self, path: str) -> bytes:
        """The source of the file in the code. Raises :class:`OSError`."""
        return edited_sources((*self._code.edits, Edit(path, 0, 0, "")))[Path(path).resolve()]

    def _plain(self, edit: Edit) -> Edit:
        return plain(self._source(edit.path), edit)

    def _oddity(self, edit: Edit) -> tuple[bool, bool, bool, int]:
        """Small for edits that people make: without a zero for a part, a transpose of a transpose, or a new minus; and of few
        characters."""
        before = self._source(edit.path)[edit.start : edit.end].decode()
        kept = sum(block.size for block in SequenceMatcher(None, before, edit.text, autojunk=False).get_matching_blocks())
        is_turned_twice, is_negated = ".T.T" in edit.text, edit.text.count("-") > before.count("-")
        return edit.text == "0", is_turned_twice, is_negated, len(before) + len(edit.text) - 2 * kept

    def _places(self, question: Question) -> list[File]:
        """The files with the expressions that the answer at the first state executes."""
        if question not in self._executed:
            found = self._executed[question] = list[File]()
            lines = self._loaded[question.mechanism.name].executed_lines(question.quantity, *(x[:1] for x in question.arguments))
            for path in lines:
                with suppress(OSError, SyntaxError, ValueError, RecursionError):
                    source = self._source(path)
                    if len(source) <= LARGEST:
                        found.append((path, source, places_of(source, lines[path])))
        return self._executed[question]

    def _edits(self, files: Sequence[File], question: Question, made: MadeEdits) -> Iterator[Edit]:
        for path, _, places in files:
            yield from made(path, places, self._known(question, path))

    def _known(self, question: Question, path: str) -> Mapping[int, Alike | None]:
        """What is known of the values of expressions, by the ids of their nodes."""
        if (question, path) not in self._alike:
            every = (place for own, _, places in self._places(question) if own == path for place in places)
            values, found = [place for place in every if place.is_value], list[Alike | None]()
            with suppress(Failure):
                watching = self._watching(path, values, lambda reads: reads.texts)
                loaded = self._loaded[question.mechanism.name]
                found = loaded.alike(question.quantity, tuple(x[:2] for x in question.arguments), watching)
            self._alike[question, path] = {id(place.node): one for place, one in zip(values, found, strict=bool(found))}
        return self._alike[question, path]

    def _terms(self, files: Sequence[File], question: Question) -> Iterator[Edit]:
        loaded = self._loaded[question.mechanism.name]
        for path, source, places in files:
            if not (sums := [place for place in places if place.is_sum]):
                continue
            functions = tuple(dict.fromkeys((*(text for place in sums for text in place.reads.functions), CROSS)))
            expected = question.expected
            states = min(len(expected), max(2, -(-ENOUGH // expected[0].size)))
            addends = _addends(sums)
            watching = self._watching(path, sums, partial(_at_hand, addends))
            found = loaded.responses(question.quantity, tuple(x[:states] for x in question.arguments), watching, functions)
            yield from lacking_terms(path, source, sums, found, expected[:states].reshape(states, -1))

    def _watching(self, path: str, places: Sequence[Place], names: Callable[[Reads], Sequence[str]]) -> Watching:
        """What watches these places of the file, where the functions have these names at hand."""
        numbers = {reads: k for k, reads in enumerate(dict.fromkeys(place.reads for place in places))}
        watched = [Span(place.start, place.end, numbers[place.reads]) for place in places]
        return Watching(self._code.edits, path, watched, [names(reads) for reads in numbers])


def _addends(places: Sequence[Place]) -> dict[Reads, set[str]]:
    """By function: the addends of these expressions that may be evaluated again."""
    found: dict[Reads, set[str]] = {place.reads: set() for place in places}
    for place in places:
        parts = (node for node, _ in addends_of(place) if node is not place.node and is_plain(node))
        found[place.reads].update(map(ast.unparse, parts))
    return found


def _at_hand(addends: Mapping[Reads, set[str]], reads: Reads) -> Sequence[str]:
    return (*reads.at_hand, *sorted(addends[reads].difference(reads.at_hand)))
