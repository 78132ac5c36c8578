"""JUnit XML for continuous integration: a suite per implementation, a test case per cell and invariant."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from reports.reproduction import reproduce
from reports.summary import reason, tallies
from reports.words import cleaned, number

OUTCOMES = {
    "discrepancy": "failure",
    "failed": "error",
    "known": "skipped",
    "not offered": "skipped",
    "unsupported": "skipped",
}
"""The element that a verdict becomes; what agrees has none."""


def render(document: dict[str, Any]) -> str:
    """The document as JUnit XML. What was not run at all is a suite of its own, of skipped cases."""
    document = cleaned(document)
    suites = Element("testsuites", name="dalembert")
    for tally in tallies(document):
        cases = [_case(document, item) for item in (*tally.cells, *tally.invariants)]
        _suite(suites, tally.name, cases)
    if document["skipped"]:
        _suite(suites, "skipped", [_skipped(item) for item in document["skipped"]])
    if document["interrupted"]:
        case = Element("testcase", classname="dalembert", name="the whole run")
        SubElement(case, "error", message="interrupted: the run was stopped before its end")
        _suite(suites, "interrupted", [case])
    for total in ("tests", "failures", "errors", "skipped"):
        suites.set(total, str(sum(int(suite.get(total, 0)) for suite in suites)))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _suite(suites: Element, name: str, cases: list[Element]) -> None:
    suite = SubElement(suites, "testsuite", name=name, tests=str(len(cases)))
    for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(total, str(sum(case.find(tag) is not None for case in cases)))
    suite.extend(cases)


def _case(document: dict[str, Any], item: dict[str, Any]) -> Element:
    name = item["quantity"] if "quantity" in item else item["name"]
    case = Element("testcase", classname=item["mechanism"], name=name)
    if tag := OUTCOMES.get(item["verdict"]):
        outcome = SubElement(case, tag, message=f"{item['verdict']}: {reason(document, item)}")
        if tag != "skipped":
            outcome.text = "\n".join([*_worst(item), reproduce(document, item)])
    return case


def _worst(item: dict[str, Any]) -> list[str]:
    worst = item.get("worst")
    if not worst:
        return []
    where = f"state {worst['state']} ({worst['kind']}), coordinate {worst['coordinate'] or '–'}"
    names = {"got": "got", "expected": "expected", "magnitude": "size of what is summed"}
    numbers = ", ".join(f"{name} {number(worst[key])}" for key, name in names.items())
    return [where, numbers, *(f"{name} = {values}" for name, values in worst["inputs"].items())]


def _skipped(item: dict[str, Any]) -> Element:
    case = Element("testcase", classname="skipped", name=item["what"])
    SubElement(case, "skipped", message=item["why"])
    return case
