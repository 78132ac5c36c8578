"""Recorded data as an implementation under test: it knows its answers, and cannot be asked for others."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from cross_check.exchange.recorded_data.read import read_table
from cross_check.exchange.recorded_data.recording import Recording, recording_of
from cross_check.exchange.recorded_data.rows import bytes_of_rows
from cross_check.exchange.recorded_data.table import Table
from cross_check.memory import Array
from implementations.processes.subject import About, Answer, Subject
from implementations.protocol import Failure, Unsupported
from mechanisms import Mechanism
from mechanisms.numbers.precision import UnknownPrecision, precision_named
from mechanisms.plain_text import one_line
from mechanisms.quantities import QUANTITIES

PREFIX = "recorded:"
"""What a spec of recorded data begins with; the path of the file follows."""

ELSEWHERE = "recorded data has no answers elsewhere"
"""Why a question has no answer that is not about the file's mechanism and states."""


class Recorded(Subject):
    """A recorded file. It is read once, so that it may change later."""

    def __init__(self, table: Table) -> None:
        self.table = table
        name = f"{one_line(table.about.get('implementation') or table.path.stem, 100)} (recorded)"
        version = one_line(table.about.get("version") or f"sha256 {table.digest}", 200)
        try:
            declared = table.about.get("precision", "") and precision_named(table.about["precision"]).name
        except UnknownPrecision as error:
            raise table.error(str(error)) from None
        self.about = About(name, version, precision=declared)
        self._loaded: tuple[Mechanism, LoadedRecording] | None = None

    @staticmethod
    def of(table: Table, mechanism: Mechanism, recording: Recording) -> Recorded:
        """The file with another recording of the mechanism in its place."""
        file = Recorded(table)
        file._loaded = (mechanism, LoadedRecording(recording))
        return file

    def load(self, mechanism: Mechanism) -> LoadedRecording:
        """The answers. The first mechanism is that of the file; raises :class:`RecordedError` if it cannot be.

        Code that declares no precision computes in that of the mechanism. Raises :class:`Unsupported` for every other mechanism.
        """
        if self._loaded is None:
            own = mechanism.in_precision(precision_named(self.precision)) if self.precision else mechanism
            self._loaded = (mechanism, LoadedRecording(recording_of(self.table, own)))
        own, loaded = self._loaded
        if own.fingerprint != mechanism.fingerprint:
            raise Unsupported(f"{ELSEWHERE}: {self.table.path.name} is about {own.name} alone")
        return loaded


class LoadedRecording:
    """The answers about one mechanism; see :class:`implementations.processes.subject.Loaded`."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self._rows: dict[str, dict[bytes, list[int]]] = {}
        """By quantity and by the bytes of its arguments: the rows with an answer."""

    asked_for_source = False
    """Answers that were recorded ask for nothing."""

    def offers(self, quantity: str) -> bool:
        return quantity in self.recording.answers

    def place(self, quantity: str) -> str:
        """No line of code is known."""
        return ""

    def ask(self, quantity: str, *arguments: Array) -> Answer:
        """The answers in these states. States of the file with equal arguments have an answer each, in the file's order.

        Raises :class:`Failure` for an answer that is no number.
        """
        rows, asked = self._index(quantity), dict[bytes, int]()
        chosen = []
        for key in bytes_of_rows([x.reshape(len(x), -1) for x in arguments]):
            if key not in rows:
                raise Unsupported(ELSEWHERE)
            k = asked[key] = asked.get(key, -1) + 1
            chosen.append(rows[key][k % len(rows[key])])
        answers = self.recording.answers[quantity][chosen]
        if not (finite := np.isfinite(answers.reshape(len(chosen), -1)).all(axis=1)).all():
            state = self.recording.numbers[chosen[int(finite.argmin())]]
            remedy = "correct the code, or leave its cells empty if it was not asked there"
            raise Failure(f"{quantity} was recorded as NaN or infinite in state {state}; {remedy}")
        return Answer(answers, 0.0)

    def _index(self, quantity: str) -> dict[bytes, list[int]]:
        if quantity not in self._rows:
            found: dict[bytes, list[int]] = {}
            given = (self.recording.states[name] for name in QUANTITIES[quantity].arguments)
            keys = bytes_of_rows([x.reshape(len(x), -1) for x in given])
            for row in np.flatnonzero(self.recording.answered(quantity)).tolist():
                found.setdefault(keys[row], []).append(row)
            self._rows[quantity] = found
        return self._rows[quantity]

    @cached_property
    def places(self) -> dict[int, int]:
        """By the number of a state: its row."""
        return {number: row for row, number in enumerate(self.recording.numbers)}

    def rows_of(self, quantity: str, numbers: tuple[int, ...]) -> Array:
        """For every one of the states with these numbers: its row if it has an answer, else −1."""
        answered = self.recording.answered(quantity)
        rows = [self.places.get(number, -1) for number in numbers]
        return np.array([row if row >= 0 and answered[row] else -1 for row in rows])


def find_recorded(spec: str) -> Recorded:
    """The file that ``spec``, such as "recorded:results.csv", names. Raises :class:`RecordedError`."""
    return Recorded(read_table(Path(spec.removeprefix(PREFIX))))
