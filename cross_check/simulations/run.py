"""A simulation as rows: times, states, and the forces that act from each row to the next.

Recorded rows come from files (:mod:`cross_check.exchange.recorded_data`) with ``t``, ``q``, ``v``, and perhaps ``tau``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from cross_check.exchange.recorded_data.arrays import arrays_of
from cross_check.exchange.recorded_data.recording import require_mechanism, require_states, round_states
from cross_check.exchange.recorded_data.rows import unit_circles
from cross_check.exchange.recorded_data.table import Table
from cross_check.memory import Array
from cross_check.steps.asked import ask
from cross_check.steps.taken import Step, returning
from implementations.processes.subject import Failure, Loaded
from mechanisms import Mechanism
from mechanisms.plain_text import one_line

FEWEST = 8
"""A recording needs so many rows."""

MOST = 20_000
"""Of the rows of a recording that are judged."""

FITTED = Fraction(1, 10**7)
"""A fitted length is as near as this share."""

LARGEST = 1e5
"""A motion with larger numbers, in rad, m and per second, has diverged."""


@dataclass(frozen=True)
class Run:
    """One simulation of a mechanism; SI units, rows lead."""

    times: Array
    """(n,), rising."""
    h: Array
    """From each row to the next (n − 1, 1). Times of several digits are rounded; equal intervals are the same simple number."""
    q: Array
    v: Array
    tau: Array
    """The force that acts from each row on (n, nv); that of the last row is not used."""
    slack: dict[str, Array]
    """By h, q, v and tau: how far the numbers of each row may be from those that were meant, because of their digits."""
    notes: tuple[str, ...] = ()
    doubt: float = 0.0
    """By which share equal intervals may be other ones, because times of few digits allow them."""

    @property
    def states(self) -> Array:
        """y = [q, v] (n, nq + nv)."""
        return np.hstack([self.q, self.v])

    @property
    def steps(self) -> Step:
        """Every step, from a row to the next."""
        before = np.concatenate([self.tau[:1], self.tau[:-2]])
        return Step(self.q[:-1], self.v[:-1], self.tau[:-1], self.h, before, self.q[1:], self.v[1:])

    @property
    def is_rounded(self) -> bool:
        """Whether the digits of the rows hide roundings."""
        return any(self.slack[name].any() for name in ("q", "v", "tau"))

    def with_length(self, share: float) -> Run:
        """The run with equal intervals of another length: the simplest one that is as near as a fit is exact."""
        h = Fraction(share * float(self.h[0, 0]))
        return replace(self, h=np.full_like(self.h, float(simplest(h, h * FITTED))))

    def with_later_forces(self) -> Run:
        """The run if the force of a row acted on the way to it."""
        later = [np.concatenate([x[1:], x[-1:]]) for x in (self.tau, self.slack["tau"])]
        return replace(self, tau=later[0], slack=self.slack | {"tau": later[1]})


def recorded_run(table: Table, mechanism: Mechanism) -> Run:
    """The rows of a file. Raises :class:`RecordedError`."""
    require_mechanism(table, mechanism)
    read = arrays_of(table, mechanism)
    round_states(read, mechanism.precision)
    if read.times is None:
        raise table.error("it has no column of times", "add one, such as t, in seconds")
    if len(table.rows) < FEWEST:
        raise table.error(f"it has {len(table.rows)} rows", f"give {FEWEST} at least")
    rows, arrays = min(len(table.rows), MOST), read.arrays
    if "tau" not in arrays and "inverse_dynamics" in arrays:
        # In a file that has accelerations, too, the column of forces is read as an answer.
        arrays["tau"], read.slack["tau"] = arrays["inverse_dynamics"], read.slack["inverse_dynamics"]
    require_states(table, mechanism, arrays, {"q": "a simulation", "v": "a simulation"})
    times = read.times
    if not (np.diff(times) > 0).all():
        k = int((np.diff(times) > 0).argmin())
        raise table.error(f"the time of {table.rows[k + 1]} is not after that of {table.rows[k]}", "give rising times")
    notes = unit_circles(mechanism, table, arrays["q"], read.slack["q"], table.rows)
    if rows < len(table.rows):
        notes.append(f"the first {rows} of {len(table.rows)} rows are judged")
    if not (np.ptp(arrays["q"], axis=0).any() or arrays["v"].any()):
        raise table.error("nothing moves in it", "give a simulation of a motion: at rest no step is seen")
    if (far := diverges(arrays["q"], arrays["v"])).any():
        problem = f"{table.rows[int(far.argmax())]} has a number beyond {LARGEST:g}: the simulation diverges"
        raise table.error(problem, "give the rows before")
    zeros = np.zeros((len(times), mechanism.nv))
    q, v, tau = (arrays.get(name, zeros)[:rows] for name in ("q", "v", "tau"))
    slack = {name: read.slack.get(name, zeros)[:rows] for name in ("q", "v", "tau")}
    q, turned = without_jumps(mechanism, q)
    notes += [f"{one_line(name)} jumps by whole turns, which are taken out" for name in turned]
    h, off, doubt = intervals(times[:rows])
    return Run(times[:rows] - times[0], h, q, v, tau, slack | {"h": off}, (*read.notes, *notes), doubt)


def diverges(q: Array, v: Array) -> Array:
    """Whether each state (n, …) has a number of a motion that diverges."""
    return np.asarray(~(np.abs(np.hstack([q, v])) <= LARGEST).all(axis=1))


def without_jumps(mechanism: Mechanism, q: Array) -> tuple[Array, list[str]]:
    """The positions with angles that do not jump by whole turns, and the names of joints at which they did.

    Simulators keep angles within a turn.
    """
    q, turned = q.copy(), []
    for joint, slot in returning(mechanism):
        if (np.abs(np.diff(q[:, slot], axis=0)) > np.pi).any():
            q[:, slot] = np.unwrap(q[:, slot], axis=0)
            turned.append(joint.name)
    return q, turned


def intervals(times: Array) -> tuple[Array, Array, float]:
    """h (n − 1, 1), how far each may be from the one that was meant, and by which share all may be others.

    Times may be multiples of one h, summed up or rounded to their digits. Then h is the simplest fraction that they allow.
    """
    n, texts = len(times) - 1, [repr(float(t)).partition(".")[2] for t in times]
    decimals = max(map(len, texts))
    rounding = np.finfo(float).eps * float(np.abs(times).max())
    half = 0.5 * 10.0**-decimals if decimals < 12 and not any("e" in text for text in texts) else 0.0
    whole = (times[-1] - times[0]) / n
    for off in (n * rounding, n * rounding + half):
        if (np.abs(times - times[0] - np.arange(n + 1) * whole) <= 2 * off).all():
            h = float(simplest(Fraction(whole), Fraction(2 * off) / n))
            return np.full((n, 1), h), np.zeros((n, 1)), 4 * off / (n * h)
    return np.diff(times)[:, None], np.full((n, 1), 2 * (rounding + half)), 0.0


def simplest(x: Fraction, within: Fraction) -> Fraction:
    """The fraction with the smallest denominator that is so near to x."""
    denominator = 1
    while abs((near := x.limit_denominator(denominator)) - x) > within:
        denominator *= 2
    low = denominator // 2
    while denominator - low > 1:
        middle = (low + denominator) // 2
        near = x.limit_denominator(middle)
        low, denominator = (low, middle) if abs(near - x) <= within else (middle, denominator)
    return x.limit_denominator(denominator)


def simulated_run(
    mechanism: Mechanism,
    loaded: Loaded,
    name: str,
    q: Array,
    v: Array,
    h: Array,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Run:
    """What code makes of one state q (nq,), v (nv,) in steps of h (n, 1), without motors. Raises what asking raises."""
    rows, times = [(q[None], v[None])], np.concatenate([[0.0], h.cumsum()])
    for k, size in enumerate(h):
        rows.append(ask(loaded, name, *rows[-1], np.zeros((1, mechanism.nv)), size[None]))
        if diverges(*rows[-1]).any():
            problem = f"after {times[k + 1]:.3g} s with h = {size[0]:g} s a number of the state is beyond {LARGEST:g}"
            raise Failure(f"{name} diverges: {problem}")
        progress(k, len(h))
    positions, velocities = (np.concatenate(column) for column in zip(*rows, strict=True))
    zeros = np.zeros_like(velocities)
    slack = {"h": np.zeros_like(h), "q": np.zeros_like(positions), "v": zeros, "tau": zeros}
    return Run(times, h, positions, velocities, zeros, slack)
