"""Finite differences in the place of derivatives: the step is found, and predicts the answers.

It is found in three ways. The error of a forward difference is h f''/2, that of a central one h² f'''/6. So the error's size
along that of the reference's own difference gives h and its sign. Where the rounding errors of f, divided by h, hide this, the
step shows where it vanishes, or in the digits: f(x + h) − f(x) is a difference of two float64 numbers, so that the answer times
the step is a whole multiple of their spacing.

It vanishes beside a large x: x + h is x if h is less than half of the spacing of numbers near x. The code is asked at one state
per power of two, with angles and slides, or velocities, 2ᵏ ≤ x < 2ᵏ⁺¹. Beyond some k, differences are exactly zero and
derivatives are not. At the last k before, x moves by one spacing u, and u/2 < h ≤ u. The answer there is the derivative times
u / h. The spacing below 2ᵏ is half of the spacing u above it. So if u/4 < h ≤ u/2, 2ᵏ + h is 2ᵏ, and 2ᵏ − h is not. This tells
forward from backward and from central differences.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.laboratory import try_states
from cross_check.judge.comparison.lost_digits import arguments_of_base, size_of_base
from cross_check.judge.comparison.sampling import States
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.recorded.traced import PRECISE
from implementations.spatial_algebra.reference import REFERENCE
from machine.double_doubles import DoubleDoubles, product_of_words
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.quantities import INTEGRATION, Quantity, base_of
from mechanisms.states import integrate

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
        if not (asked := _asked(off, *_states(off, by, np.full((PLACES, off.mechanism.nv), sign * power)))):
            return ""
        moves.append(bool(asked[0].any()))
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
    # Columns whose coordinates are not large are displaced in numbers that stay small.
    columns = own if off.quantity.by and off.quantity.axes[-1:] == ("nv",) else slice(None)
    given, right = (x[..., columns].reshape(len(x), -1) for x in (answer, true))
    return given, right


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


Displaced = Callable[[float], DoubleDoubles]
"""The function that is differenced, displaced by a step; its shape is the answer's."""

POINTS = {"forward": (1, 0), "central": (1, -1), "backward": (0, -1)}
"""By scheme: by how many steps the function is displaced ahead and behind. Their sum is the part of f''/2 in the error."""

EXPLAINED = 1e-3
"""The part of the error that a prediction may leave, where rounding does not hide it."""


def explain_difference(off: Deviation) -> Arithmetic | None:
    """The finite difference that predicts every answer, or None."""
    if not (answers := Differences.of(off)):
        return None
    by_truncation = (partial(answers.by_truncation, scheme) for scheme in ("forward", "central"))
    ways: list[Callable[[], Arithmetic | None]] = [*by_truncation, answers.by_vanishing, answers.by_digits]
    if off.mechanism.precision != FLOAT64:
        # Rounding hides much of the truncation error, but not where the step vanishes.
        ways.insert(0, answers.by_vanishing)
    return next((found for way in ways if (found := way())), None)


def _by_coordinate(off: Deviation, base: Quantity, by: str) -> Displaced:
    """Row k of the batch is displaced along coordinate k."""
    count, n = off.states.v.shape

    def displaced(h: float) -> DoubleDoubles:
        unit = np.tile(np.eye(n), (count, 1))
        given: dict[str, Any] = {k: np.repeat(x, n, axis=0) for k, x in arguments_of_base(off.quantity, off.states).items()}
        given[by] = moved(off.mechanism, given[by], h, unit) if by == "q" else product_of_words(unit, h) + given[by]
        value = getattr(PRECISE.load(off.mechanism), base.name)(*given.values())
        return np.moveaxis(value.reshape(count, n, *value.shape[1:]), 1, -1)

    return displaced


def _by_time(off: Deviation, base: Quantity) -> Displaced:
    """Displaced along the motion that v makes, and a where the quantity takes it."""
    q, v, a = off.states.q, off.states.v, off.states.a

    def displaced(h: float) -> DoubleDoubles:
        rate: Any = product_of_words(a, h) + v if "a" in off.quantity.arguments else v
        given = {"q": moved(off.mechanism, q, h, v), "v": rate}
        value: DoubleDoubles = getattr(PRECISE.load(off.mechanism), base.name)(*(given[name] for name in base.arguments))
        return value

    return displaced


