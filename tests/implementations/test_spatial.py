"""Spatial algebra, joint transforms and spatial inertias, over exact rationals: equations hold or they do not."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import DualRational, moving, numbers, part, position, same

from implementations.field import constant
from implementations.spatial_algebra.jcalc import (
    about,
    from_quaternion,
    jcalc,
    joint_transform,
    transforms,
    transforms_from_root,
    velocity_product,
)
from implementations.spatial_algebra.model import build, spatial_inertia
from implementations.spatial_algebra.spatial import Plucker, crf, crm, mul
from mechanisms import Inertia, Placement, Rotation, neutral, random_mechanism
from mechanisms.joint import MOVING

Tensor = np.ndarray[Any, Any]

EXACT = DualRational()


@pytest.fixture(params=range(3))
def draw(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


def matrix(act: Callable[[Tensor], Tensor]) -> Tensor:
    """The 6×6 matrix of a linear map, column by column."""
    return np.hstack([act(column[:, None]) for column in np.array([[Fraction(i == j) for i in range(6)] for j in range(6)])])


def skew(r: Tensor) -> Tensor:
    """r× of eq. 1, (3, 3)."""
    x, y, z = r[:, 0]
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)


def transform(draw: random.Random) -> Plucker:
    return Plucker(from_quaternion(numbers(draw, 4)), numbers(draw, 3))


def explicit(X: Plucker) -> Tensor:
    """Eq. 11, entry by entry, (6, 6)."""
    E, zero = X.E[..., 0], np.zeros((3, 3), dtype=int)
    return np.block([[E, zero], [-E @ skew(X.r), E]])


def identity(n: int) -> Tensor:
    return np.eye(n, dtype=int)


def test_cross_products_are_the_matrices_of_the_text(draw: random.Random) -> None:
    v = numbers(draw, 6)
    w, u, zero = skew(v[:3]), skew(v[3:]), np.zeros((3, 3), dtype=int)
    assert same(matrix(lambda m: crm(v, m)), np.block([[w, zero], [u, w]])), "eq. 9"
    assert same(matrix(lambda f: crf(v, f)), np.block([[w, u], [zero, w]])), "eq. 10"
    assert same(matrix(lambda f: crf(v, f)), -matrix(lambda m: crm(v, m)).T)


def test_columns_of_a_matrix_are_crossed_each_on_its_own(draw: random.Random) -> None:
    v, m = numbers(draw, 6), numbers(draw, 6, 4)
    for cross in (crm, crf):
        assert same(cross(v, m), np.stack([cross(v, m[:, k]) for k in range(4)], axis=1))


def test_transform_is_the_matrix_of_the_text_and_its_transpose_takes_forces_back(draw: random.Random) -> None:
    X, m, f = transform(draw), numbers(draw, 6), numbers(draw, 6)
    assert same(matrix(lambda m: X @ m), explicit(X)), "eq. 11"
    assert same(matrix(lambda f: X.T @ f), explicit(X).T), "eq. 14"
    assert ((X @ m) * f).sum() == (m * (X.T @ f)).sum(), "eq. 12, 15: power is the same in every frame"


def test_inverse_of_a_transform_is_the_one_of_the_text(draw: random.Random) -> None:
    X = transform(draw)
    back, zero = X.E[..., 0].T, np.zeros((3, 3), dtype=int)
    inverse = np.block([[back, zero], [skew(X.r) @ back, back]])
    assert same(inverse @ explicit(X), identity(6)), "eq. 13"
    assert same(explicit(X) @ matrix(lambda m: Plucker(X.E.swapaxes(0, 1), -mul(X.E, X.r)) @ m), identity(6))


def test_product_of_transforms_is_their_composition(draw: random.Random) -> None:
    B_A, C_B, D_C, m = transform(draw), transform(draw), transform(draw), numbers(draw, 6)
    assert same(explicit(C_B.after(B_A)), explicit(C_B) @ explicit(B_A))
    assert same(C_B.after(B_A) @ m, C_B @ (B_A @ m))
    assert same(explicit(D_C.after(C_B).after(B_A)), explicit(D_C.after(C_B.after(B_A))))


def test_inertia_is_carried_as_in_the_text(draw: random.Random) -> None:
    X, half = transform(draw), numbers(draw, 6, 6)
    I = half + half.swapaxes(0, 1)
    assert same(X.carry(I)[..., 0], explicit(X).T @ I[..., 0] @ explicit(X)), "eq. 20"


@pytest.mark.parametrize("kind", MOVING)
def test_transform_across_a_joint_changes_as_it_moves(draw: random.Random, kind: Any) -> None:
    """dX/dt = −v_J × X, v_J = S q̇ (eq. 16, where v_A is zero and v_B = v_J), with the derivative in dual numbers."""
    mechanism = random_mechanism(draw.randrange(99), 1, (kind,))
    model = build(mechanism, EXACT)
    q, v = position(draw, mechanism), numbers(draw, mechanism.nv)
    now, S = joint_transform(model.links[0], q, EXACT)
    moved, _ = joint_transform(model.links[0], moving(mechanism, q, v), EXACT)
    rate = part(explicit(moved)[..., None], 1)[..., 0]
    assert same(rate, -matrix(lambda m: crm(mul(S, v), m)) @ explicit(now))


@pytest.mark.parametrize("kind", MOVING)
def test_motion_subspace_changes_by_the_velocity_product(draw: random.Random, kind: Any) -> None:
    """c_J = S̊ q̇: the rate of S in the body's frame, with the derivative in dual numbers."""
    mechanism = random_mechanism(draw.randrange(99), 1, (kind,))
    link = build(mechanism, EXACT).links[0]
    q, v = position(draw, mechanism), numbers(draw, mechanism.nv)
    rate = part(jcalc(link, moving(mechanism, q, v), EXACT)[1], 1)
    S = jcalc(link, q, EXACT)[1]
    assert same(mul(rate, v), velocity_product(S, v) if link.compound else 0 * mul(rate, v))
    if kind == "universal" or kind.startswith("euler"):
        assert (velocity_product(S, v) != 0).any()


