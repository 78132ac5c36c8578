"""adam, through its adapter and its own reader of URDF."""

from __future__ import annotations

import pytest

pytest.importorskip("adam", reason="adam is not installed")

import dalembert
from implementations.engines.adam.adapter import Adam
from implementations.engines.adam.reader import read
from implementations.protocol import Unsupported
from mechanisms.textbook import TEXTBOOK

pytestmark = [pytest.mark.engines, pytest.mark.slow]


@pytest.mark.parametrize(("name", "implementation"), [("puma560", "adam"), ("ur5", "adam-urdf"), ("solo12", "adam-urdf")])
def test_it_agrees(name: str, implementation: str) -> None:
    results = dalembert.check(name, implementation, states=6, explain=False, quantities=("all",))
    compared = [cell for cell in results.cells if cell.error is not None]
    assert {cell.verdict for cell in compared} == {"agrees"}
    assert {"mass_matrix", "nonlinear_effects", "gravity", "placements", "jacobians_local", "drifts_local"} <= {
        cell.quantity for cell in compared
    }


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(Unsupported, match="adam has no spherical joint, which joint"):
        Adam().load(TEXTBOOK["spherical-pendulum"]())
    with pytest.raises(Unsupported, match="adam's motion subspace of a prismatic joint cannot be made, at 'slide'"):
        Adam().load(TEXTBOOK["cart-pole"]())
    with pytest.raises(Unsupported, match="adam refuses the file"):
        read('<robot name="a"><link name="b"/></robot>', "urdf", False)
    with pytest.raises(Unsupported, match="adam reads URDF alone"):
        read("<mujoco/>", "mjcf", False)
