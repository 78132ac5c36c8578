"""Outcome × output: exit code, terminal, HTML, JUnit, Markdown and the pytest message state one verdict."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

# Each run would import it anew: pytester forgets what a run has imported.
import dalembert.gatekeeper  # noqa: F401
from dalembert.cli.main import main

pytest_plugins = ["pytester"]

HEAD = "from implementations.spatial_algebra.reference import REFERENCE\n"
GRAVITY = "def gravity(mechanism, q): return REFERENCE.load(mechanism).gravity(q[None])[0] * ({factor})\n"
ENERGY = "def potential_energy(mechanism, q): return REFERENCE.load(mechanism).potential_energy(q[None])[0]\n"
RIGHT = HEAD + GRAVITY.format(factor=1) + ENERGY


def on_cart_pole(what: str) -> str:
    """Right code that does something else on the second mechanism."""
    wrapper = f"right = gravity\ndef gravity(mechanism, q):\n    if len(q) == 2: {what}\n    return right(mechanism, q)\n"
    return RIGHT + wrapper


@dataclass(frozen=True)
class Outcome:
    """``before`` is the code that the baseline records, ``now`` the code of the run."""

    name: str
    now: str
    code: int
    says: str
    """In every output."""
    mark: str
    """Of the terminal's last line and of Markdown."""
    junit: tuple[int, int]
    """Failures and errors: one per cause, and one per cell."""
    before: str = RIGHT
    update: bool = False


AGREES = "code agrees with the truth on 2 mechanisms, as far as planar motion shows"
OUTCOMES = [
    Outcome("agrees", RIGHT, 0, f"{AGREES}, and no cell is worse than in the baseline", "✓✅", (0, 0)),
    Outcome(
        "discrepancy",
        HEAD + GRAVITY.format(factor=2) + ENERGY,
        1,
        "code disagrees with the truth in 2 of 4 comparisons; 2 cells agreed in the baseline and do not any more",
        "✗❌",
        (3, 0),
    ),
    Outcome(
        "failed",
        on_cart_pole("raise ValueError('no')"),
        3,
        "code failed 1 time; 1 cell agreed in the baseline and does not any more",
        "!❌",
        (0, 2),
    ),
    Outcome(
        "regression",
        HEAD + GRAVITY.format(factor="1 + 2**-49") + ENERGY,
        1,
        f"{AGREES}, but 1 cell is worse than in the baseline",
        "✗❌",
        (1, 0),
    ),
    Outcome(
        "lost cell",
        HEAD + GRAVITY.format(factor=1),
        1,
        f"{AGREES}, but 2 cells were compared in the baseline and are not any more",
        "✗❌",
        (2, 0),
    ),
    Outcome(
        "new cell",
        RIGHT,
        0,
        f"{AGREES}, and no cell is worse than in the baseline (2 cells are new)",
        "✓✅",
        (0, 0),
        before=HEAD + ENERGY,
    ),
    Outcome(
        "fixed",
        RIGHT,
        0,
        f"{AGREES}, and no cell is worse than in the baseline (2 cells are fixed)",
        "✓✅",
        (0, 0),
        before=HEAD + GRAVITY.format(factor=2) + ENERGY,
    ),
    Outcome(
        "interrupted",
        on_cart_pole("raise KeyboardInterrupt"),
        130,
        "Interrupted before the end; until then: code agrees with the truth on 1 mechanism",
        "·⚠️",
        (0, 1),
    ),
    Outcome("nothing compared", "def load(mechanism): return None\n", 5, "Nothing was compared", "·⚠️", (0, 1), update=True),
    Outcome(
        "native exit",
        on_cart_pole("import ctypes; ctypes.CDLL(None).exit(0)"),
        3,
        "code failed 1 time; 1 cell agreed in the baseline and does not any more",
        "!❌",
        (0, 2),
    ),
]

MECHANISMS = ("pendulum", "cart-pole")
FILES = {"html": "--report", "junit": "--junit", "markdown": "--markdown"}


@pytest.fixture(scope="module")
def baselines(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The baseline that records this code, made once."""

    @cache
    def baseline(before: str) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path_factory.mktemp("before"))
            Path("code.py").write_text(before)
            words = ["gate", "code.py", *MECHANISMS, "--states", "7", "--update-baseline", "--no-explain"]
            CliRunner().invoke(main, words)
            return Path("dalembert-baseline.json").read_text("utf-8")

    return baseline


def outputs_of(outcome: Outcome, folder: Path, invoke: Any, baselines: Callable[[str], str]) -> dict[str, Any]:
    """The exit code, and what each output says, of ``dalembert gate``."""
    (folder / "dalembert-baseline.json").write_text(baselines(outcome.before), "utf-8")
    (folder / "code.py").write_text(outcome.now)
    options = [word for name, option in FILES.items() for word in (option, name)]
    # In a process of its own, code cannot interrupt the run.
    in_process = ["--in-process"] if outcome.name == "interrupted" else []
    run = invoke("gate", "code.py", *options, *in_process, *(["--update-baseline"] if outcome.update else []))
    said = {"exit code": run.exit_code, "terminal": run.stdout, "stderr": run.stderr}
    return said | {name: (folder / name).read_text("utf-8") if (folder / name).exists() else "" for name in FILES}


@pytest.mark.usefixtures("with_coverage")
@pytest.mark.nightly
@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: outcome.name)
def test_every_output_states_the_verdict(outcome: Outcome, tmp_path: Path, invoke: Any, baselines: Callable[[str], str]) -> None:
    said = outputs_of(outcome, tmp_path, invoke, baselines)
    assert said["exit code"] == outcome.code, said
    assert said["terminal"].splitlines()[-1] == f"{outcome.mark[0]} {outcome.says}."
    page = html.unescape(said["html"])
    assert f'dir="auto">{outcome.says}</h1>' in page
    assert said["markdown"].replace("\\", "").startswith(f"## {outcome.mark[1:]} {outcome.says}\n")
    suites = ElementTree.fromstring(said["junit"])
    assert (int(suites.get("failures", -1)), int(suites.get("errors", -1))) == outcome.junit
    assert outcome.says in html.unescape(said["junit"])


def test_what_changed_is_told_with_what_it_was(tmp_path: Path, invoke: Any, baselines: Callable[[str], str]) -> None:
    outcome = next(outcome for outcome in OUTCOMES if outcome.name == "lost cell")
    said = outputs_of(outcome, tmp_path, invoke, baselines)
    baseline = json.loads((tmp_path / "dalembert-baseline.json").read_text())
    error = baseline["implementations"]["code.py"]["mechanisms"]["pendulum"]["cells"]["potential_energy"]["error"]
    for name in ("terminal", *FILES):
        text = html.unescape(said[name]).replace("\\", "")
        assert "pendulum/code/potential_energy" in text
        assert f"before: agrees, {error:.3g} ε-units" in text
