"""The oracle's derivatives against what has no part in making them: closed forms, exact interpolation, differences."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

import oracle
from mechanisms import Joint, Mechanism, Rotation, integrate, neutral, random_mechanism
from mechanisms.joint import MOVING, Kind
from oracle.by_jets.differentiation import Dual, Duals
from oracle.fields import Rational, Real

Array = np.ndarray[Any, Any]
State = tuple[list[Fraction], list[Fraction], list[Fraction]]

STEPS = (Fraction(0), Fraction(2, 23), Fraction(-3, 29), Fraction(5, 31), Fraction(-7, 37))
"""Tangents of half-angles; none is one over an angle's own, where the sum of both has none."""


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


def exact_state(mechanism: Mechanism, seed: int = 0) -> State:
    draw = random.Random(seed)

    def fractions(n: int) -> list[Fraction]:
        return [Fraction(draw.randint(1, 9) * draw.choice((-1, 1)), draw.randint(1, 9)) for _ in range(n)]

    q = []
    for body in mechanism.bodies:
        at = fractions(body.joint.nq)
        q += list(cos_sin(at[0])) if body.joint.kind == "continuous" else at
    return q, fractions(mechanism.nv), fractions(mechanism.nv)


QUATERNION = {"spherical": 0, "free": 3}
"""Where a joint's quaternion starts in its position."""


def cos_sin(t: Fraction) -> tuple[Fraction, Fraction]:
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def moved(joint: Joint, q: list[Fraction], k: int, u: Fraction) -> list[Fraction]:
    """One joint's position moved along its k-th coordinate: turned by 2 atan u, or shifted by u."""
    turns, (c, s) = joint.screws[k].turns, cos_sin(u)
    if joint.kind == "continuous":
        return [c * q[0] - s * q[1], s * q[0] + c * q[1]]
    angle = 2 if joint.kind == "planar" else k
    if turns and joint.kind not in QUATERNION:
        return [*q[:angle], (q[angle] + u) / (1 - q[angle] * u), *q[angle + 1 :]]
    if not joint.velocity_is_body_twist:
        return [x + u * (i == k) for i, x in enumerate(q)]
    if joint.kind == "planar":
        c, s = cos_sin(q[2])
        x, y = u * (k == 1), u * (k == 2)
        return [q[0] + c * x - s * y, q[1] + s * x + c * y, q[2]]
    x, y, z, w = q[QUATERNION[joint.kind] :]
    e = Rotation(w, x, y, z)
    if not turns:
        return [a + b for a, b in zip(q[:3], e(tuple(u * (k - 3 == i) for i in range(3))), strict=True)] + q[3:]
    e = e @ Rotation(1, *(u * (k == i) for i in range(3)))
    return [*q[: QUATERNION[joint.kind]], e.x, e.y, e.z, e.w]


def slope(mechanism: Mechanism, function: Callable[[list[Fraction]], Array], q: list[Fraction], k: int) -> Array:
    """The derivative along coordinate k of what is of second degree in a distance, or in an angle's cosine and sine.

    Forces and M are, since they are bilinear in the transforms of bodies. Interpolation is exact for both:
    a + b cos φ + c sin φ + d cos 2φ + e sin 2φ has the slope c + 2 e at φ = 0.
    """
    places = zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)
    joint, at, own = next((body.joint, at, k - to.start) for body, at, to in places if to.start <= k < to.stop)

    def value(u: Fraction) -> Array:
        return function([*q[: at.start], *moved(joint, q[at], own, u), *q[at.stop :]])

    if not joint.screws[own].turns:
        return (value(Fraction(1)) - value(Fraction(-1))) / 2
    rows = [(1, c, s, c * c - s * s, 2 * c * s) for c, s in map(cos_sin, STEPS)]
    matrix = fmpq_mat(5, 5, [fmpq(x.numerator, x.denominator) for column in zip(*rows, strict=True) for x in column])
    weights = matrix.solve(fmpq_mat(5, 1, [0, 0, 1, 0, 2]))
    return sum(Fraction(int(weights[i, 0].p), int(weights[i, 0].q)) * value(u) for i, u in enumerate(STEPS))


def values(mechanism: Mechanism, quantity: str, *state: list[Fraction]) -> Array:
    return getattr(oracle.EulerLagrange(mechanism, Rational()), quantity)(*([x] for x in state))[0]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in MOVING if kind != "helical"])
