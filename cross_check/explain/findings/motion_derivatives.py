"""Pinocchio's derivatives of motions and momenta and its kinematic Hessians, with its faults.

The symbols are those of :mod:`implementations.spatial_algebra.motion_derivatives`. v_λ is the velocity of the parent body of a
coordinate's joint. One answer may have several of these faults, and "order" comes last:

    order      the entries of a Hessian are in another order: what is [i, j, k] in memory is read as if the last index were first
    axes       every joint's axes are taken as fixed in its body
    world      ∂a/∂q in the root's frame has (v_λ − v) × ṡ in place of (v_λ − v) × Ψ̇, for joints that are not on the root
    aligned    ∂v/∂q and ∂a/∂q in the aligned frame lack [0; ω × ∂p] and [0; α × ∂p]: the origin is taken as standing still
    local      ∂J_j/∂q_k in the local frame has s_j × s_k also for two coordinates of one joint that is not on the root

With "axes", an engine computes, for all screws s of a joint alike, with the velocity v of its body and the velocity v_λ and the
acceleration a_λ of its parent body (docs/notes/derivatives.md, eq. 24):

    ṡ = v × s,        Ψ̇ = v_λ × s,        Ψ̈ = a_λ × s + v_λ × Ψ̇

This is wrong only for joints with several angles, in which each axis moves with the angles before it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cross_check.exchange.results.objects import BAR
from cross_check.explain.faults.coordinates.joints import depth_first
from cross_check.explain.faults.terms.factors import FIXED_AXES
from cross_check.explain.findings.finding import Functions, lacking, missing, with_edits
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from implementations.field import Tensor
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.centroidal_derivatives import moving_center, weightless
from implementations.spatial_algebra.derivatives import forward_pass
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.motion_derivatives import (
    OF_BODIES,
    OF_FRAMES,
    Moving,
    Places,
    in_columns,
    moving_bodies,
    moving_frames,
    seen_in,
)
from implementations.spatial_algebra.spatial import crm
from mechanisms import Mechanism
from mechanisms.quantities import by_quantity

CONCERNED = (
    *(f"{dynamics}_dynamics_{by}" for dynamics in ("inverse", "forward") for by in ("dq", "dv")),
    "coriolis_matrix",
    *("gravity_dq", "static_forces_dq"),
    *("centroidal_momentum_dq", "centroidal_momentum_rate_dq", "centroidal_momentum_rate_dv"),
    *by_quantity({**OF_BODIES, **OF_FRAMES}),
)
"""The quantities of trees that lack terms."""

missing_terms = partial(missing, FIXED_AXES.edits)
"""The missing terms (…, batch) of a quantity, by its name, for a model and its state."""

of_trees_with_fixed_axes = with_edits(CONCERNED, *FIXED_AXES.edits)
"""Derivatives and C without these terms."""


def _of_moving_center(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Both faults of Pinocchio's rate of the centroidal momentum matrix (6, nv, batch).

    Pinocchio takes the velocity of the centre of mass from another call, and it is zero where there was none. So the answer
    lacks −ċ × l in the angular rows of every column (docs/findings/pinocchio-centroidal-map-rate.md). For joints whose axes move
    in the body it lacks Iᶜ Δṡ, too (docs/findings/pinocchio-jacobian-time-variation-subspace.md).
    """
    moved = moving_center(model, forward_pass(weightless(model), q, qd, 0 * qd))
    return missing_terms("centroidal_momentum_matrix_rate", model, q, qd) - np.concatenate((moved, 0 * moved))


about_still_center = lacking({"centroidal_momentum_matrix_rate": _of_moving_center})
"""Pinocchio's Ȧ without the missing terms."""


