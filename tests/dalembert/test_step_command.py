"""The command step: what it prints and writes, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from cross_check.steps.asked import steps_case
from mechanisms import find_mechanism

pytestmark = pytest.mark.slow

Invoke = Callable[..., Result]

PENDULUM = """
import numpy as np

INERTIA, WEIGHT = 0.064 + 1.2 * 0.4**2, 9.81 * 1.2 * 0.4

def step(mechanism, q, v, tau, h):
    v = v + h * (tau - {damping} * v - WEIGHT * np.sin(q)) / INERTIA
    return q + h * v, v
"""


def code(damping: str = "0.05", more: str = "") -> str:
    Path("mine.py").write_text(PENDULUM.format(damping=damping) + more, "utf-8")
    return "mine.py"


FEW = ("pendulum", "--states", "4", "--in-process")


def test_a_right_step_is_named_and_written(invoke: Invoke) -> None:
    found = invoke("step", code(), *FEW, "-o", "steps.json", "--scheme", "semi-implicit Euler")
    assert found.exit_code == 0, found.output
    assert "mine, step: semi-implicit Euler (v⁺, then q⁺ with v⁺), to 0." in found.stdout
    (one,) = json.loads(Path("steps.json").read_text("utf-8"))["steps"]
    assert (one["agrees"], one["mechanism"], one["states"], one["altered"]) == (True, "pendulum", 4, "")


def test_a_wrong_step_and_another_scheme_than_the_required_one_end_with_1(invoke: Invoke) -> None:
    wrong = invoke("step", code("0.1"), *FEW)
    assert (wrong.exit_code, "as if damping were 2 times as large" in wrong.stdout) == (1, True)
    other = invoke("step", code(), *FEW, "--scheme", "Runge")
    assert (other.exit_code, ", not Runge, on 1 mechanism" in other.stdout) == (1, True)


@pytest.mark.parametrize(
    ("more", "exit_code", "said"),
    [
        ("del step\ndef gravity(mechanism, q): return q", 5, "mine offers no step; define step(mechanism, q, v, tau, h)"),
        ("def step(mechanism, q, v, tau, h): raise ValueError('no')", 3, "failed: step raised ValueError: no"),
        ("def step(mechanism, q, v, tau, h): return q", 3, "step returned shape (1,); return (2,) for one state"),
    ],
)
def test_code_without_steps_and_code_that_fails(invoke: Invoke, more: str, exit_code: int, said: str) -> None:
    found = invoke("step", code(more="\n" + more), *FEW)
    assert (found.exit_code, said in found.stdout) == (exit_code, True), found.output


def test_a_step_that_fails_leaves_the_others(invoke: Invoke) -> None:
    found = invoke("step", code(more="\ndef step_broken(mechanism, q, v, tau, h): return q * np.nan, v\nstep_other = step"), *FEW)
    assert (found.exit_code, "pendulum, step_broken: failed: step_broken returned nan" in found.stdout) == (3, True), found.output
    assert "mine, step_other: semi-implicit Euler" in found.stdout


def test_what_cannot_be_asked_is_refused(invoke: Invoke) -> None:
    assert "left out: steps of mechanisms with constraints" in invoke("step", code(), "four-bar", "--in-process").stdout
    assert invoke("step", code(), *FEW, "--h", "0").exit_code == 2


@pytest.mark.parametrize("words", [("--h", "1000"), ("--h", "10", "--states", "3")])
def test_states_at_rest_alone_show_nothing(invoke: Invoke, words: tuple[str, ...]) -> None:
    """At rest a wrong damping has no effect."""
    found = invoke("step", code("0.1"), "pendulum", "--in-process", *words)
    said = "lead too far from all states that move; give a shorter --h"
    assert (found.exit_code, said in found.stdout) == (5, True), found.output


def test_functions_that_are_called_step_and_are_none_change_nothing(invoke: Invoke) -> None:
    more = "def gravity(mechanism, q): return WEIGHT * np.sin(q)\ndef step_size(x): return x\nstep_count = 3"
    assert "offers no step" not in invoke("step", code(more="\n" + more), *FEW).stdout
    found = invoke("check", code(more="\n" + more), "pendulum", "--in-process", "--states", "20", "--no-explain")
    assert found.exit_code == 0, found.output


def test_a_step_that_remembers_earlier_calls_is_said_to(invoke: Invoke) -> None:
    more = """
