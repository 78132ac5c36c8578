"""Errors that follow the lengths of rotation matrices are told apart from faults of the same size: MuJoCo's M of panda."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cross_check.harness import Entry, check
from cross_check.results import verdict_of
from cross_check.settings import Settings
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism

Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]

pytestmark = [pytest.mark.slow, pytest.mark.engines, pytest.mark.usefixtures("without_coverage")]


class Changed:
    """An implementation whose M is changed, and its placements."""

    name, version = "mine", "1"

    def __init__(self, implementation: Any, change: Change = lambda M: M, stretch: float = 0.0) -> None:
        self._implementation, self._change, self._stretch = implementation, change, stretch

    def load(self, mechanism: Mechanism) -> Any:
        dynamics, change, stretch = self._implementation.load(mechanism), self._change, self._stretch

        class Loaded:
            @staticmethod
            def mass_matrix(q: Array) -> Array:
                return change(dynamics.mass_matrix(q).copy())

            @staticmethod
            def placements(q: Array) -> Array:
                return np.asarray(dynamics.placements(q) * (1 + stretch))

        return Loaded()


def judged(implementation: Any) -> Any:
    from mechanisms.robots import robot

    panda = robot("panda")
    settings = Settings(states=12, quantities=("mass_matrix",))
    return check([(panda.name, panda)], [Entry("mine", "mine", InProcess(implementation))], settings, explain=False)


@pytest.fixture(scope="module")
def mujoco() -> Any:
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    from implementations.engines.mujoco.adapter import MuJoCo

    return MuJoCo()


def test_mujoco_loses_digits_and_says_why(mujoco: Any) -> None:
    run = judged(Changed(mujoco))
    (cell,) = run.cells
    assert cell.verdict == "lost digits"
    assert cell.message.startswith("its rotation matrices are too long or too short by up to ")
    assert verdict_of(run).exit_code == 0


def finger(change: Callable[[Array], Any]) -> Change:
    """M with another moment of a finger: it is a mass."""

    def changed(M: Array) -> Array:
        M[:, -1, -1] = change(M[:, -1, -1])
        return M

    return changed


def here(M: Array) -> Array:
    """Right at neighbours of a state, which are asked together."""
    return M if len(M) > 12 else finger(lambda m: m * (1 - 1e-14))(M)


def sign(M: Array) -> Array:
    """A part of 10⁻¹⁴ of M has the wrong sign."""
    return M - 2e-14 * M


FAULTS: dict[str, Change] = {
    "a part in 10¹² of one entry": finger(lambda m: m * (1 + 1e-12)),
    "a part in 10¹⁴ of one entry": finger(lambda m: m * (1 + 1e-14)),
    "a part in 10¹⁴ in one state": finger(lambda m: m * np.where(np.arange(len(m)) == 1, 1 - 1e-14, 1)),
    "a part in 10¹⁴ in these states alone": here,
    "the sign of a tiny term": sign,
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("is_engine", [True, False], ids=["mujoco", "reference"])
def test_a_small_fault_is_no_lost_digit(mujoco: Any, name: str, is_engine: bool) -> None:
    implementation = Changed(mujoco if is_engine else REFERENCE, FAULTS[name])
    assert [cell.verdict for cell in judged(implementation).cells] == ["discrepancy"]


@pytest.mark.parametrize("stretch", [0, 2e-15])
def test_noise_that_does_not_follow_lengths_is_no_lost_digit(stretch: float) -> None:
    """Whether rotations have the length one or not."""
    rng = np.random.default_rng(0)
    noise = finger(lambda m: m * (1 + 7e-15 * rng.uniform(-1, 1, m.shape)))
    assert [cell.verdict for cell in judged(Changed(REFERENCE, noise, stretch)).cells] == ["discrepancy"]
