"""General position: free numbers for everything that a lemma supposes, as values of a tape, and single steps of loops.

A lemma is about a body and its parent. Lists by bodies have the parent at 0 and the body at 1. The last axis of every array has
the length one, for one state.

A loop of the reference runs as it is, on one body or on two, and its variables are read when it returns. A step of the loop is
then the part of the program between two variables. ``replaced`` computes this part again, from other numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from types import FrameType, FunctionType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from cross_check.prove.proof.exact import OnTape, on_tape
from cross_check.prove.proof.generic import generic, generic_state, tree
from cross_check.prove.proof.instructions import CONSTANT, INPUT, OPERATIONS
from cross_check.prove.proof.scalars import Number
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
    """Draws free numbers from a new tape, and cuts steps out of its program."""

    def __init__(self) -> None:
        self.field: OnTape = on_tape()
        self._program: list[tuple[int, int, int]] = []

    def numbers(self, *shape: int) -> Array:
        """An array (…, 1) of new free numbers."""
        x = np.empty(prod(shape), object)
        x[:] = [self.field.tape.input() for _ in x]
        return x.reshape(*shape, 1)

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

    def replaced(self, results: Iterable[Any], *given: tuple[Any, Any]) -> list[Any]:
        """Arrays of values, computed again with the second array of each pair in place of the first.

        Raises :class:`ValueError` where a constant, or one value by two others, would be replaced.
        """
        known: dict[int, Number] = {}
        for old, new in given:
            for x, y in zip(old.flat, np.broadcast_to(new, old.shape).flat, strict=True):
                n, number = self.field.tape.lift(x).n, self.field.tape.lift(y)
                if self.field.tape.kind[n] == CONSTANT or known.setdefault(n, number) is not number:
                    raise ValueError("a variable of the loop is no number of its own")

        def again(n: int) -> Number:
            if n not in known:
                kind, a, b = self._program[n]
                known[n] = self.field.tape.value(n) if kind in (INPUT, CONSTANT) else OPERATIONS[kind](again(a), again(b))
            return known[n]

        return [np.vectorize(lambda x: again(self._recorded(x)), otypes=[object])(array) for array in results]

    def _recorded(self, x: Any) -> int:
        """The number of a value, of which the instructions are known."""
        n = self.field.tape.lift(x).n
        if n >= len(self._program):
            self._program = list(self.field.tape.instructions())
        return n

    def mechanism(self, parents: tuple[int, ...], kinds: tuple[Kind, ...]) -> Mechanism:
        """A tree in which every number is free."""
        return generic(tree(parents, kinds), self.field.tape.input)

    def bodies(self, parents: tuple[int, ...], kinds: tuple[Kind, ...]) -> Bodies:
        """A tree in general position. The transforms and the subspaces of the joints are free, too."""
        mechanism = self.mechanism(parents, kinds)
        model, system = build_model(mechanism, self.field), build_system(mechanism, self.field)
        A, X = zip(*(self.rigid() for _ in kinds), strict=True)
        S = tuple(self.numbers(6, link.joint.nv) for link in model.links)
        q = np.array(generic_state(mechanism, self.field.tape.input)["q"], object)[:, None]
        return Bodies(model, system, A, X, S, q)

    def pair(self, kind: Kind) -> Bodies:
        """A body outboard of a joint of this kind, and its parent, of which the joint is of another kind."""
        return self.bodies((-1, 0), (other_than(kind), kind))

    def root(self, kind: Kind) -> Bodies:
        """A body outboard of a joint of this kind, on the root."""
        return self.bodies((-1,), (kind,))


def variables(algorithm: Any, *arguments: Any, **instead: Any) -> Any:
    """The local variables of ``algorithm`` when it returns, and its ``answer``.

    The functions ``instead`` take the places of those that it imports.
    """
    code, local = algorithm.__code__, dict[str, Any]()

    def keep(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code is code:
            local.update(frame.f_locals)

    before = sys.getprofile()
    sys.setprofile(keep)
    try:
        answer = FunctionType(code, {**algorithm.__globals__, **instead}, None, algorithm.__defaults__)(*arguments)
    finally:
        sys.setprofile(before)
    return SimpleNamespace(answer=answer, **local)


@dataclass(frozen=True)
class Bodies:
    """A tree of bodies, for both sides, with A, X and S of all joints at the position q."""

    model: Model
    system: System
    A: tuple[Array, ...]
    X: tuple[Plucker, ...]
    S: tuple[Array, ...]
    q: Array

    def run(self, algorithm: Any, *arguments: Any, **instead: Any) -> Any:
        """The variables of an algorithm of the reference when it returns. It gets X and S of the joints from here."""

        def transforms(model: Model, q: Array) -> tuple[list[Plucker], list[Array]]:
            if model is not self.model or q is not self.q:
                raise ValueError("the algorithm takes the transforms of other joints, or at another position")
            return list(self.X), list(self.S)

        return variables(algorithm, self.model, self.q, *arguments, transforms=transforms, **instead)

    def chain(self, *of: int) -> Bodies:
        """Some of the bodies alone, one outboard of the other, for the reference."""
        model = replace(self.model, links=tuple(self.model.links[i] for i in of), parents=tuple(range(-1, len(of) - 1)))
        X, S = (tuple(x[i] for i in of) for x in (self.X, self.S))
        return replace(self, model=model, X=X, S=S)

    def with_inertias(self, inertias: Iterable[Array]) -> Bodies:
        """The same bodies with other spatial inertias, for the reference."""
        links = tuple(replace(link, I=I) for link, I in zip(self.model.links, inertias, strict=True))
        return replace(self, model=replace(self.model, links=links))


def other_than(kind: Kind) -> Kind:
    return "prismatic" if kind == "revolute" else "revolute"


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
