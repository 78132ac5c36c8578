"""Spatial algebra, joint transforms and spatial inertias, over exact rationals: equations hold or they do not."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import DualRational, numbers, same

from implementations.field import constant
from implementations.spatial_algebra.jcalc import (
    about,
    from_quaternion,
)
from implementations.spatial_algebra.model import spatial_inertia
from implementations.spatial_algebra.spatial import Plucker, crf, crm, mul
from mechanisms import Inertia, Rotation, random_mechanism

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


def drawn_inertia(draw: random.Random) -> Inertia:
    return random_mechanism(draw.randrange(1000), 1).bodies[0].inertia
