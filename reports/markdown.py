"""A summary in Markdown, for the pages of continuous integration and for pull requests."""

from __future__ import annotations

import re
from typing import Any

from reports.reproduction import reproduce
from reports.summary import Tally, faults, headline, problems, reason, tallies, truths
from reports.words import one_line, printable, symbol, title, units, verdict

MOST = 20
"""Problems that are listed; the HTML report has them all."""

_ACTIVE = re.compile(r"[\\`*_{}\[\]#!|~<>&:$]")


def render(document: dict[str, Any]) -> str:
    """The verdict, the largest error of every implementation and quantity, the problems, and what was skipped."""
    mark = "❌" if faults(document) else "✅" if any(tally.compared for tally in tallies(document)) else "⚠️"
    lines = [f"## {mark} {escape(headline(document))}", ""]
    if document["interrupted"]:
        lines += ["**Interrupted:** this covers what was finished before the run was stopped.", ""]
    lines += [f"{escape(sentence)}." for sentence in faults(document)[1:]]
    lines += [truths(document), ""]
    lines += [*_table(document), *_problems(document), *_skipped(document)]
    return "\n".join(lines).rstrip() + "\n"


def escape(text: str) -> str:
    """``text`` on one line, with nothing left in it that Markdown, HTML or a code host would act upon.

    What has no escape, mentions, issue numbers, bare links and lists, is broken up by a zero-width space.
    """
    quoted = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    safe = _ACTIVE.sub(lambda match: quoted.get(match[0]) or "\\" + match[0], one_line(text))
    return re.sub(r"(?<=[@#])|^(?=[-+=]|\d+[.)](?:\s|$))|(?<=w)(?=ww)", "\u200b", safe)


def code(text: str) -> str:
    """A code block fenced by more backticks than ``text`` has in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{printable(text)}\n{fence}"


def _table(document: dict[str, Any]) -> list[str]:
    names = list(dict.fromkeys(cell["quantity"] for cell in document["cells"]))
    if not names:
        return []
    found = tallies(document)
    heads = ["", *(f"**{escape(tally.name)}** {escape(tally.version)}" for tally in found)]
    rows = [[f"{escape(symbol(name))} {escape(title(name))}", *(_largest(tally, name) for tally in found)] for name in names]
    table = [heads, ["---", *["--:"] * len(found)], *rows]
    bar = units(document["settings"]["bar"])
    return [*(f"| {' | '.join(row)} |" for row in table), "", f"Largest errors in ε-units; up to {bar} agrees.", ""]


def _largest(tally: Tally, quantity: str) -> str:
    """The largest error of one quantity over all mechanisms, with how many of them are wrong."""
    cells = [cell for cell in tally.cells if cell["quantity"] == quantity]
    errors = [cell["error"] for cell in cells if cell["error"] is not None]
    signs = [verdict(cell).sign for name in ("failed", "discrepancy", "known") for cell in cells if cell["verdict"] == name]
    text = units(max(errors)) if errors else cells[0]["verdict"] if cells else "not run"
    text = text.replace("<", "&lt;")
    return f"**{signs[0]} {text}** ({len(signs)} of {len(cells)})" if signs else text


def _problems(document: dict[str, Any]) -> list[str]:
    found = problems(document)
    lines = ["### Problems", ""] if found else []
    for item in found[:MOST]:
        what = escape(f"{item['implementation']}, {item['mechanism']}, {item.get('quantity') or item['name']}")
        lines += [f"- **{verdict(item).word}:** {what}: {escape(reason(document, item))}", ""]
        lines += [f"  {line}" for line in code(reproduce(document, item)).split("\n")] + [""]
    return [*lines, f"… and {len(found) - MOST} more.", ""] if len(found) > MOST else lines


def _skipped(document: dict[str, Any]) -> list[str]:
    lines = [f"- {escape(item['what'])}: {escape(item['why'])}" for item in document["skipped"]]
    return ["### Skipped", "", *lines, ""] if lines else []