def test_positions_by_exact_interpolation(kind: Kind) -> None:
    mechanism = inside(kind)
    q, v, a = exact_state(mechanism)
    slopes = [slope(mechanism, lambda at: values(mechanism, "inverse_dynamics", at, v, a), q, k) for k in range(mechanism.nv)]
    assert (values(mechanism, "inverse_dynamics_dq", q, v, a) == np.stack(slopes, axis=1)).all()
    rates = [slope(mechanism, lambda at: values(mechanism, "mass_matrix", at), q, k) * v[k] for k in range(mechanism.nv)]
    assert (values(mechanism, "mass_matrix_rate", q, v) == sum(rates)).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_velocities_by_exact_differences(kind: Kind) -> None:
    """τ is of second degree in v."""
    mechanism = inside(kind)
    q, v, a = exact_state(mechanism)

    def τ(k: int, step: int) -> Array:
        return values(mechanism, "inverse_dynamics", q, [x + step * (i == k) for i, x in enumerate(v)], a)

    slopes = [(τ(k, 1) - τ(k, -1)) / 2 for k in range(mechanism.nv)]
    assert (values(mechanism, "inverse_dynamics_dv", q, v) == np.stack(slopes, axis=1)).all()


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


def test_length_of_a_quaternion_does_not_matter() -> None:
    mechanism = inside("free")
    q, v, a = exact_state(mechanism)
    at = mechanism.q_slices[1]
    longer = [*q[: at.start + 3], *(3 * x for x in q[at.start + 3 : at.stop]), *q[at.stop :]]
    assert (values(mechanism, "inverse_dynamics_dq", q, v, a) == values(mechanism, "inverse_dynamics_dq", longer, v, a)).all()


def test_batches_are_states_side_by_side() -> None:
    mechanism = inside("universal")
    system = oracle.EulerLagrange(mechanism, Rational())
    q, v, a = (np.array(part, dtype=object) for part in zip(*(exact_state(mechanism, seed) for seed in range(3)), strict=True))
    for quantity, given in {"inverse_dynamics_dq": (q, v, a), "inverse_dynamics_dv": (q, v), "mass_matrix_rate": (q, v)}.items():
        together = getattr(system, quantity)(*given)
        alone = [getattr(system, quantity)(*(x[k : k + 1] for x in given))[0] for k in range(3)]
        assert (together == np.stack(alone)).all()
        assert getattr(system, quantity)(*(x[:0] for x in given)).shape == (0, mechanism.nv, mechanism.nv)


def test_pairs_obey_the_rules_of_differentiation() -> None:
    x, y = Dual(Fraction(3), np.array([Fraction(1), 0])), Dual(Fraction(5), np.array([0, Fraction(1)]))

    def found(value: Dual) -> tuple[Fraction, list[Fraction]]:
        assert value.rates is not None
        return value.x, list(value.rates)

    assert found(x + y - 2) == (6, [1, 1])
    assert found(2 - x) == (-1, [-1, 0])
    assert found(x * y * 2) == (30, [10, 6])
    assert found(x / y) == (Fraction(3, 5), [Fraction(1, 5), Fraction(-3, 25)])
    assert found(1 / y) == (Fraction(1, 5), [0, Fraction(-1, 25)])
    assert found(x / 2) == (Fraction(3, 2), [Fraction(1, 2), 0])
    assert found(-x) == (-3, [-1, 0])
    assert Dual(Fraction(2)).rates is None and (Dual(Fraction(2)) * 3 / 2 + 1).rates is None
    assert found(Dual(Fraction(2)) / x) == (Fraction(2, 3), [Fraction(-2, 9), 0])
    assert x == 3 and x != 4 and x == Dual(Fraction(3))


def test_the_rate_of_an_angle_is_its_own_in_every_field() -> None:
    t = Fraction(1, 3)
    for field, at, exactly in ((Rational(), t, True), (Real(), 2 * np.arctan(1 / 3), False)):
        duals = Duals(field)
        angle = duals.with_rates(np.array([[at]], dtype=field.dtype), np.array([[[1]]], dtype=field.dtype))
        c, s = (duals.rates(part, 1)[0, 0, 0] for part in duals.cos_sin(angle))
        assert duals.rates(duals.angle(angle), 1)[0, 0, 0] == 1
        expected = -cos_sin(t)[1], cos_sin(t)[0]
        assert (c, s) == (expected if exactly else pytest.approx(tuple(map(float, expected)), rel=1e-15))
