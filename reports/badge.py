"""A badge about a run: JSON that shields.io turns into a picture, for the page of a repository.

https://shields.io/badges/endpoint-badge says what the fields mean.
"""

from __future__ import annotations

import json

from cross_check.results.objects import COMPARED, Results
from cross_check.results.verdict import verdict_of
from reports.words import count


def render(results: Results) -> str:
    """The JSON. It is green only if the run reached its end, compared something with the truth, and all agrees by the usual bar,
    with no recorded answer missing.
    """
    message, color = _message(results)
    badge = {"schemaVersion": 1, "label": "dynamics", "message": message, "color": color, "isError": color == "red"}
    return json.dumps(badge, indent=1) + "\n"


def _message(results: Results) -> tuple[str, str]:
    match verdict_of(results).kind:
        case "interrupted":
            return "interrupted", "lightgrey"
        case "discrepancy":
            wrong = sum(item.verdict == "discrepancy" for item in results.items)
            return f"{wrong} {'discrepancy' if wrong == 1 else 'discrepancies'}", "red"
        case "failed":
            return count(sum(item.verdict == "failed" for item in results.items), "failure"), "red"
        case "regression":
            return count(len(results.baseline.regressions) if results.baseline else 0, "regression"), "red"
        case "nothing compared":
            return "not compared", "lightgrey"
        case "not shown":
            return "agrees, but shows too little", "lightgrey"
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
