"""The results of a run as they are kept: in a results file, and part by part in a journal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cross_check.exchange.results.codec import document_schema, from_json, read_document, require_valid, to_json
from cross_check.exchange.results.files import ResultsError
from cross_check.exchange.results.journal import read_journal
from cross_check.exchange.results.objects import (
    SCHEMA,
    EquationTerms,
    ImplementationSummary,
    MechanismSummary,
    Results,
    RunSettings,
    Skipped,
    fits,
    has_systematic_errors,
)
from cross_check.exchange.results.parts import Part, Recorder, new_recorder


def schema() -> dict[str, Any]:
    """The JSON Schema of the results of a run."""
    return document_schema(Results, SCHEMA)


def results_from(document: Mapping[str, Any]) -> Results:
    """The results that a valid document holds."""
    return from_json(Results, document)


def equations_from(terms: Mapping[str, Any]) -> EquationTerms:
    """Equations of motion from what ``oracle.Equations.terms`` gives."""
    return from_json(EquationTerms, terms)


def read_results(path: Path) -> Results:
    """The results in ``path``, validated. Raises :class:`ResultsError`."""
    results: Results = read_document(path, Results, SCHEMA, "results file", "run `dalembert check` again")
    if contradiction := _contradiction(results):
        raise ResultsError(f"{path} contradicts itself: {contradiction[:300]}; run `dalembert check` again")
    return results


def _contradiction(results: Results) -> str:
    """What the schema cannot say: lengths fit, a cell belongs to the run, occurs once, and its verdict follows from its error."""
    for what, names in (("mechanism", results.mechanisms), ("implementation", results.implementations)):
        if len({one.name for one in names}) < len(names):
            return f"two {what}s have one name"
    for mechanism in results.mechanisms:
        if wrong := _misshapen(mechanism):
            return f"{wrong} of {mechanism.name!r} do not fit its size"
    mechanisms = {mechanism.name for mechanism in results.mechanisms}
    implementations = {implementation.name for implementation in results.implementations}
    seen = set()
    for item in results.items:
        if item.mechanism not in mechanisms or item.implementation not in implementations:
            return f"{item.id} has a mechanism or an implementation that the run does not list"
        if (type(item), item.id) in seen:
            return f"{item.id} occurs twice"
        bar = results.settings.bar
        if not fits(item.verdict, item.error, bar, has_systematic_errors(item, bar)):
            measured = f"an error of {item.error} and a bar of {bar:g}"
            return f"{item.id} has the verdict {item.verdict!r} with {measured}"
        seen.add((type(item), item.id))
    return ""


def _misshapen(mechanism: MechanismSummary) -> str:
    """The first part that has not one entry for every component of q or v; empty if there is none."""
    nv, equations = mechanism.nv, mechanism.equations
    lengths: dict[str, list[tuple[int, int]]] = {
        "the coordinates": [(len(mechanism.coordinates), nv)],
        "the positions": [(len(mechanism.positions), mechanism.nq)],
        "the bodies": [(mechanism.mimics < mechanism.bodies <= nv + mechanism.mimics, True)],  # Every body moves.
        "the bones": [(len(mechanism.skeleton), mechanism.bodies if mechanism.skeleton else 0)],
        "the parents": [(bone.parent < k, True) for k, bone in enumerate(mechanism.skeleton)],
    }
    if equations:
        rows = (equations.M, equations.C, *equations.M, *equations.C, *([equations.friction] if equations.friction else []))
        vectors = (equations.v, equations.g, equations.damping, *rows)
        lengths["the equations"] = [(len(vector), nv) for vector in vectors]
    return next((what for what, pairs in lengths.items() if any(length != right for length, right in pairs)), "")


def header_of(recorder: Recorder, others: Mapping[str, Any]) -> dict[str, Any]:
    """All that the results of a run depend on: what the recorder knows, and ``others`` (JSON data)."""
    return {
        "settings": to_json(recorder.settings),
        "implementations": to_json(recorder.implementations),
        "mechanisms": recorder.order,
        "skipped": to_json(recorder.skipped),
        **others,
    }


def results_from_journal(path: Path) -> Results:
    """The results that the journal in ``path`` keeps, marked as interrupted. Raises :class:`ResultsError`."""
    header, records = read_journal(path)
    try:
        recorder = new_recorder(from_json(RunSettings, header["settings"]))
        recorder.implementations = list(from_json(Sequence[ImplementationSummary], header["implementations"]))
        recorder.skipped = list(from_json(Sequence[Skipped], header["skipped"]))
        recorder.order = list(header["mechanisms"])
        for record in records.values():
            recorder.add(from_json(Part, record))
        results = replace(recorder.snapshot(), interrupted=True)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path} is the journal of another version; run the command again") from error
    require_valid(results.document(), schema(), path, "run the command again")
    return results
