"""The forces of joints, which act beside S_iᵀ f_i: damping · q̇ + friction · sign(q̇) + stiffness · (q − rest)."""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.model import Link, Model


def joint_force(model: Model, link: Link, q: Tensor, qd: Tensor) -> Any:
    """What damping, friction and the spring of a joint add to τ (nv of the joint, batch), at q (nq, batch) and q̇ (nv, batch)."""
    force = link.damping * qd[link.v] + link.stiffness * stretch(model, link, q)
    return force + link.friction * model.field.sign(qd[link.v]) if link.joint.friction != 0 else force


def stretch(model: Model, link: Link, q: Tensor) -> Any:
    """q − rest (1, batch) of the joint's position in q (nq, batch), an angle or a distance; zero for a joint without a spring."""
    if link.joint.stiffness == 0:
        return 0
    position = q[link.q]
    return (model.field.angle(position) if link.joint.slots[0].form == "angle" else position) - link.rest


def spring_energy(model: Model, link: Link, q: Tensor) -> Any:
    """½ stiffness · (q − rest)² (batch,), or zero."""
    return (link.stiffness * stretch(model, link, q) * stretch(model, link, q)).sum(axis=0) / 2


def diagonal(model: Model, parameter: str) -> Tensor:
    """The derivative (nv, nv, 1) of all joints' forces by q, which is "stiffness", or by q̇, which is "damping"."""
    return np.eye(model.nv, dtype=int)[..., None] * np.concatenate([getattr(link, parameter) for link in model.links])
