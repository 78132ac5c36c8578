"""Writes docs/engine-matrix.json and the tables of docs/engine-matrix.md: engines on all mechanisms, and readers on all robots.

    python docs/write_engine_matrix.py [--engine NAME]... [MECHANISM...]
    python docs/write_engine_matrix.py --page

It needs `pip install "dalembert[all-engines]"` and takes an hour or more. It asks the engines that are installed, or those that
are named, on all mechanisms, or on those that are named. These engines get new rows. The rows of the others stay, because no
environment has all engines. What is finished is kept in build/engine-matrix, so an interrupted run goes on where it stopped;
remove that folder to begin again. With --page it writes the tables again from the JSON file, and measures nothing.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from written import table, with_parts

from cross_check import harness
from cross_check.diff import compared
from cross_check.entry import Entry
from cross_check.exchange.results.objects import RIGHT
from cross_check.judge.settings import Settings
from cross_check.read.readers.results import to_document
from implementations.plugins.registry import ENGINE_NAMES, READERS
from implementations.processes.find import find_mechanism, find_subject
from implementations.processes.limits import Limits
from implementations.protocol import Missing
from mechanisms.library.robots import ROBOTS
from mechanisms.library.textbook import PLAIN_TEXTBOOK
from mechanisms.numbers.precision import FLOAT64
from mechanisms.plain_text import markdown

FOLDER = Path("build/engine-matrix")
PAGE = Path(__file__).with_name("engine-matrix.md")
DATA = PAGE.with_suffix(".json")
STATES = 36
"""Fewer states have no turn that is small enough to show the fault of DART's ball joints."""

SECONDS = 900.0
"""What one call may take: some engines compile a program for every quantity of a mechanism."""

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


def kept(spec: str, entries: list[Entry], folder: Path) -> dict[str, Any]:
    """What an earlier run has measured; else what is measured now."""
    path = folder / f"{spec.replace(':', '_')}.json"
    if not path.exists():
        found = measured(spec, entries)
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(found), "utf-8")
        print(f"{spec}: {found['seconds']:.1f} s", file=sys.stderr, flush=True)
    loaded: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return loaded


def summary(all_found: Sequence[dict[str, Any]], versions: dict[str, str]) -> dict[str, Any]:
    """The content of the JSON file."""
    counts = {name: Counter(verdict for found in all_found for verdict in _verdicts(found, name)) for name in versions}
    return {
        "engines": [
            {"name": name, "version": version, "states": STATES, **{verdict: counts[name][verdict] for verdict in VERDICTS}}
            for name, version in versions.items()
        ],
        "mechanisms": {found["spec"]: {name: one for name in versions if (one := _entry(found, name))} for found in all_found},
        "faults": _faults(all_found),
        "causes": _causes(all_found),
        "readings": _readings(all_found),
        "missing": _missing(all_found),
    }


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


def _entry(found: dict[str, Any], name: str) -> dict[str, Any]:
    """The largest error of the cells that agree, in ε-units, and how many have another verdict; empty if nothing was compared."""
    counts = Counter(_verdicts(found, name))
    if not counts:
        return {}
    errors = (c["error"] for c in found["cells"] if c["engine"] == name and c["verdict"] == "agrees")
    worst = max((error for error in errors if error is not None), default=0.0)
    return {"worst": f"{worst:.2g}", **{verdict: counts[verdict] for verdict in VERDICTS[1:] if counts[verdict]}}


