"""A formulation in the place of an algorithm of the reference, with the same arguments and axes.

Code may have no other equations: then all that it answers is computed from those of the formulation (:func:`algorithms`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any, get_type_hints

import numpy as np

from cross_check.explain import formulations
from cross_check.explain.formulations import ANSWERS, FORMULATIONS
from cross_check.explain.formulations.bodies import Bodies, Result, Transforms, column, cross
from implementations.algorithms import Algorithm, by_name, from_inverse_dynamics
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.rnea import rnea
from mechanisms.quantities import FRAMES


@cache
def bodies_of(module: str) -> type[Bodies]:
    """What the formulation computes with."""
    function = getattr(import_module(f"{formulations.__name__}.{module}"), module)
    kind: type[Bodies] = get_type_hints(function)["m"]
    return kind


def arguments(module: str, model: Model, q: Tensor, *rest: Any) -> tuple[Any, ...]:
    """The arguments of a formulation, from those of the algorithm in whose place it stands. Raises :class:`Unsupported`."""
    kind = bodies_of(module)
    moved = rest[: FORMULATIONS[module].takes - 1]
    m = kind(model, q, rest[0] if rest else q, *rest[2:])
    return m, *(m.by_joint(x) for x in moved)


def answer(module: str, result: Any, batch: int) -> Tensor:
    """What the algorithm returns, from the result of the formulation."""
    if FORMULATIONS[module].takes == 1:
        return np.broadcast_to(np.moveaxis(result, 0, -1), (*result.shape[1:], batch))
    if FORMULATIONS[module].takes == 2:
        return np.broadcast_to(result[:, 0, 0], batch)
    τ = result.τ if isinstance(result, Result) else result
    joints = τ if isinstance(τ, list) else [τ]
    return np.concatenate([np.broadcast_to(x[..., 0].T, (x.shape[1], batch)) for x in joints])


def algorithm(module: str, text: bytes) -> Algorithm:
    """The algorithm that a source of the formulation has."""
    function = function_of(module, text)

    def answered(model: Model, q: Tensor, *rest: Any) -> Tensor:
        found = answer(module, function(*arguments(module, model, q, *rest)), q.shape[-1])
        if not bodies_of(module).has_forces and rest[2:] and rest[2] is not None:
            # The effect of forces on bodies is linear, and the reference's.
            still = (q, 0 * rest[0], 0 * rest[1])
            return found + rnea(model, *still, rest[2]) - rnea(model, *still)
        return found

    # Dynamics that are made from it know it by the name of what it stands for.
    answered.__name__ = ANSWERS[FORMULATIONS[module].stands_for][-1].removesuffix("_with_forces")
    return answered


def function_of(module: str, text: bytes) -> Callable[..., Any]:
    """The function that a source of the formulation has."""
    names: dict[str, Any] = {}
    exec(compile(text, f"{formulations.__name__}.{module}", "exec", dont_inherit=True), names)
    function: Callable[..., Any] = names[module]
    return function


def algorithms(module: str, function: Callable[..., Any]) -> dict[str, Algorithm]:
    """By quantity; functions of a model and batch-last arrays."""

    def found(model: Model, q: Tensor, qd: Tensor | None = None) -> Any:
        still = np.zeros((model.nv, q.shape[-1]))
        return function(*arguments(module, model, q, still if qd is None else qd, still))

    def inverse_dynamics(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
        return answer(module, function(*arguments(module, model, q, qd, qdd)), q.shape[-1])

    by_forces = from_inverse_dynamics(inverse_dynamics)

    def mass_matrix(model: Model, q: Tensor) -> Tensor:
        result = found(model, q)
        if FORMULATIONS[module].takes == 1:
            return answer(module, result, q.shape[-1])
        return by_forces["mass_matrix"](model, q) if result.M is None else _last(result.M, q)

    def kinetic_energy(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        result = found(model, q, qd)
        if FORMULATIONS[module].takes == 2:
            return answer(module, result, q.shape[-1])
        if getattr(result, "dT", None) is None:
            return np.einsum("ib,ijb,jb->b", qd, mass_matrix(model, q), qd) / 2
        rates = zip(result.dT, Transforms(model, q, qd).pseudo_inertias, strict=True)
        energies = [np.trace(dT @ J[:, 0] @ dT.mT, axis1=-2, axis2=-1) for dT, J in rates]
        armature = np.concatenate([link.armature for link in model.links])
        return np.asarray((sum(energies) + (armature * qd**2).sum(axis=0)) / 2)

    def forward_dynamics(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        M, h = mass_matrix(model, q), by_forces["nonlinear_effects"](model, q, qd)
        return np.linalg.solve(np.moveaxis(M, -1, 0), column(tau - h))[..., 0].T

    def placements(model: Model, q: Tensor) -> Tensor:
        result = found(model, q)
        return np.stack([_joined([R, o], -1, q) for R, o in zip(result.R, result.o, strict=True)])

    def centers(model: Model, q: Tensor) -> list[Tensor]:
        result = found(model, q)
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

    def coriolis_matrix(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        return _last(found(model, q, qd).C, q)

    def jacobians(frame: str, model: Model, q: Tensor) -> Tensor:
        result = found(model, q)
        O, J = np.concatenate(np.broadcast_arrays(*result.o), axis=-1), []
        for R, o, moves in zip(result.R, result.o, result.moves, strict=True):
            point = 0 * o if frame == "world" else o
            parts = (result.Z_ω, cross(result.Z_ω, point - O) + result.Z_v)
            turned = [R.mT @ part if frame == "local" else part for part in parts]
            J.append(_joined([part * moves for part in turned], -2, q))
        return np.stack(J)

    def velocities(frame: str, model: Model, q: Tensor, qd: Tensor) -> Tensor:
        result = found(model, q, qd)
        if result.dT is None:
            return np.einsum("kijb,jb->kib", jacobians(frame, model, q), qd)
        V = []
        for R, dT in zip(result.R, result.dT, strict=True):
            Ω, v = R.mT @ dT[:, :3, :3], R.mT @ dT[:, :3, 3:]
            V.append(_joined([Ω[:, [2, 0, 1], [1, 2, 0]][..., None], v], -2, q)[:, 0])
        return np.stack(V)

    every = by_forces | by_name(
        mass_matrix, kinetic_energy, forward_dynamics, placements, center_of_mass, potential_energy, coriolis_matrix
    )
    for frame in FRAMES:
        every |= {f"jacobians_{frame}": partial(jacobians, frame), f"velocities_{frame}": partial(velocities, frame)}
    return {name: every[name] for name in FORMULATIONS[module].computes}


def _last(x: Tensor, q: Tensor) -> Tensor:
    """Batch-last, with the batch of q."""
    return np.broadcast_to(np.moveaxis(x, 0, -1), (*x.shape[1:], q.shape[-1]))


def _joined(parts: Sequence[Tensor], axis: int, q: Tensor) -> Tensor:
    """Matrices (batch, …) side by side, batch-last; constants have a batch of one."""
    return np.concatenate([_last(part, q) for part in parts], axis=axis - 1)
