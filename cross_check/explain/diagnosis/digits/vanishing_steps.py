"""The step of a finite difference, found where it vanishes: x + h is x if h is less than half of the spacing of numbers near x.

The code is asked at one state per power of two, with angles and slides, or velocities, 2ᵏ ≤ x < 2ᵏ⁺¹. Beyond some k, differences
are exactly zero and derivatives are not. At the last k before, x moves by one spacing u, and u/2 < h ≤ u. The answer there is the
derivative times u / h. This tells h also where rounding hides the truncation error.

The spacing below 2ᵏ is half of the spacing u above it. So if u/4 < h ≤ u/2, 2ᵏ + h is 2ᵏ, and 2ᵏ − h is not. This tells forward
from backward and from central differences.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Deviation
from cross_check.explain.diagnosis.laboratory import try_states
from cross_check.judge.comparison.lost_digits import size_of_base
from cross_check.judge.comparison.sampling import States
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms.numbers.precision import FLOAT64, Precision

POWERS = np.arange(4, 41)
"""2ᵏ: their spacings are 3.6e-15 to 2.4e-4 in float64. Larger steps show in the truncation error."""

COARSER = 7
"""So many powers more are tried in other precisions, whose roundings hide the truncation error of larger steps."""

NEARLY = 0.1
"""Where steps are many spacings, differences are right to this part."""

MANY = 8
"""So many spacings."""

LEAST = 3
"""Differences vanish at so many powers at least."""


TRIES = 32
"""So many states are asked with the largest numbers at which differences do not vanish."""

PLACES = 4
"""At so many states differences near 2ᵏ are asked for."""


def usual_steps(precision: Precision) -> list[float]:
    """The steps that code usually takes, the smallest first."""
    decimals = {m * 10.0**-k for k in range(1, 13) for m in (1, 2, 5)}
    return sorted(decimals | {2.0**-k for k in range(4, 40)} | {precision.epsilon**power for power in (1 / 2, 1 / 3, 1 / 4)})


def _powers(precision: Precision) -> Array:
    """The k of every 2ᵏ. Their spacings are the same in every precision."""
    more = 0 if precision == FLOAT64 else COARSER
    return np.arange(POWERS[0], POWERS[-1] + 1 + more) - FLOAT64.bits + precision.bits


class Step(NamedTuple):
    """The step ``h``, and what shows it."""

    h: float
    seen: Observation


def vanishing_step(off: Deviation) -> Step | None:
    """The step of the difference that the code takes by q, by v or by time; None if its answers do not vanish."""
    by = off.quantity.by or "q"
    laboratory = off.trial.laboratory
    if by not in off.quantity.arguments or by not in ("q", "v") or laboratory.fails_far_away:
        return None
    precision = off.mechanism.precision
    powers = _powers(precision)
    states, own = _states(off, by, _beside(2.0**powers, off.mechanism.nv))
    if not own.any():
        return None
    if (asked := _asked(off, states, own)) is None:
        # Code that wraps angles turn by turn may not end.
        laboratory.fails_far_away = True
        return None
    answer, true = asked
    if not np.isfinite(answer).all():
        return None
    moves = np.flatnonzero((answer != 0).any(axis=1))
    if not len(moves) or moves[-1] + LEAST >= len(powers) or not (true[moves[-1] + 1 :] != 0).any(axis=1).all():
        return None
    last = int(moves[-1])
    spacing = precision.epsilon * 2.0**powers
    # There rounding hides much of each answer, so that many are asked for.
    if (again := _asked(off, _states(off, by, _beside(np.full(TRIES, 2.0 ** powers[last]), off.mechanism.nv))[0], own)) is None:
        return None
    ratio = float((again[0] * again[1]).sum() / (again[1] ** 2).sum())
    if not 0 < ratio < MANY:
        return None
    # At the last power, h is between half of the spacing and all of it. The ratio is rounded where the answers are.
    h = float(np.clip(spacing[last] / ratio, spacing[last] / 2, spacing[last]))
    usual = [step for step in usual_steps(precision) if spacing[last] / 2 < step <= spacing[last]]
    h = min(usual, key=lambda step: abs(math.log(step / h)), default=h)
    many = spacing * MANY < h
    sizes = size_of_base(try_states(laboratory, off.mechanism, states).case(), off.quantity)
    rounding = EPSILON * sizes.reshape(len(sizes), -1).max(axis=1, keepdims=True) / h
    apart = (np.abs(answer - true) > NEARLY * np.abs(true).max(axis=1, keepdims=True) + rounding).any(axis=1)
    if not many.any() or (apart & many).any():
        return None
    what = "velocities" if by == "v" else "angles and slides"
    met = f"{off.name} at {what} from 2^{powers[last] + 1} on, whose spacing is {spacing[last + 1]:.2g}"
    return Step(h, Observation(met, f"exactly zero, as differences with a smaller step than half of it: {h:.3g}"))


def scheme_near_powers(off: Deviation, h: float) -> str:
    """The scheme of the difference with this step, from where it vanishes near powers of two; empty if it does not vanish so."""
    by, precision = off.quantity.by or "q", off.mechanism.precision
    power = 2.0 ** np.ceil(np.log2(2 * h / precision.epsilon))
    moves = list[bool]()
    for sign in (1, -1):
        states, own = _states(off, by, np.full((PLACES, off.mechanism.nv), sign * power))
        if (answer := off.ask(off.name, *states.arguments(off.quantity.arguments))) is None:
            return ""
        moves.append(bool(answer[..., _moved(off, own)].any()))
    return {(False, True): "forward", (True, False): "backward", (True, True): "central"}.get((moves[0], moves[1]), "")


def _beside(powers: Array, count: int) -> Array:
    """Numbers (len(powers), count) between every power of two and the next one."""
    return powers[:, None] * np.random.default_rng(0).uniform(1.1, 1.9, (len(powers), count))


def _asked(off: Deviation, states: States, own: Array) -> tuple[Array, Array] | None:
    """What the code answers, and what the reference does in float64, whose sines know angles of any size (batch, numbers)."""
    arguments = states.arguments(off.quantity.arguments)
    if (answer := off.ask(off.name, *arguments)) is None:
        return None
    true = getattr(REFERENCE.load(off.mechanism), off.name)(*arguments)
    given, right = (x[..., _moved(off, own)].reshape(len(x), -1) for x in (answer, true))
    return given, right


def _moved(off: Deviation, own: Array) -> Array | slice:
    """The columns of answers of which the coordinates are large. Other columns are displaced in numbers that stay small."""
    return own if off.quantity.by and off.quantity.axes[-1:] == ("nv",) else slice(None)


def _states(off: Deviation, by: str, large: Array) -> tuple[States, Array]:
    """A state for every row of ``large`` (count, nv), and which coordinates (nv,) are as large, of q or of v.

    By time, only these move.
    """
    mechanism, count, rng = off.mechanism, len(large), np.random.default_rng(0)
    one = off.states.pick(np.zeros(count, dtype=int))
    q, own = one.q.copy(), np.zeros(mechanism.nv, dtype=bool)
    for body, of_q, of_v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if not body.joint.velocity_is_body_twist and body.joint.nq == body.joint.nv:
            q[:, of_q] = large[:, of_v] if by == "q" else rng.uniform(-1, 1, of_q.stop - of_q.start)
            own[of_v] = True
    v = own * np.ones((count, 1))
    zero: Array = np.zeros_like(v)
    return replace(one, q=q, v=large if by == "v" else v, a=zero, tau=zero, f=np.zeros_like(one.f)), own
