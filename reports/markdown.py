"""A summary in Markdown, for the pages of continuous integration and for pull requests."""

from __future__ import annotations

from cross_check.results.objects import BaselineComparison, Results
from cross_check.results.shown import coverage_sentences, exercised, sharpness_sentences
from cross_check.results.tally import Tally, tallies
from cross_check.results.verdict import verdict_of
from mechanisms.plain_text import fenced
from mechanisms.plain_text import markdown as escape
from reports import versions
from reports.cause_words import words
from reports.causes import Entry, entries
from reports.cut import cut
from reports.settings_words import setting_rows
from reports.summary import absent, constraints, notes, truths, workarounds
from reports.words import change_word, count, symbol, title, units
from reports.words import verdict as word_of

MOST = 20
"""Causes and changes that are listed; the HTML report has them all."""

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
    lines += [*_causes(results), *_baseline(results.baseline), *_absent(results), *_constraints(results), *_notes(results)]
    lines += [*_skipped(results), *_workarounds(results)]
    lines += [*_coverage(results), *_settings(results)]
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
    heads = ["", *(f"**{escape(tally.name)}** {escape(tally.version)}" for tally in counted)]
    rows = [[f"{escape(symbol(name))} {escape(title(name))}", *(_largest(tally, name) for tally in counted)] for name in names]
    table = [heads, ["---", *["--:"] * len(counted)], *rows]
    bar = units(results.settings.bar)
    return [*(f"| {' | '.join(row)} |" for row in table), "", f"Largest errors in ε-units; up to {bar} agrees.", ""]


def _versions(results: Results) -> list[str]:
    """Quantities × releases, the verdicts that changed, and what a bisection tested."""
    assert results.versions
    heads = ["", *(f"**{escape(entry.name)}**" for entry in results.implementations)]
    squares = [[escape(f"{name} {title}"), *(escape(one.text) for one in row)] for name, title, row in versions.rows(results)]
    table = [heads, ["---", *["--:"] * (len(heads) - 1)], *squares]
    bar = units(results.settings.bar)
    lines = [*(f"| {' | '.join(row)} |" for row in table), ""]
    lines += [f"Largest errors in ε-units; up to {bar} agrees. In brackets: how far answers moved since the release before.", ""]
    for step, changes in versions.all_changes(results.versions.steps):
        lines += [
            f"### From {escape(step.before)} to {escape(step.now)}",
            "",
            *(f"- {escape(one.text)}" for one in changes[:MOST]),
        ]
        lines += [f"- {len(changes) - MOST} more" if len(changes) > MOST else "", ""]
    if found := results.versions.bisection:
        lines += ["### Releases that were tested", "", *(f"- {escape(line)}" for line in versions.tested_words(found)), ""]
    return [*lines, "### Environments", "", *(f"- {escape(line)}" for line in versions.environment_words(results)), ""]


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
    found = entries(results)
    wrong, known = [[entry for entry in found if (entry.tone == "known") is which] for which in (False, True)]
    return [*_entries("Problems", results, wrong), *_entries("Known findings", results, known)]


def _entries(heading: str, results: Results, shown: list[Entry]) -> list[str]:
    lines = [f"### {heading}", ""] if shown else []
    for entry in shown[:MOST]:
        said = words(results, entry)
        lines += [f"- **{said.word.word}:** {escape(said.title, 600)}", *(f"  - {escape(fact, 1000)}" for fact in said.facts), ""]
        if said.command and entry.tone != "known":
            lines += [f"  {line}" for line in code(said.command).split("\n")] + [""]
    return [*lines, f"… and {len(shown) - MOST} more.", ""] if len(shown) > MOST else lines


def _baseline(baseline: BaselineComparison | None) -> list[str]:
    if not baseline:
        return []
    lines = [f"- **{change_word(change)}:** {escape(change.id)}: {escape(change.sentence)}" for change in baseline.changes]
    more = [f"- … and {len(lines) - MOST} more."] if len(lines) > MOST else []
    return ["### Baseline", "", *(lines[:MOST] or [f"Nothing moved since {escape(baseline.path)}."]), *more, ""]


def _absent(results: Results) -> list[str]:
    lines = [f"- {escape(one.text)} ({count(len(one.mechanisms), 'mechanism')})" for one in absent(results)]
    return ["### Not compared", "", *lines[:MOST], ""] if lines else []


def _constraints(results: Results) -> list[str]:
    lines = [f"- {escape(line, 600)}" for line in constraints(results)]
    more = [f"- … and {len(lines) - MOST} more."] if len(lines) > MOST else []
    return ["### Constraints", "", *lines[:MOST], *more, ""] if lines else []


def _notes(results: Results) -> list[str]:
    lines = [f"- {escape(note, 600)}" for note in notes(results)]
    more = [f"- … and {len(lines) - MOST} more."] if len(lines) > MOST else []
    return ["### Ignored in files", "", *lines[:MOST], *more, ""] if lines else []


def _skipped(results: Results) -> list[str]:
    lines = [f"- {escape(item.what)}: {escape(item.why)}" for item in results.skipped]
    return ["### Skipped", "", *lines, ""] if lines else []


def _workarounds(results: Results) -> list[str]:
    lines = [f"- {escape(line, 2000)}" for line in workarounds(results)]
    return ["### Done by adapters", "", *lines, ""] if lines else []


def _coverage(results: Results) -> list[str]:
    sentences = (*sharpness_sentences(results), *coverage_sentences(results), *exercised(results))
    lines = [f"- {escape(line, 2000)}." for line in sentences]
    return ["### What this run can show", "", *lines, ""] if lines else []


def _settings(results: Results) -> list[str]:
    rows = [f"| {escape(row.name)} | {escape(row.value)} | {escape(row.origin)} |" for row in setting_rows(results)]
    return ["### Settings", "", "| setting | value | from |", "| --- | --- | --- |", *rows, ""] if results.effective else []
