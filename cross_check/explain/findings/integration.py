"""Pinocchio's ⊕ and ⊖ with its faults: a sign, and digits that formulas lose where their terms cancel.

The sign is predicted. Lost digits are bounded: by :data:`MARGIN` · ε · κ times the number's size. κ, how much rounding is
amplified, follows from the formula and depends on the turn θ alone; it is zero for numbers that other formulas give. A tiny
angle is lost as a whole or not at all, as roundings decide.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cross_check.explain.findings.finding import Functions
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from implementations.protocol import Array, Dynamics
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
        κ = concerned * np.where(θ > 2, 1 / np.maximum(δ, 1e-8), 0.0)
        if quantity != "difference":
            # The derivatives are those without a turn, if it is taken for none.
            κ = κ + concerned * np.where(θ < NO_TURN, θ / EPSILON, 0.0)
    return κ, κ


FROM_QUATERNIONS = (("spherical", "difference"), ("free", "difference"))


def _at_whole_turns(quantity: str, kind: str, θ: Array) -> tuple[Array, Array]:
    turns = np.round(θ / (2 * np.pi))
    δ = np.abs(θ - 2 * np.pi * turns)
    concerned = quantity == "integrate_dv" and kind in ("planar", "free")
    κ = np.where((turns > 0) & (δ < 1.5) & concerned, 1 / np.maximum(δ, 1e-100) ** 3, 0.0)
    return κ, κ


def with_wrong_sign(mechanism: Mechanism, right: Dynamics) -> Functions:
    """∂(q ⊕ dv)/∂dv less the (θ²/12) [ω] by which Jexp3 is wrong below :data:`SERIES`, and what that makes of the
    block of slides."""
    poses = [(j, own) for j, _, own in _joints(mechanism) if j.velocity_is_body_twist]

    def integrate_dv(q: Array, dv: Array) -> Array:
        D = np.array(right.integrate_dv(q, dv))
        for joint, own in poses:
            n = joint.nv - joint.description.distances
            ω = dv[:, own][:, :n]
            missing = _skew(ω) * (np.linalg.norm(ω, axis=1) ** 2 / 12 * (np.linalg.norm(ω, axis=1) < SERIES))[:, None, None]
            block = D[:, own, own].copy()
            if n == 3:
                block[:, :3, :3] -= missing
            if joint.description.distances:
                # B = −A C(Aᵀ v) with C(p) = [p]/2 + …, and A is what is wrong.
                turned = (missing.swapaxes(1, 2) @ dv[:, own][:, n:, None])[..., 0]
                block[:, n:, :n] -= missing @ block[:, n:, :n] - _skew(turned)[:, : joint.nv - n, -n:] / 2
                block[:, n:, n:] -= missing
            D[:, own, own] = block
        return D

    return {"integrate_dv": integrate_dv}


def without_tiny_turns(mechanism: Mechanism, right: Dynamics) -> Functions:
    """to ⊖ q, where angles below :data:`NO_TURN` of wheels and planar joints are taken for none."""

    def difference(q: Array, to: Array) -> Array:
        lost = right.difference(q, to)
        for joint, _, own in _joints(mechanism):
            if joint.kind in ("continuous", "planar"):
                part = lost[:, own]
                θ = part[:, :1]
                tiny = (np.abs(θ) < NO_TURN)[:, 0]
                if joint.kind == "planar":
                    # Without a turn, the arc is its chord, turned by half of θ.
                    x, y = part[:, 1].copy(), part[:, 2].copy()
                    part[tiny, 1], part[tiny, 2] = (x - θ[:, 0] / 2 * y)[tiny], (y + θ[:, 0] / 2 * x)[tiny]
                part[tiny, 0] = 0.0
        return lost

    return {"difference": difference}


def lost_digits(loss: Loss, mechanism: Mechanism) -> Functions:
    """How far numbers are off by this loss."""
    reference, scale = REFERENCE.load(mechanism), ErrorScale(mechanism)

    def bound(quantity: str, q: Array, other: Array) -> Array:
        size = scale.size(quantity, q, other)
        lost = np.zeros_like(size)
        step = other if quantity.startswith("integrate") else reference.difference(q, other)
        for joint, at, own in _joints(mechanism):
            n = joint.nv - joint.description.distances if joint.velocity_is_body_twist else joint.nv
            turns, slides = loss(quantity, joint.kind, np.linalg.norm(step[:, own][:, :n], axis=1))
            part = at if quantity == "integrate" else own
            place: Any = (slice(None), part, part)[: size.ndim]
            each = (-1, *[1] * (size.ndim - 1))
            κ = np.where(_sliding(joint, quantity), slides.reshape(each), turns.reshape(each))
            lost[place] = MARGIN * EPSILON * κ * size[place]
        return lost

    return {quantity: partial(bound, quantity) for quantity in INTEGRATION}


def _sliding(joint: Joint, quantity: str) -> NDArray[np.bool_]:
    """Which of a joint's numbers are slides, or derivatives of slides by turns."""
    distances = joint.description.distances if joint.velocity_is_body_twist else 0
    if quantity == "integrate":
        return np.arange(joint.nq) < distances
    slides = np.arange(joint.nv) >= joint.nv - distances
    return slides if quantity == "difference" else slides[:, None] & ~slides


def _skew(ω: Array) -> Array:
    """[ω] (batch, 3, 3); for turns in the plane (batch, 1), its upper left block; for slides in the plane (batch, 2), all."""
    n = ω.shape[1]
    whole = np.pad(ω, ((0, 0), (2, 0) if n == 1 else (0, 3 - n)))
    skew = np.cross(whole[:, None], np.eye(3)).swapaxes(1, 2)
    return skew[:, :2, :2] if n == 1 else skew


def _joints(mechanism: Mechanism) -> list[tuple[Joint, slice, slice]]:
    """Every joint that has coordinates of its own, with its parts of q and v."""
    parts = zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)
    return [(body.joint, at, own) for body, at, own in parts if body.joint.mimic is None]


small_angles, quotients, cosines, whole_turns_of_twists = (
    partial(lost_digits, loss) for loss in (_next_to_series, _over_turn, _from_cosines, _at_whole_turns)
)
