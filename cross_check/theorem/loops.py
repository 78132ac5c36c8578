"""Lemma 0: the loops do what the lemmas suppose.

On every tree of up to four bodies, each algorithm is recorded as a whole. It is recorded again from its definition: every step is
cut from the same loop on one body and its parent alone, and gets from other bodies only what the theorem says. Both must be the
same program.

    x_i = step(x_λ(i))                       from the root to the leaves
    y_i = own_i + Σ step(y_j)                over the children j of i, the last one first

For larger trees the loops are to be read: a loop takes the bodies one after the other, and nothing in it depends on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cross_check.theorem.identities import Equations
from cross_check.theorem.position import Array, Bodies, Position, transposed
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.jcalc import joint_transform, transforms
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import mul
from mechanisms.joint_kinds import Kind
from oracle.by_jets import body_motions, motion, variation
from oracle.by_jets.jets import Jet
from oracle.by_jets.mimic_jets import following
from oracle.by_jets.transforms import compose, outward
from oracle.fields import array

KINDS: tuple[Kind, ...] = ("revolute", "universal", "spherical", "prismatic")
"""Of the joints, in order. Parts of q and q̇ of neighbours have different lengths, and the compound joint is not on the root."""

MOST = 4
"""The number of bodies of the largest trees."""

Given = list[tuple[Array, Array]]
"""Variables of a loop, each with what a step gets in its place."""


def trees() -> Iterator[tuple[int, ...]]:
    """The parents of all bodies, for all trees of up to :data:`MOST` bodies in every order in which parents come first."""
    for n in range(1, MOST + 1):
        yield from product(*(range(-1, i) for i in range(n)))


class Tree(NamedTuple):
    """A tree of bodies on the root, and q̇, q̈, the forces on bodies, and τ. Every number is free."""

    parents: tuple[int, ...]
    bodies: Bodies
    state: tuple[Array, Array, Array, Array]
    replaced: Callable[..., list[Array]]

    def children(self, i: int) -> list[int]:
        """The last one first, as the loops take them."""
        return [j for j in reversed(range(len(self.parents))) if self.parents[j] == i]

    def path(self, i: int) -> list[int]:
        """The bodies from the parent of i to the root."""
        return [] if (λ := self.parents[i]) < 0 else [λ, *self.path(λ)]

    def runs(self, run: Callable[[Bodies, list[int]], Any]) -> tuple[list[Any], list[Any]]:
        """``run`` of every body and its parent alone, and of every body alone."""
        pairs = [[*self.path(i)[:1], i] for i in range(len(self.parents))]
        return tuple([run(self.bodies.chain(*some), some) for some in ways] for ways in (pairs, [some[-1:] for some in pairs]))

    def inherited(self, i: int, of: Callable[[int], tuple[Array, ...]], *of_run: list[Array]) -> Given:
        """What body i gets from its parent, in place of these variables of a run; nothing on the root."""
        return [] if self.parents[i] < 0 else [(x[0], y) for x, y in zip(of_run, of(self.parents[i]), strict=False)]

    def sums(self, own: Callable[[int], Any], add: Callable[[Any, int, Any], Any]) -> Callable[[int], Any]:
        """y_i: what body i has of its own, to which every child adds."""

        def total(i: int) -> Any:
            y = own(i)
            for j in self.children(i):
                y = add(y, j, known(j))
            return y

        known = cache(total)
        return known


def loops(parents: tuple[int, ...], p: Position) -> Equations:
    """All algorithms of both sides, on the tree with these parents."""
    bodies = p.bodies(parents, KINDS[: len(parents)])
    state = p.numbers(bodies.model.nv), p.numbers(bodies.model.nv), p.numbers(len(parents), 6), p.numbers(bodies.model.nv)
    force, mass = oracle_by_definition(Tree(parents, bodies, state, p.replaced))
    yield "the oracle's equations", body_motions.inverse_dynamics_with_forces(bodies.system, bodies.q, *state[:3]), force
    yield "the oracle's mass matrix", variation.mass_matrix(bodies.system, bodies.q), mass

    pairs = zip(transforms(bodies.model, bodies.q)[0], transforms(bodies.model, bodies.q)[1], bodies.model.links, strict=True)
    for X, S, link in pairs:
        own_X, own_S = joint_transform(link, bodies.q, bodies.model.field)
        yield "transforms", np.concatenate([*X, S], None), np.concatenate([*own_X, own_S], None)

    tree = Tree(parents, bodies.with_inertias(p.symmetric(6) for _ in parents), state, p.replaced)
    q̇, q̈, f, τ = state
    yield "rnea", tree.bodies.run(rnea, q̇, q̈, f).answer, rnea_by_definition(tree)
    yield "crba", tree.bodies.run(crba).answer, crba_by_definition(tree, p)
    yield "aba", tree.bodies.run(aba, q̇, τ).answer, aba_by_definition(tree)


def rnea_by_definition(tree: Tree) -> Array:
    q̇, q̈, fx, _ = tree.state
    pairs, single = tree.runs(lambda bodies, some: bodies.run(rnea, q̇, q̈, fx[some]))

    @cache
    def moved(i: int) -> tuple[Array, ...]:
        run = pairs[i]
        return tuple(tree.replaced((run.v[-1], run.a[-1], run.f[-1]), *tree.inherited(i, moved, run.v, run.a)))

    def add(f: Array, j: int, of_child: Array) -> Array:
        return tree.replaced((pairs[j].f[0],), (single[tree.parents[j]].f[0], f), (pairs[j].f[1], of_child))[0]

    total = tree.sums(lambda i: moved(i)[2], add)
    return np.concatenate([tree.replaced((run.τ[0],), (run.f[-1], total(i)))[0] for i, run in enumerate(pairs)])


def crba_by_definition(tree: Tree, p: Position) -> Array:
    X, S, links = tree.bodies.X, tree.bodies.S, tree.bodies.model.links
    pairs, _ = tree.runs(lambda bodies, some: bodies.run(crba))

    def add(Ic: Array, j: int, of_child: Array) -> Array:
        return tree.replaced((pairs[j].Ic[0],), (links[tree.parents[j]].I, Ic), (links[j].I, of_child))[0]

    total = tree.sums(lambda i: links[i].I, add)
    H = p.zeros(tree.bodies.model.nv, tree.bodies.model.nv)
    for i, link in enumerate(links):
        F = mul(total(i), S[i])
        H[link.v, link.v] = mul(transposed(S[i]), F) + np.eye(link.joint.nv, dtype=int)[..., None] * link.armature
        for j, outboard in zip(tree.path(i), [i, *tree.path(i)], strict=False):
            F = X[outboard].T @ F
            H[links[j].v, link.v] = mul(transposed(S[j]), F)
            H[link.v, links[j].v] = transposed(H[links[j].v, link.v])
    return H


def aba_by_definition(tree: Tree) -> Array:
    q̇, _, _, τ = tree.state
    pairs, single = tree.runs(lambda bodies, some: bodies.run(aba, q̇, τ))

    @cache
    def moved(i: int) -> tuple[Array, ...]:
        run = pairs[i]
        return tuple(tree.replaced((run.v[-1], run.c[-1], run.IA[-1], run.pA[-1]), *tree.inherited(i, moved, run.v)))

    @cache
    def solved(i: int) -> Given:
        """UD and Du, with what is in their place in the program of body i and its parent."""
        run, (IA, pA) = pairs[i], total(i)
        own = run.UD[len(run.a) - 1], run.Du[len(run.a) - 1]
        return list(zip(own, tree.replaced(own, (run.IA[-1], IA), (run.pA[-1], pA)), strict=True))

    def add(own: list[Array], j: int, of_child: list[Array]) -> list[Array]:
        run, parent = pairs[j], single[tree.parents[j]]
        old = parent.IA[0], parent.pA[0], run.IA[1], run.pA[1], run.c[1]
        return tree.replaced((run.IA[0], run.pA[0]), *zip(old, (*own, *of_child, moved(j)[1]), strict=True))

    total = tree.sums(lambda i: moved(i)[2:], add)

    @cache
    def accelerated(i: int) -> tuple[Array, ...]:
        run = pairs[i]
        given = [*tree.inherited(i, accelerated, run.a), (run.c[-1], moved(i)[1]), *solved(i)]
        return tuple(tree.replaced((run.a[-1], run.qdd[-1]), *given))

    return np.concatenate([accelerated(i)[1] for i in range(len(tree.parents))])


def oracle_by_definition(tree: Tree) -> tuple[Array, Array]:
    """τ with external forces, and M."""
    system, bodies = tree.bodies.system, range(len(tree.parents))
    q, (v, a, f, _) = tree.bodies.q, tree.state
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
