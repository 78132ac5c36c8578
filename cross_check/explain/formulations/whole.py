"""All quantities that code has whose only equations are those of a formulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.bodies import Result, column, cross
from cross_check.explain.formulations.instead import answer, arguments
from implementations.algorithms import Algorithm, by_name, from_inverse_dynamics
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from mechanisms.quantities import FRAMES


def algorithms(module: str, function: Callable[..., Any]) -> dict[str, Algorithm]:
    """By quantity; functions of a model and batch-last arrays."""

    def found(model: Model, q: Tensor, qd: Tensor | None = None) -> Result | None:
        still = np.zeros((model.nv, q.shape[-1]))
        result = function(*arguments(module, model, q, still if qd is None else qd, still))
        return result if isinstance(result, Result) else None

    def inverse_dynamics(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
        return answer(module, function(*arguments(module, model, q, qd, qdd)), q.shape[-1])

    by_forces = from_inverse_dynamics(inverse_dynamics)

    def mass_matrix(model: Model, q: Tensor) -> Tensor:
        if FORMULATIONS[module] == "crba":
            return answer(module, function(*arguments(module, model, q)), q.shape[-1])
        result = found(model, q)
        return by_forces["mass_matrix"](model, q) if result is None or result.M is None else _last(result.M, q)

    def kinetic_energy(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        return np.einsum("ib,ijb,jb->b", qd, mass_matrix(model, q), qd) / 2

    def energy_of_rates(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        result = _required(found(model, q, qd))
        m, *_ = arguments(module, model, q, qd, qd)
        energies = [
            np.trace(dT @ J[:, 0] @ dT.mT, axis1=-2, axis2=-1) for dT, J in zip(result.dT, m.pseudo_inertias, strict=True)
        ]
        armature = np.concatenate([link.armature for link in model.links])
        return np.asarray((sum(energies) + (armature * qd**2).sum(axis=0)) / 2)

    def velocities_local(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        result = _required(found(model, q, qd))
        V = []
        for R, dT in zip(result.R, result.dT, strict=True):
            Ω, v = R.mT @ dT[:, :3, :3], R.mT @ dT[:, :3, 3:]
            V.append(_joined([Ω[:, [2, 0, 1], [1, 2, 0]][..., None], v], -2, q)[:, 0])
        return np.stack(V)

    def forward_dynamics(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        M, h = mass_matrix(model, q), by_forces["nonlinear_effects"](model, q, qd)
        return np.linalg.solve(np.moveaxis(M, -1, 0), column(tau - h))[..., 0].T

    def placements(model: Model, q: Tensor) -> Tensor:
        result = _required(found(model, q))
        return np.stack([_joined([R, o], -1, q) for R, o in zip(result.R, result.o, strict=True)])

    def centers(model: Model, q: Tensor) -> list[Tensor]:
        result = _required(found(model, q))
        if result.c is not None:
            return [_last(c, q)[:, 0] for c in result.c]
        poses = zip(model.links, placements(model, q), strict=True)
        return [pose[:, 3] + np.einsum("ijb,jk->ib", pose[:, :3], link.com) for link, pose in poses]

    def center_of_mass(model: Model, q: Tensor) -> Tensor:
        masses = np.array([link.mass for link in model.links])
        return np.asarray(np.tensordot(masses, centers(model, q), 1) / masses.sum())

    def potential_energy(model: Model, q: Tensor) -> Tensor:
        g = model.gravity[3:, 0]
        return -np.sum([link.mass * (g @ c) for link, c in zip(model.links, centers(model, q), strict=True)], axis=0)

    def jacobians(frame: str, model: Model, q: Tensor) -> Tensor:
        result = _required(found(model, q))
        m, *_ = arguments(module, model, q, np.zeros((model.nv, q.shape[-1])), np.zeros((model.nv, q.shape[-1])))
        J = []
        for i, (R, o) in enumerate(zip(result.R, result.o, strict=True)):
            point = 0 * o if frame == "world" else o
            parts = (result.Z_ω, cross(result.Z_ω, point - m.joined(result.o)) + result.Z_v)
            turned = [R.mT @ part if frame == "local" else part for part in parts]
            J.append(_joined([part * result.moves[i] for part in turned], -2, q))
        return np.stack(J)

    def velocities(frame: str, model: Model, q: Tensor, qd: Tensor) -> Tensor:
        return np.einsum("kijb,jb->kib", jacobians(frame, model, q), qd)

    def coriolis_matrix(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        return _last(_required(found(model, q, qd)).C, q)

    if FORMULATIONS[module] == "crba":
        return by_name(mass_matrix, kinetic_energy)
    own: dict[str, Algorithm] = by_forces | by_name(mass_matrix, kinetic_energy, forward_dynamics)
    if module in ("root_frame", "homogeneous", "christoffel"):
        own |= by_name(placements, center_of_mass, potential_energy)
    if module == "homogeneous":
        own |= {"kinetic_energy": energy_of_rates} | by_name(velocities_local)
    if module == "christoffel":
        own |= by_name(coriolis_matrix)
        for frame in FRAMES:
            own |= {f"jacobians_{frame}": partial(jacobians, frame), f"velocities_{frame}": partial(velocities, frame)}
    return own


def _required(result: Result | None) -> Any:
    assert result is not None
    return result


def _last(x: Tensor | None, q: Tensor) -> Tensor:
    """Batch-last, with the batch of q."""
    assert x is not None
    return np.broadcast_to(np.moveaxis(x, 0, -1), (*x.shape[1:], q.shape[-1]))


def _joined(parts: Sequence[Tensor], axis: int, q: Tensor) -> Tensor:
    """Matrices (batch, …) side by side, batch-last; constants have a batch of one."""
    return np.concatenate([_last(part, q) for part in parts], axis=axis - 1)
