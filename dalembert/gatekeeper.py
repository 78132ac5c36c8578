"""One gate for the command line and for pytest: run, compare with the baseline, say what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

from cross_check.entry import Entry
from cross_check.exchange.results import Results, ResultsError, verdict_of
from cross_check.exchange.results.objects import BAR, COMPARED, REGRESSIONS
from cross_check.harness import check
from cross_check.judge.gate import Baseline, compare, read_baseline, update_baseline
from cross_check.judge.gate.baseline import Record, spec_key
from cross_check.judge.settings import Settings, SettingsError
from dalembert.outputs import input_files, require_outputs
from dalembert.session import Chosen, at_recorded_states, declared_robots, entry, execution_from, find_mechanisms, settings_from
from dalembert.settings import with_settings
from mechanisms.library.textbook import PLAIN_TEXTBOOK
from mechanisms.plain_text import listing, one_line
from reports.causes import cells, entries


@dataclass(frozen=True)
class Inputs:
    """What the gate checks. ``baseline`` is None if there is nothing to compare with."""

    baseline: Baseline | None
    mechanisms: tuple[str, ...]
    settings: Settings
    from_baseline: tuple[str, ...] = ()
    """The settings that come from the baseline."""
    from_file: Mapping[str, str] = field(default_factory=dict)
    """Where in a file of settings "mechanisms" and "quantities" come from, if they do."""


def run_gate(
    implementation: Any, mechanisms: Sequence[str], baseline: Path | None, update: bool, **given: Any
) -> tuple[Results, list[str]]:
    """The results, and what is wrong, line by line. Raises what :data:`USER_ERRORS` and :data:`MISSING_ERRORS` name.

    The implementation runs in a process of its own; one that is an object runs in a fork of this process.
    """
    spec = implementation if isinstance(implementation, str) else None
    if baseline and update:
        require_outputs({"baseline": baseline}, input_files(mechanisms, [spec] if spec else []))
    execution = execution_from(given)
    subject = entry(implementation, execution=execution)
    try:
        inputs = resolve_inputs(baseline, update, subject.spec, mechanisms, given)
        chosen = () if inputs.mechanisms else declared_robots([subject])
        chosen = chosen or find_mechanisms(inputs.mechanisms or PLAIN_TEXTBOOK, execution.in_process)[0]
        inputs = replace(inputs, settings=at_recorded_states(chosen, [subject], inputs.settings, given))
        if baseline:
            require_recorded(inputs, baseline, subject, chosen)
        results = check(chosen, [subject], inputs.settings, explain=execution.explain)
    finally:
        subject.subject.close()
    origins = {name: "the call" for name, value in given.items() if value is not None} | {"implementations": "the call"}
    origins |= {"mechanisms": "the call"} if mechanisms else {}
    origins |= dict.fromkeys(inputs.from_baseline, f"baseline {baseline}")
    others = {"baseline": str(baseline)} if baseline else {}
    results = with_settings(results, inputs.settings, origins, others)
    results = write_or_compare(results, baseline, update, inputs)
    return results, problems_of(results)


def resolve_inputs(
    path: Path | None, update: bool, implementation: str, mechanisms: Sequence[str], given: dict[str, Any]
) -> Inputs:
    """The baseline, the mechanisms and the settings of a run. What is not given comes from the baseline.

    Raises :class:`ResultsError` for a baseline that is named and does not exist: it would let everything pass. Raises it too
    for an implementation of which the baseline has no record, and :class:`SettingsError` for another bar than the baseline's.
    """
    known = _read(path, update) if path else None
    if path and (given.get("bar") or 0) > BAR:
        raise SettingsError(f"the bar {given['bar']:g} is too large for a gate with a baseline; give {BAR:g} at most")
    if known is None or path is None:
        return Inputs(None, tuple(mechanisms), settings_from(given))
    records = known.implementations.get(spec_key(implementation), {})
    if not records and not update:
        names = ", ".join(map(repr, known.implementations))
        others = f" (it has a record of {names})" if names else ""
        raise ResultsError(f"{path} has no record of {implementation!r}{others}; add it with --update-baseline")
    specs = tuple(mechanisms or (record.spec for record in records.values()))
    own = [record for name, record in records.items() if record.spec in specs or name in specs] or list(records.values())
    chosen = {name: value for name, value in given.items() if value is not None}
    missing = [name for name in ("seed", "states", "bar", "precision", "certified") if name not in chosen and own]
    chosen |= {name: _shared(path, own, name) for name in missing}
    if not update:
        _require_bar(path, own, chosen["bar"])
    from_baseline = (*([] if mechanisms else ["mechanisms"]), *missing)
    return Inputs(None if update else known, specs, settings_from(chosen), from_baseline)


def _shared(path: Path, records: Sequence[Record], name: str) -> Any:
    values = {getattr(record.settings, name) for record in records}
    if len(values) > 1:
        listed = ", ".join(map(str, sorted(values)))
        remedy = "name mechanisms that share it, or give it"
        raise ResultsError(f"the mechanisms of {path} were recorded with different settings ({name}: {listed}); {remedy}")
    return values.pop()


def _read(path: Path, update: bool) -> Baseline | None:
    try:
        return read_baseline(path)
    except ResultsError as error:
        if update:
            return None
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        remedy = "write it with --update-baseline (pytest: --dalembert-update-baseline) and commit it"
        raise ResultsError(f"there is no baseline {path}; {remedy}, or use `dalembert check`, which needs none") from error


def _require_bar(path: Path, records: Sequence[Record], bar: float) -> None:
    if any(record.settings.bar != bar for record in records):
        remedy = "leave the bar out, or record it with --update-baseline"
        raise SettingsError(f"the bar {bar:g} is not the one of the baseline {path}; {remedy}")


def require_recorded(inputs: Inputs, path: Path, entry: Entry, mechanisms: Chosen) -> None:
    """Raise an error if the comparison with the baseline in ``path`` would be weaker than the baseline.

    It is a :class:`ResultsError` for a mechanism of which the baseline has no record, because its cells could not be missed.
    It is a :class:`SettingsError` for another bar, fewer states, other recorded states or another precision than a mechanism was
    recorded with.
    """
    if inputs.baseline is None:
        return
    records, settings = inputs.baseline.implementations[spec_key(entry.spec)], inputs.settings
    names = [mechanism.name for _, mechanism in mechanisms]
    if unknown := next((name for name in names if name not in records), None):
        remedy = "add it with --update-baseline, or leave it out"
        raise ResultsError(f"{path} has no record of the mechanism {unknown!r} for {entry.spec}; {remedy}")
    _require_bar(path, [records[name] for name in names], settings.bar)
    if (most := max(records[name].settings.states for name in names)) > settings.states:
        remedy = "give all of them" if settings.files else "leave the states out"
        remedy += ", or record them with --update-baseline"
        raise SettingsError(f"{settings.states} states are fewer than the {most} of the baseline {path}; {remedy}")
    now = settings.precision_of(entry.subject, entry.spec).name
    for then in (records[name].settings for name in names):
        if then.precision != now:
            remedy = "declare that one, or record this one with --update-baseline"
            raise SettingsError(f"{entry.spec} computes in {now}, and the baseline {path} is of {then.precision}; {remedy}")
        if settings.given and then.digest and settings.given.digest(then.states) != then.digest:
            remedy = "give them, and further ones with higher numbers, or record other states with --update-baseline"
            raise SettingsError(f"the states of {listing(settings.files)} are not those of the baseline {path}; {remedy}")


def write_or_compare(results: Results, path: Path | None, update: bool, inputs: Inputs) -> Results:
    """Write the baseline if that is asked for. Otherwise the results with the comparison, if there is a baseline.

    A run that was interrupted or compared nothing writes no baseline.
    """
    if path and update and is_recordable(results):
        given = inputs.settings.given
        update_baseline(path, results, inputs.settings.left_out, given.digest(len(given)) if given else "")
    if inputs.baseline and not results.interrupted:
        found = compare(results, inputs.baseline, str(path), inputs.settings.left_out, inputs.from_file)
        return replace(results, baseline=found)
    return results


def is_recordable(results: Results) -> bool:
    is_compared = any(cell.verdict in COMPARED for cell in results.cells)
    return is_compared and verdict_of(results).kind not in ("interrupted", "nothing compared")


def problems_of(results: Results) -> list[str]:
    """An entry per cause and one line per regression; known findings and other changes follow. None if all is well."""
    if not verdict_of(results).exit_code:
        return []
    lines: list[str] = []
    for one in entries(results):
        below = [*one.facts, one.command] if one.tone != "known" else [cells(one)]
        lines += [f"{one.word.word}: {one.title}", *(f"    {line}" for line in below if line)]
    if results.baseline:
        changes = results.baseline.changes
        lines += [one_line(f"{change.id}: {change.sentence}", 2000) for change in changes if change.kind in REGRESSIONS]
        others = [change for change in changes if change.kind not in REGRESSIONS]
        lines += [one_line(f"{change.id}: {change.kind}: {change.sentence}", 2000) for change in others]
    if not any(item.verdict in COMPARED for item in results.cells):
        reasons = dict.fromkeys(cell.message for cell in results.cells if cell.verdict == "unsupported")
        lines += [f"nothing was compared: {one_line(reason)}" for reason in islice(reasons, 3)]
        if not reasons:
            lines.append("nothing was compared; the implementation offers no quantity of these mechanisms")
    return lines
