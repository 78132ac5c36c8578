"""Code that declares the sizes of its batches is asked in no others, and nothing of the padding is in its answers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dalembert
from implementations.plugins.batch_sizes import pieces
from implementations.plugins.user_code import UserCodeError, as_implementation
from implementations.processes.subject import Failure, InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import find_mechanism

pytestmark = pytest.mark.usefixtures("without_coverage")


def code(change: Any = lambda tau: tau, **declared: Any) -> Any:
    """The reference as code for batches, and the sizes that it is asked in; ``change`` of its answers (batch, nv)."""
    seen: set[int] = set()

    def load(mechanism: Any) -> Any:
        right = REFERENCE.load(mechanism)

        def inverse_dynamics(q: Any, v: Any, a: Any) -> Any:
            seen.add(len(q))
            return change(right.inverse_dynamics(q, v, a))

        return SimpleNamespace(inverse_dynamics=inverse_dynamics, gravity=right.gravity)

    return SimpleNamespace(load=load, seen=seen, **declared)


@pytest.mark.parametrize(
    ("count", "sizes", "expected"),
    [
        (3, (4,), [([0, 1, 2, 0], 3)]),
        (5, (1, 4), [([0, 1, 2, 3], 4), ([4], 1)]),
        (6, (1, 4), [([0, 1, 2, 3], 4), ([4, 5, 0, 1], 2)]),
        (9, (2, 4), [([0, 1, 2, 3], 4), ([4, 5, 6, 7], 4), ([8, 0], 1)]),
    ],
)
def test_batches_are_filled_with_the_same_states(count: int, sizes: tuple[int, ...], expected: Any) -> None:
    assert [(rows.tolist(), own) for rows, own in pieces(count, sizes)] == expected


def test_no_other_size_is_asked_in_a_whole_check() -> None:
    declared = code(batch_sizes=(1, 32))
    results = dalembert.check("pendulum", declared, in_process=True)
    assert {one.verdict for one in results.cells} == {"agrees", "not offered"}
    assert declared.seen == {1, 32}
    assert [one.why for one in results.skipped] == ["it is asked in batches of 1 and 32 states alone, as it declares"]
    free = code()
    dalembert.check("pendulum", free, in_process=True)
    assert len(free.seen) > 5, "without the declaration many sizes are asked"


def test_answers_that_depend_on_the_padding_are_found() -> None:
    mixing = code(lambda tau: tau + 1e-6 * tau.mean(axis=0), batch_sizes=64)
    results = dalembert.check("pendulum", mixing, in_process=True, explain=False)
    (history,) = [one for one in results.invariants if one.name == "independent of history"]
    assert history.verdict == "discrepancy", history


def loaded(declared: Any) -> Any:
    return InProcess(as_implementation(declared, "code", "code")).load(find_mechanism("pendulum"))


def test_code_that_writes_into_its_batch_is_refused_and_its_own_array_is_copied() -> None:
    kept = np.zeros((2, 1))

    def load(mechanism: Any) -> Any:
        def nonlinear_effects(q: Any, v: Any) -> Any:
            q[:] = 0
            return q

        def gravity(q: Any) -> Any:
            kept[:] = q
            return kept

        return SimpleNamespace(gravity=gravity, nonlinear_effects=nonlinear_effects)

    code, q = loaded(SimpleNamespace(load=load, batch_sizes=2)), np.arange(5.0)[:, None]
    with pytest.raises(Failure, match="nonlinear_effects writes into its input"):
        code.ask("nonlinear_effects", q, q)
    assert np.array_equal(code.ask("gravity", q).value, q)


@pytest.mark.parametrize("given", ["128", (0,), (1.5,), True, {"1": 2}])
def test_sizes_that_are_none_are_refused(given: Any) -> None:
    with pytest.raises(UserCodeError, match=r"'code' cannot be used: batch_sizes is .*; give whole numbers of states"):
        as_implementation(code(batch_sizes=given), "code", "code")


def test_functions_of_one_state_have_no_batches() -> None:
    with pytest.raises(UserCodeError, match="its functions take one state; give functions of batches, by load"):
        as_implementation(SimpleNamespace(gravity=lambda mechanism, q: q, batch_sizes=2), "code", "code")


@pytest.mark.parametrize(("noise", "verdict"), [(1.0, "agrees"), (1e4, "discrepancy")])
def test_scatter_of_code_that_is_not_deterministic_is_stated(noise: float, verdict: str) -> None:
    draw = np.random.default_rng(0).uniform
    scattered = code(lambda tau: tau * (1 + noise * np.finfo(float).eps * draw(-1, 1, tau.shape)), deterministic=False)
    results = dalembert.check("pendulum", scattered, in_process=True, explain=False)
    (history,) = [one for one in results.invariants if one.name == "independent of history"]
    assert history.verdict == verdict
    said = "two answers to one question differ by at most" if verdict == "agrees" else "asked 5 times in a row, has answers that"
    assert said in history.message
    assert verdict == "discrepancy" or history.error
    assert [one.what for one in results.skipped] == (["pendulum/SimpleNamespace: independent of history"] * (verdict == "agrees"))
