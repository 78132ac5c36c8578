"""adam in array libraries that compute in float32, and with a free base; test_engines.py is about the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain, states

from implementations.engines.adam import reader
from implementations.engines.adam.adapter import Adam, AdamJAX, AdamTorchFloat32
from implementations.engines.blocks import BLOCK
from implementations.protocol import Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Frame, Placement, find_mechanism, write_urdf
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


@pytest.mark.parametrize("joints", [1, 2])
def test_a_free_base_agrees_in_every_quantity(joints: int) -> None:
    pytest.importorskip("adam")
    mechanism = on_free_base(chain(*["revolute"] * joints, armature=False))
    offered = agreeing(Adam().load(mechanism), mechanism, NAMES)
    assert offered >= {"forward_dynamics", "mass_matrix", "jacobians_world", "drifts_aligned", "centroidal_momentum_matrix"}


def test_what_adam_cannot_do_with_a_free_base_is_refused() -> None:
    pytest.importorskip("adam")
    with pytest.raises(Unsupported, match="fail where no joint is behind a free base"):
        Adam().load(find_mechanism("free-rigid-body"))
    mechanism = on_free_base(chain("revolute", armature=False))
    with pytest.raises(Unsupported, match="a free base has no root in adam"):
        Adam().load(replace(mechanism, frames=(Frame("tool", "weld", -1, Placement()),)))


def test_the_forward_dynamics_of_a_free_base() -> None:
    """With armature it is refused, because adam has none."""
    pytest.importorskip("adam")
    mechanism = on_free_base(chain("revolute", "revolute", armature=False))
    order = list(range(len(mechanism.bodies)))
    text = write_urdf(mechanism, free_base=True)
    dynamics = reader.read(text, "urdf", True).dynamics(mechanism, order)
    assert agreeing(dynamics, mechanism, NAMES) >= {"forward_dynamics", "centroidal_momentum_matrix", "drifts_world"}
