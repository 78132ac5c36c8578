"""Known faults of released engines, by engine and version, and what adapters therefore do not ask an engine for.

A known fault does not block a run and does not hide another one. A finding predicts the wrong numbers
(:mod:`cross_check.explain.findings.finding`). A discrepancy is known only if it shows again, and if the answer, less the
predicted errors, is right (:mod:`cross_check.explain.known_faults`); any other fault in the same cell remains a discrepancy.
``docs/findings/`` has one page per finding, with a minimal reproduction and the proof that the engine is wrong.

An adapter does not ask what the engine computes wrongly: one row each, with a page and a probe. The probe is the script of the
page. It runs the engine's own function on a small example, and its last line is "right" or "wrong"; a script that does not come
that far is wrong, too. The tests run all probes: once one says "right", the adapter has no reason any more. A run asks the probe
about versions in which it was not tried, and says so if the engine is repaired.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

from cross_check.exchange.results.objects import Cell, Skipped
from cross_check.explain.faults.edits import edits_of
from cross_check.explain.findings.finding import TABLE, Finding, script_of, with_edits


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


LONGEST = 60.0
"""Seconds that a probe may take."""


@dataclass(frozen=True)
class Refusal:
    """Why an adapter does not ask, in versions that the regular expression matches completely."""

    page: str
    """The name of the page in ``docs/findings``."""
    engine: str
    versions: str
    says: str
    """A regular expression of the message of :class:`implementations.protocol.Unsupported`, or of a workaround."""

    @property
    def path(self) -> str:
        return f"docs/findings/{self.page}.md"


REFUSALS = tuple(Refusal(**row) for row in TABLE["refusals"])


def is_right(page: str, python: str = sys.executable) -> bool:
    """Whether the script of the page says "right" at last. It runs in a process of its own, which it may end."""
    try:
        done = subprocess.run([python, "-c", script_of(page)], capture_output=True, text=True, timeout=LONGEST, errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.split()[-1:] == ["right"]


def with_reasons(engine: str, version: str, cells: Sequence[Cell]) -> list[Cell]:
    """The cells; those that the adapter refuses because the engine is wrong name the page, or say that the engine is repaired."""

    whys = [reason(engine, version, cell.message) if cell.verdict == "unsupported" else None for cell in cells]
    return [cell if why is None else replace(cell, message=why) for cell, why in zip(cells, whys, strict=True)]


def with_reason(engine: str, version: str, skipped: Skipped) -> Skipped:
    """The same for a mechanism that the adapter refuses."""
    why = reason(engine, version, skipped.why)
    return skipped if why is None else replace(skipped, why=why)


def reason(engine: str, version: str, message: str) -> str | None:
    """The message with its page; None if it is not about a fault of the engine."""
    name = engine.removesuffix("-urdf")
    found = next((one for one in REFUSALS if one.engine == name and re.search(one.says, message)), None)
    if found is None:
        return None
    if re.fullmatch(found.versions, version) or not _repaired(found.page):
        return f"{message}; see {found.path}"
    return (
        f"{name} {version} is repaired: {message} is not true any more; report it, so that the adapter asks again ({found.path})"
    )


@cache
def _repaired(page: str) -> bool:
    return is_right(page)
