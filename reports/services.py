"""What services for code show of a run: what is wrong at the lines of the user's code, and a badge.

GitHub reads workflow commands from what a step prints, GitLab a JSON file of its format "code quality".
https://docs.github.com/actions/reference/workflow-commands-for-github-actions and https://docs.gitlab.com/ci/testing/code_quality
The badge is JSON that shields.io turns into a picture: https://shields.io/badges/endpoint-badge says what the fields mean.
"""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

from cross_check.exchange.results.objects import COMPARED, Results
from cross_check.exchange.results.tally import tallies
from cross_check.exchange.results.verdict import verdict_of
from reports.causes import CauseEntry, entries
from reports.words import count, one_line, printable

MOST = 10
"""Annotations of one run. GitHub shows ten errors of a step."""

UNKNOWN = {"interrupted": "interrupted", "nothing compared": "not compared", "not shown": "agrees, but shows too little"}
"""What a badge says of a run that shows too little."""

LONGEST = 4000
"""Characters of one annotation's text."""


class Annotation(NamedTuple):
    """Something wrong. ``path`` is empty and ``line`` 0 where no line of the user's code is known."""

    path: str
    line: int
    title: str
    text: str
    id: str
    """The same from run to run."""


def annotations_of(results: Results, folder: str = "") -> list[Annotation]:
    """One for each cause and each regression; one if nothing was compared or the run was interrupted.

    ``folder`` is the one from which the run found the code, as a path from the root of the repository; "" is the root.
    """
    made = [_of_entry(entry, folder) for entry in entries(results) if entry.tone != "known"]
    regressions = results.baseline.regressions if results.baseline else ()
    made += [Annotation("", 0, "regression", one_line(f"{one.id}: {one.sentence}", LONGEST), one.id) for one in regressions]
    verdict = verdict_of(results)
    if verdict.exit_code and not made:
        made.append(Annotation("", 0, verdict.kind, one_line(verdict.text, LONGEST), verdict.kind))
    return made


def github(results: Results, folder: str = "") -> str:
    """The workflow commands, a line each; empty if nothing is wrong."""
    made = annotations_of(results, folder)
    if (left_out := len(made) - MOST + 1) > 1:
        made[MOST - 1 :] = [Annotation("", 0, "more problems", f"{left_out} more are in the report", "more")]
    return "".join(f"{_command(one)}\n" for one in made)


def gitlab(results: Results, folder: str = "") -> str:
    """The JSON of GitLab's code quality. An entry without a line stands at the file or module that was checked."""
    other = _joined(folder, _file(results.implementations[0].spec)) if results.implementations else "."
    issues = [
        {
            "description": f"{one.title}: {one.text}",
            "check_name": "dalembert",
            "fingerprint": hashlib.sha256(f"{one.id}\n{one.path}".encode("utf-8", "replace")).hexdigest(),
            "severity": "major",
            "location": {"path": one.path or other, "lines": {"begin": one.line or 1}},
        }
        for one in annotations_of(results, folder)
    ]
    return json.dumps(issues, indent=1) + "\n"


def badge(results: Results) -> str:
    """The JSON. It is green only if the run reached its end, compared something with the truth, and all agrees by the usual bar,
    with no recorded answer missing.
    """
    message, color = _message(results)
    label = " ".join(["dynamics", *dict.fromkeys(one.precision for one in tallies(results) if one.precision)])
    fields = {"schemaVersion": 1, "label": label, "message": message, "color": color, "isError": color == "red"}
    return json.dumps(fields, indent=1) + "\n"


def _of_entry(entry: CauseEntry, folder: str) -> Annotation:
    path, _, line = entry.place.rpartition(":")
    text = printable(f"{entry.title}\n{entry.text}")
    return Annotation(_joined(folder, path) if path else "", int(line or 0), entry.word.word, text[:LONGEST], entry.id)


def _file(spec: str) -> str:
    """The file that an implementation's spec most likely names: a program, a Python file or a module."""
    if spec.startswith("cmd:"):
        return one_line(next(iter(spec[4:].split()), "").rpartition("/")[2])
    name = spec.partition(":")[0]
    return one_line(name if ".py" in name else name.replace(".", "/") + ".py")


def _joined(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder and folder != "." else path


def _command(one: Annotation) -> str:
    place = {"file": one.path, "line": str(one.line)} if one.path else {}
    properties = {**place, "title": f"dalembert: {one.title}"}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::error {listed}::{_data(one.text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _message(results: Results) -> tuple[str, str]:
    kind = verdict_of(results).kind
    if kind in UNKNOWN:
        return UNKNOWN[kind], "lightgrey"
    wrong = sum(item.verdict == kind for item in results.items)
    match kind:
        case "discrepancy":
            return f"{wrong} {'discrepancy' if wrong == 1 else 'discrepancies'}", "red"
        case "failed":
            return count(wrong, "failure"), "red"
        case "regression":
            return count(len(results.baseline.regressions) if results.baseline else 0, "regression"), "red"
    compared = [cell.verdict for cell in results.cells if cell.verdict in COMPARED]
    if not compared:  # Invariants were kept, which says nothing about the truth.
        return "not compared", "lightgrey"
    if results.settings.is_lenient:
        return f"agrees within {results.settings.bar:g} ε-units", "lightgrey"
    if known := compared.count("known"):
        return f"agrees, but for {count(known, 'known fault')}", "yellow"
    if missing := sum(cell.missing for cell in results.cells):
        return f"agrees, {count(missing, 'answer')} missing", "yellow"
    return "agrees", "brightgreen"
