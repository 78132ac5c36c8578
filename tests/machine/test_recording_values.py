"""Recorded values do what NumPy's arrays do, wherever an algorithm relies on it. Everything is compared in exact fractions."""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from recorded_arrays import Inputs, fractions, require_same

from machine.recording.recording import Recording
from machine.recording.values import constants, new_inputs

LOWER = np.tril_indices(3, -1)

MATRICES: dict[str, Callable[[Any, Any], Any]] = {
    "difference": lambda a, b: a - b,
    "quotient": lambda a, b: a / (b * b + 1),
    "whole numbers": lambda a, b: 2 * a - 1 + (3 - b) * 1 + 0 * a,
    "reciprocals": lambda a, b: 1 / (a * a + 2) + a / 3,
    "constants among divisors": lambda a, b: a / np.stack([b[0] * b[0] + 1, 0 * b[0] - 3, 0 * b[1] + 1]),
    "fractions": lambda a, b: Fraction(2, 3) * a + b * Fraction(-1, 7) - Fraction(5),
    "an array of whole numbers": lambda a, b: np.eye(3, dtype=int)[..., None] * a + (np.arange(3) - 4)[:, None, None] * b,
    "matrices": lambda a, b: a[..., 0] @ b[..., 0],
    "a constant matrix": lambda a, b: np.arange(9).reshape(3, 3) @ a[..., 0],
    "new axes": lambda a, b: a[:, None] * b[None, ..., None, :],
    "by index, axes turned": lambda a, b: (a[LOWER] + b.swapaxes(0, 1)[LOWER]).T.reshape(3, 1) - b.T.reshape(-1)[:3, None],
    "by mask": lambda a, b: a[np.eye(3, dtype=bool)] * 2 - b[np.eye(3, dtype=bool)],
    "sums over axes": lambda a, b: a.sum(0) + b.sum(axis=1) + (a * b).sum(-2) + (a * b).sum((0, 1)),
    "broadcast and copied": lambda a, b: changed(np.broadcast_to(a[:, :1], (3, 3, 1)).copy(), b),
    "broadcast together": lambda a, b: np.stack(np.broadcast_arrays(a[:1], b, a[:, :1])),
    "taken": lambda a, b: a.take(np.array((1, 2, 0)), 0) - b.take(np.array((2, 0)), axis=1)[:, :1],
    "tiled and repeated": lambda a, b: np.tile(a, 3) - np.repeat(b, 3, axis=2),
    "moved axes": lambda a, b: np.moveaxis(a, 0, -1) * np.moveaxis(b, -1, 0).reshape(3, 1, 3),
    "cross product": lambda a, b: np.cross(a[0], b[1], axis=0),
    "cross product of a constant": lambda a, b: np.cross(a[0], np.array([[1], [0], [-2]]), axis=0),
    "set row": lambda a, b: changed(a.copy(), b),
    "set a number": lambda a, b: assigned(a, (slice(None), 0), Fraction(7, 3)),
    "set from itself": lambda a, b: assigned(a, slice(1, 3), a[:2]),
    "add in place": lambda a, b: in_place(a, b),
}

EINSUMS = (
    ("ij...,j...->i...", (3, 4, 1), (4, 5, 1)),
    ("ij...,j...->i...", (3, 4, 2, 5), (4, 5)),
    ("ij...,jk...->ik...", (3, 2, 1), (2, 4, 1)),
    ("ij...,ik...->jk...", (3, 2, 1), (3, 4, 1)),
    ("kj...,ik->ji...", (3, 4, 1), (2, 3)),
    ("ik...,kj...->ij...", (3, 3, 6, 1, 1), (3, 4, 1, 6, 1)),
    ("ik...,ki...->...", (3, 4, 2, 1), (4, 3, 1)),
    ("ij...,kj...->ik...", (3, 4, 1), (2, 4, 1)),
    ("bij...,bj...->bi...", (2, 3, 3, 1), (2, 3, 1)),
    ("kijb,bk->bij", (3, 2, 4, 1), (1, 3)),
    ("ij,jk->ik", (0, 3), (3, 2)),
)


def changed(a: Any, b: Any) -> Any:
    a[...] = 0
    a[1] = b[0]
    a[:, 2] = a[:, 2] - b[1]
    return a


def assigned(a: Any, index: Any, value: Any) -> Any:
    a = a.copy()
    a[index] = value
    return a


def in_place(a: Any, b: Any) -> Any:
    a = a.copy()
    row = a[1]
    row += b[0]
    a *= 2
    a[0] -= b[1]
    return a


