"""The smallest example: makes a mechanism and a state smaller and simpler while something shows. Greedy, within a budget.

Moves come in the order of their gain: fewer bodies, simpler joints, simpler numbers of the mechanism, simpler numbers of the
state. The first move that still shows is taken. The same moves are tried in the same order every time, and the budget counts
them, so that the result is the same on every machine.

Bodies that stay keep the place in the tree that they have: on the nearest body before them that stays. The placements between are
left out, unless bodies are welded. Names stay, so that a fault of one joint is still recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import combinations, islice

from cross_check.explain.diagnosis.examples.simpler_numbers import SIMPLER, Moves, inherited, simpler_positions, simpler_rates
from cross_check.explain.diagnosis.laboratory import WITHOUT_NUMBER, NoAnswer, Progress
from cross_check.judge.comparison.sampling import States
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.joint_forces import NO_DYNAMICS

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


Shows = Callable[[Mechanism, States], bool]
"""Whether the same thing shows with this mechanism at this one state. τ is not set: :func:`laboratory.try_states` sets it."""

MOVES: tuple[Moves, ...] = (few_bodies, smaller_trees, *SIMPLER)

OF_STATES: tuple[Moves, ...] = (simpler_rates, simpler_positions)
"""The moves for code that can be asked about one mechanism alone."""

CALLS = 150

BODIES = 1500
"""What is tried has so many bodies in all: large mechanisms take longer."""


@dataclass
class Shrinking:
    """A search that can be interrupted: ``best`` is the smallest mechanism and state so far."""

    mechanism: Mechanism
    state: States
    """One state."""
    shows: Shows
    """It is called ``calls`` times at most."""
    progress: Progress = lambda doing: None
    calls: int = CALLS
    moves: tuple[Moves, ...] = MOVES
    """What is tried."""
    called: int = 0
    """How often ``shows`` was called."""

    def __post_init__(self) -> None:
        self.best = self.mechanism, self.state
        self._bodies = 0
        self._tried: set[tuple[str, bytes]] = set()

    def run(self) -> tuple[Mechanism, States]:
        """The smallest mechanism and state found, for which ``shows`` holds; those that were given if nothing smaller does."""
        if not self._shown(*self.best):
            return self.best
        if self.moves is not OF_STATES:
            # Only what is impossible from the start may stay so.
            self._take_if_it_shows(replace(self.mechanism, frames=(), physical=not self.mechanism.faults), self.state)
        before = None
        while before is not self.best:
            before = self.best
            for moves in self.moves:
                while self._move(moves):
                    pass
        return self.best

    def _move(self, moves: Moves) -> bool:
        for found in moves(*self.best):
            if self._is_over():
                return False
            if self._take_if_it_shows(*found):
                return True
        return False

    def _is_over(self) -> bool:
        return self.called >= self.calls or self._bodies > BODIES

    def _take_if_it_shows(self, mechanism: Mechanism, state: States) -> bool:
        shown = self._shown(mechanism, state)
        if shown:
            self.best = (mechanism, state)
            self.progress(f"the smallest example: {len(mechanism.bodies)} bodies after {self.called} trials")
        return shown

    def _shown(self, mechanism: Mechanism, state: States) -> bool:
        """Whether it shows; False for what was tried before, and once the budget is spent."""
        key = mechanism.fingerprint, b"".join(column.tobytes() for column in (state.q, state.v, state.a, state.f))
        if key in self._tried or self._is_over():
            return False
        self._tried.add(key)
        self.called += 1
        self._bodies += len(mechanism.bodies)
        try:
            return self.shows(mechanism, state)
        except (NoAnswer, *WITHOUT_NUMBER):
            return False
