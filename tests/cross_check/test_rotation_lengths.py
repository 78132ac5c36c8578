"""Errors that follow the lengths of rotation matrices are told apart from faults of the same size: MuJoCo's M of panda."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from altered import Altered, run

from cross_check.exchange.results import verdict_of
from cross_check.judge.comparison.other_levers import AboutTheCenterOfMass, contradiction_by_levers
from cross_check.judge.error_scale.motion_magnitudes import MotionMagnitudes
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism
from mechanisms.library.drawn import drawn_mechanism
from mechanisms.quantities import QUANTITIES

Array = np.ndarray[Any, Any]
Change = Callable[[Array], Array]

pytestmark = [pytest.mark.slow, pytest.mark.engines]


def changed(implementation: Any, change: Change = lambda M: M, stretch: float = 0.0) -> Altered:
    """An implementation whose M is changed, and its placements."""
    return Altered(
        ("mass_matrix", "placements", "jacobians_aligned"),
        implementation,
        mass_matrix=lambda M, q: change(M.copy()),
        placements=lambda placements, q: np.asarray(placements * (1 + stretch)),
    )


def judged(implementation: Any, mechanism: Mechanism | None = None, states: int = 12, *quantities: str) -> Any:
    from mechanisms.library.robots import robot

    return run(implementation, mechanism or robot("panda"), *(quantities or ("mass_matrix",)), states=states)


@pytest.fixture(scope="module")
def mujoco() -> Any:
    pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")
    from implementations.engines.mujoco.adapter import MuJoCo

    return MuJoCo()


def test_mujoco_loses_digits_and_says_why(mujoco: Any) -> None:
    done = judged(changed(mujoco))
    (cell,) = done.cells
    assert cell.verdict == "lost digits"
    assert cell.message.startswith("its rotation matrices or axes are too long or too short by up to ")
    assert verdict_of(done).exit_code == 0


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
    "a part in 10¹⁴ of one entry": finger(lambda m: m * (1 + 1e-14)),
    "a part in 10¹⁴ in these states alone": here,
    "the sign of a tiny term": sign,
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("is_engine", [True, False], ids=["mujoco", "reference"])
def test_a_small_fault_is_no_lost_digit(mujoco: Any, name: str, is_engine: bool) -> None:
    implementation = changed(mujoco if is_engine else REFERENCE, FAULTS[name])
    assert [cell.verdict for cell in judged(implementation).cells] == ["discrepancy"]


@pytest.mark.parametrize("stretch", [0, 2e-15])
def test_noise_that_does_not_follow_lengths_is_no_lost_digit(stretch: float) -> None:
    """Whether rotations have the length one or not."""
    rng = np.random.default_rng(0)
    noise = finger(lambda m: m * (1 + 7e-15 * rng.uniform(-1, 1, m.shape)))
    assert [cell.verdict for cell in judged(changed(REFERENCE, noise, stretch)).cells] == ["discrepancy"]


FOLLOWING_AXES = ("mass_matrix", "gravity", "velocities_local", "accelerations_local", "forward_dynamics_dtau", "jacobians_world")


@pytest.mark.nightly
def test_errors_follow_lengths_of_axes_beside_long_levers(mujoco: Any) -> None:
    """MuJoCo rotates an axis before it normalises the quaternion, and takes moments about the centre of mass of the tree."""
    done = judged(mujoco, drawn_mechanism(0, "numbers"), 98, *FOLLOWING_AXES)
    assert {cell.quantity: cell.verdict for cell in done.cells} == dict.fromkeys(FOLLOWING_AXES, "lost digits")


@pytest.mark.nightly
@pytest.mark.parametrize(("part", "verdict"), [(0.0, "lost digits"), (1e-8, "discrepancy"), (1e-6, "discrepancy")])
def test_moments_about_a_far_centre_of_mass_hide_no_fault(mujoco: Any, part: float, verdict: str) -> None:
    """Only where a slide of another branch is far out is M off, by 3e-8 of an entry."""

    def wrong(M: Array) -> Array:
        return np.asarray(M * (1 + part * (np.arange(M.shape[-1]) == 18)))

    done = judged(changed(mujoco, wrong), drawn_mechanism(0, "broad"), 98)
    assert [cell.verdict for cell in done.cells] == [verdict]


@pytest.mark.parametrize("spec", ["pendulum", "furuta-pendulum"])
def test_no_lever_excuses_a_factor_of_all_answers(spec: str) -> None:
    """Heavy first bodies hide what is wrong in their own components, and a single body has no shorter lever."""
    code = changed(REFERENCE, lambda M: M * (1 + 2e-14))
    assert [cell.verdict for cell in judged(code, find_mechanism(spec), 98).cells] == ["discrepancy"]


def test_a_contradiction_that_heavy_first_bodies_hide_is_not_excused() -> None:
    """With the lever it is within the bar, and with heavy first bodies it is too small to be seen."""
    sizes = {("furuta-pendulum", MotionMagnitudes): 26.0, ("furuta-pendulum", AboutTheCenterOfMass): 10.0}
    quantities = [QUANTITIES["inverse_dynamics"]]
    found = contradiction_by_levers(
        find_mechanism("furuta-pendulum"), quantities, lambda mechanism, bounds: sizes.get((mechanism.name, bounds), 0.0), 16.0
    )
    assert found is None


def test_a_constant_error_follows_no_lengths() -> None:
    """Rotations are too long by 10 ε and by a noise of 2 ε; M follows them, and is 2e-14 too large besides."""

    class Long:
        name, version = "mine", "1"

        def load(self, mechanism: Mechanism) -> Any:
            dynamics = REFERENCE.load(mechanism)

            def excess(q: Array) -> Array:
                noise = [np.random.default_rng(zlib.crc32(row.tobytes())).uniform(-3, 3) for row in q]
                return np.finfo(float).eps * (10 + np.array(noise))

            return SimpleNamespace(
                mass_matrix=lambda q: dynamics.mass_matrix(q) * (1 + 2 * excess(q) + 2e-14)[:, None, None],
                placements=lambda q: dynamics.placements(q) * (1 + excess(q))[:, None, None, None] ** ([1, 1, 1, 0]),
            )

    done = judged(Long(), find_mechanism("spatial-3r"), 98)
    assert [cell.verdict for cell in done.cells] == ["discrepancy"]
