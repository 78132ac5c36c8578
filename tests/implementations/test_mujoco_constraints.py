"""MuJoCo's J of constraints, which is all that is exact there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from closed_trees import closed, differences

from implementations.engines.mujoco.adapter import MuJoCo
from implementations.protocol import Unsupported
from mechanisms import POINT, WELD, Mechanism, random_mechanism

pytestmark = pytest.mark.engines


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("mujoco")


def tree(seed: int) -> Mechanism:
    """Branches, so that MuJoCo has the joints in another order."""
    kinds: Any = ("revolute", "prismatic", "universal", "euler-zyx")
    return random_mechanism(seed, 9, kinds, tilted_gravity=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_jacobian_agrees(seed: int) -> None:
    loops = ("body9", "body2", POINT), ("world", "body8", ("vx", "vz")), ("body7", "world", POINT)
    mechanism, state = closed(tree(seed), *loops, seed=seed)
    found = differences(MuJoCo().load(mechanism), mechanism, state)
    assert set(found) == {"constraint_jacobian"}
    assert found["constraint_jacobian"] < 1e-13


def test_what_it_cannot_do_has_a_reason() -> None:
    welded, state = closed(tree(0), ("body9", "world", WELD))
    with pytest.raises(Unsupported, match="angular constraints, as in 'loop0', in other units"):
        MuJoCo().load(welded)
    apart, state = closed(tree(0), ("body9", "world", ("vx", "vz")), apart=0.1)
    with pytest.raises(Unsupported, match="those of 'loop0' come apart"):
        MuJoCo().load(apart).constraint_jacobian(state["q"])
    tied, state = closed(tree(0), ("body9", "world", POINT))
    with pytest.raises(Unsupported, match="soft"):
        MuJoCo().load(tied).constrained_acceleration(state["q"], state["v"], state["tau"])


def test_trees_have_no_equalities() -> None:
    """Constraints are given to the model only where they are declared: all other quantities are those of the tree."""
    mechanism, state = closed(tree(1), ("body9", "world", POINT))
    with_loops: Any = MuJoCo().load(mechanism.tree)
    alone: Any = MuJoCo().load(tree(1))
    np.testing.assert_array_equal(with_loops.mass_matrix(state["q"]), alone.mass_matrix(state["q"]))
