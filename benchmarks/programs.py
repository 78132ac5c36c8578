"""Programs that benchmarks run, in processes that have kept nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RUN_ONCE = str(ROOT / "benchmarks" / "run_once.py")

NOTHING_RECORDED = {"DALEMBERT_NO_CACHE": "programs"}
"""The environment of a process that records every program itself. Compiled code is kept, as between runs of a user."""


def output_of(*command: str, folder: Path | None = None, environment: Mapping[str, str] = NOTHING_RECORDED) -> str:
    """What Python prints when it runs this file, or this module after ``-m``. Raises :class:`RuntimeError` where it fails."""
    there = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    ran = subprocess.run([sys.executable, *command], cwd=folder, env=there, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stdout[-2000:]}{ran.stderr[-4000:]}")
    return ran.stdout


def whole_run(robot: str, states: int, quantities: str, jobs: int, *implementations: str) -> Any:
    """What run_once.py measures of one run."""
    return json.loads(output_of(RUN_ONCE, robot, str(states), quantities, str(jobs), *implementations))
