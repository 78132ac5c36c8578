"""`dalembert smoke` tells a broken harness from broken dynamics, one sentence for every way to be broken."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dalembert.cli.main import main
from implementations.languages.program import Program
from implementations.languages.smoke import Step, smoke
from implementations.languages.tried import tried_mechanism, tried_states
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import CONSTRAINT_QUANTITIES

PROGRAM = Path(__file__).with_name("program.py")

pytestmark = pytest.mark.slow


def spec(*words: str) -> str:
    return "cmd:" + shlex.join([sys.executable, str(PROGRAM), *words])


def steps(how: str, timeout: float = 20) -> list[Step]:
    return list(smoke(spec(how), timeout))


@pytest.mark.nightly
@pytest.mark.parametrize("numbers", ["raw", "hex", "decimal"])
def test_a_program_that_works_passes_every_step(numbers: str) -> None:
    tried = list(smoke(spec("", numbers), 20))
    assert [step.problem for step in tried] == [""] * len(tried)
    assert tried[-1].name == "ends when it is asked to"
    assert sum(step.is_about_dynamics for step in tried) == 3


@pytest.mark.parametrize("kinds", [("prismatic",), ("continuous", "free"), ("spherical", "helical")])
def test_the_loop_that_is_tried_is_closed_and_can_move(kinds: tuple[Kind, ...]) -> None:
    for seed in (1, 2):
        mechanism = tried_mechanism(seed, kinds, is_closed=True)
        state = tried_states(mechanism, CONSTRAINT_QUANTITIES["constrained_acceleration"], 4)
        dynamics, arrays = REFERENCE.load(mechanism), mechanism.arrays
        places = dynamics.placements(state["q"])
        ends = ((arrays.firsts, arrays.first_translations), (arrays.seconds, arrays.second_translations))
        first, second = (places[:, body, :, :3] @ p + places[:, body, :, 3] for (body,), (p,) in ends)
        assert np.abs(first - second).max() < 1e-12
        J = dynamics.constraint_jacobian(state["q"])
        assert np.abs(J @ state["v"][..., None]).max() < 1e-12
        assert np.linalg.svd(J, compute_uv=False).min() > 0.03
        assert np.abs(np.diff(state["q"], axis=0)).max() > 0.1
        assert np.abs(dynamics.constraint_drift(state["q"], state["v"])).max() > 0.01 or kinds == ("prismatic",)


BROKEN = {
    "prints first": ("starts", "it sent 'Loading my library 2.0...', which is not JSON; standard output is for the protocol"),
    "no newline": ("starts", "a line of more than 1048576 bytes"),
    "ends": ("starts", "ended with exit status 4"),
    "deep": ("starts", "it sent '[[["),
    "another version": ("starts", "it speaks version 2 of the protocol, where this is version 1; rebuild the program"),
    "unknown quantity": ("starts", "did you mean 'inverse_dynamics'?"),
    "no quantity": ("starts", "names no quantity"),
    "unknown joint": ("starts", "unknown kind of joint 'hinge'; use revolute"),
    "unknown convention": ("starts", "no convention 'quaternions'; use quaternion"),
    "unknown field": ("starts", "'colour' was unexpected"),
    "unknown numbers": ("starts", "'float32' is not one of ['raw', 'hex', 'decimal']"),
    "forks": ("loads", "a wrong load reply"),
    "forgets a joint": ("loads", "its list of joints lacks 'joint1'; list every one once"),
    "an unknown joint": ("loads", "its list of joints has 'tail', which is none of the joints that move"),
    "crashes": ("answers inverse_dynamics", "was ended by signal 11, SIGSEGV"),
    "error": ("answers inverse_dynamics", "inverse_dynamics failed: singular matrix"),
    "another id": ("answers inverse_dynamics", "a reply with the id 4 to the request with the id 3"),
    "another name": ("answers inverse_dynamics", "an array called 'answer' instead of 'inverse_dynamics'"),
    "not a number": ("answers inverse_dynamics", "not finite in state 2"),
    "wrong shape": ("answers inverse_dynamics", "shape (3, 1); send (3, 5)"),
    "too many numbers": ("answers inverse_dynamics", "shape (6, 5), which has more than the 15 numbers"),
    "column major": ("answers inverse_dynamics", "state 0 of 3 gets another answer than the same state alone"),
    "remembers": ("answers inverse_dynamics", "another answer the second time"),
    "closes its output": ("answers inverse_dynamics", "closed its standard output"),
    "one mechanism": ("keeps two", "after a second mechanism was loaded, the first one answers differently"),
    "forgets all": ("forgets one", "ended with exit status 1"),
    "ends badly": ("ends", "exit status 9; end with 0"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_harness_fails_at_its_step_with_one_sentence(how: str) -> None:
    step, sentence = BROKEN[how]
    last = steps(how)[-1]
    assert last.name.startswith(step)
    assert sentence in last.problem
    assert "\n" not in last.problem
    assert not last.is_about_dynamics


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("how", "step", "sentence"),
    [
        ("hangs", "starts", "did not answer within 1 s"),
        ("wrong number of bytes", "answers", "did not answer within 1 s, after 112 of the 120 bytes of its numbers"),
        ("does not end", "ends", "did not end within 2 s"),
    ],
)
def test_a_program_that_hangs_is_ended(how: str, step: str, sentence: str) -> None:
    tried = list(smoke(spec(how), 1 if step != "ends" else 20))
    assert tried[-1].name.startswith(step)
    assert sentence in tried[-1].problem


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["wrong sign", "wrong gyroscopic", "reversed but says not"])
def test_wrong_dynamics_are_not_a_broken_harness(how: str) -> None:
    outcome = CliRunner().invoke(main, ["smoke", spec(how)])
    assert outcome.exit_code == 1
    assert "✗ dynamics: inverse_dynamics: off by" in outcome.output
    assert "The harness works; the dynamics differ." in outcome.output


@pytest.mark.parametrize("how", ["streams", "unsupported"])
def test_what_is_no_fault(how: str) -> None:
    """An answer before everything is read, though both pipes are full; what it cannot do."""
    tried = steps(how)
    assert not any(step.problem for step in tried)
    assert how != "unsupported" or "no time" in next(step.said for step in tried if step.name.startswith("answers"))


def test_a_program_that_has_ended_is_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It might not start, or hang."""
    started: list[str] = []
    begin = Program.__init__
    monkeypatch.setattr(
        Program, "__init__", lambda self, command, *given: started.append(command) or begin(self, command, *given)
    )
    assert "SIGSEGV" in steps("crashes")[-1].problem
    assert len(started) == 1


