"""The size of what is summed, whatever frames an algorithm chooses.

Rounding is proportional to what is summed, and an algorithm that turns its frames sums all three components of a vector
where another sums one. So these functions add up whole vectors. They are meant to be read as magnitudes
(:meth:`implementations.program.Program.magnitudes`); their values mean nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.crba import composite_inertias
from implementations.field import Tensor
from implementations.jcalc import transforms
from implementations.model import Link, Model
from implementations.rnea import joint_forces
from implementations.spatial import mul


def force_size(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """For every coordinate the force or the moment that its joint transmits, components added (nv, batch)."""
    f = joint_forces(model, q, qd, qdd)
    sizes = (
        _alike(link, f_i) + link.armature * qdd[link.v] + link.damping * qd[link.v]
        for link, f_i in zip(model.links, f, strict=True)
    )
    return np.concatenate([np.broadcast_to(size, (size.shape[0], q.shape[-1])) for size in sizes])


def inertia_size(model: Model, q: Tensor) -> Tensor:
    """For every coordinate the mass that its joint carries, or thrice its moment about the joint, and armature (nv, batch)."""
    Ic = composite_inertias(model, transforms(model, q))
    sizes = (_alike(link, np.stack([I[k, k] for k in range(6)])) + link.armature for link, I in zip(model.links, Ic, strict=True))
    return np.concatenate([np.broadcast_to(size, (size.shape[0], q.shape[-1])) for size in sizes])


def kinetic_size(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """½ Σ |ω| |n| + |v| |f| over the bodies, of velocities [ω; v] and momenta [n; f], components added (batch,)."""
    v: list[Tensor] = []
    twice: Any = 0
    for X, λ, link in zip(transforms(model, q), model.parents, model.links, strict=True):
        vJ = link.S @ qd[link.v]
        v.append(vJ if λ < 0 else X @ v[λ] + vJ)
        h = mul(link.I, v[-1])
        twice = twice + v[-1][:3].sum(axis=0) * h[:3].sum(axis=0) + v[-1][3:].sum(axis=0) * h[3:].sum(axis=0)
        twice = twice + (link.armature * qd[link.v] * qd[link.v]).sum(axis=0)
    return twice / 2


def _alike(link: Link, x: Tensor) -> Tensor:
    """For every coordinate of the joint the sum of the angular or of the linear components of x (6, batch)."""
    angular, linear = x[:3].sum(axis=0), x[3:].sum(axis=0)
    turns = {"revolute": [True], "prismatic": [False], "free": [True] * 3 + [False] * 3}[link.joint.kind]
    return np.stack([angular if turn else linear for turn in turns])
