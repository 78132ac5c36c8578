"""Finite differences in the place of derivatives: the step is estimated, and predicts the answers.

The error of a forward difference is h f''/2, that of a central one h² f'''/6. So the error's size along that of the reference's
own difference gives h and its sign. Then the reference in double-double, differenced with this step, must leave nothing but the
rounding errors of f, divided by h. Where these hide the truncation, the step shows where it vanishes beside a large x
(:mod:`cross_check.explain.diagnosis.digits.vanishing_steps`), or in the digits: f(x + h) − f(x) is a difference of two float64
numbers, so that the answer times the step is a whole multiple of their spacing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.vanishing_steps import USUAL_STEPS, vanishing_step
from cross_check.judge.comparison.lost_digits import arguments_of_base, size_of_base
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.recorded.traced import PRECISE
from machine.double_doubles import DoubleDoubles, product_of_words
from mechanisms import Mechanism
from mechanisms.quantities import INTEGRATION, Quantity, base_of
from mechanisms.states import integrate

Displaced = Callable[[float], DoubleDoubles]
"""The function that is differenced, displaced by a step; its shape is the answer's."""

FORWARD, CENTRAL = "forward", "central"
EXPLAINED = 1e-3
"""The part of the error that a prediction may leave, where rounding does not hide it."""


def explain_difference(off: Deviation) -> Arithmetic | None:
    """The finite difference that predicts every answer, or None."""
    for what, displaced, sizes in functions(off):
        for scheme in (FORWARD, CENTRAL):
            if (found := _by_truncation(off, what, displaced, sizes, scheme)) is not None:
                return found
        if (found := _by_vanishing(off, what, displaced, sizes) or _by_digits(off, what, displaced, sizes)) is not None:
            return found
    return None


def functions(off: Deviation) -> list[tuple[str, Displaced, Array]]:
    """What a difference may be taken of: its name, the function, and one ε-unit of its values, shaped as the answer."""
    base = base_of(off.quantity)
    if base is None or off.name in INTEGRATION:
        return []
    by = off.quantity.by
    if off.name == "coriolis_matrix":
        return [(f"the {base.title} by q", _christoffel(off), np.broadcast_to(off.unit, off.answer.shape))]
    sizes = np.broadcast_to(EPSILON * size_of_base(off.trial.case(), off.quantity), off.answer.shape)
    displaced = _by_coordinate(off, base, by) if by else _by_time(off, base)
    return [(f"the {base.title} by {'time' if not by else 'τ' if by == 'tau' else by}", displaced, sizes)]


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


def _christoffel(off: Deviation) -> Displaced:
    """½ Σ_k (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i) v_k, with M displaced along every coordinate."""
    q, v, n = off.states.q, off.states.v, off.mechanism.nv

    def displaced(h: float) -> DoubleDoubles:
        unit = np.tile(np.eye(n), (len(q), 1))
        M: Any = PRECISE.load(off.mechanism).mass_matrix(moved(off.mechanism, np.repeat(q, n, axis=0), h, unit))
        M = M.reshape(len(q), n, n, n)  # batch, k, i, j
        return (np.einsum("bkij,bk->bij", M, v) + np.einsum("bjik,bk->bij", M, v) - np.einsum("bijk,bk->bij", M, v)) / 2

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


def differenced(displaced: Displaced, h: float, scheme: str) -> Array:
    if scheme == FORWARD:
        return (displaced(h) - displaced(0.0)).astype(np.float64) / h
    return (displaced(h) - displaced(-h)).astype(np.float64) / (2 * h)


def _by_truncation(off: Deviation, what: str, displaced: Displaced, sizes: Array, scheme: str) -> Arithmetic | None:
    """From the size of the truncation error."""
    true = off.true if off.name != "coriolis_matrix" else differenced(displaced, 1e-5, CENTRAL)
    weight = np.where(off.unit > 0, 1 / np.where(off.unit > 0, off.unit, 1), 0)
    # A few states with huge errors would decide alone.
    weight = weight / np.maximum(1, off.units)[(slice(None),) + (None,) * (weight.ndim - 1)]
    error = (off.answer - true) * weight
    h = 1e-3
    for _ in range(6):
        own = (differenced(displaced, h, scheme) - true) * weight
        square = float((own * own).sum())
        ratio = float((error * own).sum()) / square if square else 0.0
        if not np.isfinite(ratio) or ratio == 0 or (scheme == CENTRAL and ratio < 0):
            return None
        h = h * (ratio if scheme == FORWARD else np.sqrt(ratio))
        if not 1e-12 < abs(h) < 1:
            return None
    usual = min(USUAL_STEPS, key=lambda step: abs(np.log(step / abs(h))))
    for step in (np.copysign(usual, h), h) if abs(usual / abs(h) - 1) < 0.05 else (h,):
        left = np.abs(off.answer - differenced(displaced, step, scheme))
        noise = _noise(off, true, sizes, abs(step))
        before = np.abs(off.answer - true)
        worst = np.unravel_index((before * weight).argmax(), before.shape)
        if (left <= noise + EXPLAINED * before).all() and left[worst] < before[worst] / 100:
            direction = scheme if scheme == CENTRAL else FORWARD if step > 0 else "backward"
            return _found(
                off,
                f"a {direction} difference of {what}",
                float(abs(step)),
                float((left * weight).max() / (before * weight).max()),
            )
    return None


