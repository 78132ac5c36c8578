"""JUnit XML for continuous integration: the causes, then a suite per implementation with a test case per cell and invariant."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from cross_check.exchange.results.codec import to_json
from cross_check.exchange.results.objects import COMPARED, REGRESSIONS, Cell, Change, Item, Results, name_of
from cross_check.exchange.results.tally import tallies
from cross_check.exchange.results.verdict import verdict_of
from reports.causes import CauseEntry, entries
from reports.reproduction import reproduce
from reports.summary import absent, reason
from reports.words import cleaned, number

OUTCOMES = {"discrepancy": "failure", "failed": "error", "known": "skipped", "unsupported": "skipped"}
"""The element for a verdict; a cell that agrees has none."""

BLIND = "code with any typical fault gives the same answers here, so nothing was compared"
"""What is said of a cell of an implementation whose comparisons show nothing."""


def render(results: Results) -> str:
    """The results as JUnit XML.

    Every cause is a case of the suite "causes"; the cells that it explains fail with its sentence. What an implementation does
    not offer is one skipped case. A baseline is a suite of its own, with a case per change.
    What was skipped, and a run without a result, are suites of their own, too.
    """
    results = cleaned(results)
    verdict = verdict_of(results)
    missing = [absence for absence in absent(results) if absence.verdict != "unsupported"]
    found = entries(results)
    sentences = {item.id: entry.cause.sentence for entry in reversed(found) if entry.cause for item in entry.items}
    suites = Element("testsuites", name="dalembert")
    if found:
        _suite(suites, "causes", [*map(_cause, found)])
    for tally in tallies(results):
        cases = [
            _made(item.mechanism, name_of(item), "skipped", message=BLIND)
            if tally.is_blind and item.verdict in COMPARED
            else _case(results, item, sentences.get(item.id, ""))
            for item in tally.items
            if item.verdict != "not offered"
        ]
        lacking = (one for one in missing if one.implementation == tally.name)
        cases += [_made(one.implementation, one.verdict, "skipped", message=one.message) for one in lacking]
        _suite(suites, tally.title, cases)
    if results.baseline:
        whole = _made("baseline", results.baseline.path, "system-out", verdict.headline)
        _suite(suites, "baseline", [whole, *map(_change, results.baseline.changes)])
    if results.skipped:
        _suite(suites, "skipped", [_made("skipped", item.what, "skipped", message=item.why) for item in results.skipped])
    if verdict.kind in ("interrupted", "nothing compared", "not shown"):
        message = f"{verdict.kind}: {verdict.headline}"
        _suite(suites, verdict.kind, [_made("dalembert", "the whole run", "error", message=message)])
    for total in ("tests", "failures", "errors", "skipped"):
        suites.set(total, str(sum(int(suite.get(total, 0)) for suite in suites)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(suites: Element, name: str, cases: list[Element]) -> None:
    suite = SubElement(suites, "testsuite", name=name, tests=str(len(cases)))
    for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(total, str(sum(case.find(tag) is not None for case in cases)))
    suite.extend(cases)


def _made(classname: str, name: str, tag: str = "", text: str = "", **attributes: str) -> Element:
    """A test case, with an outcome if there is a ``tag``."""
    case = Element("testcase", classname=classname, name=name)
    if tag:
        SubElement(case, tag, attributes).text = text
    return case


def _cause(entry: CauseEntry) -> Element:
    return _made("causes", entry.id, OUTCOMES[entry.tone], entry.text, message=f"{entry.tone}: {entry.title}")


def _case(results: Results, item: Item, cause: str) -> Element:
    """A cell or an invariant; ``cause`` is the sentence of what explains it, if anything does."""
    is_partial = isinstance(item, Cell) and item.missing > 0
    tag = OUTCOMES.get(item.verdict) or ("skipped" if is_partial else "")
    why, text = reason(results, item) if tag else "", ""
    if tag not in ("", "skipped"):
        text = "\n".join([*([why] if cause else []), *_worst(item), reproduce(results, item)])
    case = _made(item.mechanism, name_of(item), tag, text, message=f"{item.verdict}: {cause or why}")
    if tag and isinstance(item, Cell) and item.output:
        SubElement(case, "system-out").text = item.output
    return case


def _worst(item: Item) -> list[str]:
    if not isinstance(item, Cell) or not item.worst:
        return []
    worst = item.worst
    where = f"state {worst.state} ({worst.kind}), coordinate {worst.coordinate or '–'}"
    numbers = {"got": worst.got, "expected": worst.expected, "size of what is summed": worst.magnitude}
    values = ", ".join(f"{name} {number(value)}" for name, value in numbers.items())
    return [where, values, *(f"{name} = {to_json(given)}" for name, given in worst.inputs.items())]


def _change(change: Change) -> Element:
    if change.kind in REGRESSIONS:
        return _made("baseline", change.id, "failure", message=f"regression: {change.sentence}")
    # A cell that is broken fails in its implementation's suite.
    return _made("baseline", change.id, "system-out", f"{change.kind}: {change.sentence}")
