"""Directions, with numbers worked out by hand: both derivations and every adapter take them from here."""

from __future__ import annotations

import pytest

from mechanisms import Joint
from mechanisms.geometry import basis, cross, smallest_turn

X, Y, Z = basis()


def minus(vector):
    return tuple(-component for component in vector)


def test_the_vector_product_is_right_handed():
    assert (cross(X, Y), cross(Y, Z), cross(Z, X)) == (Z, X, Y)
    assert cross((1, 2, 3), (4, 5, 7)) == (-1, 5, -3)


@pytest.mark.parametrize(
    ("axis", "triad"),
    [
        (Z, (X, Y, Z)),
        # The half turn about x; the one about y would give −x, y, −z.
        (minus(Z), (X, minus(Y), minus(Z))),
        (X, (minus(Z), Y, X)),
        (minus(X), (Z, Y, minus(X))),
        (Y, (X, minus(Z), Y)),
        (minus(Y), (X, Z, minus(Y))),
    ],
)
def test_the_triad_along_every_axis_is_as_documented(axis, triad):
    assert Joint("joint", "planar", axis).triad == triad
    turn = smallest_turn(axis)
    assert tuple(turn(unit) for unit in basis()) == triad
