"""adam in array libraries that compute in float32, and with a free base; test_engines.py is about the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain, states

from implementations.engines.adam import reader
from implementations.engines.adam.adapter import Adam, AdamJAX, AdamTorchFloat32
from implementations.engines.blocks import BLOCK
from implementations.protocol import Missing
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import write_urdf
from mechanisms.library.extended import on_free_base
from mechanisms.numbers.precision import precision_named
from mechanisms.quantities import INTEGRATION, QUANTITIES

pytestmark = pytest.mark.engines

NAMES = [name for name in QUANTITIES if name not in INTEGRATION]


@pytest.fixture(params=[AdamTorchFloat32, AdamJAX])
def engine(request: pytest.FixtureRequest) -> Any:
    try:
        assert any(letter.isdigit() for letter in request.param().version)
    except Missing as missing:
        pytest.skip(str(missing))
    return request.param()


@pytest.mark.filterwarnings("ignore")
def test_every_quantity_agrees_to_the_digits_of_its_precision(engine: Any) -> None:
    mechanism, precision = chain("revolute", "continuous", "revolute"), precision_named(engine.precision)
    offered = agreeing(Adam().load(mechanism), mechanism, NAMES)
    dynamics = engine.load(mechanism.in_precision(precision))
    assert agreeing(dynamics, mechanism, NAMES, tolerance=64 * precision.epsilon) == offered


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", [0, 1, BLOCK + 1])
def test_batches_of_any_size(engine: Any, count: int) -> None:
    mechanism = chain("revolute", "revolute")
    q, v, _ = states(mechanism, batch=count)
    dynamics = engine.load(mechanism.in_precision(precision_named(engine.precision)))
    expected = REFERENCE.load(mechanism).nonlinear_effects(q, v)
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, v), expected, rtol=0, atol=1e-3)


def test_the_forward_dynamics_of_a_free_base() -> None:
    """With armature it is refused, because adam has none."""
    pytest.importorskip("adam")
    mechanism = on_free_base(chain("revolute", "revolute", armature=False))
    order = list(range(len(mechanism.bodies)))
    text = write_urdf(mechanism, free_base=True)
    dynamics = reader.read(text, "urdf", True).dynamics(mechanism, order)
    assert agreeing(dynamics, mechanism, NAMES) >= {"forward_dynamics", "centroidal_momentum_matrix", "drifts_world"}
