"""Writes docs/engine-matrix.md: every engine on all mechanisms, through its own functions and through its own reader.

    python docs/write_engine_matrix.py [MECHANISM...]

It needs `pip install "dalembert[all-engines]"` and takes some minutes. What it has finished is kept in build/engine-matrix, so an
interrupted run goes on where it stopped; remove that folder to begin again.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from cross_check import harness
from cross_check.part import Entry
from cross_check.readers.files import compared
from cross_check.readers.results import to_document
from cross_check.settings import Settings
from implementations.plugins.registry import ENGINE_NAMES, READERS
from implementations.processes.find import find_mechanism, find_subject
from implementations.protocol import Missing
from mechanisms.plain_text import markdown
from mechanisms.robots import ROBOTS
from mechanisms.textbook import TEXTBOOK

FOLDER = Path("build/engine-matrix")
PAGE = Path(__file__).with_name("engine-matrix.md")
STATES = 12
SLOW = ("sympy-kane", "sympy-lagrange")
"""Engines for small mechanisms only."""

SIGNS = {"agrees": "✓", "lost digits": "≈", "known": "fault", "discrepancy": "✗", "failed": "!", "unsupported": "·"}


def measured(spec: str, entries: list[Entry]) -> dict[str, Any]:
    """All quantities of one mechanism by all engines, and its file by all readers."""
    mechanism = find_mechanism(spec)
    begun = perf_counter()
    small = [entry for entry in entries if entry.name not in SLOW or mechanism.nv <= 3]
    results = harness.check([(spec, mechanism)], small, Settings(states=STATES, invariants=False), explain=False)
    wrong = [c for c in results.cells if c.verdict == "discrepancy"]
    causes = []
    if wrong:
        # What is wrong is diagnosed alone.
        engines = [entry for entry in small if entry.name in {c.implementation for c in wrong}]
        asked = Settings(states=STATES, invariants=False, quantities=tuple(dict.fromkeys(c.quantity for c in wrong)))
        causes = [
            {"engine": c.implementation, "sentence": c.sentence, "cells": list(c.cells)}
            for c in harness.check([(spec, mechanism)], engines, asked).causes
        ]
    cells = [
        {"engine": c.implementation, "quantity": c.quantity, "verdict": c.verdict, "error": c.error, "message": c.message}
        for c in results.cells
    ]
    readings = None
    if mechanism.source is not None:
        readers = [entry for entry in entries if entry.name in READERS]
        comparison = compared(spec, mechanism.source.text, mechanism.source.free_base, readers, {})
        readings = to_document([comparison])["files"][0]
    skipped = [{"what": s.what, "why": s.why} for s in results.skipped]
    seconds = perf_counter() - begun
    return {"spec": spec, "cells": cells, "causes": causes, "skipped": skipped, "readings": readings, "seconds": seconds}


def kept(spec: str, entries: list[Entry]) -> dict[str, Any]:
    """What an earlier run has measured; else what is measured now."""
    path = FOLDER / f"{spec.replace(':', '_')}.json"
    if not path.exists():
        found = measured(spec, entries)
        FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found), "utf-8")
        print(f"{spec}: {found['seconds']:.1f} s", file=sys.stderr, flush=True)
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


def page(all_found: list[dict[str, Any]], versions: dict[str, str]) -> Iterator[str]:
    names = list(versions)
    yield "# Every engine on every mechanism"
    yield ""
    yield "`python docs/write_engine_matrix.py` measures this page; do not edit it."
    yield ""
    yield f"All quantities that an engine has, at {STATES} states: the largest error of those that agree, in ε-units (up to 16)."
    yield "NAME-urdf is the engine on the model that its own reader makes of the file. Behind the error is the number of"
    yield "quantities that do not agree: ≈ digits are lost, *fault* a known fault of the engine, ✗ they disagree, ! it fails."
    yield "Causes are below. · the engine does not have the mechanism."
    yield ""
    yield "| engine | version | cells | agree | digits | fault, known | otherwise |"
    yield "|---|---|---|---|---|---|---|"
    for name in names:
        counts = Counter(c["verdict"] for found in all_found for c in found["cells"] if c["engine"] == name)
        compared_ = sum(counts[v] for v in ("agrees", "lost digits", "known", "discrepancy", "failed"))
        rest = counts["discrepancy"] + counts["failed"]
        row = (compared_, counts["agrees"], counts["lost digits"], counts["known"], rest)
        yield f"| {name} | {markdown(versions[name])} | {' | '.join(map(str, row))} |"
    yield ""
    yield f"| mechanism | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    for found in all_found:
        yield f"| {found['spec']} | {' | '.join(_entry(found, name) for name in names)} |"
    yield ""
    yield from _causes(all_found)
    yield from _readings(all_found)
    yield from _skipped(all_found)


def _entry(found: dict[str, Any], name: str) -> str:
    cells = [c for c in found["cells"] if c["engine"] == name and c["error"] is not None]
    broken = [c for c in found["cells"] if c["engine"] == name and c["verdict"] == "failed"]
    if not cells:
        return "!" if broken else "·"
    worst = max((c["error"] for c in cells if c["verdict"] == "agrees"), default=0.0)
    others = Counter(SIGNS[c["verdict"]] for c in (*cells, *broken) if c["verdict"] != "agrees")
    return " ".join([f"{worst:.2g}", *(f"{n}{sign}" for sign, n in others.items())])


def _causes(all_found: Iterable[dict[str, Any]]) -> Iterator[str]:
    named: dict[tuple[str, str], list[str]] = defaultdict(list)
    for found in all_found:
        for cause in found["causes"]:
            named[cause["engine"], cause["sentence"]].append(f"{found['spec']} ({len(cause['cells'])})")
    yield "## Causes"
    yield ""
    yield "| engine | cause | mechanisms (cells) |"
    yield "|---|---|---|"
    for (engine, sentence), where in sorted(named.items()):
        more = f" and {len(where) - 6} more" if len(where) > 6 else ""
        yield f"| {engine} | {markdown(sentence, 600)} | {', '.join(where[:6])}{more} |"
    yield ""


def _readings(all_found: Iterable[dict[str, Any]]) -> Iterator[str]:
    yield "## How readers read the files"
    yield ""
    yield "| reader | verdict | what it does | robots |"
    yield "|---|---|---|---|"
    named: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for found in all_found:
        for reader in (found["readings"] or {"readers": []})["readers"]:
            said = "; ".join(reason["sentence"] for reason in reader["reasons"]) or reader["message"]
            if reader["verdict"] == "unknown":
                said = "differs in " + ", ".join(dict.fromkeys(left["row"] for left in reader["remaining"]))
            named[reader["name"], reader["verdict"], said].append(found["spec"])
    for (name, verdict, said), robots in sorted(named.items()):
        many = f"{len(robots)} robots" if len(robots) > 6 else ", ".join(robots)
        yield f"| {name} | {verdict} | {markdown(said, 600)} | {many} |"
    yield ""


def _skipped(all_found: Iterable[dict[str, Any]]) -> Iterator[str]:
    reasons: dict[tuple[str, str], int] = Counter(
        (item["what"].rpartition("/")[2], item["why"]) for found in all_found for item in found["skipped"]
    )
    reasons |= Counter(
        (c["engine"], f"{c['quantity']}: {c['message']}")
        for found in all_found
        for c in found["cells"]
        if c["verdict"] == "unsupported" and c["message"]
    )
    yield "## What engines do not have"
    yield ""
    yield "| engine | reason | times |"
    yield "|---|---|---|"
    for (engine, why), times in sorted(reasons.items()):
        yield f"| {engine} | {markdown(why, 300)} | {times} |"


def main(specs: list[str]) -> None:
    entries, versions = [], {}
    for name in ENGINE_NAMES:
        subject = find_subject(name)
        try:
            versions[name] = subject.version
            entries.append(Entry(name, name, subject))
        except Missing as error:
            print(error, file=sys.stderr)
    chosen = specs or [*TEXTBOOK, *ROBOTS]
    found = [kept(spec, entries) for spec in chosen]
    text = "\n".join(page(found, versions)) + "\n"
    if specs:
        print(text)
    else:
        PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