@pytest.mark.parametrize("zeros", [False, True], ids=["numbers", "zeros and ones"])
@pytest.mark.parametrize("name", MATRICES)
def test_values_do_what_arrays_do(name: str, zeros: bool) -> None:
    require_same(MATRICES[name], fractions(3, 3, 1, seed=1, zeros=zeros), fractions(3, 3, 1, seed=2, zeros=zeros))


@pytest.mark.parametrize("zeros", [False, True], ids=["numbers", "zeros and ones"])
@pytest.mark.parametrize(("subscripts", "first", "second"), EINSUMS)
def test_sums_of_products(subscripts: str, first: tuple[int, ...], second: tuple[int, ...], zeros: bool) -> None:
    a, b = fractions(*first, seed=3, zeros=zeros), fractions(*second, seed=4, zeros=zeros)
    require_same(lambda x, y: np.einsum(subscripts, x, y), a, b)


@pytest.mark.parametrize(
    "subscripts", ["ii,ij->j", "...ij,j->i", "ij,jk->il", "ij,jk,kl->il", "ij,jk", "ij->ji", "ij,jk->ii", "ij...,j...->i"]
)
def test_sums_of_products_that_nothing_needs_are_refused(subscripts: str) -> None:
    x = new_inputs(Recording(), 3, 3)
    with pytest.raises(TypeError):
        np.einsum(subscripts, *[x] * (subscripts.count(",") + 1))


def test_sums_of_products_need_fitting_arrays() -> None:
    x = new_inputs(Recording(), 3, 3, 1)
    for subscripts, a, b in (("ij,jk->ik", x, x), ("ij...,j...->i...", x, x[0, 0, 0]), ("ij...,j...->i...", x, x[:2])):
        with pytest.raises(ValueError):
            np.einsum(subscripts, a, b)


def test_sums_of_products_fill_an_array_that_is_given() -> None:
    def outward(a: Any, b: Any) -> Any:
        out = np.empty_like(a, shape=(4, 3, 1))
        np.einsum("ik...,kj...->ij...", a, b, out=out[:3])
        out[3:] = b[2:]
        return out

    require_same(outward, fractions(3, 3, 1, seed=5), fractions(3, 3, 1, seed=6))


def test_views_see_what_is_set_and_copies_do_not() -> None:
    def aliases(a: Any, b: Any) -> Any:
        a = a.copy()
        row, turned, kept, flat = a[1], a.swapaxes(0, 1), a.copy(), a.reshape(9, 1)
        a[1, 2] = b[0, 0]
        turned[0, 1] = b[1, 1]
        return np.concatenate([row, turned[2], kept[1], flat[3:6], a[1]])

    require_same(aliases, fractions(3, 3, 1, seed=7), fractions(3, 3, 1, seed=8))


# What a recording cannot know


@pytest.mark.parametrize(
    "decide",
    [
        lambda x: x[0] < x[1],
        lambda x: x == 0,
        lambda x: 1 if x[0, 0] else 2,
        lambda x: np.maximum(x, 0),
        lambda x: np.where(x, 1, 2),
        lambda x: float(x[0, 0]),
        lambda x: np.asarray(x),
        lambda x: np.exp(x),
        lambda x: x**0.5,
        lambda x: x[:, None] @ x[None],
        lambda x: x + "1",
        lambda x: x * 1j,
        lambda x: np.concatenate([x, x], dtype=float),
        lambda x: np.add(x, 1, out=np.zeros((2, 2))),
        lambda x: operator.setitem(np.zeros((2, 2)), 0, x[0]),
        lambda x: np.sum(x),
    ],
)
def test_numbers_that_are_not_known_yet_decide_nothing(decide: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        decide(new_inputs(Recording(), 2, 2))


def test_numbers_that_are_not_finite_and_zero_divisors_are_refused() -> None:
    x = new_inputs(Recording(), 2)
    for number in (float("inf"), float("nan")):
        with pytest.raises((ValueError, OverflowError)):
            x * number
    with pytest.raises(ZeroDivisionError):
        x / constants(x.recording, [1, 0])


def test_recordings_do_not_mix() -> None:
    with pytest.raises(TypeError, match=r"^values of two recordings cannot be combined$"):
        new_inputs(Recording(), 2) + new_inputs(Recording(), 2)


def test_floats_are_recorded_as_the_fractions_that_they_are() -> None:
    inputs = Inputs()
    x = inputs.of(np.array([Fraction(1)]))
    assert inputs.execute(x * 0.1)[0] == Fraction(0.1) != Fraction(1, 10)
