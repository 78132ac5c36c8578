"""Springs of joints: stiffness · (q − rest) adds to the joint's force. In series with nothing, they act beside S_iᵀ f_i."""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.model import Link, Model


def stretch(model: Model, link: Link, q: Tensor) -> Any:
    """q − rest (1, batch) of the joint's position in q (nq, batch), an angle or a distance; zero for a joint without a spring."""
    if link.joint.stiffness == 0:
        return 0
    position = q[link.q]
    return (model.field.angle(position) if link.joint.slots[0].form == "angle" else position) - link.rest


def spring_force(model: Model, link: Link, q: Tensor) -> Any:
    """stiffness · (q − rest) (1, batch), or zero."""
    return link.stiffness * stretch(model, link, q)


def spring_energy(model: Model, link: Link, q: Tensor) -> Any:
    """½ stiffness · (q − rest)² (batch,), or zero."""
    return (spring_force(model, link, q) * stretch(model, link, q)).sum(axis=0) / 2


def stiffnesses(model: Model) -> Tensor:
    """∂(spring forces)/∂q (nv, nv, 1), diagonal."""
    return np.eye(model.nv, dtype=int)[..., None] * np.concatenate([link.stiffness for link in model.links])
