"""A summary in Markdown, for the pages of continuous integration and for pull requests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cross_check.exchange.results.objects import BaselineComparison, Results
from cross_check.exchange.results.shown import coverage_sentences, exercised, sharpness_sentences
from cross_check.exchange.results.tally import Tally, tallies
from cross_check.exchange.results.verdict import verdict_of
from mechanisms.plain_text import fenced
from mechanisms.plain_text import markdown as escape
from reports import versions
from reports.causes import sections
from reports.summary import aside, setting_rows, truths, workarounds
from reports.words import change_word, symbol, title, units
from reports.words import verdict as word_of

MOST = 20
"""Causes and changes that are listed; the HTML report has them all."""

STEP_SUMMARY = 2**20
"""Bytes of a step's summary on GitHub; more is refused as a whole."""

RESERVED = 2000
"""Bytes for the sentence that says what was left out."""

MARKS = {"agrees": "✅", "discrepancy": "❌", "failed": "❌", "absent": "⚠️"}


def render(results: Results) -> str:
    """The verdict, the largest error of every implementation and quantity, problems, changes, and what was skipped.

    It fits into the summary of a step on GitHub.
    """
    verdict = verdict_of(results)
    headline, *others = verdict.sentences
    lines = [f"## {MARKS[verdict.tone]} {escape(headline)}", ""]
    if results.interrupted:
        lines += ["**Interrupted:** this covers what was finished before the run was stopped.", ""]
    lines += [f"{escape(sentence)}." for sentence in others]
    lines += [truths(results), ""]
    lines += _versions(results) if results.versions else _table(results)
    lines += [*_causes(results), *_baseline(results.baseline), *_aside(results), *_settings(results)]
    return cut("\n".join(lines).rstrip() + "\n")


def code(text: str) -> str:
    """A command in a code block."""
    return fenced(text, "sh")


def _table(results: Results) -> list[str]:
    """The largest errors. A quantity that no implementation offers has no row."""
    names = list(dict.fromkeys(cell.quantity for cell in results.cells if cell.verdict != "not offered"))
    if not names:
        return []
    counted = tallies(results)
    heads = [f"**{escape(tally.title)}** {escape(tally.version)}" for tally in counted]
    rows = [[f"{escape(symbol(name))} {escape(title(name))}", *(_largest(tally, name) for tally in counted)] for name in names]
    return _errors(results, heads, rows)


def _errors(results: Results, heads: Sequence[str], rows: Sequence[Sequence[str]], note: str = "") -> list[str]:
    """A table of errors in ε-units, and the bar."""
    table = [["", *heads], ["---", *["--:"] * len(heads)], *rows]
    bar = f"Largest errors in ε-units; up to {units(results.settings.bar)} agrees.{note}"
    return [*(f"| {' | '.join(row)} |" for row in table), "", bar, ""]


def _versions(results: Results) -> list[str]:
    """Quantities × releases, the verdicts that changed, and what a bisection tested."""
    assert results.versions
    heads = [f"**{escape(entry.name)}**" for entry in results.implementations]
    squares = [[escape(f"{name} {title}"), *(escape(one.text) for one in row)] for name, title, row in versions.rows(results)]
    lines = _errors(results, heads, squares, " In brackets: how far answers moved since the release before.")
    for step, changes in versions.all_changes(results.versions.steps):
        listed = [*_first([f"- {escape(one.text)}" for one in changes]), ""]
        lines += _section(f"From {escape(step.before)} to {escape(step.now)}", listed)
    if found := results.versions.bisection:
        lines += _section("Releases that were tested", [f"- {escape(line)}" for line in versions.tested_words(found)])
    return lines + _section("Environments", [f"- {escape(line)}" for line in versions.environment_words(results)])


