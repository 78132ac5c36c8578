"""One mechanism, with all that an implementation of it is compared with, at one block of states.

Some kinds of states have forces that are exactly zero although everything moves: passive joints and passive motion. At other
states τ follows from q, v and a, and is zero only where nothing moves. Here τ is chosen, and a follows: M a = τ − h.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cross_check.judge.comparison.coarse_states import reach
from cross_check.judge.comparison.constrained_equations import ConstrainedSystem, Equations
from cross_check.judge.comparison.constrained_states import Search
from cross_check.judge.comparison.sampling import Block, States
from cross_check.judge.comparison.truth import CertifiedTruth, MassMatrix, ReferenceTruth, Truth, with_unit_diagonal
from cross_check.judge.error_scale.motion_magnitudes import MotionMagnitudes
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.memory import Array
from implementations.recorded.traced import PRECISE
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import INTEGRATION, QUANTITIES, USUAL, ByConstrainedMotion

CHOSEN: dict[str, Callable[[int, int], Array]] = {
    "passive": lambda n, k: np.zeros(n, bool),
    "one force zero": lambda n, k: np.arange(n) != k % n,
    "one force alone": lambda n, k: np.arange(n) == k % n,
}
"""By kind of state: which forces are not zero, of the k-th state of the block and n coordinates."""

LARGEST_ACCELERATION = 1e6
"""A state stays as it is if its acceleration would be larger than this, as where M is singular."""


REGULAR = 16.0
"""The least eigenvalue of M, scaled to a unit diagonal, in roundings of all of its rows: right code is off by less."""


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
        largest = (
            LARGEST_ACCELERATION if states.precision == FLOAT64 else reach(truth.mechanism.in_precision(states.precision))[1]
        )
        usable = (np.abs(a) <= largest).all(axis=1)
    all_a, all_tau = states.a.copy(), states.tau.copy()
    all_a[chosen[usable]], all_tau[chosen[usable]] = a[usable], tau[usable]
    return replace(states, a=all_a, tau=all_tau)


def at_regular_positions(states: States, truth: Truth) -> States:
    """The states; where M is singular to their precision, so that right code has no q̈, a state has the position of the next one
    where it is not."""
    M, _ = truth.high_low("mass_matrix", states.q)
    scaled = np.nan_to_num(with_unit_diagonal(M, states.precision.whole))
    least = REGULAR * M.shape[1] * states.precision.epsilon
    regular = np.flatnonzero(np.linalg.eigvalsh(scaled)[:, 0] > least)
    if not len(regular):
        return states
    following = regular[np.searchsorted(regular, np.arange(len(states))) % len(regular)]
    return replace(states, q=states.q[following])


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


REFERENCE_STATES = 98
"""The number of states at which oracle and reference are compared. It is enough, because wrong code is wrong at almost every
state."""


@dataclass(frozen=True)
class Case:
    """A mechanism, the truth about it, the unit of its errors, its mass matrix, and the states to compare at.

    ``first`` is the place of the first state in the run. If the mechanism has constraints, the states satisfy them.
    """

    mechanism: Mechanism
    truth: Truth
    scale: ErrorScale
    mass_matrix: MassMatrix
    states: States
    first: int = 0

    @classmethod
    def of(cls, mechanism: Mechanism, truth: Truth, scale: ErrorScale, states: States, first: int = 0) -> Case:
        """The case with the mass matrix that the truth has."""
        return cls(mechanism, truth, scale, MassMatrix(truth, scale, first), states, first)

    @classmethod
    def by_reference(cls, mechanism: Mechanism, states: States, scale: ErrorScale | None = None) -> Case:
        """The case in which the reference is right. ``states.tau`` is kept."""
        return cls.of(mechanism, ReferenceTruth(mechanism), scale or ErrorScale(mechanism), states)

    def sized(self, bounds: MotionMagnitudes) -> Case:
        """The case with the sizes of these bounds."""
        return replace(self, scale=ErrorScale(bounds))

    def number(self, k: int) -> int:
        """The number in the run of the k-th state of the case."""
        return self.states.numbers[k] if self.states.numbers else self.first + k

    def pick(self, chosen: Array) -> Case:
        """The case at the states with these indices."""
        return replace(self, states=self.states.pick(chosen))

    def at(self, truth: Truth, states: States) -> Case:
        """The case at other states, of which this ``truth`` remembers the values."""
        return replace(self, truth=truth, mass_matrix=MassMatrix(truth, self.scale), states=states)

    @cached_property
    def constrained(self) -> ConstrainedSystem:
        """What equations with constraints are made from."""
        return ConstrainedSystem(self.truth, self.scale, self.mass_matrix, self.states)

    @property
    def projection(self) -> Array:
        """M ∂x/∂b (batch, nv, nv): it takes forces to the part that the constraints do not bear."""
        free = self.equations(ByConstrainedMotion("unit forces")).x.high
        return np.einsum("bij,bjk->bik", self.constrained.mass.high, free)

    def equations(self, judged: ByConstrainedMotion) -> Equations:
        """Raises what :meth:`ConstrainedSystem.equations` raises."""
        return self.constrained.equations(judged)

    def distance_to_reference(self, quantities: Iterable[str] = USUAL) -> dict[str, float]:
        """The largest difference between oracle and reference, per quantity, in ε-units: how far the two derivations are apart.

        Both compute in double-double, or the oracle is certified. What no recorded program computes, the reference computes in
        float64.
        """
        precise, plain = PRECISE.load(self.mechanism), REFERENCE.load(self.mechanism)
        few = self.states.pick(np.arange(len(self.states))[:REFERENCE_STATES])
        distances = {}
        for quantity in (QUANTITIES[name] for name in quantities):
            if quantity.has_value and quantity.is_compared(self.mechanism):
                arguments = few.arguments(quantity.arguments)
                reference = plain if quantity.name in INTEGRATION else precise
                difference = getattr(reference, quantity.name)(*arguments) - self.truth.values(quantity.name, *arguments)
                distances[quantity.name] = float(
                    in_epsilons(difference.astype(np.float64), self.scale.size(quantity.name, *arguments)).max(initial=0.0)
                )
        return distances


class Model:
    """What is derived once for a mechanism and serves all blocks of states.

    ``progress`` is called with what is being done. Raises what :class:`Truth` raises.
    """

    def __init__(
        self, mechanism: Mechanism, certified: bool = False, progress: Callable[[str], None] = lambda activity: None
    ) -> None:
        self.mechanism = mechanism
        self.truth = CertifiedTruth(mechanism, progress) if certified else Truth(mechanism)
        self._bounds = MotionMagnitudes(mechanism)

    def case(self, seed: int, block: Block, given: States | None = None) -> Case:
        """The case of one block of states, with forces for forward dynamics. What its truth keeps is released with the case.

        The states are those of the run that were ``given``, or else sampled.
        """
        truth, scale = self.truth.afresh(), ErrorScale(self._bounds)
        states = block.draw(self.mechanism, seed) if given is None else block.pick(given)
        if given is None and states.precision != FLOAT64:
            states = at_regular_positions(states, truth)
        if not states.has_forces:
            states = states.with_forces(truth.high_low("inverse_dynamics", states.q, states.v, states.a)[0])
            states = with_zero_forces(states, truth)
        return Case.of(self.mechanism, truth, scale, states, block.first)

    def satisfying(self, drawn: States, first: int = 0) -> Case:
        """The case at states that satisfy the constraints, begun from drawn ones. The accelerations drawn give τ.

        Raises :class:`Unsupported` if no such states are found.
        """
        states = self._search.satisfying(drawn)
        truth, scale = self.truth.afresh(), ErrorScale(self._bounds)
        τ, _ = truth.forces(states.q, states.v, states.a)
        return Case.of(self.mechanism, truth, scale, states.with_forces(τ), first)

    @cached_property
    def _search(self) -> Search:
        return Search(self.mechanism)


def prepare(
    mechanism: Mechanism, seed: int, count: int, certified: bool = False, progress: Callable[[str], None] = lambda activity: None
) -> Case:
    """The case of ``mechanism`` at the first ``count`` states, which are one block. The arguments are those of :class:`Model`."""
    return Model(mechanism, certified, progress).case(seed, Block(0, count))
