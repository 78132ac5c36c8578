"""Undoes known faults of Pinocchio's ⊕ and ⊖: a sign, and digits that formulas lose where their terms cancel.

The sign is undone by the term that is missing. Lost digits cannot be added. So a joint's numbers are replaced by the
reference's, but only where the fault explains their error: where it is at most :data:`MARGIN` · ε · κ times their size. κ, how
much rounding is amplified, follows from the formula and depends on the turn θ alone. A larger error, or one at another turn,
stays.

Every repair undoes the faults before it in this file, too, because one answer may show several.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from cross_check.error_scale.sizes import EPSILON, ErrorScale
from cross_check.findings.repaired import Repaired
from implementations.protocol import Array
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Joint, Mechanism
from mechanisms.quantities import INTEGRATION

SERIES = EPSILON**0.25
"""Turns (rad) below which Pinocchio takes series."""

MARGIN = 64.0
"""Formulas have several terms, each with some roundings."""

Loss = Callable[[str, str, Array], Array]
"""κ (batch,) of a quantity and a kind of joint at turns θ (batch,); zero where the formula loses nothing."""

OTHER_FORMULA = 2.4e-3
"""How near (rad) to half a turn log3 takes another formula; the square of this is ε^⅓, less some roundings."""

SMALL = {
    ("integrate", "free"): 1,
    ("integrate_dq", "free"): 1,
    ("integrate_dv", "spherical"): 1,
    ("integrate_dv", "planar"): 2,
    ("integrate_dv", "free"): 3,
    ("difference", "planar"): 2,
    ("difference", "free"): 2,
    ("difference_dq", "spherical"): 2,
    ("difference_dq", "planar"): 2,
    ("difference_dq", "free"): 3,
}
"""The power of 1/θ by which the formula for larger turns amplifies rounding at small ones."""


def _next_to_series(quantity: str, kind: str, θ: Array) -> Array:
    power = SMALL.get((quantity.replace("dto", "dq"), kind), 0)
    first = 1e-4 if kind == "planar" and quantity.startswith("difference") else SERIES
    return np.where((θ >= first) & (θ < 0.5) & (power > 0), np.maximum(θ, first) ** -float(power), 0.0)


def _over_turn(quantity: str, kind: str, θ: Array) -> Array:
    concerned = kind == "planar" and quantity in ("integrate", "integrate_dq")
    return np.where((θ > 1e-14) & (θ < 0.5) & concerned, 1 / np.maximum(θ, 1e-14), 0.0)


def _from_cosines(quantity: str, kind: str, θ: Array) -> Array:
    if quantity not in ("difference", "difference_dq", "difference_dto") or (kind, quantity) in FROM_QUATERNIONS:
        return 0 * θ
    δ = np.abs(np.pi - θ)
    if kind in ("spherical", "free"):
        # log3 divides by sin θ, and has another formula within its threshold of half a turn.
        return np.where((θ > 2) & (δ > OTHER_FORMULA), np.maximum(δ, OTHER_FORMULA) ** -2.0, 0.0)
    concerned = kind in ("continuous", "planar")
    return concerned * (np.where(θ > 2, 1 / np.maximum(δ, 1e-8), 0.0) + np.where(θ < 1e-7, θ / EPSILON, 0.0))


FROM_QUATERNIONS = (("spherical", "difference"), ("free", "difference"))


def _at_whole_turns(quantity: str, kind: str, θ: Array) -> Array:
    turns = np.round(θ / (2 * np.pi))
    δ = np.abs(θ - 2 * np.pi * turns)
    concerned = quantity == "integrate_dv" and kind in ("planar", "free")
    return np.where((turns > 0) & (δ < 1.5) & concerned, 1 / np.maximum(δ, 1e-100) ** 3, 0.0)


LOSSES: tuple[Loss, ...] = (_next_to_series, _over_turn, _from_cosines, _at_whole_turns)


def with_right_sign(mechanism: Mechanism, dynamics: Any) -> Repaired:
    """Add the (θ²/12) [ω] by which Jexp3 is wrong below :data:`SERIES`, and what that makes of the block of slides."""
    poses = [(j, own) for j, _, own in _joints(mechanism) if j.velocity_is_body_twist]

    def integrate_dv(q: Array, dv: Array) -> Array:
        D = np.array(dynamics.integrate_dv(q, dv))
        for joint, own in poses:
            n = joint.nv - joint.description.distances
            ω = dv[:, own][:, :n]
            missing = _skew(ω) * (np.linalg.norm(ω, axis=1) ** 2 / 12 * (np.linalg.norm(ω, axis=1) < SERIES))[:, None, None]
            block = D[:, own, own].copy()
            if n == 3:
                block[:, :3, :3] += missing
            if joint.description.distances:
                # B = −A C(Aᵀ v) with C(p) = [p]/2 + …, and A is what is wrong.
                turned = (missing.swapaxes(1, 2) @ dv[:, own][:, n:, None])[..., 0]
                block[:, n:, :n] += missing @ block[:, n:, :n] - _skew(turned)[:, : joint.nv - n, -n:] / 2
                block[:, n:, n:] += missing
            D[:, own, own] = block
        return D

    return Repaired(dynamics, integrate_dv=integrate_dv)


def _without_losses(count: int, mechanism: Mechanism, dynamics: Any) -> Repaired:
    """The first ``count`` of :data:`LOSSES` undone, and the sign."""
    signed, reference, scale = with_right_sign(mechanism, dynamics), REFERENCE.load(mechanism), ErrorScale(mechanism)

    def repaired(quantity: str, q: Array, other: Array) -> Array:
        answer = np.array(getattr(signed, quantity)(q, other))
        right, size = getattr(reference, quantity)(q, other), scale.size(quantity, q, other)
        step = other if quantity.startswith("integrate") else reference.difference(q, other)
        for joint, at, own in _joints(mechanism):
            n = joint.nv - joint.description.distances if joint.velocity_is_body_twist else joint.nv
            θ = np.linalg.norm(step[:, own][:, :n], axis=1)
            κ = np.sum([loss(quantity, joint.kind, θ) for loss in LOSSES[:count]], axis=0)
            part = at if quantity == "integrate" else own
            place: Any = (slice(None), part, part)[: answer.ndim]
            axes = tuple(range(1, answer.ndim))
            with np.errstate(invalid="ignore", over="ignore"):
                limit = MARGIN * EPSILON * κ * size[place].max(axis=axes)
                off = np.abs(_signed(joint, quantity, answer[place], right[place]) - right[place]).max(axis=axes)
            # Beyond all digits, no number at all is explained, too.
            explained = (κ > 0) & ((off <= limit) | (~np.isfinite(off) & (κ > 1 / EPSILON)))
            answer[place] = np.where(explained.reshape(-1, *[1] * len(axes)), right[place], answer[place])
        return answer

    return Repaired(dynamics, **{quantity: partial(repaired, quantity) for quantity in INTEGRATION})


def _signed(joint: Joint, quantity: str, answer: Array, right: Array) -> Array:
    """A position with the sign of its quaternion, and the whole turns of its angle, that ``right`` has."""
    if quantity != "integrate" or not joint.velocity_is_body_twist:
        return answer
    answer, at = answer.copy(), joint.slots[-1].q
    if joint.slots[-1].form == "angle":
        answer[:, at] -= 2 * np.pi * np.round((answer[:, at] - right[:, at]) / (2 * np.pi))
    else:
        answer[:, at] *= np.where((answer[:, at] * right[:, at]).sum(axis=1, keepdims=True) < 0, -1, 1)
    return answer


def _skew(ω: Array) -> Array:
    """[ω] (batch, 3, 3); for turns in the plane (batch, 1), its upper left block; for slides in the plane (batch, 2), all."""
    zero = 0 * ω[:, 0]
    if ω.shape[1] == 1:
        return np.array([[zero, -ω[:, 0]], [ω[:, 0], zero]]).transpose(2, 0, 1)
    ω = np.hstack([ω, 0 * ω[:, :1]]) if ω.shape[1] == 2 else ω
    x, y, z = ω.T
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)


def _joints(mechanism: Mechanism) -> list[tuple[Joint, slice, slice]]:
    """Every joint that has coordinates of its own, with its parts of q and v."""
    parts = zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)
    return [(body.joint, at, own) for body, at, own in parts if body.joint.mimic is None]


without_small_angles, without_quotients, without_cosines, without_whole_turns_of_twists = (
    partial(_without_losses, count) for count in range(1, len(LOSSES) + 1)
)
