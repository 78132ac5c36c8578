"""`dalembert gate`: a baseline from the first run to the day it fails, and every exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from implementations.processes.find import find_subject
from implementations.protocol import Missing

pytestmark = pytest.mark.usefixtures("in_this_process")
BASELINE = "dalembert-baseline.json"

ENGINE = """
from types import SimpleNamespace
from implementations.spatial_algebra.reference import REFERENCE

class engine:
    name = "reference"

    def load(self, mechanism):
        right = REFERENCE.load(mechanism)
        return SimpleNamespace({offers})
"""
RIGHT = ENGINE.format(offers="gravity=right.gravity, kinetic_energy=right.kinetic_energy")
WORSE = ENGINE.format(offers="gravity=right.gravity, kinetic_energy=lambda q, v: right.kinetic_energy(q, v) * (1 + 2**-49)")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(RIGHT)
    return path


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> str:
    """An engine that has a name and is not installed."""

    def find(spec: str, *how: Any) -> Any:
        if spec == "rbdl":
            raise Missing("pip install it")
        return find_subject(spec, *how)

    monkeypatch.setattr("dalembert.session.find_subject", find)
    monkeypatch.setattr("dalembert.session.names_of_implementations", lambda: ("reference", "rbdl"))
    return "rbdl"


def edited(path: Path, change: Any) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def mechanisms(baseline: Any) -> Any:
    """The records of the baseline's one implementation."""
    (entry,) = baseline["implementations"].values()
    return entry["mechanisms"]


def test_from_the_first_run_to_a_regression(invoke: Any, mine: Path, tmp_path: Path) -> None:
    first = invoke("gate", f"{mine}:engine", "pendulum", "cart-pole", "--states", 9, "--seed", 5)
    assert (first.exit_code, first.stdout) == (2, ""), "a baseline that nobody committed must not pass for ever"
    assert first.stderr.startswith(f"Error: there is no baseline {BASELINE}; write it with --update-baseline")
    assert not (tmp_path / BASELINE).exists()

    (tmp_path / BASELINE).write_text("what cannot be read is replaced")
    written = invoke("gate", f"{mine}:engine", "pendulum", "cart-pole", "--states", 9, "--seed", 5, "--update-baseline")
    assert (written.exit_code, f"wrote {BASELINE}" in written.stderr) == (0, True)

    again = invoke("gate", f"{mine}:engine", "-o", "results.json")
    results = json.loads((tmp_path / "results.json").read_text())
    assert again.exit_code == 0, again.output
    assert (results["settings"]["seed"], results["settings"]["states"]) == (5, 9)
    assert [mechanism["name"] for mechanism in results["mechanisms"]] == ["pendulum", "cart-pole"]
    origins = {one["name"]: one["origin"] for one in results["effective"]}
    assert origins["states"] == origins["mechanisms"] == f"baseline {BASELINE}"
    assert origins["baseline"] == "default"

    before = (tmp_path / BASELINE).read_text()
    mine.write_text(WORSE)
    worse = invoke("gate", f"{mine}:engine")
    assert worse.exit_code == 1
    assert "regression: pendulum/reference/kinetic_energy is off by" in worse.stdout
    assert "agrees with the truth" in worse.stdout
    assert (tmp_path / BASELINE).read_text() == before
    assert invoke("gate", f"{mine}:engine", "--update-baseline").exit_code == 0
    assert invoke("gate", f"{mine}:engine").exit_code == 0


def test_a_new_baseline_checks_what_the_old_one_did(invoke: Any, mine: Path, tmp_path: Path) -> None:
    spec = f"{mine}:engine"
    invoke("gate", spec, "pendulum", "cart-pole", "--states", 9, "--seed", 5, "--bar", 12, "--update-baseline")
    before = json.loads((tmp_path / BASELINE).read_text())
    edited(tmp_path / BASELINE, lambda b: mechanisms(b)["pendulum"]["cells"]["gravity"].update(error=1e-9))
    edited(tmp_path / BASELINE, lambda b: mechanisms(b)["cart-pole"].update(fingerprint="0" * 16))
    assert invoke("gate", spec).exit_code == 1
    assert invoke("gate", spec, "--update-baseline").exit_code == 0, "what it replaces is not compared with"
    assert json.loads((tmp_path / BASELINE).read_text()) == before
    invoke("gate", spec, "pendulum", "--states", 8, "--update-baseline")
    after = json.loads((tmp_path / BASELINE).read_text())
    assert list(mechanisms(after)) == ["pendulum", "cart-pole"], "an update on a subset keeps the others"
    assert mechanisms(after)["cart-pole"] == mechanisms(before)["cart-pole"]
    assert mechanisms(after)["pendulum"]["settings"] == {"seed": 5, "states": 8, "bar": 12.0, "certified": False}
    mixed = invoke("gate", spec)
    assert mixed.exit_code == 2
    assert "were recorded with different settings (states: 8, 9); name mechanisms that share it, or give it" in mixed.stderr
    assert invoke("gate", spec, "pendulum").exit_code == 0
    assert invoke("gate", spec, "--states", 9).exit_code == 0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("def gravity(mechanism, q): return 0 * q + 1", 1),
        ("def gravity(mechanism, q): raise ValueError('no')", 3),
        ("def load(mechanism): raise SystemExit(0)", 3),
        ("def load(mechanism): return None", 5),
        ("from implementations.protocol import Unsupported\ndef load(mechanism): raise Unsupported('not this one')", 5),
    ],
)
def test_exit_codes(invoke: Any, tmp_path: Path, body: str, code: int) -> None:
    (tmp_path / "code.py").write_text(body)
    found = invoke("gate", "code.py", "pendulum", "-q", "gravity", "--states", 3, "--update-baseline")
    assert found.exit_code == code, found.output
    assert (code == 5) == ("Nothing was compared" in found.stdout)
    never = "disagrees with the truth; the gate fails until the code is corrected, whichever baseline is used"
    assert (code == 1) == (never in found.stderr)


