"""States with forces that are exactly zero although everything moves: passive joints and passive motion.

At other states τ follows from q, v and a, and is zero only where nothing moves. Here τ is chosen, and a follows: M a = τ − h.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.comparison.truth import Truth
from cross_check.memory import Array

CHOSEN: dict[str, Callable[[int, int], Array]] = {
    "passive": lambda n, k: np.zeros(n, bool),
    "one force zero": lambda n, k: np.arange(n) != k % n,
    "one force alone": lambda n, k: np.arange(n) == k % n,
}
"""By kind of state: which forces are not zero, of the k-th state of the block and n coordinates."""

LARGEST = 1e6
"""A state stays as it is if its acceleration would be larger than this, as where M is singular."""


def with_zero_forces(states: States, truth: Truth) -> States:
    """The states, whose τ are those that a needs, with other τ and a where their kind says so."""
    chosen = np.array([k for k, kind in enumerate(states.kinds) if kind in CHOSEN], dtype=int)
    if not chosen.size:
        return states
    q, v = states.q[chosen], states.v[chosen]
    n = v.shape[1]
    kept = np.array([CHOSEN[states.kinds[k]](n, int(k)) for k in chosen])
    tau = np.where(kept, states.tau[chosen], 0.0)
    rest = np.zeros_like(v)
    M = np.stack([_force_of(truth, q, np.broadcast_to(unit, v.shape)) for unit in np.eye(n)], axis=2)
    with np.errstate(all="ignore"):
        a = solution(M, tau - truth.high_low("inverse_dynamics", q, v, rest)[0])
        usable = (np.abs(a) <= LARGEST).all(axis=1)
    all_a, all_tau = states.a.copy(), states.tau.copy()
    all_a[chosen[usable]], all_tau[chosen[usable]] = a[usable], tau[usable]
    return replace(states, a=all_a, tau=all_tau)


def _force_of(truth: Truth, q: Array, a: Array) -> Array:
    """M a (batch, n), by inverse dynamics, which every run evaluates anyway."""
    rest = np.zeros_like(a)
    (high, low), (weight, rounded) = (truth.high_low("inverse_dynamics", q, rest, x) for x in (a, rest))
    return (high - weight) + (low - rounded)


def solution(M: Array, b: Array) -> Array:
    """x (batch, n) with M x = b for positive definite M, by elimination.

    A library of linear algebra has other last bits on other processors, and states are the same on all of them.
    """
    M, x = M.copy(), b.copy()
    n = x.shape[1]
    for k in range(n):
        factor = M[:, k + 1 :, k] / M[:, k, k, None]
        M[:, k + 1 :] -= factor[..., None] * M[:, None, k]
        x[:, k + 1 :] -= factor * x[:, k, None]
    for k in reversed(range(n)):
        x[:, k] /= M[:, k, k]
        x[:, :k] -= M[:, :k, k] * x[:, k, None]
    return x
