"""What moved since the baseline.

A run fails when a cell that agreed is worse than noise explains, when a cell is not compared any more, when a mechanism
is another one than in the baseline, and when the baseline has no cell of a mechanism.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from cross_check.exchange.results.files import ResultsError
from cross_check.exchange.results.objects import COMPARED, RIGHT, BaselineComparison, Cell, Change, Item, Results, name_of
from cross_check.judge.gate.baseline import Baseline, BaselineCell, Record, records_of, spec_key
from mechanisms.plain_text import count

NOISE = 4.0
"""Another compiler, processor or order of summation changes rounding errors by this factor."""

FLOOR = 0.5
"""In ε-units; an error below it is luck."""


def compare(
    results: Results, baseline: Baseline, path: str, left_out: Collection[str], from_file: Mapping[str, str] | None = None
) -> BaselineComparison:
    """The changes between the baseline in ``path`` and a run of one implementation on its mechanisms, the gravest first.

    ``left_out`` names the quantities and invariants that the run was not asked for; their cells are not missed. ``from_file``
    says where in a file the settings "mechanisms" and "quantities" come from, if they do. A file may change without anybody
    looking, so what such a setting leaves out is missed.
    """
    origins = from_file or {}
    entry = results.implementations[0]
    records = baseline.implementations.get(spec_key(entry.spec), {})
    changes: list[Change] = []
    for mechanism in results.mechanisms:
        items = {name_of(item): item for item in results.items if item.mechanism == mechanism.name}
        record = records.get(mechanism.name)
        if record is None or not record.cells:
            if record is None or any(item.verdict in COMPARED for item in items.values()):
                changes.append(Change("unrecorded", mechanism.name, "has no cell in the baseline; add it with --update-baseline"))
            continue
        if record.fingerprint != mechanism.fingerprint:
            message = "the mechanism is not the one of the baseline; if that is meant, --update-baseline"
            changes.append(Change("replaced", mechanism.name, message))
        prefix = f"{mechanism.name}/{entry.name}"
        changes += _cell_changes(prefix, items, record, left_out)
        if origin := origins.get("quantities"):
            changes += _left_out(
                prefix, [name for name in record.cells if name in left_out and name not in items], record, origin
            )
    if origin := origins.get("mechanisms"):
        may_miss = () if "quantities" in origins else left_out
        present = {mechanism.name for mechanism in results.mechanisms}
        for name in (name for name in records if name not in present):
            missed = [quantity for quantity in records[name].cells if quantity not in may_miss]
            changes += _left_out(f"{name}/{entry.name}", missed, records[name], origin)
    return BaselineComparison.of(path, changes)


def compare_runs(now: Results, then: Results, name: str, left_out: Collection[str]) -> BaselineComparison:
    """The changes from one run to another of one implementation on the same mechanisms and states, the gravest first.

    ``name`` says what the run ``then`` is. Unlike a comparison with a file, it also tells which numbers moved at all. Raises
    :class:`ResultsError` for runs of code in two precisions, whose errors count other roundings.
    """
    (one, other), remedy = (run.implementations[0].precision for run in (then, now)), "declare one precision in both"
    if one != other:
        raise ResultsError(f"{name} computes in {one} and this code in {other}, so their errors are not comparable; {remedy}")
    records = records_of(then)
    changes: list[Change] = []
    for mechanism in now.mechanisms:
        before, items = ({name_of(i): i for i in run.items if i.mechanism == mechanism.name} for run in (then, now))
        prefix = f"{mechanism.name}/{now.implementations[0].name}"
        found = list(_cell_changes(prefix, items, records[mechanism.name], left_out))
        known = {change.id for change in found}
        pairs = ((f"{prefix}/{key}", before[key], items[key]) for key in records[mechanism.name].cells if key in items)
        changes += found + [change for id, *pair in pairs if id not in known for change in _moves(id, *pair)]
    return BaselineComparison.of(name, changes)


def _moves(cell: str, then: Item, now: Item) -> Iterator[Change]:
    """A change that no baseline keeps: the cell is better, or its numbers are others."""
    if then.error is None or now.error is None or _numbers(then) == _numbers(now):
        return
    message = f"is off by {now.error:.3g} ε-units, {then.error:.3g} before"
    both = then.verdict in RIGHT and now.verdict in RIGHT
    is_better = both and then.error > NOISE * max(now.error, FLOOR)
    yield Change("better" if is_better else "moved", cell, message, then=then.error)


def _numbers(item: Item) -> object:
    """All that is kept of an item's numbers."""
    return (item.error, item.errors, item.histogram, item.worst) if isinstance(item, Cell) else item.error


def _cell_changes(prefix: str, items: Mapping[str, Item], record: Record, left_out: Collection[str]) -> Iterator[Change]:
    for name, then in record.cells.items():
        if name in items or name not in left_out:
            yield from _change(f"{prefix}/{name}", then, items.get(name))
    for name, item in items.items():
        if item.verdict in COMPARED and name not in record.cells:
            yield Change("new", f"{prefix}/{name}", "is compared now and was not in the baseline")


def _left_out(prefix: str, names: Iterable[str], record: Record, origin: str) -> Iterator[Change]:
    """The cells that the settings at ``origin`` leave out."""
    for name in names:
        then = record.cells[name]
        message = f"was compared in the baseline, and {origin} leaves it out; name it there"
        yield Change("lost", f"{prefix}/{name}", message, f"{then.verdict}, {then.error:.3g} ε-units", then.error)


def _change(cell: str, then: BaselineCell, now: Item | None) -> Iterator[Change]:
    before = f"{then.verdict}, {then.error:.3g} ε-units"
    if now is None or now.verdict in ("not offered", "unsupported"):
        why = f" ({now.message})" if now else ""
        yield Change("lost", cell, f"was compared in the baseline and is not any more{why}", before, then.error)
    elif then.verdict in RIGHT and now.verdict in ("discrepancy", "failed"):
        size = f"is off by {now.error:.3g} ε-units" if now.error is not None else now.message
        yield Change("broken", cell, size, before, then.error)
    elif then.verdict in RIGHT and now.verdict == "known":
        yield Change("worse", cell, f"is off by {now.error:.3g} ε-units ({now.message})", before, then.error)
    elif then.verdict not in RIGHT and now.verdict in RIGHT:
        yield Change("fixed", cell, f"{now.verdict} now, within {now.error:.3g} ε-units", before, then.error)
    elif isinstance(now, Cell) and now.missing > then.missing:
        missing = f"{count(now.missing, 'recorded answer')} of it missing, {then.missing} in the baseline"
        yield Change("lost", cell, f"is compared in fewer states: {missing}", before, then.error)
    elif now.verdict in RIGHT and now.error is not None and now.error > NOISE * max(then.error, FLOOR):
        message = f"is off by {now.error:.3g} ε-units, {then.error:.3g} in the baseline"
        yield Change("worse", cell, message, then=then.error)
