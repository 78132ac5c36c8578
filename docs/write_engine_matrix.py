"""Writes docs/engine-matrix.md: every engine on all mechanisms, through its own functions and through its own reader.

    python docs/write_engine_matrix.py [MECHANISM...]

It needs `pip install "dalembert[all-engines]"` and takes about half an hour. What it has finished is kept in
build/engine-matrix, so an interrupted run goes on where it stopped; remove that folder to begin again.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from cross_check import harness
from cross_check.part import Entry
from cross_check.readers.files import compared
from cross_check.readers.results import to_document
from cross_check.results.objects import RIGHT
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

VERDICTS = ("agree", "reading", "digits", "fault", "other")

COMPARED = {"agrees": "agree", "lost digits": "digits", "known": "fault", "discrepancy": "other", "failed": "other"}
"""The verdict of this page, by that of a cell that was compared."""


def measured(spec: str, entries: list[Entry]) -> dict[str, Any]:
    """All quantities of one mechanism by all engines, and its file by all readers."""
    mechanism = find_mechanism(spec)
    begun = perf_counter()
    able = [entry for entry in entries if entry.name not in SLOW or mechanism.nv <= 3]
    settings = Settings(states=STATES, invariants=False)
    results = harness.check([(spec, mechanism)], able, settings, explain=False)
    wrong = [c for c in results.cells if c.verdict == "discrepancy" and c.implementation not in READERS]
    causes = []
    if wrong:
        engines = [entry for entry in able if entry.name in {c.implementation for c in wrong}]
        asked = replace(settings, quantities=tuple(dict.fromkeys(c.quantity for c in wrong)))
        causes = [
            {"engine": c.implementation, "kind": c.kind, "sentence": c.sentence, "cells": list(c.cells)}
            for c in harness.check([(spec, mechanism)], engines, asked).causes
        ]
    readings = None
    if mechanism.source is not None:
        # All that is computed from the file is compared with the truth about what the reader makes of the file.
        readers = [entry for entry in entries if entry.name in READERS]
        source = mechanism.source
        readings = to_document([compared(spec, source.text, source.free_base, readers, {}, settings=settings)])["files"][0]
    cells = [
        {"engine": c.implementation, "quantity": c.quantity, "verdict": c.verdict, "error": c.error, "message": c.message}
        for c in results.cells
    ]
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
    yield f"All quantities that an engine has are compared with the truth at {STATES} states. NAME is the engine on the model"
    yield "that its adapter builds from our numbers. NAME-urdf is the engine on the model that its own reader makes of the file."
    yield "A cell is one quantity of one engine on one mechanism. Where it does not agree, it has one of these verdicts:"
    yield ""
    yield "- **reading**: the engine's reader takes the file otherwise. What it computes is right for the edited file that says"
    yield "  what the reader takes it for."
    yield "- **digits**: rounding is amplified, as it is in correct algorithms; or the reader keeps fewer digits than the file"
    yield "  has, and what it computes is right for the numbers that it kept."
    yield "- **fault**: a fault of the engine that has a page among the findings. With the fault undone, the answer is right."
    yield "- **other**: none of these; the causes are listed below the tables."
    yield ""
    yield f"| engine | version | cells | {' | '.join(VERDICTS)} |"
    yield f"|---|---|---|{'---|' * len(VERDICTS)}"
    for name in names:
        counts = Counter(verdict for found in all_found for verdict in _verdicts(found, name))
        row = (counts.total(), *(counts[verdict] for verdict in VERDICTS))
        yield f"| {name} | {markdown(versions[name])} | {' | '.join(map(str, row))} |"
    yield ""
    yield "The largest error of the cells that agree, in ε-units (the bar is 16), and how many do not agree. · means that the"
    yield "engine does not have the mechanism."
    yield ""
    yield f"| mechanism | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    for found in all_found:
        yield f"| {found['spec']} | {' | '.join(_entry(found, name) for name in names)} |"
    yield ""
    yield from _causes(all_found)
    yield from _readings(all_found)
    yield from _skipped(all_found)


def _verdicts(found: dict[str, Any], name: str) -> Iterator[str]:
    """The verdicts on the cells of one engine on one mechanism."""
    readers = (found["readings"] or {"readers": []})["readers"]
    reader = next((one for one in readers if one["name"] == name), None)
    # By quantity, the verdict on it when it was known what the reader makes of the file.
    again = {one["quantity"]: one["verdict"] for one in reader["computed"]} if reader else {}
    explained = {cell for cause in found["causes"] if cause["kind"] == "arithmetic" for cell in cause["cells"]}
    for cell in found["cells"]:
        if cell["engine"] != name or cell["verdict"] not in COMPARED:
            continue
        verdict = COMPARED[cell["verdict"]]
        if verdict == "other" and reader and again.get(cell["quantity"]) in RIGHT:
            lost = again[cell["quantity"]] == "lost digits" or not reader["reasons"]
            verdict = "digits" if lost else "reading"
        elif verdict == "other" and f"{found['spec']}/{name}/{cell['quantity']}" in explained:
            verdict = "digits"
        elif verdict == "other" and again.get(cell["quantity"]) == "known":
            verdict = "fault"
        yield verdict


def _entry(found: dict[str, Any], name: str) -> str:
    counts = Counter(_verdicts(found, name))
    if not counts:
        return "·"
    errors = (c["error"] for c in found["cells"] if c["engine"] == name and c["verdict"] == "agrees")
    worst = max((error for error in errors if error is not None), default=0.0)
    return ", ".join([f"{worst:.2g}", *(f"{n} {verdict}" for verdict, n in counts.items() if verdict != "agree")])


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
            said = "; ".join([*(reason["sentence"] for reason in reader["reasons"]), *filter(None, [reader["message"]])])
            said = "; ".join(filter(None, [said, _retested(reader)]))
            if reader["verdict"] == "unknown":
                said = "differs in " + ", ".join(dict.fromkeys(left["row"] for left in reader["remaining"]))
            named[reader["name"], reader["verdict"], said].append(found["spec"])
    for (name, verdict, said), robots in sorted(named.items()):
        many = f"{len(robots)} robots" if len(robots) > 6 else ", ".join(robots)
        yield f"| {name} | {verdict} | {markdown(said, 600)} | {many} |"
    yield ""


def _retested(reader: dict[str, Any]) -> str:
    compared_ = [one for one in reader["computed"] if one["error"] is not None]
    right, known = (sum(one["verdict"] in verdicts for one in compared_) for verdicts in (RIGHT, ("known",)))
    faulty = f", {known} have a known fault" * bool(known)
    return f"{right} of {len(compared_)} quantities are right for that{faulty}" if compared_ else ""


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
