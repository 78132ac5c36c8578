"""Undoes known faults of Pinocchio's ⊕ and ⊖: a sign, and digits that formulas lose where their terms cancel.

The sign is undone by the term that is missing. Lost digits cannot be added. So a joint's numbers are replaced by the
reference's, but only where the fault explains the error of every one: where it is at most :data:`MARGIN` · ε · κ times the
number's size. κ, how much rounding is amplified, follows from the formula and depends on the turn θ alone; it is zero for
numbers that other formulas give. A larger error, or one at another turn, stays.

Every repair undoes the faults before it in this file, too, because one answer may show several.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cross_check.error_scale.sizes import EPSILON, ErrorScale
from cross_check.findings.repaired import Repaired
from implementations.protocol import Array
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Joint, Mechanism
from mechanisms.quantities import INTEGRATION

SERIES = EPSILON**0.25
"""Turns (rad) below which Pinocchio takes series."""

MARGIN = 4.0
"""Formulas have several terms, each with some roundings. Pinocchio's errors are up to 1.8 times ε · κ · size."""

Loss = Callable[[str, str, Array], tuple[Array, Array]]
"""Two κ (batch,) of a quantity and a kind of joint at turns θ (batch,); zero where the formula loses nothing.

The first is that of turns, and of the diagonal blocks of derivatives. The second is that of slides, and of the blocks below.
"""

ROUNDED = 8.0
"""ε-units that numbers may be off without any fault."""

OTHER_FORMULA = 2.4e-3
"""How near (rad) to half a turn log3 takes another formula; the square of this is ε^⅓, less some roundings."""

NO_TURN = 1e-7
"""Larger turns (rad) are never taken for none."""

SMALL = {
    ("integrate", "free"): (0, 1),
    ("integrate_dq", "free"): (0, 1),
    ("integrate_dv", "spherical"): (1, 0),
    ("integrate_dv", "planar"): (2, 2),
    ("integrate_dv", "free"): (1, 3),
    ("difference", "planar"): (0, 2),
    ("difference", "free"): (0, 2),
    ("difference_dq", "spherical"): (2, 0),
    ("difference_dq", "planar"): (2, 2),
    ("difference_dq", "free"): (2, 3),
}
"""The powers of 1/θ by which the formulas for larger turns amplify rounding at small ones, in the order of :data:`Loss`."""


def _next_to_series(quantity: str, kind: str, θ: Array) -> tuple[Array, Array]:
    first = 1e-4 if kind == "planar" and quantity.startswith("difference") else SERIES
    concerned, safe = (θ >= first) & (θ < 0.5), np.maximum(θ, first)
    turns, slides = SMALL.get((quantity.replace("dto", "dq"), kind), (0, 0))
    return concerned * (turns > 0) * safe ** -float(turns), concerned * (slides > 0) * safe ** -float(slides)


def _over_turn(quantity: str, kind: str, θ: Array) -> tuple[Array, Array]:
    concerned = kind == "planar" and quantity in ("integrate", "integrate_dq")
    return 0 * θ, np.where((θ > 1e-14) & (θ < 0.5) & concerned, 1 / np.maximum(θ, 1e-14), 0.0)


def _from_cosines(quantity: str, kind: str, θ: Array) -> tuple[Array, Array]:
    if quantity not in ("difference", "difference_dq", "difference_dto") or (kind, quantity) in FROM_QUATERNIONS:
        return 0 * θ, 0 * θ
    δ = np.abs(np.pi - θ)
    if kind in ("spherical", "free"):
        # log3 divides by sin θ, and has another formula within its threshold of half a turn.
        κ = np.where((θ > 2) & (δ > OTHER_FORMULA), np.maximum(δ, OTHER_FORMULA) ** -2.0, 0.0)
    else:
        concerned = kind in ("continuous", "planar")
        κ = concerned * (np.where(θ > 2, 1 / np.maximum(δ, 1e-8), 0.0) + np.where(θ < NO_TURN, θ / EPSILON, 0.0))
    return κ, κ


FROM_QUATERNIONS = (("spherical", "difference"), ("free", "difference"))


def _at_whole_turns(quantity: str, kind: str, θ: Array) -> tuple[Array, Array]:
    turns = np.round(θ / (2 * np.pi))
    δ = np.abs(θ - 2 * np.pi * turns)
    concerned = quantity == "integrate_dv" and kind in ("planar", "free")
    κ = np.where((turns > 0) & (δ < 1.5) & concerned, 1 / np.maximum(δ, 1e-100) ** 3, 0.0)
    return κ, κ


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
            turns, slides = np.sum([loss(quantity, joint.kind, θ) for loss in LOSSES[:count]], axis=0)
            part = at if quantity == "integrate" else own
            place: Any = (slice(None), part, part)[: answer.ndim]
            axes = tuple(range(1, answer.ndim))
            each = (-1, *[1] * len(axes))
            κ = np.where(_sliding(joint, quantity), slides.reshape(each), turns.reshape(each))
            with np.errstate(invalid="ignore", over="ignore"):
                off = np.abs(_signed(joint, quantity, answer[place], right[place]) - right[place])
                is_lost = (off <= EPSILON * np.maximum(MARGIN * κ, ROUNDED) * size[place]).all(axis=axes)
                is_lost |= ~np.isfinite(off).all(axis=axes) & (slides > 1 / EPSILON)
            if quantity == "difference":
                # A small turn is lost as a whole.
                is_lost &= (slides == 0) | (θ >= NO_TURN) | (answer[:, own][:, :n] == 0).all(axis=1)
            explained = is_lost & (np.maximum(turns, slides) > 0)
            answer[place] = np.where(explained.reshape(each), right[place], answer[place])
        return answer

    return Repaired(dynamics, **{quantity: partial(repaired, quantity) for quantity in INTEGRATION})


def _sliding(joint: Joint, quantity: str) -> NDArray[np.bool_]:
    """Which of a joint's numbers are slides, or derivatives of slides by turns."""
    distances = joint.description.distances if joint.velocity_is_body_twist else 0
    if quantity == "integrate":
        return np.arange(joint.nq) < distances
    slides = np.arange(joint.nv) >= joint.nv - distances
    return slides if quantity == "difference" else slides[:, None] & ~slides


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
