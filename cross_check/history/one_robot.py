"""Is this code for one robot? An experiment: do its answers move when the mechanism has other masses and lengths?

The code is given a sibling: a mechanism of the same name with other numbers. Two kinds of code answer as about the robot. Code
for one robot ignores what it is given. Code with a stale cache finds what it has made of the robot, for instance by the name. A
fresh process that is given the sibling first tells the two apart: code for one robot still answers as about the robot, and code
with a cache answers otherwise.

The sibling has the same gravity. So code that takes nothing but gravity from the mechanism is code for one robot, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.sampling import States
from cross_check.history.sibling import sibling
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded, Subject
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

MOVES = 1e-6
"""Answers move if they change by more than this share of what they should change by."""

SEEN = 1e-3
"""A quantity is asked for if right answers change by more than this share of the largest number."""


def is_for_one_robot(case: Case, subject: Subject, loaded: Loaded, fresh: Callable[[], Subject] | None) -> bool:
    """Whether code answers about a sibling as about the robot of the case, which it has ``loaded``, because it ignores what it
    is given.

    ``fresh`` makes the same implementation in a new process. It is called only if answers do not move. Without it the sibling
    has a name of its own instead, so that a cache that goes by names does not find the robot.
    """
    moving = np.flatnonzero((case.states.v != 0).all(axis=1)).tolist() or [0]
    states, other = case.states.pick(np.array(moving[:1])), sibling(case.mechanism, keeps_gravity=True)
    kept: dict[str, Array] = {}
    try:
        there = subject.load(other)
        for quantity, change in _telling(loaded, case.mechanism, other, states):
            with suppress(Failure, Unsupported):
                answer = _ask(loaded, quantity, states)
                if np.abs(_ask(there, quantity, states) - answer).max(initial=0.0) > MOVES * change:
                    return False
                kept[quantity] = answer
        return bool(kept) and _is_kept_elsewhere(kept, subject, other, states, fresh)
    except (Failure, Unsupported):
        # It looks at what it is given.
        return False


def _telling(loaded: Loaded, robot: Mechanism, other: Mechanism, states: States) -> Iterator[tuple[str, float]]:
    """The quantities that the code offers and that should move, and by how much."""
    here, there = REFERENCE.load(robot), REFERENCE.load(other)
    for name, quantity in QUANTITIES.items():
        if quantity.has_value and quantity.is_defined(robot) and loaded.offers(name):
            arguments = states.arguments(quantity.arguments)
            with suppress(Unsupported, AttributeError, ArithmeticError, np.linalg.LinAlgError):
                one, two = (getattr(dynamics, name)(*arguments) for dynamics in (here, there))
                change = float(np.abs(one - two).max(initial=0.0))
                if change > SEEN * np.abs(one).max(initial=0.0):
                    yield name, change


def _is_kept_elsewhere(
    kept: dict[str, Array], subject: Subject, other: Mechanism, states: States, fresh: Callable[[], Subject] | None
) -> bool:
    """Whether the answers are the same where the robot was never loaded."""
    if fresh is None:
        return _are_the_same(kept, subject.load(replace(other, name=f"{other.name} (another)")), states)
    with closing(fresh()) as elsewhere:
        return _are_the_same(kept, elsewhere.load(other), states)


def _are_the_same(kept: dict[str, Array], loaded: Loaded, states: States) -> bool:
    return all(
        np.abs(_ask(loaded, quantity, states) - answer).max(initial=0.0) <= MOVES * np.abs(answer).max(initial=0.0)
        for quantity, answer in kept.items()
    )


def _ask(loaded: Loaded, quantity: str, states: States) -> Array:
    return loaded.ask(quantity, *states.arguments(QUANTITIES[quantity].arguments)).value

