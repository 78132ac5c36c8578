"""The smallest condition that separates wrong answers from right ones is found, tested on new states, and stated only then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from altered import Altered

from cross_check.explain.diagnosis.conditions.conditions import Condition, condition_of_states
from cross_check.explain.diagnosis.laboratory import Laboratory, try_sampled, try_states
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism

ARM = "stanford-arm"
Array = Any
Wrong = Callable[[Array, Array, Array], Array]


def wrongly(wrong: Wrong) -> Altered:
    """Inverse dynamics that is off by one per cent where a condition on q, v, a holds."""
    return Altered(("inverse_dynamics",), inverse_dynamics=lambda tau, *given: tau * (1 + 0.01 * wrong(*given)[:, None]))


def found(wrong: Wrong, spec: str = ARM, ask: bool = False) -> Condition | None:
    """The condition of code that is wrong there; ``ask`` compares its answers, which takes longer."""
    laboratory, mechanism = Laboratory(InProcess(wrongly(wrong)), "mine"), find_mechanism(spec)

    def is_wrong(asked: Any) -> Array:
        if ask:
            return try_states(laboratory, mechanism, asked).errors("inverse_dynamics") > 16
        return np.asarray(wrong(asked.q, asked.v, asked.a))

    trial = try_sampled(laboratory, mechanism, 0, 54)
    condition = condition_of_states(trial, is_wrong(trial.states), is_wrong)
    if condition:
        assert not (is_wrong(trial.states) & ~condition.predicate(trial.states)).any()
    return condition


@pytest.mark.nightly
def test_a_condition_holds_between_the_states_that_were_seen() -> None:
    """Code that errs at every seventh state, by a number that looks random, errs on no side of a limit."""
    assert found(lambda q, v, a: np.floor(np.abs(q[:, 0]) * 1e6) % 7 == 3) is None


NAMES = find_mechanism(ARM).coordinates

CONDITIONS: list[tuple[str, Wrong]] = [
    ("any angle |q| > π", lambda q, v, a: (np.abs(np.delete(q, 2, axis=1)) > np.pi).any(axis=1)),
    (f"|q of {NAMES[1]!r}| > π", lambda q, v, a: np.abs(q[:, 1]) > np.pi),
    (f"q of {NAMES[4]!r} < 0", lambda q, v, a: q[:, 4] < 0),
    (f"q of {NAMES[2]!r} > 0.25", lambda q, v, a: q[:, 2] > 0.25),
    ("any |v| > 20", lambda q, v, a: (np.abs(v) > 20).any(axis=1)),
    (f"|v| of any of {NAMES[0]!r}, {NAMES[3]!r} > 20", lambda q, v, a: (np.abs(v[:, [0, 3]]) > 20).any(axis=1)),
    ("any |a| < 0.001 and not zero", lambda q, v, a: ((np.abs(a) < 1e-3) & (a != 0)).any(axis=1)),
    ("any angle |q| is exactly π", lambda q, v, a: (np.abs(np.delete(q, 2, axis=1)) == np.pi).any(axis=1)),
    (f"|q| of {NAMES[1]!r} is exactly π", lambda q, v, a: np.abs(q[:, 1]) == np.pi),
    ("v is exactly zero", lambda q, v, a: ~v.any(axis=1)),
    ("any of v is exactly zero", lambda q, v, a: (v == 0).any(axis=1)),
    (f"q of {NAMES[1]!r} < 0 and v of {NAMES[0]!r} > 0", lambda q, v, a: (q[:, 1] < 0) & (v[:, 0] > 0)),
    ("the state is the first of its batch", lambda q, v, a: np.arange(len(q)) == 0),
    ("the state is the last of its batch", lambda q, v, a: np.arange(len(q)) == len(q) - 1),
    ("the state is the second, the fourth, … of its batch", lambda q, v, a: np.arange(len(q)) % 2 == 1),
    ("the state has the number 33 or more in its batch", lambda q, v, a: np.arange(len(q)) >= 32),
    ("the batch has more than 16 states", lambda q, v, a: np.full(len(q), len(q) > 16)),
    ("q repeats that of an earlier state of the batch", lambda q, v, a: repeats(q)),
]


def repeats(q: Array) -> Array:
    return np.array([any(np.array_equal(q[k], q[j]) for j in range(k)) for k in range(len(q))])


@pytest.mark.slow
@pytest.mark.parametrize(("text", "wrong"), [CONDITIONS[1], CONDITIONS[7], CONDITIONS[-1]])
def test_the_condition_is_found_from_answers(text: str, wrong: Wrong) -> None:
    condition = found(wrong, ask=True)
    assert condition is not None
    assert condition.text == text


FREE = repr(find_mechanism("free-rigid-body").bodies[0].joint.name)

ON_QUATERNIONS: list[tuple[str, Wrong]] = [
    (f"w of the quaternion of {FREE} < 0", lambda q, v, a: q[:, 6] < 0),
    (f"w of the quaternion of {FREE} > 0.9", lambda q, v, a: q[:, 6] > 0.9),
    (f"the turn of {FREE} < 0.0005 rad", lambda q, v, a: 2 * np.linalg.norm(q[:, 3:6], axis=1) < 5e-4),
]


@pytest.mark.parametrize(
    ("spec", "text", "wrong"),
    [*((ARM, *one) for one in CONDITIONS), *(("free-rigid-body", *one) for one in ON_QUATERNIONS)],
    ids=[text for text, _ in (*CONDITIONS, *ON_QUATERNIONS)],
)
def test_the_condition_is_found(spec: str, text: str, wrong: Wrong) -> None:
    condition = found(wrong, spec)
    assert condition is not None
    assert condition.text == text
    assert condition.tested >= 32


def test_a_threshold_is_exact() -> None:
    condition = found(lambda q, v, a: q[:, 0] > 1.2345)
    assert condition is not None
    assert condition.text == f"q of {NAMES[0]!r} > 1.2345"
    state = try_sampled(Laboratory(InProcess(REFERENCE), "right"), find_mechanism(ARM), 0, 2).states
    state.q[:, 0] = (1.2345 * (1 - 1e-9), 1.2345 * (1 + 1e-9))
    assert condition.predicate(state).tolist() == [False, True]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda q, v, a: np.zeros(len(q), dtype=bool),
        lambda q, v, a: np.ones(len(q), dtype=bool),
        lambda q, v, a: np.sin(50 * q).sum(axis=1) > 0,
        lambda q, v, a: (np.abs(q[:, 0]) > 1) ^ (v[:, 1] > 0),
        lambda q, v, a: (q[:, 0] > 1) & (q[:, 1] + q[:, 2] + v[:, 3] > -1),
    ],
    ids=["never", "always", "no pattern", "neither of two alone", "most of the states beyond a threshold"],
)
def test_nothing_is_stated_that_does_not_predict(wrong: Wrong) -> None:
    assert found(wrong) is None
