"""Answers that depend on the process: the order of a set, random numbers. Workers have a fixed hash seed, others have others."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from stateful import Stateful, cache_by_position, one_state_at_a_time, permanent_cache_by_position
from test_history import ARM, asked, case_of

from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.causes.plain import cause_of_history
from cross_check.judge.history.check import History, ask_again
from cross_check.judge.history.replay import BY_PROCESS
from implementations.processes.remote import OTHER_PROCESSES, Remote

CODE = """
from types import SimpleNamespace
import numpy as np
from implementations.spatial_algebra.reference import REFERENCE

names = ["arm", "leg", "hand", "foot", "head", "neck"]
{before}

def load(mechanism):
    right = REFERENCE.load(mechanism)

    def inverse_dynamics(q, v, a):
        tau = right.inverse_dynamics(q, v, a)
        return {answer}

    return SimpleNamespace(inverse_dynamics=inverse_dynamics, gravity=right.gravity)
"""
SET_ORDER = "order = sorted(set(names), key=lambda name: len(name) < 9)"
DEPENDENT = {
    "the order of a set": (SET_ORDER, "tau * (1 + names.index(order[0]))"),
    "a random number for ever": ("factor = np.random.default_rng().random()", "tau * factor"),
    "a small random number": ("draw = np.random.default_rng().random", "tau * (1 + 1e-6 * draw())"),
    "the hash of a string": ("", "tau * (1 + hash('arm') % 1000)"),
}
RIGHT = {
    "rounding by the order of a set": (
        f"{SET_ORDER}\nparts = [1 / (3 + names.index(name)) for name in order]",
        "tau * sum(parts)",
    ),
    "random numbers with a seed": ("factor = np.random.default_rng(3).random()", "tau * factor"),
    "right": ("", "tau"),
}


def remote(tmp_path: Path, before: str, answer: str) -> Remote:
    path = tmp_path / "code.py"
    path.write_text(CODE.format(before=before, answer=answer))
    return Remote(str(path))


def history(subject: Remote) -> History:
    case = case_of(ARM)
    with closing(subject):
        loaded = subject.load(case.mechanism)
        answers, cells = asked(case, loaded, ("inverse_dynamics", "gravity"))
        return ask_again(case, subject, loaded, answers, cells, BAR, subject.fresh, others=subject.elsewhere)


@pytest.mark.slow
def test_equal_commands_have_equal_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = case_of(ARM)

    def first_answer(subject: Remote) -> bytes:
        with closing(subject):
            asked = subject.load(case.mechanism).ask("inverse_dynamics", case.states.q, case.states.v, case.states.a)
            return asked.value.tobytes()

    subject = remote(tmp_path, *DEPENDENT["the order of a set"])
    here = first_answer(subject)
    monkeypatch.setenv("PYTHONHASHSEED", "random")
    assert first_answer(subject.fresh()) == here
    assert any(first_answer(subject.fresh(other)) != here for other in range(1, 1 + OTHER_PROCESSES))


@pytest.mark.nightly
@pytest.mark.parametrize("fault", DEPENDENT)
def test_what_depends_on_the_process_is_said_to(tmp_path: Path, fault: str) -> None:
    found = history(remote(tmp_path, *DEPENDENT[fault]))
    assert (found.verdict, found.pair) == ("discrepancy", None)
    assert found.message.startswith("inverse_dynamics at state ")
    assert found.message.endswith(BY_PROCESS)
    assert found.difference and found.difference > BAR
    assert "what was called before" not in found.message
    cause = cause_of_history(found, "code", ARM, [])
    assert cause
    assert (cause.id, cause.kind, cause.alternatives) == ("code/process", "condition", ())
    assert "sort what comes out of a set" in cause.remedy


@pytest.mark.nightly
@pytest.mark.parametrize("name", RIGHT)
def test_what_does_not_depend_on_the_process_is_not_accused(tmp_path: Path, name: str) -> None:
    found = history(remote(tmp_path, *RIGHT[name]))
    assert (found.verdict, found.message) == ("agrees", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault", [cache_by_position, pytest.param(one_state_at_a_time(permanent_cache_by_position), marks=pytest.mark.nightly)]
)
def test_what_code_remembers_is_not_taken_for_the_process(fault: object) -> None:
    found = history(Remote("mine", implementation=Stateful(fault, ("inverse_dynamics",))))  # type: ignore[arg-type]
    assert found.verdict == "discrepancy"
    assert BY_PROCESS not in found.message


@pytest.mark.nightly
def test_what_a_whole_process_remembers_is_no_dependence_on_the_process(tmp_path: Path) -> None:
    """Only the processes that serve a whole run answer otherwise; when it is asked first, every process answers alike."""
    before = "calls = []"
    right = remote(tmp_path, before, "(calls.append(1), tau)[1] * (1 + (len(calls) > 100_000))")
    assert history(right).verdict == "agrees"
    case = case_of(ARM)
    poisoned = remote(tmp_path, before, "(calls.append(1), tau)[1] * (1 + (len(calls) > 60))")
    with closing(poisoned):
        for other in poisoned.elsewhere:
            loaded = other.load(case.mechanism)
            for _ in range(70):
                loaded.ask("inverse_dynamics", case.states.q, case.states.v, case.states.a)
        loaded = poisoned.load(case.mechanism)
        answers, cells = asked(case, loaded, ("inverse_dynamics",))
        found = ask_again(case, poisoned, loaded, answers, cells, BAR, poisoned.fresh, others=poisoned.elsewhere)
    assert BY_PROCESS not in found.message
    assert found.verdict == "agrees"


def test_processes_start_when_they_are_asked_and_end_with_the_first(tmp_path: Path) -> None:
    subject = remote(tmp_path, *RIGHT["right"])
    others = subject.elsewhere
    assert len({other._home.hash_seed for other in (subject, *others)}) == 1 + OTHER_PROCESSES  # type: ignore[attr-defined]
    assert [other._worker for other in others] == [None] * OTHER_PROCESSES  # type: ignore[attr-defined]
    _ = others[0].name
    worker = others[0]._worker  # type: ignore[attr-defined]
    assert worker.is_alive
    subject.close()
    assert not worker.is_alive
    assert others[0] not in subject.elsewhere