def test_a_missing_engine_fails_where_it_is_named_or_required_and_is_skipped_in_sight_elsewhere(
    invoke: Any, missing: str, tmp_path: Path
) -> None:
    gate = ("gate", missing, "pendulum", "--update-baseline")
    required = ("--require", missing)
    for words in ((*gate, *required), ("check", "pendulum", *required), gate, ("check", "pendulum", "-i", missing)):
        found = invoke(*words)
        assert (found.exit_code, found.stdout) == (3, "")
        asked = "required and " if "--require" in words else ""
        assert found.stderr == f"Error: {missing} is {asked}missing: pip install it\n"
    assert not (tmp_path / BASELINE).exists()
    checked = invoke("check", "pendulum", "--states", 7)
    assert checked.exit_code == 0
    assert f"{missing}: missing: pip install it" in checked.stdout


GRAVITY = """
from implementations.spatial_algebra.reference import REFERENCE

def gravity(mechanism, q):
    return {sign} * REFERENCE.load(mechanism).gravity(q[None])[0]
"""


@pytest.fixture
def recorded(invoke: Any, tmp_path: Path) -> str:
    """Code with one function, recorded on one mechanism."""
    (tmp_path / "code.py").write_text(GRAVITY.format(sign=1))
    assert invoke("gate", "code.py", "pendulum", "--states", 7, "--update-baseline").exit_code == 0
    return "code.py"


REFUSED = [
    (("code.py", "cart-pole"), "has no record of the mechanism 'cart-pole' for code.py; add it with --update-baseline"),
    (("code.py", "pendulum", "cart-pole"), "has no record of the mechanism 'cart-pole'"),
    (("reference", "pendulum"), "has no record of 'reference' (it has a record of 'code.py'); add it with --update-baseline"),
    (("code.py", "--states", 6), "6 states are fewer than the 7 of the baseline"),
    (("code.py", "--bar", 12), "the bar 12 is not the one of the baseline"),
    (("code.py", "--report", f"./{BASELINE}"), f"{BASELINE} is also an input"),
    (("code.py", "pendulum", "--update-baseline", "-o", BASELINE), f"{BASELINE} is named twice"),
    (("code.py", "--bar", 17), "the bar 17 is too large for a gate with a baseline; give 16 at most"),
    (("code.py", "--bar", 17, "--update-baseline"), "the bar 17 is too large"),
]


def test_the_gate_fails_closed(invoke: Any, recorded: str, tmp_path: Path) -> None:
    before = (tmp_path / BASELINE).read_bytes()
    assert len(before.splitlines()) < 30
    assert b"not offered" not in before
    for words, says in REFUSED:
        found = invoke("gate", *words)
        assert (found.exit_code, found.stdout) == (2, ""), words
        assert says in found.stderr.splitlines()[-1]
        assert (tmp_path / BASELINE).read_bytes() == before


def test_a_baseline_without_cells_is_refused(invoke: Any, recorded: str, tmp_path: Path) -> None:
    invoke("gate", "code.py", "cart-pole", "--update-baseline")
    edited(tmp_path / BASELINE, lambda b: mechanisms(b)["pendulum"]["cells"].clear())
    found = invoke("gate", "code.py")
    assert found.exit_code == 1
    assert "regression: pendulum has no cell in the baseline; add it with --update-baseline" in found.stdout


def test_results_and_the_reports_made_of_them_later_carry_the_comparison(invoke: Any, recorded: str, tmp_path: Path) -> None:
    edited(tmp_path / BASELINE, lambda b: mechanisms(b)["pendulum"]["cells"].update(gone={"verdict": "agrees", "error": 1.0}))
    words = ("--markdown", "now.md", "--junit", "now.xml", "--report", "now.html")
    now = invoke("gate", "code.py", "-o", "results.json", *words)
    gone = "was compared in the baseline and is not any more; before: agrees, 1 ε-units"
    assert (now.exit_code, gone in now.stdout) == (1, True)
    later = invoke("report", "results.json", "--html", "later.html", "--markdown", "later.md", "--junit", "later.xml")
    assert (later.exit_code, later.stdout) == (0, "")
    for kind in ("html", "md", "xml"):
        text = (tmp_path / f"later.{kind}").read_text()
        assert gone in text.replace("\\", "")
        assert text == (tmp_path / f"now.{kind}").read_text()
