"""Outcome × output: exit code, terminal, HTML, JUnit and Markdown state one verdict."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

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


DOUBLED = HEAD + GRAVITY.format(factor=2) + ENERGY
NEVER_WORSE = "and no cell is worse than in the baseline"
AGREES = "code agrees with the truth on 2 mechanisms, as far as planar motion shows"
ONCE = "code failed 1 time; 1 cell agreed in the baseline and does not any more"
WRONG = "code disagrees with the truth in 2 of 4 comparisons; 2 cells agreed in the baseline and do not any more"
GONE = "2 cells were compared in the baseline and are not any more"
UNTIL_THEN = "Interrupted before the end; until then: code agrees with the truth on 1 mechanism"
OUTCOMES = [
    Outcome("agrees", RIGHT, 0, f"{AGREES}, {NEVER_WORSE}", "✓✅", (0, 0)),
    Outcome("discrepancy", DOUBLED, 1, WRONG, "✗❌", (3, 0)),
    Outcome("failed", on_cart_pole("raise ValueError('no')"), 3, ONCE, "!❌", (0, 2)),
    Outcome("native exit", on_cart_pole("import ctypes; ctypes.CDLL(None).exit(0)"), 3, ONCE, "!❌", (0, 2)),
    Outcome(
        "regression",
        HEAD + GRAVITY.format(factor="1 + 2**-49") + ENERGY,
        1,
        f"{AGREES}, but 1 cell is worse than in the baseline",
        "✗❌",
        (1, 0),
    ),
    Outcome("lost cell", HEAD + GRAVITY.format(factor=1), 1, f"{AGREES}, but {GONE}", "✗❌", (2, 0)),
    Outcome("new cell", RIGHT, 0, f"{AGREES}, {NEVER_WORSE} (2 cells are new)", "✓✅", (0, 0), HEAD + ENERGY),
    Outcome("fixed", RIGHT, 0, f"{AGREES}, {NEVER_WORSE} (2 cells are fixed)", "✓✅", (0, 0), DOUBLED),
    Outcome("interrupted", on_cart_pole("raise KeyboardInterrupt"), 130, UNTIL_THEN, "·⚠️", (0, 1)),
    Outcome("nothing compared", "def load(mechanism): return None\n", 5, "Nothing was compared", "·⚠️", (0, 1), update=True),
]

MECHANISMS = ("pendulum", "cart-pole")
FILES = {"html": "--report", "junit": "--junit", "markdown": "--markdown"}


@pytest.mark.usefixtures("with_coverage")
@pytest.mark.nightly
@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda outcome: outcome.name)
def test_every_output_states_the_verdict(outcome: Outcome, invoke: Any) -> None:
    Path("code.py").write_text(outcome.before)
    invoke("gate", "code.py", *MECHANISMS, "--states", "7", "--update-baseline", "--no-explain")
    Path("code.py").write_text(outcome.now)
    options = [word for name, option in FILES.items() for word in (option, name)]
    # In a process of its own, code cannot interrupt the run.
    in_process = ["--in-process"] if outcome.name == "interrupted" else []
    run = invoke("gate", "code.py", *options, *in_process, *(["--update-baseline"] if outcome.update else []))
    assert run.exit_code == outcome.code, run.output
    assert run.stdout.splitlines()[-1] == f"{outcome.mark[0]} {outcome.says}."
    said = {name: Path(name).read_text("utf-8") for name in FILES}
    assert f'dir="auto">{outcome.says}</h1>' in html.unescape(said["html"])
    assert said["markdown"].replace("\\", "").startswith(f"## {outcome.mark[1:]} {outcome.says}\n")
    suites = ElementTree.fromstring(said["junit"])
    assert (int(suites.get("failures", -1)), int(suites.get("errors", -1))) == outcome.junit
    assert outcome.says in html.unescape(said["junit"])
