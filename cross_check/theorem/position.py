"""General position: free numbers for everything that a lemma supposes, as values of a tape.

A lemma is about a body i and its parent λ. Lists by bodies have the parent at 0 and the body at 1. The last axis of every array
has the length one, for one state.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from cross_check.proof.exact import OnTape, on_tape
from cross_check.proof.generic import generic, tree
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.model import build as build_model
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Mechanism, Rotation
from mechanisms.joint_kinds import Kind
from oracle.by_jets.system import System
from oracle.by_jets.system import build as build_system

Array = Any

UNITS = np.eye(6, dtype=int)[..., None]
"""The six unit motions, as columns (6, 6, 1)."""


class Rigid(NamedTuple):
    """A rotation R and a translation p in general position: A = [R p], and X = [[E, 0], [−E r×, E]] with E = Rᵀ, r = p."""

    A: Array
    X: Plucker


class Position:
    """Draws free numbers from a new tape."""

    def __init__(self) -> None:
        self.field: OnTape = on_tape()
        self.free: set[int] = set()
        """The values that count as free numbers, although they were computed."""

    def numbers(self, *shape: int) -> Array:
        """An array (…, 1) of new free numbers."""
        x = np.empty(prod(shape), object)
        x[:] = [self.field.tape.input() for _ in x]
        return x.reshape(*shape, 1)

    def freed(self, *arrays: Array) -> None:
        """From now on, the elements count as free numbers. What is proven with them is proven for all values."""
        self.free.update(x.n for array in arrays for x in array.flat)

    def symmetric(self, n: int) -> Array:
        """A symmetric matrix (n, n, 1) of free numbers."""
        x = self.numbers(n, n)
        lower = np.tril_indices(n, -1)
        x[lower] = x.swapaxes(0, 1)[lower]
        return x

    def zeros(self, *shape: int) -> Array:
        return np.full((*shape, 1), self.field.tape.zero)

    def rigid(self) -> Rigid:
        """By the rotation of a quaternion of any length."""
        R = np.array(Rotation(*(self.field.tape.input() for _ in range(4))).matrix, object)[..., None]
        p = self.numbers(3)
        return Rigid(np.concatenate([R, p[:, None]], 1), Plucker(R.swapaxes(0, 1), p))

    def mechanism(self, parents: tuple[int, ...], kinds: tuple[Kind, ...]) -> Mechanism:
        """A tree in which every number is free."""
        return generic(tree(parents, kinds), self.field.tape.input)

    def pair(self, kind: Kind) -> tuple[Model, System]:
        """A body outboard of a joint of this kind, and its parent; both sides of it.

        Gravity and all numbers of both bodies are free.

        The parent's joint is of another kind.
        """
        mechanism = self.mechanism((-1, 0), ("prismatic" if kind == "revolute" else "revolute", kind))
        return build_model(mechanism, self.field), build_system(mechanism, self.field)

    def of_both(self, model: Model, X: Plucker, S: Array) -> tuple[list[Plucker], list[Array]]:
        """X and S of both bodies of a pair. Those of the parent are free numbers, and no step may read them."""
        return [self.rigid().X, X], [self.numbers(6, model.links[0].joint.nv), S]

    def root(self, kind: Kind) -> tuple[Model, System]:
        """A body on the root."""
        mechanism = self.mechanism((-1,), (kind,))
        return build_model(mechanism, self.field), build_system(mechanism, self.field)


def bracket(m: Array) -> Array:
    """[m] = [[ω×, v], [0, 0]] (4, 4, …) of the motion m = [ω; v] (6, …)."""
    x, y, z, *v = m
    o = 0 * x
    return np.stack([np.stack(row) for row in ((o, -z, y, v[0]), (z, o, -x, v[1]), (-y, x, o, v[2]), (o, o, o, o))])


def times(*factors: Array) -> Array:
    """The product of matrices."""
    product, *others = factors
    for factor in others:
        product = np.einsum("ij...,jk...->ik...", product, factor)
    return product


def transposed(A: Array) -> Array:
    return A.swapaxes(0, 1)


def pairing(T: Array, Z: Array) -> Array:
    """The force f with sᵀ f = tr(T [s] Z) for every motion s: (6, …), from T (3, 4, 1) and Z (4, 3, …)."""
    N = times(T, bracket(UNITS))
    return np.stack([np.einsum("ij...,ji...->...", N[:, :, k], Z) for k in range(6)])
