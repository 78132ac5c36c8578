"""What a run keeps in its journal, and a run made of what a journal keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cross_check.results.document import from_json, require_valid, schema
from cross_check.results.files import ResultsError
from cross_check.results.journal import read_journal
from cross_check.results.objects import ImplementationSummary, Results, RunSettings, Skipped, to_json
from cross_check.results.parts import Part
from cross_check.results.recorder import Recorder, new_recorder


def header_of(recorder: Recorder, others: Mapping[str, Any]) -> dict[str, Any]:
    """All that the results of a run depend on: what the recorder knows, and ``others`` (JSON data)."""
    return {
        "settings": to_json(recorder.settings),
        "implementations": to_json(recorder.implementations),
        "mechanisms": recorder.order,
        "skipped": to_json(recorder.skipped),
        **others,
    }


def parts_from(records: Mapping[str, Any]) -> list[Part]:
    """The parts that a journal keeps."""
    return [from_json(Part, record) for record in records.values()]


def results_from_journal(path: Path) -> Results:
    """The results that the journal in ``path`` keeps, marked as interrupted. Raises :class:`ResultsError`."""
    header, records = read_journal(path)
    try:
        recorder = new_recorder(from_json(RunSettings, header["settings"]))
        recorder.implementations = list(from_json(Sequence[ImplementationSummary], header["implementations"]))
        recorder.skipped = list(from_json(Sequence[Skipped], header["skipped"]))
        recorder.order = list(header["mechanisms"])
        for part in parts_from(records):
            recorder.add(part)
        results = replace(recorder.snapshot(), interrupted=True)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path} is the journal of another version; run the command again") from error
    require_valid(results.document(), schema(), path, "run the command again")
    return results