def _largest(tally: Tally, quantity: str) -> str:
    """The largest error of one quantity over all mechanisms, and on how many of them it is wrong."""
    cells = [cell for cell in tally.cells if cell.quantity == quantity]
    errors = [cell.error for cell in cells if cell.error is not None]
    signs = [
        word_of(cell).sign for name in ("failed", "discrepancy", "known", "lost digits") for cell in cells if cell.verdict == name
    ]
    text = units(max(errors)) if errors else cells[0].verdict if cells else "not run"
    text = text.replace("<", "&lt;")
    return f"**{signs[0]} {text}** ({len(signs)} of {len(cells)})" if signs else text


def _causes(results: Results) -> list[str]:
    """Problems, one entry per cause, and known findings."""
    lines: list[str] = []
    for heading, shown in sections(results):
        lines += [f"### {heading}", ""]
        for one in shown[:MOST]:
            lines += [
                f"- **{one.word.word}:** {escape(one.title, 600)}",
                *(f"  - {escape(fact, 1000)}" for fact in one.facts),
                "",
            ]
            if one.command and one.tone != "known":
                lines += [f"  {line}" for line in code(one.command).split("\n")] + [""]
        lines += [f"… and {len(shown) - MOST} more.", ""] if len(shown) > MOST else []
    return lines


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    """The lines below their heading; nothing without lines."""
    return [f"### {heading}", "", *lines, ""] if lines else []


def _first(lines: Sequence[str]) -> list[str]:
    """The first lines, and how many there are more."""
    return [*lines[:MOST], *([f"- … and {len(lines) - MOST} more."] if len(lines) > MOST else [])]


def _baseline(baseline: BaselineComparison | None) -> list[str]:
    if not baseline:
        return []
    lines = [f"- **{change_word(change)}:** {escape(change.id)}: {escape(change.sentence)}" for change in baseline.changes]
    return _section("Baseline", _first(lines) or [f"Nothing moved since {escape(baseline.path)}."])


def _aside(results: Results) -> list[str]:
    """What was not compared and what else is said beside the verdicts."""
    shown = (*sharpness_sentences(results), *coverage_sentences(results), *exercised(results))
    sections = {heading: _first([f"- {escape(line, 2000)}" for line in lines]) for heading, lines in aside(results).items()}
    sections["Skipped"] = [f"- {escape(item.what)}: {escape(item.why)}" for item in results.skipped]
    sections["Done by adapters"] = [f"- {escape(line, 2000)}" for line in workarounds(results)]
    sections["What this run can show"] = [f"- {escape(line, 2000)}." for line in shown]
    return [line for heading, lines in sections.items() for line in _section(heading, lines)]


def _settings(results: Results) -> list[str]:
    rows = [f"| {escape(row.name)} | {escape(row.value)} | {escape(row.origin)} |" for row in setting_rows(results)]
    return _section("Settings", ["| setting | value | from |", "| --- | --- | --- |", *rows]) if results.effective else []


def cut(text: str, most: int = STEP_SUMMARY) -> str:
    """``text``, if it has at most so many bytes (UTF-8). Otherwise its first lines, and a sentence that says what was left out.

    No code block and no line is cut in two.
    """
    if _size(text) <= most:
        return text
    lines = text.splitlines(keepends=True)
    kept = _kept(lines, most - RESERVED)
    sections = [line[4:].strip()[:60] for line in lines[kept:] if line.startswith("### ")]
    named = f", with the sections {', '.join(sections)}" if sections else ""
    sentence = (
        f"**Left out:** the last {len(lines) - kept} lines{named}. This page holds {most} bytes; the HTML report has all.\n"
    )
    return f"{''.join(lines[:kept]).rstrip()}\n\n{sentence}"


def _kept(lines: list[str], most: int) -> int:
    """How many lines fit, so that no code block is open after them."""
    size, kept, fence = 0, 0, ""
    for k, line in enumerate(lines):
        size += _size(line)
        if size > most:
            break
        if found := re.match(r" *(`{3,})", line):
            fence = "" if fence and found[1] == fence else fence or found[1]
        kept = kept if fence else k + 1
    return kept


def _size(text: str) -> int:
    return len(text.encode("utf-8", "backslashreplace"))