def _christoffel(off: Deviation, mass_matrix: Displaced) -> Displaced:
    """½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) v_k, with M displaced along every coordinate."""

    def displaced(h: float) -> DoubleDoubles:
        M: Any = mass_matrix(h)  # batch, i, j, k
        one, two, three = (np.einsum(axes, M, off.states.v) for axes in ("bijk,bk->bij", "bikj,bk->bij", "bjki,bk->bij"))
        return (one + two - three) / 2

    return displaced


def moved(mechanism: Mechanism, q: Array, h: float, v: Array) -> DoubleDoubles:
    """q ⊕ h v in double-double; of quaternions and circles in float64."""
    high = integrate(mechanism, q, h * v)
    low = np.zeros_like(high)
    for body, own_q, own_v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if not body.joint.velocity_is_body_twist and body.joint.nq == body.joint.nv:
            there = product_of_words(v[:, own_v], h) + q[:, own_q]
            high[:, own_q], low[:, own_q] = there.high, there.low
    return DoubleDoubles(high, low)


@dataclass(frozen=True, eq=False)
class Differences:
    """The answers of ``off`` as differences of a function."""

    off: Deviation
    what: str
    """Such as "the mass matrix by q"."""
    displaced: Displaced
    sizes: Array
    """One ε-unit of the function's values, shaped as the answer."""

    @staticmethod
    def of(off: Deviation) -> Differences | None:
        """None if the quantity is no derivative."""
        base, by = base_of(off.quantity), off.quantity.by
        if base is None or off.name in INTEGRATION:
            return None
        if off.name == "coriolis_matrix":
            displaced = _christoffel(off, _by_coordinate(off, base, "q"))
            return Differences(off, f"the {base.title} by q", displaced, np.broadcast_to(off.unit, off.answer.shape))
        sizes = np.broadcast_to(EPSILON * size_of_base(off.trial.case(), off.quantity), off.answer.shape)
        displaced = _by_coordinate(off, base, by) if by else _by_time(off, base)
        return Differences(off, f"the {base.title} by {'τ' if by == 'tau' else by or 'time'}", displaced, sizes)

    @cached_property
    def true(self) -> Array:
        return self.off.true if self.off.name != "coriolis_matrix" else self.predicted(1e-5, "central")

    def predicted(self, h: float, scheme: str) -> Array:
        ahead, behind = POINTS[scheme]
        return (self.displaced(ahead * h) - self.displaced(behind * h)).astype(np.float64) / ((ahead - behind) * h)

    def noise(self, h: float) -> Array:
        """By how much rounding of the function and of the displaced position may move a difference with the step h."""
        reach = 1 + np.abs(self.off.states.q).max(axis=1).reshape(-1, *[1] * (self.true.ndim - 1))
        rounding = self.off.mechanism.precision.epsilon
        return np.asarray(BAR * (self.sizes / h + self.off.unit + rounding * np.abs(self.true) * reach / h))

    def found(self, scheme: str, step: float, *seen: Observation, tried: int = 0) -> Arithmetic:
        sentence = f"{self.off.name} is a {scheme} difference of {self.what} with the step {step:.4g}"
        return Arithmetic(sentence, seen, tried=tried or self.off.answer.size)

    def by_truncation(self, scheme: str) -> Arithmetic | None:
        """From the size of the truncation error."""
        off, h = self.off, 1e-3
        weight = np.where(off.unit > 0, 1 / np.where(off.unit > 0, off.unit, 1), 0)
        # A few states with huge errors would decide alone.
        weight = weight / np.maximum(1, off.units)[(slice(None),) + (None,) * (weight.ndim - 1)]
        error = (off.answer - self.true) * weight
        for _ in range(6):
            own = (self.predicted(h, scheme) - self.true) * weight
            square = float((own * own).sum())
            ratio = float((error * own).sum()) / square if square else 0.0
            if not np.isfinite(ratio) or ratio == 0 or (scheme == "central" and ratio < 0):
                return None
            h = h * (ratio if scheme == "forward" else np.sqrt(ratio))
            if not 1e-12 < abs(h) < 1:
                return None
        scheme, h = "backward" if h < 0 else scheme, float(abs(h))
        usual = min(usual_steps(off.mechanism.precision), key=lambda step: abs(np.log(step / h)))
        before = np.abs(off.answer - self.true)
        worst = np.unravel_index((before * weight).argmax(), before.shape)
        for step in (usual, h) if abs(usual / h - 1) < 0.05 else (h,):
            left = np.abs(off.answer - self.predicted(step, scheme))
            if (left <= self.noise(step) + EXPLAINED * before).all() and left[worst] < before[worst] / 100:
                part = float((left * weight).max() / (before * weight).max())
                order = "h²" if scheme == "central" else "h"
                seen = Observation(
                    f"the same, compared with a {scheme} difference of {self.what} of step {step:.4g}",
                    f"{part:.1g} of the error is left; the error grows like {order}, and rounding grows like 1/h",
                )
                return self.found(scheme, step, off.seen, seen)
        return None

    def by_vanishing(self) -> Arithmetic | None:
        """From where the step vanishes: every answer is the difference with this step, as far as rounding lets it."""
        off = self.off
        # A difference is not right to the last digits at most states.
        if np.median(off.units) <= BAR or not (step := vanishing_step(off)):
            return None
        noise = self.noise(step.h)
        fitting = [scheme for scheme in POINTS if (np.abs(off.answer - self.predicted(step.h, scheme)) <= noise).all()]
        if not fitting:
            return None
        near = fitting[0] if len(fitting) == 1 else scheme_near_powers(off, step.h)
        return self.found(near if near in fitting else "finite", step.h, off.seen, step.seen)

    def by_digits(self) -> Arithmetic | None:
        """From the digits: answers times the distance of the points are whole multiples of the spacing of what is subtracted."""
        value = np.broadcast_to(self.displaced(0.0).astype(np.float64), self.off.answer.shape)
        precision = self.off.mechanism.precision
        for distance in (step for step in usual_steps(precision) if step <= 2e-4):
            whole = self.off.answer * distance / (precision.coarseness * np.spacing(np.abs(value)))
            # Answers near zero tell nothing, and large ones are rounded themselves.
            told = np.isfinite(whole) & (np.abs(whole) >= 4) & (np.abs(whole) < 2.0 ** (precision.bits - 7)) & (value != 0)
            if told.sum() < 40:
                continue
            rounded = np.rint(whole[told])
            # Every multiple of the distance gives whole numbers, too: the smallest is taken, and twice it gives even ones.
            if (np.abs(whole[told] - rounded) < 0.05).mean() > 0.95 and 0.3 < (rounded % 2 == 1).mean() < 0.7:
                return self._of_distance(distance, int(told.sum()))
        return None

    def _of_distance(self, distance: float, count: int) -> Arithmetic:
        """Which difference it is: the part of the forward difference's truncation error that the errors contain."""
        true = self.predicted(1e-5, "central")
        own, error = self.predicted(distance, "forward") - true, self.off.answer - true
        # States with large terms have large rounding errors, which would decide alone.
        noise = self.sizes / distance
        noise = noise + noise.max() * 1e-9
        square = (own * own / noise**2).sum()
        # It is no number where the function is linear.
        share = float((error * own / noise**2).sum() / square)
        near = [scheme for scheme, points in POINTS.items() if abs(share - sum(points)) < 0.3]
        spacing = f"{self.off.mechanism.precision.name}'s spacing of {self.what.split(' by ')[0]}"
        seen = (
            Observation(
                f"{count} answers times {distance:.4g}", f"whole multiples of {spacing}, as differences of two such numbers are"
            ),
            Observation("the part of a forward difference's truncation error that the errors contain", f"{share:.2f}"),
        )
        if not near or 1 / np.sqrt(square) > 0.1:
            sentence = f"{self.off.name} is a difference of {self.what} at points that are {distance:.4g} apart"
            return Arithmetic(sentence, seen, tried=count)
        ahead, behind = POINTS[near[0]]
        return self.found(near[0], distance / (ahead - behind), *seen, tried=count)
