"""The smallest example: makes a mechanism and a state smaller and simpler while something shows. Greedy, within a budget.

Moves come in the order of their gain: fewer bodies, simpler joints, simpler numbers of the mechanism, simpler numbers of the
state. The first move that still shows is taken. The same moves are tried in the same order every time, and the budget counts
them, so that the result is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cross_check.explain.diagnosis.examples.simpler_numbers import SIMPLER, Moves, simpler_positions, simpler_rates
from cross_check.explain.diagnosis.examples.smaller_trees import few_bodies, smaller_trees
from cross_check.explain.diagnosis.laboratory import WITHOUT_NUMBER, NoAnswer, Progress
from cross_check.judge.comparison.sampling import States
from mechanisms import Mechanism

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
