"""The gate: did a change move any number?"""

from cross_check.gate.baseline import Baseline, read_baseline, update_baseline
from cross_check.gate.changes import compare, compare_runs

__all__ = ["Baseline", "compare", "compare_runs", "read_baseline", "update_baseline"]