def test_velocity_of_every_body_is_the_rate_of_its_transform_from_the_root(draw: random.Random) -> None:
    """d ^iX_0/dt = −v_i × ^iX_0, with v_i summed from the root on."""
    mechanism = random_mechanism(draw.randrange(99), 8, MOVING)
    model = build(mechanism, EXACT)
    q, qd = position(draw, mechanism), numbers(draw, mechanism.nv)
    v: list[Tensor] = []
    for λ, link, X, S in zip(model.parents, model.links, *transforms(model, q), strict=True):
        vJ = mul(S, qd[link.v])
        v.append(vJ if λ < 0 else X @ v[λ] + vJ)
    moved, _ = transforms(model, moving(mechanism, q, qd))
    for v_i, X0 in zip(v, transforms_from_root(model, moved), strict=True):
        now = explicit(Plucker(part(X0.E, 0), part(X0.r, 0)))
        assert same(part(explicit(X0)[..., None], 1)[..., 0], -matrix(lambda m, v=v_i: crm(v, m)) @ now)


def test_transform_from_the_root_is_the_placement_of_the_body() -> None:
    """E and r against the mechanism's own placements, where every joint is welded in effect: q = 0."""
    mechanism = random_mechanism(5, 20, MOVING, shape="chain")
    model = build(mechanism, EXACT)
    q = constant(EXACT, [Fraction(x) for x in neutral(mechanism)])[:, None]
    where = Placement()
    for body, X0 in zip(mechanism.bodies, transforms_from_root(model, transforms(model, q)[0]), strict=True):
        where = where @ body.joint.placement
        assert same(X0.E[..., 0].T, np.array(where.rotation.matrix))
        assert same(X0.r[:, 0], np.array(where.translation))


def test_rotation_about_an_axis_is_the_transpose_of_the_mechanisms(draw: random.Random) -> None:
    """Both parametrised by the half angle: c = (1 − t²)/(1 + t²) here, the quaternion (1, t u) there."""
    u, t = [row[2] for row in Rotation(*numbers(draw, 4).flat).matrix], numbers(draw, 1)
    E = about(constant(EXACT, u)[:, None], *EXACT.cos_sin(t))[..., 0]
    assert same(E, np.array(Rotation(1, *(t[0, 0] * x for x in u)).matrix).T)
    assert same(E @ E.T, identity(3))


def test_quaternion_of_any_length_gives_the_transpose_of_its_rotation_exactly(draw: random.Random) -> None:
    e = numbers(draw, 4)
    E = from_quaternion(e)[..., 0]
    x, y, z, w = e[:, 0]
    assert same(E @ E.T, identity(3))
    assert E[0] @ np.cross(E[1], E[2]) == 1, "a reflection is no rotation"
    assert same(E, np.array(Rotation(w, x, y, z).matrix).T)


def test_spatial_inertia_is_that_of_the_text_about_the_bodys_origin(draw: random.Random) -> None:
    inertia = drawn_inertia(draw)
    c = skew(np.array(inertia.com, dtype=object)[:, None])
    m, I_c = inertia.mass, np.array(inertia.matrix)
    expected = np.block([[I_c + m * c @ c.T, m * c], [m * c.T, m * identity(3)]])
    assert same(spatial_inertia(inertia, EXACT)[..., 0], expected), "eqs. 17, 18"


def test_inertia_of_a_placed_body_is_carried_there(draw: random.Random) -> None:
    """Two ways to express a body's inertia in another frame: Placement and Steiner, or Xᵀ I X."""
    inertia, placement = drawn_inertia(draw), Placement(Rotation(*numbers(draw, 4).flat), tuple(numbers(draw, 3).flat))
    X = Plucker(constant(EXACT, placement.rotation.matrix).T[..., None], constant(EXACT, placement.translation)[:, None])
    assert same(spatial_inertia(inertia.placed(placement), EXACT), X.carry(spatial_inertia(inertia, EXACT))), "eq. 20"


def test_spatial_inertias_of_welded_bodies_add(draw: random.Random) -> None:
    a, b = drawn_inertia(draw), drawn_inertia(draw)
    assert same(spatial_inertia(a + b, EXACT), spatial_inertia(a, EXACT) + spatial_inertia(b, EXACT)), "eq. 19"


def drawn_inertia(draw: random.Random) -> Inertia:
    return random_mechanism(draw.randrange(1000), 1).bodies[0].inertia
