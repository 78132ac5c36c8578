"""Moves that leave bodies out: of a mechanism at one state, to smaller mechanisms at the state that they inherit.

Bodies that stay keep the place in the tree that they have: on the nearest body before them that stays. The placements between
are left out, unless bodies are welded. Names stay as well, so that a fault of one joint is still recognised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, islice

import numpy as np

from cross_check.judge.comparison.sampling import States
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.joint_forces import NO_DYNAMICS
from mechanisms.states import neutral

MOST_FIRST = 16
"""How many single bodies, and how many pairs of bodies, are tried first."""

MOST_PAIRS = 5000
"""How many pairs are looked at for two bodies on the same one."""


def few_bodies(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    """One body alone; a body and the one that it hangs on; two bodies on the same one. Other kinds of joints come first."""
    n, parents = len(mechanism.bodies), mechanism.parents
    if n > 1:
        yield from (kept(mechanism, state, chosen) for chosen in _varied(mechanism, [(i,) for i in range(n)]))
    if n > 2:
        hanging = [(parents[i], i) for i in range(n) if parents[i] >= 0]
        beside = [(i, j) for i, j in islice(combinations(range(n), 2), MOST_PAIRS) if parents[i] == parents[j]]
        for pairs in (hanging, beside):
            yield from (kept(mechanism, state, chosen) for chosen in _varied(mechanism, pairs))


def smaller_trees(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    """Without a subtree, the largest first; all that is before a joint left out; one body left out; one joint welded."""
    n = len(mechanism.bodies)
    subtrees = [_subtree(mechanism, i) for i in range(n)]
    for subtree in sorted(subtrees, key=len, reverse=True):
        if len(subtree) < n:
            yield kept(mechanism, state, [i for i in range(n) if i not in subtree])
            if len(subtree) > 1:
                yield kept(mechanism, state, sorted(subtree))
    for i in range(n if n > 1 else 0):
        yield kept(mechanism, state, [k for k in range(n) if k != i])
        # Rounding may leave two possible bodies that are impossible together.
        with suppress(MechanismError):
            yield welded(mechanism, state, i)


def kept(mechanism: Mechanism, state: States, chosen: Collection[int]) -> tuple[Mechanism, States]:
    """Only the ``chosen`` bodies, by their indices."""
    bodies, parents = mechanism.bodies, mechanism.parents

    def holder(i: int) -> str:
        while (i := parents[i]) >= 0 and i not in chosen:
            pass
        return bodies[i].name if i >= 0 else mechanism.root

    smaller = replace(mechanism, bodies=tuple(replace(bodies[i], parent=holder(i)) for i in sorted(chosen)), frames=())
    return smaller, inherited(mechanism, state, smaller)


def welded(mechanism: Mechanism, state: States, i: int) -> tuple[Mechanism, States]:
    """Joint ``i`` is fixed where its position is zero."""
    joint = mechanism.bodies[i].joint
    fixed = replace(joint, kind="fixed", pitch=0, second_axis=None, **NO_DYNAMICS)
    bodies = tuple(replace(body, joint=fixed) if k == i else body for k, body in enumerate(mechanism.bodies))
    smaller = replace(replace(mechanism, bodies=bodies, frames=()), frames=())
    return smaller, inherited(mechanism, state, smaller)


def inherited(mechanism: Mechanism, state: States, other: Mechanism) -> States:
    """The state of ``other`` in which joints and bodies of the same name and kind have the numbers of ``state``.

    A joint of another kind is at zero; its first velocities and accelerations are those of the joint.
    """
    index = {body.name: i for i, body in enumerate(mechanism.bodies)}
    n = len(other.bodies)
    q, v, a, f = neutral(other)[None], np.zeros((1, other.nv)), np.zeros((1, other.nv)), np.zeros((1, n, 6))
    for k, body in enumerate(other.bodies):
        i = index[body.name]
        own_v, old_v = other.v_slices[k], mechanism.v_slices[i]
        both = min(own_v.stop - own_v.start, old_v.stop - old_v.start)
        for new, old in ((v, state.v), (a, state.a)):
            # Adding zero turns −0 into 0.
            new[:, own_v.start : own_v.start + both] = old[:, old_v.start : old_v.start + both] + 0.0
        if body.joint.kind == mechanism.bodies[i].joint.kind:
            q[:, other.q_slices[k]] = state.q[:, mechanism.q_slices[i]]
        f[:, k] = state.f[:, i] + 0.0
    return States(state.kinds, q, v, a, np.zeros_like(v), f)


def _varied(mechanism: Mechanism, choices: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """At most MOST_FIRST of the choices. Those whose joints are of other kinds than all before come first."""
    by_kinds: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
    for chosen in choices:
        by_kinds.setdefault(tuple(mechanism.bodies[i].joint.kind for i in chosen), []).append(chosen)
    rounds = max(map(len, by_kinds.values()), default=0)
    ordered = [same[k] for k in range(rounds) for same in by_kinds.values() if k < len(same)]
    return ordered[:MOST_FIRST]


def _subtree(mechanism: Mechanism, i: int) -> set[int]:
    members = {i}
    for k in range(i + 1, len(mechanism.bodies)):
        if mechanism.parents[k] in members:
            members.add(k)
    return members