rates = [0.0]

def step(mechanism, q, v, tau, h):
    rates.append((tau - 0.05 * v - WEIGHT * np.sin(q)) / INERTIA)
    return q + h * v, v + h * (1.5 * rates[-1] - 0.5 * rates[-2])
"""
    found = invoke("step", code(more=more), *FEW)
    assert (found.exit_code, "needs earlier steps: Adams–Bashforth with 2 steps" in found.stdout) == (1, True), found.output
    assert "earlier" not in invoke("step", code("0.1"), *FEW).stdout


def test_a_step_that_uses_rates_where_a_motion_goes_on_is_no_euler(invoke: Invoke) -> None:
    """A method of Adams that starts anew at each other state is explicit Euler there."""
    more = """
last, rates = [], []

def step(mechanism, q, v, tau, h):
    if [q[0], v[0]] != last:
        rates[:] = []
    rates[:] = [np.array([v, (tau - 0.05 * v - WEIGHT * np.sin(q)) / INERTIA]), *rates[:1]]
    q, v = np.array([q, v]) + h * (1.5 * rates[0] - 0.5 * rates[1] if len(rates) > 1 else rates[0])
    last[:] = [q[0], v[0]]
    return q, v
"""
    found = invoke("step", code(more=more), *FEW)
    assert (found.exit_code, "needs earlier steps: Adams–Bashforth with 2 steps" in found.stdout) == (1, True), found.output


def test_a_force_that_comes_late_is_no_method_of_several_steps(invoke: Invoke) -> None:
    more = """
right, kept = step, {}

def step(mechanism, q, v, tau, h):
    late, kept["tau"] = kept.get("tau", tau), tau
    return right(mechanism, q, v, late, h)
