"""Steps of code under test: the states at which it is asked, and what it answers."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np

from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.sampling import Block
from cross_check.memory import Array
from cross_check.steps.taken import Step
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.states import of_length_one

KINDS = ("random", "two equal", "passive", "one force zero", "at rest", "coasting", "fast")
"""The kinds of states from which steps are taken."""

SHORTEST, LONGEST = 1e-4, 3e-2
"""The lengths of steps (s). Their logarithms are uniform."""

FARTHEST = 0.3
"""The most that a coordinate moves in a step (rad, m). Steps from fast states are shorter, or left out where h is given."""

SAME = 1e-11
"""Answers are alike if they differ by less than this share of the largest one. Summing in another order changes less."""

MOST_STEPS = 100
"""So many steps one code may offer."""

DRAWN = 8
"""So many states are drawn for each that is kept."""


def steps_case(mechanism: Mechanism, seed: int, count: int, h: float | None = None) -> Case:
    """The case at ``count`` states of :data:`KINDS`; at fewer if steps of the length h lead too far.

    Raises :class:`Unsupported` if only states at rest are left, where no force of velocity acts.
    """
    case = Model(mechanism).case(seed, Block(0, DRAWN * count))
    near = _speeds(case) * (h or 0.0) <= FARTHEST
    kept = [k for k, kind in enumerate(case.states.kinds) if kind in KINDS and near[k]][:count]
    case = case.pick(np.array(kept, dtype=int))
    if h and not _speeds(case).any():
        raise Unsupported(f"steps of {h:g} s lead too far from all states that move; give a shorter --h, or more --states")
    return case


def lengths(case: Case, seed: int, given: float | None) -> Array:
    """The step h (batch, 1) of every state, a number of the precision: the one given, or several."""
    n = len(case.states)
    rng = np.random.default_rng([seed, zlib.crc32(b"steps")])
    if given:
        h = np.full((n, 1), given)
    else:
        h = np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST), (n, 1)))
        h = np.minimum(h, FARTHEST / np.maximum(_speeds(case)[:, None], 1.0))
    return np.asarray(case.states.precision.rounded(h))


def slow(step: Step, h: float) -> Step:
    """The steps that stay near their states if they have the length h."""
    return step.pick(np.flatnonzero(np.abs(step.v).max(axis=1, initial=0.0) * h <= FARTHEST))


def _speeds(case: Case) -> Array:
    """The largest velocity of every state."""
    (v,) = case.states.arguments(("v",))
    return np.asarray(np.abs(v).max(axis=1, initial=0.0), dtype=float)


def answered(case: Case, loaded: Loaded, name: str, h: Array) -> Step:
    """What the code makes of the states. Raises what asking raises."""
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    return Step(q, v, tau, h, np.concatenate([tau[:1], tau[:-1]]), *ask(loaded, name, q, v, tau, h))


def answered_further(case: Case, loaded: Loaded, name: str, step: Step) -> Step:
    """What the code makes of the states to which it came itself, each asked right after the step that led there. Raises what
    asking raises.

    Code may know the states of a seed, and be right there alone; or it uses rates of earlier steps where a motion goes on.
    """
    precision = case.states.precision
    near = np.abs(step.next_v).max(axis=1, initial=0.0) * step.h[:, 0] <= 2 * FARTHEST
    step = step.pick(np.flatnonzero(near & np.isfinite(step.next_q).all(axis=1)))
    q = np.asarray(precision.rounded(of_length_one(case.mechanism, step.next_q)))
    v, tau, h = (np.asarray(precision.rounded(x)) for x in (step.next_v, step.tau, step.h))
    in_turn = (np.stack(two, axis=1).reshape(-1, two[0].shape[1]) for two in ((step.q, q), (step.v, v), (tau, tau), (h, h)))
    next_q, next_v = (x[1::2] for x in ask(loaded, name, *in_turn))
    return Step(q, v, tau, h, tau, next_q, next_v)


def repeats(loaded: Loaded, name: str, step: Step) -> bool:
    """Whether the code answers alike, but for roundings, where the states are asked in the opposite order.

    Raises what asking raises.
    """
    again = ask(loaded, name, *(x[::-1].copy() for x in (step.q, step.v, step.tau, step.h)))
    return all(
        np.allclose(new[::-1], old, rtol=0.0, atol=SAME * float(np.abs(old).max(initial=1.0)), equal_nan=True)
        for new, old in zip(again, (step.next_q, step.next_v), strict=True)
    )


def names_of_steps(loaded: Loaded) -> Sequence[str]:
    """The names of the steps that the code offers. Raises :class:`Failure`."""
    steps: Callable[[], Sequence[str]] = getattr(loaded, "steps", tuple)
    names = steps()
    if len(names) > MOST_STEPS:
        raise Failure(f"offers {len(names)} steps; offer {MOST_STEPS} at most, such as those that are to be compared")
    return names


def ask(loaded: Loaded, name: str, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
    """q⁺ and v⁺. Raises what asking raises."""
    answer = loaded.ask(name, q, v, tau, h).value
    return answer[:, : q.shape[1]], answer[:, q.shape[1] :]
