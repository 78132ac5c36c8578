"""One gate for the command line and for pytest: run, compare with the baseline, say what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from cross_check.gate import Regression, baseline_of, read_baseline, regressions
from cross_check.harness import Settings, SettingsError, check
from cross_check.results import outcome, write_json
from dalembert.session import entry, find_mechanisms
from mechanisms.textbook import TEXTBOOK
from reports.commands import reproduce


def settled(
    baseline: Path | None, update: bool, mechanisms: Sequence[str], given: dict[str, Any]
) -> tuple[Any, tuple[str, ...], Settings]:
    """What the gate checks: the baseline if there is one, mechanisms and settings, the baseline's unless given."""
    known = read_baseline(baseline) if baseline and baseline.exists() and not update else None
    if unknown := sorted(given.keys() - {field.name for field in fields(Settings)}):
        raise SettingsError(f"there is no setting {unknown[0]!r}; use {', '.join(field.name for field in fields(Settings))}")
    chosen = {name: value for name, value in given.items() if value is not None}
    if "quantities" in chosen:
        chosen = {"invariants": False} | chosen | {"quantities": tuple(chosen["quantities"])}
    if known:
        mechanisms = mechanisms or tuple(m["spec"] for m in known["mechanisms"].values())
        chosen = {name: known["settings"][name] for name in ("seed", "states", "bar")} | chosen
    return known, tuple(mechanisms), Settings(**chosen)


def hold(
    implementation: Any, mechanisms: Sequence[str], baseline: Path | None, update: bool, **given: Any
) -> tuple[dict[str, Any], list[str]]:
    """The results document, and one line per problem."""
    known, specs, settings = settled(baseline, update, mechanisms, given)
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
