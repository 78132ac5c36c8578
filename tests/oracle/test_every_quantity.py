"""What the oracle derives from energy and transforms is what the reference computes from forces, and the same in every field."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import flint
import numpy as np
import pytest
from exact_states import state

import oracle
from implementations.field import Real
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism, find_mechanism, random_mechanism
from mechanisms.extended import framed
from mechanisms.joint import MOVING
from mechanisms.quantities import ALL_QUANTITIES
from oracle.by_jets.euler_lagrange import EulerLagrange
from oracle.recorded import BY_JETS

Array = np.ndarray[Any, Any]

DERIVED = sorted(BY_JETS.quantities & ALL_QUANTITIES.keys() & ALGORITHMS.keys())

TREES = {
    name: replace(find_mechanism(f"framed:random:{name}"), gravity=(1, 2, -9))
    for name in ("75:6:all", "1075:6:all", "4:4:all,mimic")
}
"""With branches, skew gravity, every kind of joint, a mimic joint, armature, damping and frames."""

LONG = np.longdouble


def arguments(mechanism: Mechanism, quantity: str) -> list[Array]:
    """One state of fractions."""
    n = 6 * len(mechanism.bodies)
    forces = np.array([Fraction(k * k - 40, k + 1) for k in range(n)], dtype=object).reshape(1, -1, 6)
    given = dict(zip("qva", state(mechanism), strict=True)) | {"f": forces}
    return [given[name] for name in ALL_QUANTITIES[quantity].arguments]


def test_the_trees_have_every_kind_of_joint() -> None:
    assert {body.joint.kind for mechanism in TREES.values() for body in mechanism.bodies} == set(MOVING)


@cache
def derivations(tree: str) -> tuple[EulerLagrange, Model]:
    return EulerLagrange(TREES[tree], oracle.Real(LONG)).keeping(), build(TREES[tree], Real(LONG))


@pytest.mark.slow
@pytest.mark.parametrize("quantity", DERIVED)
def test_it_is_what_the_reference_computes(quantity: str) -> None:
    """In extended precision."""
    for tree, mechanism in TREES.items():
        given = [np.array(x, dtype=LONG) for x in arguments(mechanism, quantity)]
        ours, reference = derivations(tree)
        expected = ALGORITHMS[quantity](reference, *(np.moveaxis(x, 0, -1) for x in given))
        got = getattr(ours, quantity)(*given)
        assert got.shape == (1, *expected.shape[:-1])
        error = abs(got - np.moveaxis(expected, -1, 0)).max()
        assert error <= 1e5 * np.finfo(LONG).eps * max(1, abs(expected).max()), tree


@pytest.mark.slow
@pytest.mark.parametrize(
    "quantity", ["inverse_dynamics", "inverse_dynamics_dq", "frame_accelerations_aligned", "potential_energy"]
)
def test_every_field_gives_the_same(quantity: str) -> None:
    """Fractions at t = tan(q/2), floats at q, and balls around them."""
    mechanism = framed(random_mechanism(4, 4, [kind for kind in MOVING if kind != "helical"]))
    given = arguments(mechanism, quantity)
    at = [np.array(x, dtype=float) for x in given]
    for body, to in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        turns = [False, False, True] if body.joint.kind == "planar" else [screw.turns for screw in body.joint.screws]
        if body.joint.kind not in ("continuous", "free", "spherical"):
            at[0][0, to] = np.where(turns, 2 * np.arctan(at[0][0, to]), at[0][0, to])
    balls = [np.array([flint.arb(x) for x in one.flat], object).reshape(one.shape) for one in at]
    fields = {oracle.Rational(): given, oracle.Real(): at, oracle.Balls(): balls}
    exact, real, enclosed = (getattr(EulerLagrange(mechanism, field), quantity)(*state) for field, state in fields.items())
    np.testing.assert_allclose(real, exact.astype(float), rtol=0, atol=1e-12 * max(1, abs(exact).max()))
    assert all(abs(float(ball.mid()) - x) <= 1e-12 * max(1, abs(x)) for ball, x in zip(enclosed.flat, real.flat, strict=True))


def test_what_has_no_answer_is_refused() -> None:
    ours, at = EulerLagrange(random_mechanism(0, 2)), np.zeros((1, 2))
    with pytest.raises(AttributeError, match="no attribute 'velocity'"):
        ours.velocity  # noqa: B018
    for shape in ((1, 6), (2, 2, 6), (1, 3, 6)):
        with pytest.raises(oracle.OracleError, match=r"f has shape .*; give \(1, 2, 6\)"):
            ours.inverse_dynamics_with_forces(at, at, at, np.zeros(shape))
