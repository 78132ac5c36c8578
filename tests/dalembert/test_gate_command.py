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

CODE = """
from implementations.spatial_algebra.reference import REFERENCE

def gravity(mechanism, q):
    return REFERENCE.load(mechanism).gravity(q[None])[0]

def kinetic_energy(mechanism, q, v):
    return REFERENCE.load(mechanism).kinetic_energy(q[None], v[None])[0] * ({factor})
"""


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """Right code, with two functions."""
    path = tmp_path / "code.py"
    path.write_text(CODE.format(factor=1))
    return path


@pytest.fixture
def recorded(invoke: Any, code: Path) -> None:
    """A baseline of the code on one mechanism."""
    assert invoke("gate", "code.py", "pendulum", "--states", 7, "--update-baseline").exit_code == 0


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


def test_from_the_first_run_to_a_regression(invoke: Any, code: Path, tmp_path: Path) -> None:
    first = invoke("gate", "code.py", "pendulum", "cart-pole", "--states", 9, "--seed", 5)
    assert (first.exit_code, first.stdout) == (2, ""), "a baseline that nobody committed must not pass for ever"
    assert first.stderr.startswith(f"Error: there is no baseline {BASELINE}; write it with --update-baseline")
    assert not (tmp_path / BASELINE).exists()

    (tmp_path / BASELINE).write_text("what cannot be read is replaced")
    written = invoke("gate", "code.py", "pendulum", "cart-pole", "--states", 9, "--seed", 5, "--update-baseline")
    assert (written.exit_code, f"wrote {BASELINE}" in written.stderr) == (0, True)

    again = invoke("gate", "code.py", "-o", "results.json")
    results = json.loads((tmp_path / "results.json").read_text())
    assert again.exit_code == 0, again.output
    assert (results["settings"]["seed"], results["settings"]["states"]) == (5, 9)
    assert [mechanism["name"] for mechanism in results["mechanisms"]] == ["pendulum", "cart-pole"]
    origins = {one["name"]: one["origin"] for one in results["effective"]}
    assert origins["states"] == origins["mechanisms"] == f"baseline {BASELINE}"
    assert origins["baseline"] == "default"

    before = (tmp_path / BASELINE).read_text()
    code.write_text(CODE.format(factor="1 + 2**-49"))
    worse = invoke("gate", "code.py")
    assert worse.exit_code == 1
    assert "regression: pendulum/code/kinetic_energy is off by" in worse.stdout
    assert "agrees with the truth" in worse.stdout
    assert (tmp_path / BASELINE).read_text() == before
    assert invoke("gate", "code.py", "--update-baseline").exit_code == 0
    assert invoke("gate", "code.py").exit_code == 0


def test_a_new_baseline_checks_what_the_old_one_did(invoke: Any, code: Path, tmp_path: Path) -> None:
    invoke("gate", "code.py", "pendulum", "cart-pole", "--states", 9, "--seed", 5, "--bar", 12, "--update-baseline")
    before = json.loads((tmp_path / BASELINE).read_text())
    edited(tmp_path / BASELINE, lambda b: mechanisms(b)["pendulum"]["cells"]["gravity"].update(error=1e-9))
    edited(tmp_path / BASELINE, lambda b: mechanisms(b)["cart-pole"].update(fingerprint="0" * 16))
    assert invoke("gate", "code.py").exit_code == 1
    assert invoke("gate", "code.py", "--update-baseline").exit_code == 0, "what it replaces is not compared with"
    assert json.loads((tmp_path / BASELINE).read_text()) == before
    invoke("gate", "code.py", "pendulum", "--states", 8, "--update-baseline")
    after = json.loads((tmp_path / BASELINE).read_text())
    assert list(mechanisms(after)) == ["pendulum", "cart-pole"], "an update on a subset keeps the others"
    assert mechanisms(after)["cart-pole"] == mechanisms(before)["cart-pole"]
    assert mechanisms(after)["pendulum"]["settings"] == {"seed": 5, "states": 8, "bar": 12.0, "certified": False}
    mixed = invoke("gate", "code.py")
    assert mixed.exit_code == 2
    assert "were recorded with different settings (states: 8, 9); name mechanisms that share it, or give it" in mixed.stderr
    assert invoke("gate", "code.py", "pendulum").exit_code == 0
    assert invoke("gate", "code.py", "--states", 9).exit_code == 0


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
    found = invoke("gate", "code.py", "pendulum", "-q", "gravity", "--states", 3, "--update-baseline", "--no-explain")
    assert found.exit_code == code, found.output
    assert (code == 5) == ("Nothing was compared" in found.stdout)
    assert (code == 1) == (tmp_path / BASELINE).exists()


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


def test_the_gate_fails_closed(invoke: Any, recorded: None, tmp_path: Path) -> None:
    before = (tmp_path / BASELINE).read_bytes()
    assert len(before.splitlines()) < 36
    assert b"not offered" not in before
    for words, says in REFUSED:
        found = invoke("gate", *words)
        assert (found.exit_code, found.stdout) == (2, ""), words
        assert says in found.stderr.splitlines()[-1]
        assert (tmp_path / BASELINE).read_bytes() == before


def test_a_baseline_without_cells_is_refused(invoke: Any, recorded: None, tmp_path: Path) -> None:
    invoke("gate", "code.py", "cart-pole", "--update-baseline")
    edited(tmp_path / BASELINE, lambda b: mechanisms(b)["pendulum"]["cells"].clear())
    found = invoke("gate", "code.py")
    assert found.exit_code == 1
    assert "regression: pendulum has no cell in the baseline; add it with --update-baseline" in found.stdout


def test_results_and_the_reports_made_of_them_later_carry_the_comparison(invoke: Any, recorded: None, tmp_path: Path) -> None:
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