def _noise(off: Deviation, true: Array, sizes: Array, h: float) -> Array:
    """By how much rounding of the function and of the displaced position may move a difference with the step h."""
    reach = 1 + np.abs(off.states.q).max(axis=1).reshape(-1, *[1] * (true.ndim - 1))
    return np.asarray(BAR * (sizes / h + off.unit + EPSILON * np.abs(true) * reach / h))


def _by_vanishing(off: Deviation, what: str, displaced: Displaced, sizes: Array) -> Arithmetic | None:
    """From where the step vanishes: every answer is the difference with this step, as far as rounding lets it."""
    # A difference is not right to the last digits at most states.
    is_exact = np.median(off.units.reshape(len(off.answer), -1).max(axis=1)) <= BAR
    found = None if is_exact else vanishing_step(off)
    if found is None:
        return None
    h = found.h
    true = off.true if off.name != "coriolis_matrix" else differenced(displaced, 1e-5, CENTRAL)
    noise = _noise(off, true, sizes, h)
    fitting = [
        f"a {scheme if abs(step) == step else 'backward'} difference"
        for step, scheme in ((h, FORWARD), (-h, FORWARD), (h, CENTRAL))
        if (np.abs(off.answer - differenced(displaced, step, scheme)) <= noise).all()
    ]
    if not fitting:
        return None
    how = fitting[0] if len(fitting) == 1 else "a finite difference"
    seen = Observation(
        f"{off.name} at {len(off.answer)} states, compared with right code", f"off by up to {off.units.max():.2g} ε-units"
    )
    sentence = f"{off.name} is {how} of {what} with the step {h:.4g}"
    return Arithmetic(sentence, (seen, found.seen), {"step": h}, tried=off.answer.size)


def _found(off: Deviation, how: str, step: float, left: float) -> Arithmetic:
    order = "h²" if "central" in how else "h"
    seen = (
        Observation(
            f"{off.name} at {len(off.answer)} states, compared with right code", f"off by up to {off.units.max():.2g} ε-units"
        ),
        Observation(
            f"the same, compared with {how} of step {step:.4g}",
            f"{left:.1g} of the error is left; the error grows like {order}, and rounding grows like 1/h",
        ),
    )
    return Arithmetic(f"{off.name} is {how} with the step {step:.4g}", seen, {"step": step}, tried=off.answer.size)


def _by_digits(off: Deviation, what: str, displaced: Displaced, sizes: Array) -> Arithmetic | None:
    """From the digits: the answer times the distance of the points is a whole multiple of the spacing of what is subtracted."""
    value = np.broadcast_to(displaced(0.0).astype(np.float64), off.answer.shape)
    spacing = np.spacing(np.abs(value))
    for distance in (step for step in USUAL_STEPS if step <= 2e-4):
        whole = off.answer * distance / spacing
        # Answers near zero tell nothing, and large ones are rounded themselves.
        told = np.isfinite(whole) & (np.abs(whole) >= 4) & (np.abs(whole) < 2.0**46) & (value != 0)
        if told.sum() < 40:
            continue
        rounded = np.rint(whole[told])
        # Every multiple of the distance gives whole numbers, too: the smallest is taken, and twice it gives even ones.
        if (np.abs(whole[told] - rounded) < 0.05).mean() > 0.95 and 0.3 < (rounded % 2 == 1).mean() < 0.7:
            return _of_distance(off, what, displaced, sizes, distance, int(told.sum()))
    return None


def _of_distance(off: Deviation, what: str, displaced: Displaced, sizes: Array, distance: float, count: int) -> Arithmetic:
    """Which difference it is: the part of the forward difference's truncation error that the errors contain is 1, 0 or −1."""
    true = differenced(displaced, 1e-5, CENTRAL)
    own = np.asarray(differenced(displaced, distance, FORWARD) - true, dtype=np.float64)
    error = np.asarray(off.answer - true, dtype=np.float64)
    # States with large terms have large rounding errors, which would decide alone.
    noise = sizes / distance
    noise = noise + noise.max() * 1e-9
    share = float((error * own / noise**2).sum() / (own * own / noise**2).sum())
    spread = float(1 / np.sqrt((own * own / noise**2).sum()))
    ways = {f"a forward difference of {what}": 1, f"a central difference of {what}": 0, f"a backward difference of {what}": -1}
    near = [way for way, expected in ways.items() if abs(share - expected) < 0.3]
    seen = (
        Observation(
            f"{count} answers times {distance:.4g}",
            f"whole multiples of float64's spacing of {what.split(' by ')[0]}, as differences of two such numbers are",
        ),
        Observation("the part of a forward difference's truncation error that the errors contain", f"{share:.2f}"),
    )
    if not near or spread > 0.1:
        sentence = f"{off.name} is a difference of {what} at points that are {distance:.4g} apart"
        return Arithmetic(sentence, seen, {"distance": distance}, tried=count)
    step = distance / 2 if "central" in near[0] else distance
    return Arithmetic(f"{off.name} is {near[0]} with the step {step:.4g}", seen, {"step": step}, tried=count)
