"""The results of a run: typed objects, their JSON document, and the one verdict that every output states."""

from cross_check.results.document import read_results, results_from, schema
from cross_check.results.files import ResultsError, read_json, require_writable, write_json, write_text
from cross_check.results.journal import Journal, read_journal
from cross_check.results.objects import (
    COMPARED,
    INFINITE,
    SCHEMA,
    BaselineComparison,
    Cell,
    Change,
    EquationTerms,
    ImplementationSummary,
    Invariant,
    MechanismSummary,
    Results,
    Rounding,
    RunSettings,
    Skipped,
    Times,
    Ulps,
    Verdict,
    Worst,
    to_json,
)
from cross_check.results.recorder import Recorder
from cross_check.results.verdict import RunVerdict, verdict_of

__all__ = [
    "COMPARED",
    "INFINITE",
    "SCHEMA",
    "BaselineComparison",
    "Cell",
    "Change",
    "EquationTerms",
    "ImplementationSummary",
    "Invariant",
    "Journal",
    "MechanismSummary",
    "Recorder",
    "Results",
    "ResultsError",
    "Rounding",
    "RunSettings",
    "RunVerdict",
    "Skipped",
    "Times",
    "Ulps",
    "Verdict",
    "Worst",
    "read_journal",
    "read_json",
    "read_results",
    "require_writable",
    "results_from",
    "schema",
    "to_json",
    "verdict_of",
    "write_json",
    "write_text",
]
