"""The oracle's derivatives against differences, and their rules. test_every_quantity.py compares them with the reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from exact_states import state

import oracle
from mechanisms import Mechanism, integrate, neutral, random_mechanism
from mechanisms.joint import MOVING, Kind
from oracle.fields import Rational

Array = np.ndarray[Any, Any]


def inside(kind: Kind) -> Mechanism:
    """A body with this joint, carried by one with another and carrying a third."""
    drawn = [
        random_mechanism(10 * list(MOVING).index(kind) + i, 1, (k,)).bodies[0] for i, k in enumerate(("revolute", kind, "planar"))
    ]
    names = ("world", "one", "two", "three")
    bodies = [
        replace(body, name=names[i + 1], parent=names[i], joint=replace(body.joint, name=names[i + 1]))
        for i, body in enumerate(drawn)
    ]
    return Mechanism(kind, tuple(bodies), gravity=(1, 2, -9))


@pytest.mark.parametrize("kind", MOVING)
def test_directions_are_those_in_which_positions_are_integrated(kind: Kind) -> None:
    """Central differences over :func:`mechanisms.integrate`, in float64, helical joints and angles as such among them."""
    mechanism, rng, h = inside(kind), np.random.default_rng(1), 1e-5
    system, n = oracle.EulerLagrange(mechanism), mechanism.nv
    q = integrate(mechanism, np.tile(neutral(mechanism), (n, 1)), np.tile(rng.uniform(-1, 1, n), (n, 1)))
    v, a = (np.tile(rng.normal(size=n), (n, 1)) for _ in range(2))
    forth, back = (system.inverse_dynamics(integrate(mechanism, q, step * np.eye(n)), v, a) for step in (h, -h))
    got = system.inverse_dynamics_dq(q[:1], v[:1], a[:1])[0]
    np.testing.assert_allclose(got, (forth - back).T / (2 * h), rtol=0, atol=1e-8 * abs(got).max())
    forth, back = (system.mass_matrix(integrate(mechanism, q[:1], step * v[:1])) for step in (h, -h))
    rate = system.mass_matrix_rate(q[:1], v[:1])
    np.testing.assert_allclose(rate, (forth - back) / (2 * h), rtol=0, atol=1e-8 * abs(rate).max())


def test_batches_are_states_side_by_side_and_the_length_of_a_quaternion_does_not_matter() -> None:
    mechanism = random_mechanism(2, 2, ("free", "universal"))
    ((_, at),) = mechanism.slots("quaternion")
    system = oracle.EulerLagrange(mechanism, Rational())
    q, v, a = (np.concatenate(part) for part in zip(*(state(mechanism, seed) for seed in (0, 1, 0)), strict=True))
    q[2, at] *= 3
    for quantity, given in {"inverse_dynamics_dq": (q, v, a), "inverse_dynamics_dv": (q, v), "mass_matrix_rate": (q, v)}.items():
        together = getattr(system, quantity)(*given)
        alone = [getattr(system, quantity)(*(x[k : k + 1] for x in given))[0] for k in (0, 1, 0)]
        assert (together == np.stack(alone)).all()
        assert getattr(system, quantity)(*(x[:0] for x in given)).shape == (0, mechanism.nv, mechanism.nv)
