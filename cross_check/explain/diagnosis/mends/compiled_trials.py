"""Edits of C and C++ are tried: the code is built from its sources again, in a copy of its folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from cross_check.explain.diagnosis.mends.questions import Question
from cross_check.explain.diagnosis.mends.trials import File, Trials
from cross_check.explain.slips.compiled import GRAMMARS, CompiledFile, edits_of, names, oddity, read_files, structures
from cross_check.explain.slips.edits import LARGEST
from implementations.plugins.user_code import UserCodeError
from implementations.processes.edited import Edit
from implementations.processes.rebuilt import files_in
from implementations.processes.switched import MOST_UNITS

MOST_SOURCES = 200
"""The largest number of files that are edited."""

OURS = ("dalembert.h", "dalembert.hpp")
"""Files of ours, which users have beside theirs."""


class CompiledTrials(Trials):
    """Raises :class:`UserCodeError`, too, where the command builds nothing that answers."""

    # Each edit is tried in a process of its own.
    at_once, usual_seconds = 400, 0.02

    @cached_property
    def _files(self) -> list[CompiledFile]:
        """The user's own source files."""
        folder = self._code.sources_folder or "."
        found = (file for file in files_in(folder) if file.suffix in GRAMMARS and file.name not in OURS)
        own = [file.relative_to(folder).as_posix() for file in found if file.stat().st_size <= LARGEST]
        return read_files({path: self._source(path) for path in own[:MOST_SOURCES]})

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
        for variants in ((structures,), (names,)):
            yield (edit for file in files for edit in edits_of(file.path, file.source, file.places, variants)), first

    def _plain(self, edit: Edit) -> Edit:
        return edit

    def _oddity(self, edit: Edit) -> Any:
        return oddity(self._source(edit.path), edit)
