"""JUnit XML for continuous integration: the causes, then a suite per implementation with a test case per cell and invariant."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from cross_check.exchange.results.codec import to_json
from cross_check.exchange.results.objects import COMPARED, REGRESSIONS, BaselineComparison, Cell, Change, Item, Results, name_of
from cross_check.exchange.results.tally import tallies
from cross_check.exchange.results.verdict import verdict_of
from reports.causes import CauseEntry, Words, entries, words
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
        _suite(suites, "causes", [_cause(entry, words(results, entry)) for entry in found])
    for tally in tallies(results):
        cases = [
            _skipped(item.mechanism, name_of(item), BLIND)
            if tally.is_blind and item.verdict in COMPARED
            else _case(results, item, sentences.get(item.id, ""))
            for item in tally.items
            if item.verdict != "not offered"
        ]
        cases += [_skipped(one.implementation, one.verdict, one.message) for one in missing if one.implementation == tally.name]
        _suite(suites, tally.name, cases)
    if results.baseline:
        _suite(suites, "baseline", _baseline(results.baseline, verdict.headline))
    if results.skipped:
        _suite(suites, "skipped", [_skipped("skipped", item.what, item.why) for item in results.skipped])
    if verdict.kind in ("interrupted", "nothing compared", "not shown"):
        case = Element("testcase", classname="dalembert", name="the whole run")
        SubElement(case, "error", message=f"{verdict.kind}: {verdict.headline}")
        _suite(suites, verdict.kind, [case])
    for total in ("tests", "failures", "errors", "skipped"):
        suites.set(total, str(sum(int(suite.get(total, 0)) for suite in suites)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(suites: Element, name: str, cases: list[Element]) -> None:
    suite = SubElement(suites, "testsuite", name=name, tests=str(len(cases)))
    for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(total, str(sum(case.find(tag) is not None for case in cases)))
    suite.extend(cases)


def _cause(entry: CauseEntry, said: Words) -> Element:
    case = Element("testcase", classname="causes", name=entry.id)
    outcome = SubElement(case, OUTCOMES[entry.tone], message=f"{entry.tone}: {said.title}")
    outcome.text = said.text
    return case


def _case(results: Results, item: Item, cause: str) -> Element:
    """A cell or an invariant; ``cause`` is the sentence of what explains it, if anything does."""
    case = Element("testcase", classname=item.mechanism, name=name_of(item))
    is_partial = isinstance(item, Cell) and item.missing > 0
    if tag := OUTCOMES.get(item.verdict) or ("skipped" if is_partial else None):
        outcome = SubElement(case, tag, message=f"{item.verdict}: {cause or reason(results, item)}")
        if tag != "skipped":
            own = [reason(results, item)] if cause else []
            outcome.text = "\n".join([*own, *_worst(item), reproduce(results, item)])
        if isinstance(item, Cell) and item.output:
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


def _baseline(baseline: BaselineComparison, headline: str) -> list[Element]:
    """A case with the headline, and one per change."""
    whole = Element("testcase", classname="baseline", name=baseline.path)
    SubElement(whole, "system-out").text = headline
    return [whole, *map(_change, baseline.changes)]


def _change(change: Change) -> Element:
    case = Element("testcase", classname="baseline", name=change.id)
    if change.kind in REGRESSIONS:
        SubElement(case, "failure", message=f"regression: {change.sentence}")
    else:
        # A cell that is broken fails in its implementation's suite.
        SubElement(case, "system-out").text = f"{change.kind}: {change.sentence}"
    return case


def _skipped(suite: str, what: str, why: str) -> Element:
    case = Element("testcase", classname=suite, name=what)
    SubElement(case, "skipped", message=why)
    return case
