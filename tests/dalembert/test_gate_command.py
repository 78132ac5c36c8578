"""`dalembert gate`: a baseline from the first run to the day it fails, and every exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from implementations.plugins import registry
from implementations.plugins.registry import Listing

BASELINE = "dalembert-baseline.json"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text("from implementations.spatial_algebra.reference import REFERENCE as engine\n")
    return path


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> str:
    """An engine that has a name and is not installed."""
    listing = Listing("rbdl", None, "missing", "pip install it")
    monkeypatch.setattr("dalembert.session.list_implementations", lambda: (Listing("reference", "1", "installed"), listing))
    assert "rbdl" in registry.BUILT_IN
    return "rbdl"


def edited(path: Path, change: Any) -> None:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def test_from_the_first_run_to_a_regression(invoke: Any, mine: Path, tmp_path: Path) -> None:
    first = invoke("gate", f"{mine}:engine", "pendulum", "cart-pole", "--states", 9, "--seed", 5)
    assert (first.exit_code, first.stdout) == (2, ""), "a baseline that nobody committed must not pass for ever"
    assert first.stderr.startswith(f"Error: there is no baseline {BASELINE}; write it with --update-baseline")
    assert not (tmp_path / BASELINE).exists()

    written = invoke("gate", f"{mine}:engine", "pendulum", "cart-pole", "--states", 9, "--seed", 5, "--update-baseline")
    assert (written.exit_code, f"wrote {BASELINE}" in written.stderr) == (0, True)

    again = invoke("gate", f"{mine}:engine", "-o", "results.json")
    results = json.loads((tmp_path / "results.json").read_text())
    assert again.exit_code == 0, again.output
    assert (results["settings"]["seed"], results["settings"]["states"]) == (5, 9)
    assert [mechanism["name"] for mechanism in results["mechanisms"]] == ["pendulum", "cart-pole"]

    before = (tmp_path / BASELINE).read_text()
    mine.write_text("from worse import engine\n")
    (tmp_path / "worse.py").write_text(WORSE)
    worse = invoke("gate", f"{mine}:engine")
    assert worse.exit_code == 1
    assert "regression: pendulum/reference/kinetic_energy is off by" in worse.stdout
    assert "agrees with the truth" in worse.stdout
    assert (tmp_path / BASELINE).read_text() == before
    assert invoke("gate", f"{mine}:engine", "--update-baseline", "pendulum").exit_code == 0
    assert invoke("gate", f"{mine}:engine").exit_code == 0


WORSE = """
from implementations.spatial_algebra.reference import REFERENCE
from cross_check.findings.known import Repaired

class engine:
    name = "reference"

    def load(self, mechanism):
        right = REFERENCE.load(mechanism)
        return Repaired(right, kinetic_energy=lambda q, v: right.kinetic_energy(q, v) * (1 + 2**-49))
"""


def test_what_is_gone_since_the_baseline(invoke: Any, mine: Path, tmp_path: Path) -> None:
    spec = f"{mine}:engine"
    invoke("gate", spec, "pendulum", "--states", 7, "--update-baseline")
    mine.write_text(FEWER)
    found = invoke("gate", spec)
    assert found.exit_code == 1
    assert "regression: pendulum/reference/gravity was compared in the baseline and is not any more" in found.stdout
    edited(tmp_path / BASELINE, lambda b: b["mechanisms"]["pendulum"].update(fingerprint="0" * 16))
    assert "regression: pendulum the mechanism is not the one of the baseline" in invoke("gate", spec).stdout


FEWER = """
from types import SimpleNamespace
from implementations.spatial_algebra.reference import REFERENCE

class engine:
    name = "reference"

    def load(self, mechanism):
        right = REFERENCE.load(mechanism)
        return SimpleNamespace(**{n: getattr(right, n) for n in ("inverse_dynamics", "mass_matrix")})
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is no JSON"),
        ("{}", "is no baseline of this version (schema None"),
        ('{"schema": "dalembert-baseline-0"}', "is no baseline of this version (schema 'dalembert-baseline-0'"),
        ('{"schema": "dalembert-baseline-1"}', "is damaged"),
    ],
)
def test_a_baseline_that_cannot_be_used_is_usage(invoke: Any, mine: Path, tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / BASELINE).write_text(text)
    found = invoke("gate", f"{mine}:engine", "pendulum")
    assert found.exit_code == 2
    assert len(found.stderr.splitlines()) == 1
    assert says in found.stderr
    assert "write it" in found.stderr
    assert invoke("gate", f"{mine}:engine", "pendulum", "--states", 7, "--update-baseline").exit_code == 0
    assert invoke("gate", f"{mine}:engine").exit_code == 0


def test_a_new_baseline_checks_what_the_old_one_did(invoke: Any, mine: Path, tmp_path: Path) -> None:
    spec = f"{mine}:engine"
    invoke("gate", spec, "pendulum", "cart-pole", "--states", 9, "--seed", 5, "--bar", 12, "--update-baseline")
    before = json.loads((tmp_path / BASELINE).read_text())
    edited(tmp_path / BASELINE, lambda b: b["cells"].update(gone={"mechanism": "pendulum", "verdict": "agrees", "error": 1.0}))
    assert invoke("gate", spec).exit_code == 1
    assert invoke("gate", spec, "--update-baseline").exit_code == 0, "what it replaces is not compared with"
    assert json.loads((tmp_path / BASELINE).read_text()) == before
    invoke("gate", spec, "pendulum", "--states", 8, "--update-baseline")
    after = json.loads((tmp_path / BASELINE).read_text())
    assert list(after["mechanisms"]) == ["pendulum"]
    assert [after["settings"][name] for name in ("seed", "states", "bar")] == [5, 8, 12]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("def gravity(mechanism, q): return 0 * q", 1),
        ("def gravity(mechanism, q): raise ValueError('no')", 3),
        ("def gravity(mechanism, q): raise SystemExit(0)", 3),
        ("def load(mechanism): return None", 5),
        ("def load(mechanism): raise SystemExit(0)", 3),
        ("from implementations.protocol import Unsupported\ndef load(mechanism): raise Unsupported('not this one')", 5),
    ],
)
def test_exit_codes(invoke: Any, tmp_path: Path, body: str, code: int) -> None:
    (tmp_path / "code.py").write_text(body)
    found = invoke("gate", "code.py", "pendulum", "--states", 7, "--update-baseline")
    assert found.exit_code == code, found.output
    assert (code == 5) == ("Nothing was compared" in found.stdout)


def test_a_required_engine_that_is_missing(invoke: Any, missing: str) -> None:
    for words in (
        ("gate", missing, "pendulum", "--update-baseline"),
        ("check", "pendulum"),
        ("check", "pendulum", "-i", "reference"),
    ):
        found = invoke(*words, "--require", missing)
        assert found.exit_code == 3
        assert found.stderr == f"Error: {missing} is required and missing: pip install it\n"


def test_a_missing_engine_fails_where_it_is_named_and_is_skipped_in_sight_elsewhere(
    invoke: Any, missing: str, tmp_path: Path
) -> None:
    for words in (("gate", missing, "pendulum", "--update-baseline"), ("check", "pendulum", "-i", "reference", "-i", missing)):
        found = invoke(*words)
        assert (found.exit_code, found.stdout) == (3, "")
        assert found.stderr == f"Error: {missing} is missing: pip install it\n"
    assert not (tmp_path / BASELINE).exists()
    checked = invoke("check", "pendulum", "--states", 7)
    assert checked.exit_code == 0
    assert f"{missing}: missing: pip install it" in checked.stdout