def test_what_was_sent_and_received_is_shown_where_it_fails() -> None:
    outcome = CliRunner().invoke(main, ["smoke", spec("wrong shape")])
    assert outcome.exit_code == 3
    assert '      sent     {"do": "evaluate", "id": 3, "model": 1, "quantity": "inverse_dynamics"' in outcome.output
    assert "      sent       360 bytes, the numbers" in outcome.output
    assert '      received {"id": 3, "arrays": [{"name": "inverse_dynamics", "shape": [3, 1]}]}' in outcome.output
    assert outcome.output.splitlines()[-1].startswith("The harness is broken. It fails at the step “answers")


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("cmd:./nothing", "'./nothing' cannot be started (No such file or directory)"),
        ("cmd:", "it names no program"),
        ("cmd:'open", "it has a quote that is not closed"),
        ("cmd:true", "instead of saying hello, it ended with exit status 0"),
        ("cmd:cat", "a wrong hello reply"),
        ("cmd:echo hello", "it sent 'hello', which is not JSON"),
    ],
)
def test_a_command_that_is_no_program_of_the_protocol(command: str, sentence: str) -> None:
    outcome = CliRunner().invoke(main, ["smoke", command, "--timeout", "5"])
    assert outcome.exit_code == 3
    assert sentence in outcome.output
    assert "Traceback" not in outcome.output


@pytest.mark.parametrize("how", ["terminal codes", pytest.param("reversed", marks=pytest.mark.nightly)])
def test_a_program_that_works(how: str) -> None:
    """A name that turns the terminal is shown without its codes; a declared order of joints is converted."""
    outcome = CliRunner().invoke(main, ["smoke", spec(how)])
    assert outcome.exit_code == 0, outcome.output
    assert not {"\x1b", "\u202e"} & set(outcome.output)


def test_a_word_that_is_no_command_is_refused() -> None:
    outcome = CliRunner().invoke(main, ["smoke", "my_dynamics.py"])
    assert outcome.exit_code == 2
    assert "write it as cmd:COMMAND" in outcome.output
