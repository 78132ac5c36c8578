"""The scripts of findings print what their pages say, in the releases that the pages name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "findings"

# The page on composite joints is missing here: where its fault ends the process depends on the platform.
SCRIPTS = (
    "acceleration-derivatives-world",
    "angles-from-cosines",
    "append-model-armature",
    "centroidal-map-rate",
    "constraint-derivatives-first-column",
    "constraint-derivatives-iterations",
    "constraint-derivatives-moving-axes",
    "constraint-derivatives-second-call",
    "delassus-second-joint",
    "hlog3-identity",
    "impulse-second-joint",
    "interpolate-half-turn",
    "kinematic-hessian-local",
    "jexp3-sign",
    "jexp6-small-angles",
    "jexp6-whole-turns",
    "kinematic-hessian-order",
    "mimic-helical",
    "minverse-after-aba",
    "motion-derivatives-aligned",
    "planar-small-turns",
)


@pytest.mark.slow
@pytest.mark.engines
@pytest.mark.parametrize("name", SCRIPTS)
def test_pinocchio_prints_what_the_page_says(name: str) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel here")
    page = (PAGES / f"pinocchio-{name}.md").read_text("utf-8")
    versions = next(line for line in page.splitlines() if line.startswith("- **versions**:"))
    if pinocchio.__version__ not in re.findall(r"\d+\.\d+\.\d+", versions):
        pytest.skip(f"the page does not name Pinocchio {pinocchio.__version__}")
    script, _, printed = page.partition("```python\n")[2].partition("```")[0].rpartition("\n\n#")
    expected = [line.removeprefix("# ") for line in f"#{printed}".splitlines()]
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert run.stdout.splitlines() == expected
