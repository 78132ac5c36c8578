"""A baseline: a small JSON file that users commit, with the errors of the cells that were compared.

It is keyed by implementation and mechanism. An update replaces what the run covers and keeps everything else, so tests
may share one file. Each mechanism has its own settings, because runs of different tests may differ in them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from cross_check.exchange.recorded_data.subject import PREFIX
from cross_check.exchange.results.codec import UNSAID, read_document, to_json
from cross_check.exchange.results.files import ResultsError, write_json
from cross_check.exchange.results.objects import BAR, COMPARED, Cell, PrecisionName, Results, fits, has_systematic_errors, name_of
from mechanisms.numbers.precision import FLOAT64

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

SCHEMA = "dalembert-baseline-2"

REMEDY = "write it anew with --update-baseline"


@dataclass(frozen=True)
class BaselineSettings:
    """What the errors of a record depend on, beside the code and the mechanism."""

    seed: Annotated[int, {"minimum": 0}]
    states: Annotated[int, {"minimum": 1}]
    bar: Annotated[float, {"exclusiveMinimum": 0}]
    certified: bool = False
    digest: Annotated[str, {"pattern": "^[0-9a-f]{16}$"}] = field(default="", metadata=UNSAID)
    """Of recorded states; empty for sampled ones."""
    precision: PrecisionName = field(default=FLOAT64.name, metadata=UNSAID)
    """The one in which the code was judged."""


@dataclass(frozen=True)
class BaselineCell:
    """A cell or an invariant that was compared."""

    verdict: Annotated[str, {"enum": list(COMPARED)}]
    error: Annotated[float, {"minimum": 0}]
    missing: Annotated[int, {"minimum": 1}] = field(default=0, metadata=UNSAID)
    """In so many states recorded data had no answer."""
    systematic: Annotated[bool, {"const": True}] = field(default=False, metadata=UNSAID)
    """Whether the errors are, which makes them a discrepancy within the bar, too."""


@dataclass(frozen=True)
class Record:
    """One implementation on one mechanism. ``cells`` are keyed by quantity or name of invariant."""

    spec: str
    fingerprint: str
    settings: BaselineSettings
    cells: Mapping[str, BaselineCell]


@dataclass(frozen=True)
class Baseline:
    """Records by the implementation's spec and the mechanism's name."""

    implementations: Mapping[str, Mapping[str, Record]]


@dataclass(frozen=True)
class _OfCode:
    """The records of one implementation in the file."""

    mechanisms: Mapping[str, Record]


@dataclass(frozen=True)
class _File:
    """What the file has beside its version."""

    implementations: Mapping[str, _OfCode]


def records_of(results: Results) -> dict[str, Record]:
    """The records, by mechanism, of a run of one implementation."""
    of_run = results.settings
    precision = results.implementations[0].precision
    settings = BaselineSettings(of_run.seed, of_run.states, of_run.bar, of_run.certified, precision=precision)
    return {
        mechanism.name: Record(
            mechanism.spec,
            mechanism.fingerprint,
            settings,
            {
                name_of(item): BaselineCell(
                    item.verdict,
                    item.error,
                    item.missing if isinstance(item, Cell) else 0,
                    has_systematic_errors(item, results.settings.bar),
                )
                for item in results.items
                if item.mechanism == mechanism.name and item.verdict in COMPARED and item.error is not None
            },
        )
        for mechanism in results.mechanisms
    }


def spec_key(spec: str) -> str:
    """One key for ``my.py`` and ``./my.py``, and for a recorded file by any spelling of its path."""
    if spec.startswith(PREFIX):
        return PREFIX + os.path.normpath(spec.removeprefix(PREFIX))
    return os.path.normpath(spec) if ".py" in spec else spec


def read_baseline(path: Path) -> Baseline:
    """The baseline in ``path``. Raises :class:`ResultsError` for a file that is damaged, of another version, or too lenient."""
    file: _File = read_document(path, _File, SCHEMA, "baseline", REMEDY)
    baseline = Baseline({spec: of.mechanisms for spec, of in file.implementations.items()})
    if not baseline.implementations:
        raise ResultsError(f"{path} knows no implementation, so it cannot fail; {REMEDY}")
    for spec, records in baseline.implementations.items():
        if not any(record.cells for record in records.values()):
            raise ResultsError(f"{path} has no cell of {spec}, so it cannot fail; {REMEDY}")
        for name, record in records.items():
            if record.settings.bar > BAR:
                raise ResultsError(f"{path} has a bar of {record.settings.bar:g} for {name}; {BAR:g} is the largest; {REMEDY}")
            for quantity, cell in record.cells.items():
                if not fits(cell.verdict, cell.error, record.settings.bar, cell.systematic):
                    where = f"{quantity} of {name}, whose verdict does not follow from its error"
                    raise ResultsError(f"{path} is damaged at {where}; {REMEDY}")
    return baseline


def update_baseline(path: Path, results: Results, left_out: Collection[str], digest: str = "") -> None:
    """Record the run of one implementation in ``path``; everything that the run does not cover is kept.

    ``left_out`` names the quantities and invariants that the run was not asked for; ``digest`` is that of recorded states. A
    file that cannot be read as a baseline is replaced. Runs that share the file, also in other processes, take turns. Raises
    :class:`ResultsError` if the file cannot be written, and if the update would lose the record of another mechanism or of
    cells that the run left out.
    """
    key = spec_key(results.implementations[0].spec)
    with _alone(path):
        try:
            known = read_baseline(path).implementations
        except ResultsError:
            known = {}
        before = known.get(key, {})
        now = {name: replace(one, settings=replace(one.settings, digest=digest)) for name, one in records_of(results).items()}
        records = {name: _merged(path, name, before.get(name), one, left_out) for name, one in now.items()}
        merged = {**known, key: {**before, **records}}
        write_json({"schema": SCHEMA, **to_json(_File({spec: _OfCode(of) for spec, of in merged.items()}))}, path)


def _merged(path: Path, name: str, before: Record | None, now: Record, left_out: Collection[str]) -> Record:
    """``now``, with the cells of ``before`` that the run left out."""
    if before is None:
        return now
    is_same = before.fingerprint == now.fingerprint
    if not is_same and before.spec != now.spec:
        remedy = f"rename one of them, or remove {name!r} from {path}"
        raise ResultsError(f"{path} has another mechanism {name!r}, from {before.spec}, not {now.spec}; {remedy}")
    kept = {quantity: cell for quantity, cell in before.cells.items() if quantity in left_out}
    if kept and not (is_same and before.settings == now.settings):
        other = "other settings" if is_same else "another version of the mechanism"
        remedy = "record all quantities, so that none of the old ones is lost"
        raise ResultsError(f"{path} has {next(iter(kept))} of {name!r} for {other}; {remedy}")
    return replace(now, cells={**kept, **now.cells})


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Locks the file's folder, so that no lock file is left behind. Systems without such locks (Windows) do without."""
    folder = path.resolve().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY) if fcntl else None
    except OSError as error:
        raise ResultsError(f"{path} cannot be written ({error.strerror}); choose another path") from error
    try:
        if handle is not None:
            with suppress(OSError):  # Some network file systems have no locks.
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)
