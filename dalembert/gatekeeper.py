"""One gate for the command line and for pytest: run, compare with the baseline, say what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cross_check.gate import Regression, baseline_of, read_baseline, regressions
from cross_check.harness import Settings, check
from cross_check.results import ResultsError, outcome, require_writable, write_json
from dalembert.session import entry, find_mechanisms, settings_from
from mechanisms.textbook import TEXTBOOK
from reports.reproduction import reproduce


def settled(
    baseline: Path | None, update: bool, mechanisms: Sequence[str], given: dict[str, Any]
) -> tuple[Any, tuple[str, ...], Settings]:
    """What the gate checks: the baseline to compare with, mechanisms and settings, the baseline's unless given.

    There is nothing to compare with where none is named or a new one is to be written. Raises :class:`ResultsError` for a
    baseline that is named and not there: one that nobody committed would let everything pass.
    """
    known = _stored(baseline, update) if baseline else None
    if known:
        mechanisms = mechanisms or tuple(m["spec"] for m in known["mechanisms"].values())
        chosen = {name: value for name, value in given.items() if value is not None}
        kept = {name: known["settings"][name] for name in ("seed", "states", "bar")}
        given = kept | {"certified": known["settings"].get("certified", False)} | chosen
    return None if update else known, tuple(mechanisms), settings_from(given)


def _stored(baseline: Path, update: bool) -> Any:
    try:
        return read_baseline(baseline)
    except ResultsError as error:
        if update:
            return None
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        remedy = "write it with --update-baseline (pytest: --dalembert-update-baseline) and commit it"
        told = f"there is no baseline {baseline}; {remedy}, or use `dalembert check`, which needs none"
        raise ResultsError(told) from error


def hold(
    implementation: Any, mechanisms: Sequence[str], baseline: Path | None, update: bool, **given: Any
) -> tuple[dict[str, Any], list[str]]:
    """The results document, and one line per problem."""
    known, specs, settings = settled(baseline, update, mechanisms, given)
    if baseline and update:
        require_writable(baseline)
    found, _ = find_mechanisms(specs or tuple(TEXTBOOK))
    document = check(found, [entry(implementation)], settings).document()
    moved = keep(document, baseline, update, known)
    wrong = [item for item in (*document["cells"], *document["invariants"]) if item["verdict"] in ("discrepancy", "failed")]
    problems = [_line(document, item) for item in wrong] + [f"{r.id}: {r.message}" for r in moved]
    if outcome(document) == 5:
        problems.append("nothing was compared; the implementation offers no quantity of these mechanisms")
    return document, problems


def keep(document: dict[str, Any], baseline: Path | None, update: bool, known: Any) -> list[Regression]:
    """Write the baseline where that is asked for; otherwise what moved since."""
    if baseline and update:
        write_json(baseline_of(document), baseline)
    return regressions(document, known) if known else []


def _line(document: dict[str, Any], item: dict[str, Any]) -> str:
    size = f"off by {item['error']:.3g} ε-units" if item["error"] is not None else item["message"]
    again = f"\n    {reproduce(document, item)}" if "quantity" in item else ""
    return f"{item['id']}: {size}{again}"