"""
    found = invoke("step", code(more=more), *FEW)
    assert "as if the applied force of the state before acted" in found.stdout, found.output
    assert "it depends on earlier calls" in found.stdout and "steps: " not in found.stdout, found.output


def test_answers_that_change_by_chance_are_said_to(invoke: Invoke) -> None:
    more = "\nright, calls = step, []\ndef step(*asked):\n    calls.append(1)\n    q, v = right(*asked)"
    more += "\n    return q, v * (1 + 1e-6 * len(calls))"
    assert "it depends on earlier calls, or on chance" in invoke("step", code(more=more), *FEW).stdout


def test_a_step_that_knows_the_states_of_a_seed_is_seen(invoke: Invoke) -> None:
    """It is asked further from where its own answers lead."""
    states = steps_case(find_mechanism("pendulum"), 0, 4).states.q[:, 0].tolist()
    more = f"\nright, known = step, {states}\ndef step(mechanism, q, v, tau, h):\n    off = 0.0 if q[0] in known else 1e-3 * h"
    more += "\n    q, v = right(mechanism, q, v, tau, h)\n    return q, v + off"
    found = invoke("step", code(more=more), *FEW)
    assert (found.exit_code, "at those to which these steps lead it does not" in found.stdout) == (1, True), found.output


def test_code_with_too_many_steps_is_refused(invoke: Invoke) -> None:
    more = "\nfor k in range(200): globals()[f'step_{k}'] = step"
    found = invoke("step", code(more=more), *FEW)
    assert (found.exit_code, "offers 201 steps; offer 100 at most" in found.stdout) == (3, True), found.output


@pytest.mark.engines
@pytest.mark.nightly
def test_a_known_fault_of_an_engine_acts_in_its_steps(invoke: Invoke) -> None:
    pytest.importorskip("dartpy")
    found = invoke("step", "dart", "spherical-pendulum", "--in-process")
    said = "but for a known fault (docs/findings/dart-small-rotation-vectors.md)"
    assert (found.exit_code, said in found.stdout) == (0, True), found.output


@pytest.mark.engines
@pytest.mark.nightly
def test_one_scheme_of_mujoco_holds_for_arms_and_for_free_bodies(invoke: Invoke) -> None:
    pytest.importorskip("mujoco")
    found = invoke("step", "mujoco", "spatial-3r", "free-rigid-body", "--in-process", "--states", "6")
    said = "mujoco, step_implicitfast: semi-implicit Euler (v⁺, then q⁺ with v⁺), damping implicit, and all forces of velocity of"
    assert (found.exit_code, said in found.stdout) == (0, True), found.output


@pytest.mark.nightly
def test_a_step_that_ignores_h_has_no_order(invoke: Invoke) -> None:
    found = invoke(
        "step", code(more="\nfixed = step\ndef step(mechanism, q, v, tau, h): return fixed(mechanism, q, v, tau, 1e-3)"), *FEW
    )
    assert "of no order: one step and two half steps do not come near each other" in found.stdout


def test_a_step_that_is_right_at_some_states_is_said_to_be(invoke: Invoke) -> None:
    more = "\nright = step\ndef step(mechanism, q, v, tau, h): return right(mechanism, q, np.clip(v, -0.5, 0.5), tau, h)"
    found = invoke("step", code(more=more), *FEW)
    assert " of 4 states; at the others v⁺ of pivot is off by" in found.stdout, found.output


def test_right_code_in_float32_is_judged_by_its_own_roundings(invoke: Invoke) -> None:
    found = invoke("step", code(more='\nprecision = "float32"'), *FEW)
    assert (found.exit_code, "mine, step: semi-implicit Euler" in found.stdout) == (0, True), found.output
    assert invoke("step", code("0.5", more='\nprecision = "float32"'), *FEW).exit_code == 1
    far = "\nright = step\ndef step(mechanism, q, v, tau, h): return q + 1.5 * h * v, right(mechanism, q, v, tau, h)[1]"
    wrong = invoke("step", code(more=f'\nprecision = "float32"{far}'), *FEW)
    assert (wrong.exit_code, "as if positions moved for 3/2 h" in wrong.stdout) == (1, True), wrong.output


@pytest.fixture
def certified(invoke: Invoke) -> str:
    """A trajectory of the pendulum without damping, as a file."""
    assert invoke("trajectory", "pendulum", "--time", "0.5", "--samples", "2", "-q", "1", "-o", "half.json").exit_code == 0
    return "half.json"


def test_the_error_of_a_scheme_is_told_from_another_motion(invoke: Invoke, certified: str) -> None:
    along = ("--along", certified, "--h", "0.01", "--in-process")
    right = invoke("step", code("0"), *along)
    assert (right.exit_code, right.stdout.count("the scheme's, order 1.0")) == (0, 2), right.output
    damped = invoke("step", code("0.5"), *along)
    assert (damped.exit_code, "the motion is another one" in damped.stdout) == (1, True), damped.output


def test_trajectories_that_cannot_be_followed_are_refused(invoke: Invoke, certified: str) -> None:
    none = code(more="\ndel step\ndef gravity(mechanism, q): return q")
    found = invoke("step", none, "--along", certified, "--in-process")
    assert (found.exit_code, "mine offers no step; define step(mechanism, q, v, tau, h)" in found.stdout) == (5, True)
    assert "takes its mechanism from its FILE" in invoke("step", code(), "pendulum", "--along", certified).stderr
    text = Path(certified).read_text("utf-8")
    Path(certified).write_text(json.dumps(json.loads(text) | {"times": ["0.5", "0.25"]}), "utf-8")
    falling = invoke("step", code(), "--along", certified)
    assert (falling.exit_code, "its times do not rise" in falling.stderr) == (2, True)
    Path(certified).write_text(text.replace('"fingerprint": "', '"fingerprint": "0'), "utf-8")
    refused = invoke("step", code(), "--along", certified)
    assert (refused.exit_code, "that has other numbers now; choose another trajectory" in refused.stderr) == (2, True)
