"""Kinetic and potential energy, body by body (Featherstone 2008, §2.13; text 001, Lagrange's equations)."""

from __future__ import annotations

from typing import Any

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.joint_forces import spring_energy
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import mul


def kinetic_energy(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """T = ½ Σ v_iᵀ I_i v_i + ½ Σ armature q̇² (batch,)."""
    X, S = transforms(model, q)
    v: list[Tensor] = []
    twice_T: Any = 0
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        vJ = mul(S[i], qd[link.v])
        v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
        twice_T = twice_T + (v[i] * mul(link.I, v[i])).sum(axis=0) + (link.armature * qd[link.v] * qd[link.v]).sum(axis=0)
    return twice_T / 2


def potential_energy(model: Model, q: Tensor) -> Tensor:
    """V = −Σ m gᵀ c_i + ½ Σ stiffness (q − rest)² (batch,), with c_i the centres of mass in the root's frame.

    The energy of the masses that gravity compensation lifts is subtracted.
    """
    X = transforms_from_root(model, transforms(model, q)[0])
    g = model.gravity[3:]
    V: Any = 0
    for X0, link in zip(X, model.links, strict=True):
        c = X0.r + mul(X0.E.swapaxes(0, 1), link.com)
        V = V - (g * (link.mass * c)).sum(axis=0) + spring_energy(model, link, q)
    return V - potential_energy(model.lifted, q) if model.lifted else V


ENERGIES = by_name(kinetic_energy, potential_energy)
"""The algorithms of this module, by name."""
