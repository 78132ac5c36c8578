"""The search for the state of the largest error, by an evolution (H.-G. Beyer, H.-P. Schwefel, "Evolution strategies", 2002).

It begins with the worst of the sampled states. A generation is a batch of children, because code answers batches fast. Each
child is one move away from a parent (:mod:`cross_check.judge.worst.moves`). Better parents have more children, and moves that
made better states are used more. The best of parents and children live on, but few of each line: the sampled states of one kind
(:mod:`cross_check.judge.comparison.kinds`) and their descendants. Else all would soon descend from one state, and what code
loses far away, for example, would not be found.

What is searched for is the largest |error| in ε-units of any component (:mod:`cross_check.judge.comparison.judgements`).
The search depends on the seed, the mechanism, the quantity and the answers alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.judgements import bounded, compared_at
from cross_check.judge.comparison.sampling import BLOCK, Block, States
from cross_check.judge.worst.moves import MOVES
from cross_check.judge.worst.region import Region
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms.quantities import INTEGRATION, QUANTITIES, Quantity

PARENTS, OF_A_LINE, CHILDREN = 96, 6, 256

SHARE_SAMPLED = 4
"""One of so many states is sampled, and a block of them at most."""

LEAST_WEIGHT = 0.05
"""Of a move that made no better state."""

AGAIN = 4
"""So many of the worst states are asked again."""

STRANGER = 0.3
"""How often the other state of a move is any sampled one, and no parent."""


@dataclass(frozen=True)
class Worst:
    """The state of the largest error that was found, and that of the ``sampled`` states, in ε-units.

    ``arguments`` are those of the quantity (…); value, expected and magnitude are of the component with these ``indices``.
    ``failure`` says why the search ended early, if code failed. ``states`` were evaluated.
    The error comes out where code is asked for so many ``copies`` of the state in one batch.
    """

    sampled: float
    found: float
    arguments: dict[str, Array]
    indices: tuple[int, ...]
    value: float
    expected: float
    magnitude: float
    states: int
    copies: int = 1
    failure: str = ""
    interrupted: bool = False


def is_searched(name: str) -> bool:
    """Whether the arguments of this quantity may have any values in a region: with constraints, and with second positions, they
    depend on q. Relations are not searched."""
    return name in QUANTITIES and name not in INTEGRATION


def search(
    model: Model,
    loaded: Loaded,
    quantity: Quantity,
    seed: int,
    budget: int,
    progress: Callable[[int, float], None] = lambda done, largest: None,
) -> Worst:
    """The worst of ``budget`` states. An interruption, and a failure after the sampled states, end it with what it has.

    ``progress`` is called with the number of states so far and the largest error. Raises :class:`Unsupported`, and
    :class:`Failure` for code that fails at the sampled states.
    """
    mechanism = model.mechanism
    quantity.require_compared(mechanism)
    case = model.case(seed, Block(0, min(BLOCK, max(budget // SHARE_SAMPLED, 1))))
    if quantity.needs_regular_mass_matrix:
        case.mass_matrix.require_regular(case.states.q)
    units = _by_state(compared_at(case, loaded, quantity).units)
    region = Region(mechanism, quantity, case.states)
    drawn_from = zlib.crc32(" ".join((quantity.name, *mechanism.coordinates)).encode(errors="backslashreplace"))
    lines = np.unique(case.states.kinds, return_inverse=True)[1]
    evolution = Evolution(region, region.rows(case.states), units, lines, np.random.default_rng([seed, drawn_from]))
    asked = Asked(model, loaded, quantity, region)
    done, failure, interrupted = len(units), "", False
    try:
        while done < budget:
            progress(done, float(evolution.units[0]))
            children = evolution.children(min(CHILDREN, budget - done))
            evolution.select(asked.units(children))
            done += len(children)
    except Failure as error:
        failure = str(error)
    except KeyboardInterrupt:
        interrupted = True
    return replace(asked.worst(evolution, float(units.max())), states=done, failure=failure, interrupted=interrupted)


class Evolution:
    """The parents of the next generation: rows ``x`` and their errors ``units``, the worst state first."""

    def __init__(self, region: Region, x: Array, units: Array, lines: Array, rng: np.random.Generator) -> None:
        """It begins with rows ``x`` (batch, numbers), their errors and the numbers of their lines (batch,)."""
        self._region, self._rng, self._sampled = region, rng, x
        self._tried, self._better = np.full(len(MOVES), 10.0), np.full(len(MOVES), 1.0)
        self.x, self.units, self._lines = x[:0], units[:0], np.zeros(0, int)
        self._keep(x, units, lines)

    def children(self, count: int) -> Array:
        """So many rows, each one move away from a parent."""
        rng, weight = self._rng, np.maximum(self._better / self._tried, LEAST_WEIGHT)
        # The k-th parent has so many children that the first half has three quarters of them.
        self._of = (len(self.x) * rng.random(count) ** 2).astype(int)
        self._by = rng.choice(len(MOVES), size=count, p=weight / weight.sum())
        others = [self._sampled if rng.random() < STRANGER else self.x for _ in range(count)]
        mates = (among[rng.integers(len(among))] for among in others)
        rows = [MOVES[by](self._region, rng, self.x[of], y) for of, by, y in zip(self._of, self._by, mates, strict=True)]
        self._children = self._region.inside(np.array(rows), rng)
        return self._children

    def select(self, units: Array) -> None:
        """Take over the errors (count,) of the last children."""
        np.add.at(self._tried, self._by, 1)
        np.add.at(self._better, self._by, units > self.units[self._of])
        self._keep(self._children, units, self._lines[self._of])

    def _keep(self, x: Array, units: Array, lines: Array) -> None:
        x = np.concatenate([self.x, x])
        units, lines = np.concatenate([self.units, units]), np.concatenate([self._lines, lines])
        _, first = np.unique(x, axis=0, return_index=True)
        kept: list[int] = []
        number: dict[int, int] = {}
        for k in sorted(first.tolist(), key=lambda k: (-units[k], k)):
            if number.setdefault(line := int(lines[k]), 0) < OF_A_LINE:
                number[line] += 1
                kept.append(k)
        best = np.array(kept[:PARENTS])
        self.x, self.units, self._lines = x[best], units[best], lines[best]


@dataclass(frozen=True)
class Asked:
    """Code that is asked for a quantity at the states of rows."""

    model: Model
    loaded: Loaded
    quantity: Quantity
    region: Region

    def units(self, x: Array) -> Array:
        """The largest error at each state, in ε-units (batch,); −1 where M is singular. Raises :class:`Failure`."""
        case = self.model.case(0, Block(0, len(x)), self.region.states(x))
        if self.quantity.needs_regular_mass_matrix:
            try:
                case.mass_matrix.require_regular(case.states.q)
            except Unsupported:
                return np.concatenate([self.units(half) for half in np.array_split(x, 2)]) if len(x) > 1 else np.array([-1.0])
        return _by_state(compared_at(case, self.loaded, self.quantity).units)

    def worst(self, evolution: Evolution, sampled: float) -> Worst:
        """The worst state of all when it is asked alone, or in a batch of copies: some code rounds in batches otherwise, and the
        error has to come out again."""
        asked = [(self.region.states(x[None]), copies) for copies in (1, CHILDREN) for x in evolution.x[:AGAIN]]
        found = [answered(self.model, self.loaded, self.quantity, *one) for one in asked]
        return replace(max(found, key=lambda one: one.found), sampled=sampled)


def answered(model: Model, loaded: Loaded, quantity: Quantity, states: States, copies: int = 1) -> Worst:
    """The worst of what code answers at the one state of ``states``, asked for so many ``copies`` of it in one batch.

    Raises :class:`Failure` and :class:`Unsupported`.
    """
    case = model.case(0, Block(0, copies), states.pick(np.zeros(copies, np.intp)))
    compared = compared_at(case, loaded, quantity)
    units = bounded(compared.units)
    k, *rest = map(int, np.unravel_index(int(units.argmax()), units.shape))
    indices = tuple(rest)
    arguments = {name: getattr(states, name)[0] for name in quantity.arguments}
    value, expected, magnitude = (float(part[k][indices]) for part in (compared.value, compared.expected, compared.magnitude))
    return Worst(0.0, float(units.max()), arguments, indices, value, expected, magnitude, states=1, copies=copies)


def _by_state(units: Array) -> Array:
    return bounded(units).reshape(len(units), -1).max(axis=1)
