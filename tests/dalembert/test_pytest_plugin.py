"""The gate from a user's own test suite."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Each run would import it anew: pytester forgets what a run has imported.
import dalembert.gatekeeper  # noqa: F401

pytest_plugins = ["pytester"]

WRONG = """
from implementations.spatial_algebra.reference import REFERENCE
from cross_check.explain.findings.finding import Repaired

class Wrong:
    name = "wrong"

    def load(self, mechanism):
        right = REFERENCE.load(mechanism)
        return Repaired(right, gravity=lambda q: 1.001 * right.gravity(q))
"""


@pytest.fixture
def run(pytester: pytest.Pytester):
    """Runs one test module with the installed plugin, in this process."""

    def run(body: str, *options: str) -> pytest.RunResult:
        pytester.makeini("[pytest]\naddopts = --strict-markers -p no:benchmark -p no:cacheprovider\n")
        pytester.makepyfile(wrong=WRONG)
        pytester.syspathinsert()
        pytester.makepyfile(test_mine=f"import pytest\n{body}")
        return pytester.runpytest(*options)

    return run


def test_right_code_gives_its_results_and_the_marker_sets_what_the_call_leaves_open(run) -> None:
    body = """
@pytest.mark.dalembert("cart-pole", seed=7, states=9, quantities=["gravity"])
def test_marked(dalembert_gate):
    results = dalembert_gate("reference")
    assert (results.settings.seed, results.settings.states) == (7, 9)
    assert [cell.id for cell in results.cells] == ["cart-pole/reference/gravity"]
    assert results.invariants == ()

@pytest.mark.dalembert("cart-pole", seed=7, states=9, quantities=["gravity"])
def test_overruled(dalembert_gate):
    results = dalembert_gate("reference", "pendulum", "scara", states=8)
    assert (results.settings.seed, results.settings.states) == (7, 8)
    assert [m.name for m in results.mechanisms] == ["pendulum", "scara"]

@pytest.mark.dalembert(bar=1e9)
def test_wide(dalembert_gate):
    from wrong import Wrong
    with pytest.raises(pytest.fail.Exception):
        dalembert_gate(Wrong(), "pendulum", quantities=["gravity"], states=7)
"""
    run(body).assert_outcomes(passed=3)


def test_wrong_code_fails_with_an_entry_for_each_cause(run) -> None:
    body = """
from wrong import Wrong
def test_it(dalembert_gate):
    dalembert_gate(Wrong(), "pendulum", "cart-pole", states=7, in_process=True)
"""
    result = run(body)
    result.assert_outcomes(failed=1)
    # vᵀ(Ṁ − 2C)v = 0 takes gravity too.
    problems = [line for line in result.outlines if line.startswith(("disagrees:", "broken:"))]
    assert 1 <= len(problems) <= 2 and "gravity" in problems[0] and "wrong" in problems[0]
    result.stdout.re_match_lines_random(
        [
            r"    smallest example \(1 body\): g at \S+: got \S+ N m, expected \S+ N m \(0.1 % off\)",
            r"    the largest error is \S+ ε-units; up to 16 agrees",
            r"    4 of 4 cells and invariants: g.* on pendulum, cart-pole",
            r"    dalembert check \S+ --implementation wrong --quantity gravity .*--state \d+",
        ]
    )
    assert not any("Traceback" in line or "gatekeeper.py" in line for line in result.outlines)


SLIPS = [
    ('"reference", "cart-poll"', "did you mean 'cart-pole'"),
    ('"pinochio", "pendulum"', "did you mean 'pinocchio'"),
    ('"reference", "pendulum", quantities=["torque"]', "there is no quantity 'torque'; use"),
    ('"reference", "pendulum", states=0', "cannot be run; give"),
    ('"reference", "pendulum", colour="red"', "there is no setting 'colour'; use seed, states, bar"),
    ('type("Empty", (), {"load": lambda self, m: None})(), "pendulum", states=7', "nothing was compared"),
    ('object(), "pendulum", states=7', "offers none of the quantities"),
    ('"reference", baseline="broken.json"', "is no JSON"),
]


def test_slips_are_told_in_one_line(run, pytester: pytest.Pytester) -> None:
    (pytester.path / "broken.json").write_text("{")
    tests = [f"def test_{k}(dalembert_gate):\n    dalembert_gate({call})\n" for k, (call, _) in enumerate(SLIPS)]
    result = run("\n".join(tests))
    result.assert_outcomes(failed=len(SLIPS))
    for k, (_, says) in enumerate(SLIPS):
        result.stdout.fnmatch_lines([f"*_ test_{k} _*", f"*{says}*"])
    assert not any(line.startswith((">", "E ", "Error:")) for line in result.outlines)


def test_baseline_from_the_first_run_to_a_regression(run, pytester: pytest.Pytester) -> None:
    body = """
@pytest.mark.dalembert("pendulum", states=7, baseline="numbers/baseline.json")
def test_it(dalembert_gate):
    dalembert_gate("reference")
"""
    path = pytester.path / "numbers" / "baseline.json"
    result = run(body)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["there is no baseline *baseline.json; write it with *--dalembert-update-baseline*"])
    assert not path.exists(), "nothing is written unless it is asked for"
    run(body, "--dalembert-update-baseline").assert_outcomes(passed=1)
    baseline = json.loads(path.read_text())
    run(body).assert_outcomes(passed=1)
    baseline["implementations"]["reference"]["mechanisms"]["pendulum"]["cells"]["gone"] = {"verdict": "agrees", "error": 1.0}
    path.write_text(json.dumps(baseline))
    result = run(body)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["pendulum/reference/gone: was compared in the baseline and is not any more; before: agrees, 1 ε-units"]
    )


def test_the_option_and_the_marker_explain_themselves(run) -> None:
    help_text = run("", "--help").stdout.str()
    assert "--dalembert-update-baseline" in help_text
    assert "dalembert(*mechanisms, seed=0, states=98" in run("", "--markers").stdout.str()
    assert "dalembert_gate" in run("", "--fixtures").stdout.str()


def test_start_up_is_light(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text("def test_it(dalembert_gate): pass\n")
    (tmp_path / "conftest.py").write_text(
        "import sys\ndef pytest_unconfigure():\n    print('LOADED', *sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    words = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    found = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True)
    loaded = set(found.stdout.partition("LOADED ")[2].split())
    assert "dalembert" in loaded
    heavy = {"numpy", "sympy", "pinocchio", "biorbd", "jsonschema", "jinja2", "rich", "mechanisms", "oracle", "cross_check"}
    assert loaded & heavy == set()