def _faults(all_found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings that explain wrong cells of engines on models that their adapters build."""
    where: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: {"quantities": set(), "mechanisms": set()})
    for found in all_found:
        for cell in found["cells"]:
            if cell["verdict"] == "known" and cell["engine"] not in READERS:
                one = where[cell["engine"], Path(cell["message"].rpartition(" ")[2]).stem]
                one["quantities"].add(cell["quantity"])
                one["mechanisms"].add(found["spec"])
    return [
        {"engine": engine, "finding": finding, **{key: sorted(values) for key, values in one.items()}}
        for (engine, finding), one in sorted(where.items())
    ]


def _causes(all_found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    named: dict[tuple[str, str], list[str]] = defaultdict(list)
    for found in all_found:
        for cause in found["causes"]:
            named[cause["engine"], cause["sentence"]].append(found["spec"])
    return [{"engine": engine, "cause": cause, "mechanisms": where} for (engine, cause), where in sorted(named.items())]


def _readings(all_found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What readers do with files that they read otherwise or refuse, or from which they compute wrong, and the robots."""
    named: dict[tuple[str, str], list[str]] = defaultdict(list)
    for found in all_found:
        for reader in (found["readings"] or {"readers": []})["readers"]:
            said = [reason["sentence"] for reason in reader["reasons"]]
            if message := reader["message"]:
                # A reader that computes wrong from its reading has the title of each finding here.
                said += message.split("; ") if reader["verdict"] == "fault" else [message]
            if reader["verdict"] == "digits" and not said:
                said = ["rounds the numbers of the file"]
            if reader["verdict"] == "unknown":
                said = ["differs in " + ", ".join(dict.fromkeys(left["row"] for left in reader["remaining"]))]
            for one in said:
                named[reader["name"], _general(one)].append(found["spec"])
    return [{"reader": name, "does": does, "robots": where} for (name, does), where in sorted(named.items())]


def _missing(all_found: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """What engines do not answer and why; reasons that differ in the names of joints are one."""
    items = [(s["what"].rpartition("/")[2], "", s["why"], found["spec"]) for found in all_found for s in found["skipped"]]
    items += [
        (c["engine"], c["quantity"], c["message"], found["spec"])
        for found in all_found
        for c in found["cells"]
        if c["verdict"] == "unsupported" and c["message"]
    ]
    named: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: {"quantities": set(), "mechanisms": set()})
    for engine, quantity, why, spec in items:
        one = named[engine, _general(why)]
        one["quantities"] |= {quantity} - {""}
        one["mechanisms"].add(spec)
    return [
        {"engine": engine, "why": why, "quantities": sorted(one["quantities"]), "mechanisms": len(one["mechanisms"])}
        for (engine, why), one in sorted(named.items())
    ]


GENERAL = (
    (r"<literal-string>\.urdf:\d+: error: ", ""),
    (r", in state \d+", ""),
    (r" \(quaternion: .*\)", ""),
    (r"has no [\w-]+ joint, which joint '.*' is", "does not have every kind of joint"),
    (r"('[^']*' )?cannot mimic joint '[^']*'", "cannot mimic a joint"),
    (r"[Jj]oint '[^']*' (is|has|which has)\b", r"a joint \1"),
    (r", which joint '[^']*' has", ""),
    (r"joint '[^']*' lacks", "a joint lacks"),
    (r"(link|in|at|Element name) '[^']*'(, id \d+)?", r"\1 …"),
)
"""What names one joint, link or state in a sentence, and what stands for it where many are meant."""


def _general(sentence: str) -> str:
    for pattern, general in GENERAL:
        sentence = re.sub(pattern, general, sentence)
    return sentence


def render(data: dict[str, Any]) -> str:
    """The page, from the content of the JSON file."""
    parts = {name: "\n".join(lines) for name, lines in _parts(data).items()}
    return with_parts(PAGE, **parts)


def _parts(data: dict[str, Any]) -> dict[str, Iterable[str]]:
    """The tables of the page, by name."""
    digits = {
        engine["name"]: [spec for spec, one in data["mechanisms"].items() if one.get(engine["name"], {}).get("digits")]
        for engine in data["engines"]
    }
    lost = ((name, _few(specs, "mechanisms")) for name, specs in digits.items() if specs)
    causes = ((one["engine"], markdown(one["cause"], 600), _few(one["mechanisms"], "mechanisms")) for one in data["causes"])
    readings = ((one["reader"], markdown(one["does"], 600), _few(one["robots"], "robots")) for one in data["readings"])
    verdicts = (_verdicts_of(engine, data["mechanisms"]) for engine in data["engines"])
    titled = ("## Causes of the verdict other", "", *table(("engine", "cause", "mechanisms"), causes))
    return {
        "verdicts": table(("engine", "version", "states", "mechanisms", *VERDICTS, "largest error that agrees"), verdicts),
        "faults": table(("engine", "finding", "quantities", "mechanisms"), map(_fault, data["faults"])),
        "lost": table(("engine", "mechanisms"), lost),
        "causes": titled if data["causes"] else (),
        "readings": table(("reader", "what it does", "robots"), readings),
    }


def _verdicts_of(engine: dict[str, Any], mechanisms: dict[str, Any]) -> Iterator[object]:
    """The row of one engine."""
    entries = {spec: one[engine["name"]] for spec, one in mechanisms.items() if engine["name"] in one}
    spec = max(entries, key=lambda spec: float(entries[spec]["worst"]), default="")
    yield from (engine["name"], markdown(engine["version"]), engine["states"], len(entries))
    yield from (engine[verdict] for verdict in VERDICTS)
    yield f"{entries[spec]['worst']} ({spec})" if spec else ""


def _fault(fault: dict[str, Any]) -> Iterator[object]:
    """The row of one finding."""
    yield fault["engine"]
    yield f"[{fault['finding'].partition('-')[2].replace('-', ' ')}](findings/{fault['finding']}.md)"
    yield from (_few(fault[names], names) for names in ("quantities", "mechanisms"))


def _few(names: Sequence[str], what: str) -> str:
    return ", ".join(names) if len(names) <= 8 else f"{len(names)} {what}, such as {', '.join(names[:4])}"


def merged(kept: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The data, in which the engines of ``new`` have their new rows alone."""
    names = {engine["name"] for engine in new["engines"]}
    both: dict[str, Any] = {
        part: [row for row in kept[part] if next(iter(row.values())) not in names] + rows
        for part, rows in new.items()
        if isinstance(rows, list)
    }
    both["engines"].sort(key=lambda engine: ENGINE_NAMES.index(engine["name"]))
    others = {spec: {name: one for name, one in row.items() if name not in names} for spec, row in kept["mechanisms"].items()}
    both["mechanisms"] = {spec: others.get(spec, {}) | new["mechanisms"].get(spec, {}) for spec in [*PLAIN_TEXTBOOK, *ROBOTS]}
    return both


def measure(names: Sequence[str], specs: Sequence[str]) -> dict[str, Any]:
    """The content of the JSON file for these engines, as far as they are installed, and these mechanisms."""
    entries, versions = [], {}
    for name in names or ENGINE_NAMES:
        subject = find_subject(name, limits=Limits(timeout=SECONDS))
        try:
            precision = subject.precision or FLOAT64.name
            versions[name] = subject.version + (f", {precision}" if precision != FLOAT64.name else "")
            entries.append(Entry(name, name, subject))
        except Missing as error:
            print(error, file=sys.stderr)
    folder = FOLDER / ("+".join(names) or "all")
    return summary([kept(spec, entries, folder) for spec in specs or [*PLAIN_TEXTBOOK, *ROBOTS]], versions)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--engine", action="append", default=[], choices=ENGINE_NAMES)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("mechanisms", nargs="*")
    given = parser.parse_args()
    data = json.loads(DATA.read_text("utf-8"))
    if not given.page:
        data = merged(data, measure(given.engine, given.mechanisms))
        DATA.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(render(data), "utf-8")


if __name__ == "__main__":
    main()
