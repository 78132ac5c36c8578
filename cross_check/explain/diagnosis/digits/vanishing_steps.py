"""The step of a finite difference, found where it vanishes: x + h is x if h is less than half of the spacing of numbers near x.

The code is asked at one state per power of two, with angles and slides, or velocities, 2ᵏ ≤ x < 2ᵏ⁺¹. Beyond some k, differences
are exactly zero and derivatives are not. At the last k before, x moves by one spacing u, and u/2 < h ≤ u. The answer there is the
derivative times u / h. This tells h also where rounding hides the truncation error.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Deviation
from cross_check.judge.comparison.sampling import States
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.spatial_algebra.reference import REFERENCE

USUAL_STEPS = sorted(
    {m * 10.0**-k for k in range(1, 13) for m in (1, 2, 5)}
    | {2.0**-k for k in range(4, 40)}
    | {EPSILON**power for power in (1 / 2, 1 / 3, 1 / 4)}
)

POWERS = np.arange(4, 41)
"""2ᵏ: their spacings are 3.6e-15 to 2.4e-4. Larger steps show in the truncation error."""

NEARLY = 0.1
"""Where steps are many spacings, differences are right to this part."""

MANY = 8
"""So many spacings."""

LEAST = 3
"""Differences vanish at so many powers at least."""


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
    states, own = _states(off, by)
    if not own.any():
        return None
    arguments = states.arguments(off.quantity.arguments)
    answer = off.ask(off.name, *arguments)
    if answer is None:
        # Code that wraps angles turn by turn may not end.
        laboratory.fails_far_away = True
        return None
    if not np.isfinite(answer).all():
        return None
    # In float64: its sines know angles of any size.
    true = getattr(REFERENCE.load(off.mechanism), off.name)(*arguments)
    if off.quantity.by:
        # Other columns are displaced in numbers that stay small.
        columns = own if off.quantity.axes[-1:] == ("nv",) else slice(None)
        answer, true = answer[..., columns], true[..., columns]
    answer, true = answer.reshape(len(POWERS), -1), true.reshape(len(POWERS), -1)
    moves = np.flatnonzero((answer != 0).any(axis=1))
    if not len(moves) or moves[-1] + LEAST >= len(POWERS) or not (true[moves[-1] + 1 :] != 0).any(axis=1).all():
        return None
    last = int(moves[-1])
    ratio = float((answer[last] * true[last]).sum() / (true[last] ** 2).sum())
    spacing = np.spacing(2.0**POWERS)
    if not 0 < ratio < MANY:
        return None
    # At the last power, h is between half of the spacing and all of it. The ratio is rounded where the answers are.
    h = float(np.clip(spacing[last] / ratio, spacing[last] / 2, spacing[last]))
    usual = [step for step in USUAL_STEPS if spacing[last] / 2 < step <= spacing[last]]
    h = min(usual, key=lambda step: abs(math.log(step / h)), default=h)
    many = spacing * MANY < h
    apart = np.abs(answer - true).max(axis=1) > NEARLY * np.abs(true).max(axis=1)
    if not many.any() or (apart & many).any():
        return None
    what = "velocities" if by == "v" else "angles and slides"
    asked = f"{off.name} at {what} from 2^{POWERS[last] + 1} on, whose spacing is {spacing[last + 1]:.2g}"
    return Step(h, Observation(asked, f"exactly zero, as differences with a smaller step than half of it: {h:.3g}"))


def _states(off: Deviation, by: str) -> tuple[States, Array]:
    """A state for every power, and which coordinates (nv,) are large, of q or of v. By time, only these move."""
    rng = np.random.default_rng(0)
    mechanism, count = off.mechanism, len(POWERS)
    one = off.states.pick(np.zeros(count, dtype=int))
    large = 2.0 ** POWERS[:, None] * rng.uniform(1.1, 1.9, mechanism.nv)
    q, own = one.q.copy(), np.zeros(mechanism.nv, dtype=bool)
    for body, of_q, of_v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if not body.joint.velocity_is_body_twist and body.joint.nq == body.joint.nv:
            q[:, of_q] = large[:, of_v] if by == "q" else rng.uniform(-1, 1, of_q.stop - of_q.start)
            own[of_v] = True
    v = own * np.ones((count, 1))
    zero: Array = np.zeros_like(v)
    return replace(one, q=q, v=large if by == "v" else v, a=zero, tau=zero, f=np.zeros_like(one.f)), own
