"""The gate: did a change move any number?"""

from cross_check.judge.gate.baseline import Baseline, read_baseline, update_baseline
from cross_check.judge.gate.changes import compare, compare_runs

__all__ = ["Baseline", "compare", "compare_runs", "read_baseline", "update_baseline"]