def in_another_order(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Hessians with "order"."""

    def hessian(name: str, q: Array) -> Array:
        return _reordered(mechanism, getattr(right, name)(q))

    return {name: partial(hessian, name) for name in _HESSIANS}


def of_numbers_elsewhere(mechanism: Mechanism) -> Functions:
    """The roundings of numbers that stand where "order" puts them, if they are larger than those of what belongs there."""
    scale = ErrorScale(mechanism)

    def bound(name: str, q: Array) -> Array:
        size = scale.size(name, q)
        return BAR * EPSILON * np.maximum(_reordered(mechanism, size) - size, 0)

    return {name: partial(bound, name) for name in _HESSIANS}


def _reordered(mechanism: Mechanism, H: Array) -> Array:
    """H (batch, places, 6, nv, nv) as Python reads it from Pinocchio's memory."""
    theirs = columns_in_pinocchio(mechanism)
    ours = np.argsort(theirs)
    # Pinocchio has the linear rows first, and other columns.
    H = np.roll(H, 3, axis=2)[..., theirs, :][..., theirs]
    given = H.transpose(0, 1, 4, 3, 2).reshape(H.shape)
    return np.roll(given, 3, axis=2)[..., ours, :][..., ours]


def columns_in_pinocchio(mechanism: Mechanism) -> NDArray[np.int_]:
    """Our index of every component of Pinocchio's v: joints are depth first, distances of planar and free joints come first."""
    columns = []
    for i in depth_first(mechanism):
        joint, own = mechanism.bodies[i].joint, mechanism.v_slices[i]
        columns.append(
            np.roll(np.arange(own.start, own.stop), joint.description.distances if joint.velocity_is_body_twist else 0)
        )
    return np.concatenate(columns)


_PLACES: dict[str, Places] = {"": moving_bodies, "frame_": moving_frames}
_HESSIANS = [name for name in by_quantity({**OF_BODIES, **OF_FRAMES}) if "jacobians_dq" in name]


def _rates(places: Places, frame: str, model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """(v − v_λ) × (ṡ − Ψ̇) of joints that are not on the root, with axes that are fixed in their bodies (eq. 24)."""
    velocities = [b.v for b in moving_bodies(model, q, qd, qdd) if b is not None]
    joints, parents = _joints_of_coordinates(model), _parents_of_coordinates(model)

    def of_place(b: Moving) -> Tensor:
        own = np.stack([velocities[joints[k]] for k in b.columns], axis=1)
        before = np.stack([velocities[λ] if (λ := parents[k]) >= 0 else b.v for k in b.columns], axis=1)
        return seen_in(frame, b, crm(b.v[:, None] - before, crm(own - before, b.s)))

    return in_columns(model, q, places(model, q, qd, qdd), of_place)


def _angular_rates(*state: Any) -> Tensor:
    """The same of bodies in the aligned frame: of classical accelerations, only the angular rows have this fault."""
    return np.array([1, 1, 1, 0, 0, 0])[:, None, None] * _rates(moving_bodies, "aligned", *state)


def _within_joints(places: Places, model: Model, q: Tensor) -> Tensor:
    """−s_j × s_k in the local frame, for two coordinates of one joint that is not on the root."""
    still = np.zeros((model.nv, q.shape[-1]))
    moving, joint, parents = places(model, q, still, still), _joints_of_coordinates(model), _parents_of_coordinates(model)
    H = np.zeros((len(moving), 6, model.nv, model.nv, q.shape[-1]))
    for own, b in zip(H, moving, strict=True):
        if b is not None:
            same = np.array([[joint[j] == joint[k] and parents[k] >= 0 for k in b.columns] for j in b.columns])[..., None]
            own[(slice(None), *np.ix_(b.columns, b.columns))] = b.X @ (same * crm(b.s[:, None], b.s[:, :, None]))
    return H


def _parents_of_coordinates(model: Model) -> list[int]:
    """By coordinate: the parent body of its joint, -1 for the root."""
    return [model.parents[j] for j in _joints_of_coordinates(model)]


def _joints_of_coordinates(model: Model) -> list[int]:
    """By coordinate: its joint."""
    return [j for j, link in enumerate(model.links) for _ in range(link.joint.nv)]


with_own_rates = lacking(
    {
        f"{of}accelerations_dq_{frame}": partial(_rates, places, frame)
        for of, places in _PLACES.items()
        for frame in ("world", "aligned")
    }
    | {"classical_accelerations_dq": _angular_rates}
)
"""Answers with "world"."""

with_products_in_joints = lacking({f"{of}jacobians_dq_local": partial(_within_joints, at) for of, at in _PLACES.items()})
"""Answers with "local"."""
