"""The results of a run: typed objects, their JSON document, and the one verdict that every output states."""

from cross_check.exchange.results.document import read_results, results_from, schema
from cross_check.exchange.results.files import ResultsError, read_json, write_json, write_text
from cross_check.exchange.results.objects import INFINITE, Cell, Invariant, Results, RunSettings, Skipped
from cross_check.exchange.results.verdict import verdict_of

__all__ = [
    "INFINITE",
    "Cell",
    "Invariant",
    "Results",
    "ResultsError",
    "RunSettings",
    "Skipped",
    "read_json",
    "read_results",
    "results_from",
    "schema",
    "verdict_of",
    "write_json",
    "write_text",
]
