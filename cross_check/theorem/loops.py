"""Lemma 0: the loops do what the lemmas suppose.

On every tree of up to four bodies, each algorithm is recorded as a whole. It is recorded again from its definition: every step
runs alone, on one body and its parent, and gets from other bodies only what the theorem says. Both must be the same program.

    x_i = step(x_λ(i))                       from the root to the leaves
    y_i = own_i + Σ step(y_j)                over the children j of i, the last one first

For larger trees the loops are to be read: a loop takes the bodies one after the other, and nothing in it depends on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cross_check.proof.generic import generic_state
from cross_check.theorem.identities import Equations
from cross_check.theorem.position import Array, Position, transposed
from implementations.linear import solve
from implementations.spatial_algebra import aba, crba, rnea
from implementations.spatial_algebra.jcalc import joint_transform
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.model import build as build_model
from mechanisms.joint_kinds import Kind
from oracle.by_jets import body_motions, motion, variation
from oracle.by_jets.jets import Jet
from oracle.by_jets.mimic_jets import following
from oracle.by_jets.system import System
from oracle.by_jets.system import build as build_system
from oracle.by_jets.transforms import compose, outward
from oracle.fields import array

KINDS: tuple[Kind, ...] = ("revolute", "universal", "spherical", "prismatic")
"""Of the joints, in order. Parts of q and q̇ of neighbours have different lengths. The compound joint is behind another one."""

MOST = 4
"""The number of bodies of the largest trees."""


def trees() -> Iterator[tuple[int, ...]]:
    """The parents of all bodies, for all trees of up to :data:`MOST` bodies in every order in which parents come first."""
    for n in range(1, MOST + 1):
        yield from product(*(range(-1, i) for i in range(n)))


class Forest(NamedTuple):
    """A tree of bodies on the root; both sides of it, and its state."""

    parents: tuple[int, ...]
    model: Model
    system: System
    state: dict[str, Array]

    def children(self, i: int) -> list[int]:
        """The last one first, as the loops take them."""
        return [j for j in reversed(range(len(self.parents))) if self.parents[j] == i]

    def path(self, i: int) -> list[int]:
        """The bodies from the parent of i to the root."""
        return [] if (λ := self.parents[i]) < 0 else [λ, *self.path(λ)]

    def alone(self, i: int) -> Model:
        """Body i and its parent alone, or body i on the root."""
        pair, parents = ((i,), (-1,)) if self.parents[i] < 0 else ((self.parents[i], i), (-1, 0))
        return replace(self.model, links=tuple(self.model.links[k] for k in pair), parents=parents)

    def given(self, i: int, of: Callable[[int], tuple[Any, ...]], count: int) -> tuple[list[Any], ...]:
        """Lists for the step of body i: ``count`` results of its parent, or nothing on the root."""
        return tuple([] if self.parents[i] < 0 else [of(self.parents[i])[k]] for k in range(count))

    def sums(self, own: Callable[[int], Any], add: Callable[[Any, int, Any], Any]) -> Callable[[int], Any]:
        """y_i: what body i has of its own, to which every child adds."""

        def total(i: int) -> Any:
            y = own(i)
            for j in self.children(i):
                y = add(y, j, known(j))
            return y

        known = cache(total)
        return known


def forest(parents: tuple[int, ...], p: Position) -> Forest:
    """The tree with these parents. Every number of it and of its state is free."""
    mechanism = p.mechanism(parents, KINDS[: len(parents)])
    drawn = generic_state(mechanism, p.field.tape.input)
    state = {name: np.array(values, object)[:, None] for name, values in drawn.items()}
    state |= {"f": p.numbers(len(parents), 6), "τ": p.numbers(mechanism.nv)}
    return Forest(parents, build_model(mechanism, p.field), build_system(mechanism, p.field), state)


def loops(parents: tuple[int, ...], p: Position) -> Equations:
    """All algorithms of both sides, on the tree with these parents."""
    tree = forest(parents, p)
    q, v, a, f, τ = (tree.state[name] for name in ("q", "v", "a", "f", "τ"))
    yield "rnea", rnea.rnea(tree.model, q, v, a, f), rnea_by_definition(tree)
    yield "crba", crba.crba(tree.model, q), crba_by_definition(tree, p)
    yield "aba", aba.aba(tree.model, q, v, τ), aba_by_definition(tree)
    force, mass = oracle_by_definition(tree)
    yield "the oracle's equations", body_motions.inverse_dynamics_with_forces(tree.system, q, v, a, f), force
    yield "the oracle's mass matrix", variation.mass_matrix(tree.system, q), mass


def across(tree: Forest) -> tuple[list[Any], list[Array]]:
    """X and S of every joint."""
    pairs = [joint_transform(link, tree.state["q"], tree.model.field) for link in tree.model.links]
    return [X for X, _ in pairs], [S for _, S in pairs]


def rnea_by_definition(tree: Forest) -> Array:
    X, S = across(tree)
    q̇, q̈, fx = (tree.state[name] for name in ("v", "a", "f"))

    @cache
    def moved(i: int) -> tuple[Array, Array, Array]:
        v, a, f = tree.given(i, moved, 3)
        last = len(v)
        rnea.outward(tree.alone(i), last, q̇, q̈, fx[[i] * (last + 1)], [X[i]] * 2, [S[i]] * 2, v, a, f)
        return v[last], a[last], f[last]

    def add(f: Array, j: int, of_child: Array) -> Array:
        forces = [f, of_child]
        rnea.inward(tree.alone(j), 1, q̇, q̈, [X[j]] * 2, [S[j]] * 2, forces, [])
        return forces[0]

    total = tree.sums(lambda i: moved(i)[2], add)
    τ: list[Array] = []
    for i in range(len(tree.parents)):
        forces = [total(i)] * (1 if tree.parents[i] < 0 else 2)
        rnea.inward(tree.alone(i), len(forces) - 1, q̇, q̈, [X[i]] * 2, [S[i]] * 2, forces, τ)
    return np.concatenate(τ)


def crba_by_definition(tree: Forest, p: Position) -> Array:
    X, S = across(tree)
    links, H = tree.model.links, p.zeros(tree.model.nv, tree.model.nv)

    def add(Ic: Array, j: int, of_child: Array) -> Array:
        inertias = [Ic, of_child]
        crba.composite(tree.alone(j), 1, [X[j]] * 2, inertias)
        return inertias[0]

    total = tree.sums(lambda i: links[i].I, add)
    for i in range(len(tree.parents)):
        F = crba.diagonal(tree.alone(i), -1, [S[i]], [total(i)], H)
        for j, behind in zip(tree.path(i), [i, *tree.path(i)], strict=False):
            F = X[behind].T @ F
            both = replace(tree.model, links=(links[j], links[i]), parents=(-1, 0))
            crba.off_diagonal(both, 1, 0, [S[j]], F, H)
    return H


def aba_by_definition(tree: Forest) -> Array:
    X, S = across(tree)
    q̇, τ = tree.state["v"], tree.state["τ"]

    @cache
    def moved(i: int) -> tuple[Array, ...]:
        v, c, IA, pA = tree.given(i, moved, 4)
        aba.outward(tree.alone(i), len(v), q̇, [X[i]] * 2, [S[i]] * 2, v, c, IA, pA)
        return v[-1], c[-1], IA[-1], pA[-1]

    @cache
    def solved(i: int) -> tuple[Array, Array, Array]:
        IA, pA = total(i)
        U, D, u = aba.joint_equation(tree.alone(i), -1, q̇, τ, [S[i]], [IA], [pA])
        return U, solve(D, transposed(U)), solve(D, u)

    def add(own: tuple[Array, Array], j: int, of_child: tuple[Array, Array]) -> tuple[Array, Array]:
        U, UD, Du = solved(j)
        IA, pA = ([mine, theirs] for mine, theirs in zip(own, of_child, strict=True))
        aba.inward(tree.alone(j), 1, [X[j]] * 2, [moved(j)[1]] * 2, U, {1: UD}, {1: Du}, IA, pA)
        return IA[0], pA[0]

    total = tree.sums(lambda i: moved(i)[2:], add)

    @cache
    def accelerated(i: int) -> tuple[Array, Array]:
        a, q̈ = tree.given(i, accelerated, 2)
        last = len(a)
        _, UD, Du = solved(i)
        aba.accelerate(tree.alone(i), last, [X[i]] * 2, [S[i]] * 2, [moved(i)[1]] * 2, {last: UD}, {last: Du}, a, q̈)
        return a[-1], q̈[-1]

    return np.concatenate([accelerated(i)[1] for i in range(len(tree.parents))])


def oracle_by_definition(tree: Forest) -> tuple[Array, Array]:
    """τ with external forces, and M."""
    system, bodies = tree.system, range(len(tree.parents))
    q, v, a, f = (tree.state[name] for name in ("q", "v", "a", "f"))
    own = [link.v for link in system.links]
    joints = [following(link.joint, link.mimic, q[link.q], system.field) for link in system.links]
    at = [motion.joint_position(*joint) for joint in joints]
    first = [motion.joint_velocity(*joint, v[k]) for joint, k in zip(joints, own, strict=True)]
    second = [motion.joint_acceleration(*joints[i], first[i][2], v[own[i]], a[own[i]]) for i in bodies]
    A = [Jet(at[i][0], first[i][0], second[i]) for i in bodies]

    @cache
    def placed(i: int) -> tuple[Jet, Jet]:
        """T and Q."""
        if tree.parents[i] < 0:
            T, Q = motion.body_position(array(system.field, np.eye(3, 4, dtype=int))[..., None], *at[i])
            return Jet(T, *A[i].terms[1:]), Jet(Q, first[i][1])
        T0, T1, T2 = placed(tree.parents[i])[0].terms
        T, Q = motion.body_position(T0, *at[i])
        rate, Q1 = motion.body_velocity(T0, T1, *at[i], *first[i][:2])
        return Jet(T, rate, motion.body_acceleration(T0, T1, T2, *A[i].terms)), Jet(Q, Q1)

    total = tree.sums(
        lambda i: (variation.momentum(system.links[i], placed(i)[0]), variation.weight(system.links[i], system)),
        lambda parent, j, child: variation.with_subtree(parent[0], parent[1], A[j], child[0], child[1]),
    )
    composite = tree.sums(
        lambda i: system.links[i].J,
        lambda parent, j, child: variation.with_pseudo_inertia(parent, A[j].now, child),
    )
    τ, M = system.armature * a + system.damping * v, 0 * system.armature * system.armature[:, None]
    for i in bodies:
        τ[own[i]] = variation.with_joint_force(τ[own[i]], placed(i)[1], *total(i))
        W = variation.unit_momenta(composite(i), placed(i)[1].now)
        M[own[i], own[i]] = variation.mass_matrix_entries(placed(i)[1].now, W)
        for j, behind in zip(tree.path(i), [i, *tree.path(i)], strict=False):
            W = outward(A[behind].now, W)
            M[own[j], own[i]] = variation.mass_matrix_entries(placed(j)[1].now, W)
            M[own[i], own[j]] = transposed(M[own[j], own[i]])
    for k, armature in enumerate(system.armature):
        M[k, k] = M[k, k] + armature
    for i in bodies:
        for j in (i, *tree.path(i)):
            dT = placed(j)[1].now
            for behind in reversed([i, *tree.path(i)][: [i, *tree.path(i)].index(j)]):
                dT = compose(dT, A[behind].now)
            τ[own[j]] = τ[own[j]] - body_motions.work(placed(i)[0].now, dT, f[i])
    return τ, M
