"""A simulation along a certified trajectory: how far off it is, how much of that is the scheme's, and what would remain as h → 0.

The code steps with h, h/2 and h/4. If the differences of the three shrink as h^p, their limit follows by extrapolation (L.
Richardson, 1911). Its distance from the certified motion is no scheme's: the code moves another mechanism, or has other forces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from cross_check.judge.comparison.judgements import nearest_position
from cross_check.memory import Array
from cross_check.steps.asked import ask
from cross_check.trajectories.document import Trajectory
from implementations.processes.subject import Loaded
from mechanisms import Mechanism
from mechanisms.states import of_length_one

RUNS = 3
"""With h, h/2 and h/4."""

APART = 0.2
"""Where two runs are apart by less than this share of their distance from the truth, no shorter step leads there: half a step
makes the error of a scheme about half as large, or smaller."""

MOST_LEFT = 0.3
"""The share of the error with h/4 that may remain as h → 0, if the error is the scheme's."""


@dataclass(frozen=True)
class Along:
    """The errors at one time (SI units)."""

    time: str
    off: float
    """With h, of the number that is most off."""
    where: str
    """The number, such as "v joint2"."""
    is_other_motion: bool
    """Whether no shorter step would help."""
    order: float | None
    """p; None where the three runs do not shrink as a power of h."""

    @property
    def words(self) -> str:
        """What is printed of it."""
        off = f"at {self.time} s off by {self.off:.2g} ({self.where})"
        if self.is_other_motion:
            return f"{off}, which no shorter step mends: the motion is another one"
        of = f"the scheme's, order {self.order:.2f}" if self.order is not None else "no order is seen; a shorter step may show it"
        return f"{off}: {of}"


def simulated(mechanism: Mechanism, loaded: Loaded, name: str, kept: Trajectory, h: float) -> Iterator[Along]:
    """The errors at every time of the trajectory, whose joints have no motors. Raises what asking raises."""
    # The quaternions of a trajectory keep the length that they start with.
    q, v, before = of_length_one(mechanism, _numbers(kept.start["q"])), _numbers(kept.start["v"]), 0.0
    for time, *truth in zip(kept.times, kept.q, kept.v, strict=True):
        steps = max(1, int(np.ceil((float(time) - before) / h - 1e-9)))
        q, v = _stepped(mechanism, loaded, name, q, v, (float(time) - before) / steps, steps)
        before = float(time)
        want_q, want_v = of_length_one(mechanism, _numbers(truth[0])), _numbers(truth[1])
        names = [f"{kind} {one}" for kind in ("q", "v") for one in kept.coordinates[kind]]
        yield _compared(time, np.hstack([nearest_position(mechanism, q, want_q) - want_q, v - want_v]), names)


def _numbers(texts: Sequence[str]) -> Array:
    """Decimal numbers, once for every run."""
    return np.array([[float(Fraction(x)) for x in texts]] * RUNS)


def _stepped(mechanism: Mechanism, loaded: Loaded, name: str, q: Array, v: Array, h: float, steps: int) -> tuple[Array, Array]:
    """The three runs after the same time: run k takes 2ᵏ steps for each of the first run's."""
    q, v = q.copy(), v.copy()
    for k in range(steps * 2 ** (RUNS - 1)):
        running = np.array([run for run in range(RUNS) if k < steps * 2**run])
        lengths = np.array([[h / 2**run] for run in running])
        q[running], v[running] = ask(loaded, name, q[running], v[running], np.zeros((len(running), mechanism.nv)), lengths)
    return q, v


def _compared(time: str, errors: Array, names: list[str]) -> Along:
    """``errors`` (runs, numbers)."""
    which = int(np.abs(errors[0]).argmax())
    first, second, third = errors
    size = np.linalg.norm
    is_other = bool(max(size(first - second), size(second - third)) < APART * size(third))
    with np.errstate(all="ignore"):
        order = float(np.log2(size(first - second) / size(second - third)))
        limit = third + (third - second) / (2**order - 1)
        is_seen = bool(size(limit) < MOST_LEFT * size(third))
    return Along(time, float(abs(first[which])), names[which], is_other, order if is_seen and not is_other else None)
