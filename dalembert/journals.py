"""Where the journal of a run is, and how a run goes on from it."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cross_check.exchange.results import ResultsError
from cross_check.exchange.results.codec import from_json
from cross_check.exchange.results.document import header_of
from cross_check.exchange.results.files import open_locked
from cross_check.exchange.results.journal import Journal, is_journal
from cross_check.exchange.results.parts import Part, Recorder
from cross_check.judge.settings import Settings

SUFFIX = ".journal"

DAYS_KEPT = 30
"""How long the cache keeps the journals of runs that ended early."""


def open_journal(given: Path | None, output: Path | None, header: dict[str, Any], resume: bool) -> Journal | None:
    """The journal of a run: the file that is ``given``, else one beside the ``output``, else one in the user's cache.

    To ``resume``, an earlier one is kept; otherwise it is removed. None if the cache cannot be written. Raises
    :class:`ResultsError`.
    """
    path = given or (output.with_name(output.name + SUFFIX) if output else None)
    if path:
        return Journal.open(path, header, resume) if resume else _new(path, header)
    with suppress(OSError, ResultsError):
        _remove_old(cache())
    digest = hashlib.sha256(json.dumps(header).encode()).hexdigest()[:16]
    for candidate in (cache() / f"{digest}{k}{SUFFIX}" for k in ("", "-2", "-3")):
        if resume and candidate.exists():
            return Journal.open(candidate, header, resume=True)
        with suppress(ResultsError):  # Another run of the same command goes on, or the cache cannot be written.
            return _new(candidate, header)
    return None


def cache() -> Path:
    """The user's cache folder."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dalembert"


@dataclass
class Keeping:
    """A context in which a run keeps a journal: beside the ``output`` unless it is given. At its end the journal is closed.

    It is removed only if ``is_done`` was set, once what the run found is written elsewhere. ``files`` are those that the run
    reads.
    """

    given: Path | None = None
    output: Path | None = None
    resume: bool = False
    files: Sequence[Path] = ()
    is_done: bool = False
    journal: Journal | None = None

    def begin(self, recorder: Recorder, settings: Settings, fingerprints: list[str], loaded: Mapping[str, str]) -> None:
        """Open the journal, and let it and the recorder have what the other has or gets. Raises :class:`ResultsError`.

        ``loaded`` has the digests of the files that implementations consist of, by path.
        """
        read = {str(file): hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in self.files if file.is_file()}
        others = {"quantities": settings.quantities, "invariants": settings.invariants, "relations": settings.relations}
        # A run does not go on with other code.
        header = header_of(recorder, {**others, "fingerprints": fingerprints, "files": {**loaded, **read}})
        self.journal = open_journal(self.given, self.output, header, self.resume)
        if self.resume and self.journal and not self.journal.finished:
            print("there is nothing to resume, so a new run begins", file=sys.stderr)
        if self.journal is None:
            return
        for record in self.journal.finished.values():
            recorder.add(from_json(Part, record))
        recorder.journal = partial(_keep, self.journal, recorder)

    def __enter__(self) -> Keeping:
        return self

    def __exit__(self, *_: object) -> None:
        if self.journal is None:
            return
        steps: list[Callable[[], None]] = [self.journal.close]
        if self.is_done:  # Removed before another run can have it; but Windows removes no open file.
            steps.insert(len(steps) if os.name == "nt" else 0, self.journal.path.unlink)
        for step in steps:
            with suppress(OSError, ResultsError):
                step()
        if not self.is_done:
            print(f"{self.journal.path} keeps what was finished; the same command with --resume goes on", file=sys.stderr)


def _keep(journal: Journal, recorder: Recorder, key: str, record: dict[str, Any]) -> None:
    """Keep a part. If the journal cannot be written any more, the run goes on without it, after a sentence."""
    try:
        journal.add(key, record)
    except ResultsError as error:
        recorder.journal = None
        print(f"the run goes on without its journal: {error}", file=sys.stderr)


def _new(path: Path, header: dict[str, Any]) -> Journal:
    if is_journal(path):
        try:
            with open_locked(path):
                path.unlink()
        except BlockingIOError as error:
            raise ResultsError(
                f"{path} is the journal of a run that still goes on; wait for it, or give --journal FILE"
            ) from error
        except OSError as error:
            raise ResultsError(f"{path} cannot be written ({error.strerror}); give --journal FILE") from error
    return Journal.open(path, header)


def _remove_old(folder: Path) -> None:
    for path in folder.glob(f"*{SUFFIX}"):
        if time.time() - path.stat().st_mtime > DAYS_KEPT * 86400:
            with open_locked(path):
                path.unlink()
