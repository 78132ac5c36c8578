"""Known faults of released engines, by engine and version. A known fault does not block a run and does not hide another one.

A finding predicts the wrong numbers (:mod:`cross_check.explain.findings.finding`). A discrepancy is known only if it shows again,
and if the answer, less the predicted errors, is right (:mod:`cross_check.explain.known_faults`); any other fault in the same cell
remains a discrepancy. ``docs/findings/`` has one page per finding, with a minimal reproduction and the proof that the engine is
wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from cross_check.explain.faults.edits import edits_of
from cross_check.explain.findings.finding import TABLE, Finding, with_edits


def _function(name: str) -> Any:
    """A function of a module here, by both names."""
    module, _, function = name.partition(".")
    return getattr(import_module(f"{__package__}.{module}"), function)


def _findings(page: str, engines: Sequence[str], versions: str, by_chance: bool = False, **how: Any) -> Iterator[Finding]:
    """The finding of one row, for every engine."""
    functions = {word: _function(name) for word, name in how.items() if word in ("predict", "bound")}
    if "edits" in how:
        functions["predict"] = with_edits(how["quantities"], *edits_of(how["edits"]))
    return (Finding(page, engine, versions, by_chance=by_chance, **functions) for engine in engines)


FINDINGS = tuple(finding for row in TABLE["findings"] for finding in _findings(**row))


def findings_of(engine: str, version: str, findings: tuple[Finding, ...] = FINDINGS) -> tuple[Finding, ...]:
    """The known faults of this version of an engine, in the order of :class:`cross_check.explain.findings.finding.Prediction`.

    ``engine`` is the name of a registered adapter; nothing else has known faults, so it is empty for all other code.
    """
    return tuple(finding for finding in findings if finding.implementation == engine and re.fullmatch(finding.versions, version))
