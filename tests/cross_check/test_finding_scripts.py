"""The scripts of findings print what their pages say, in the releases that the pages name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from cross_check.explain.findings.finding import script_of, text_of

PAGES = Path(__file__).parents[2] / "docs" / "findings"
LEFT_OUT = {
    "pinocchio-aba-asymmetric-inertia": "the last digits depend on the platform",
    "pinocchio-composite-more-than-six": "where the fault ends the process depends on the platform",
    "pinocchio-jacobian-time-variation-subspace": "its script is that of pinocchio-derivatives-subspace",
    "pinocchio-mimic-joints": "its script is the probe of a refusal",
    "pinocchio-urdf-spaces": "it prints messages of the parser",
}
OF_ENGINES = {page.stem for engine in ("brax", "pinocchio", "newton") for page in PAGES.glob(f"{engine}-*.md")}
ALONE = ("biorbd-inverse-dynamics-damping", "mujoco-mjx-runge-kutta-order", "mujoco-warp-njmax-0")
SCRIPTS = (*ALONE, *sorted(OF_ENGINES - LEFT_OUT.keys()))

RUN = """
import contextlib, io, json, sys
for page, script in json.load(sys.stdin).items():
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        try:
            exec(script, {})
        except Exception as error:
            print(repr(error))
    print(json.dumps([page, said.getvalue()]), flush=True)
"""


@cache
def printed(engine: str) -> dict[str, str]:
    """What the scripts about an engine print, by page. One process imports the engine and runs all of them."""
    scripts = json.dumps({page: script_of(page) for page in SCRIPTS if page.startswith(engine)})
    run = subprocess.run([sys.executable, "-c", RUN], input=scripts, capture_output=True, text=True, timeout=240)
    return dict(json.loads(line) for line in run.stdout.splitlines() if line.startswith('["'))


@pytest.mark.slow
@pytest.mark.engines
@pytest.mark.parametrize("page", SCRIPTS)
def test_an_engine_prints_what_the_page_says(page: str) -> None:
    name = page.partition("-")[0]
    engine = pytest.importorskip(name, reason=f"{name} is not installed")
    for other in re.findall(r"^import (\w+)", script_of(page), re.MULTILINE):
        pytest.importorskip(other, reason=f"{other} is not installed")
    versions = next(line for line in text_of(page).splitlines() if line.startswith("- **versions**"))
    if engine.__version__ not in re.findall(r"\d+\.\d+\.\d+", versions):
        pytest.skip(f"the page does not name {name} {engine.__version__}")
    # Behind the print, or at the end.
    expected = re.findall(r"^(?:print\(.*\)  )?# (.*)$", script_of(page), re.MULTILINE)
    assert expected and printed(name).get(page, "the process has ended").splitlines() == expected
