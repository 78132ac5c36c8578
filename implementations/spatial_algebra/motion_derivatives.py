"""Derivatives of the motions of bodies and frames, and kinematic Hessians, in closed form.

J. Carpentier, N. Mansard, "Analytical derivatives of rigid body dynamics algorithms" (RSS 2018), with screws whose axes may move
in their bodies as in S. Singh, R. Russell, P. Wensing (RA-L 2022). docs/notes/derivatives.md, eqs. 28–35, derives the equations.
In the root's frame, with the symbols of :mod:`implementations.spatial_algebra.derivatives`, without gravity, for body b and a
coordinate k that moves it:

    ∂v_b/∂q_k = Ψ̇_k − v_b × s_k                                                                   eq. 30
    ∂a_b/∂q_k = Ψ̈_k − v_b × Ψ̇_k − a_b × s_k                                                       eq. 31
    ∂a_b/∂v_k = Ψ̇_k + ṡ_k − v_b × s_k                                                             eq. 32
    ∂s_j/∂q_k = s_k × s_j, unless j strictly precedes k                                            eq. 29

A step of q_k also moves the frame of the answer:

    local      X_b (∂m − s_k × m)                                                                  eq. 33
    aligned    ∂m moved to p, plus [0; ω × ∂p], where ∂p is the linear part of J_k                  eq. 34

All other derivatives are zero. The same holds for a frame that is fixed to body b, with the frame's X and p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from implementations.algorithms import by_name
from implementations.field import Tensor, constant
from implementations.spatial_algebra.derivatives import coordinate_groups, forward_pass, path_to_root
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker, crm, cross


class Moving(NamedTuple):
    """A body, or a frame that is fixed to it, and the coordinates that move it, in the root's frame.

    X is ^iX_0. v and a are (6, batch); the screws of the coordinates and their rates are (6, n, batch). ``columns`` are these
    coordinates; ``groups`` (n,) numbers the groups of them that act together, from the root outwards.
    """

    X: Plucker
    v: Tensor
    a: Tensor
    s: Tensor
    ds: Tensor
    dΨ: Tensor
    ddΨ: Tensor
    columns: list[int]
    groups: NDArray[np.int_]


Places = Callable[[Model, Tensor, Tensor, Tensor], list[Moving | None]]
"""What the derivatives are about, at q, q̇, q̈: every body, or every frame. None stands for a frame that is fixed to the root."""


def velocities_dq(places: Places, model: Model, q: Tensor, qd: Tensor, frame: str) -> Tensor:
    """∂v/∂q (places, 6, nv, batch), with q̇ fixed."""
    return in_columns(model, q, places(model, q, qd, 0 * qd), lambda b: _velocity_dq(b, frame))


def accelerations_dq(places: Places, model: Model, q: Tensor, qd: Tensor, qdd: Tensor, frame: str) -> Tensor:
    """∂a/∂q of the spatial acceleration (places, 6, nv, batch), with q̇ and q̈ fixed."""
    return in_columns(model, q, places(model, q, qd, qdd), lambda b: _acceleration_dq(b, frame))


def accelerations_dv(places: Places, model: Model, q: Tensor, qd: Tensor, frame: str) -> Tensor:
    """∂a/∂v of the spatial acceleration (places, 6, nv, batch). It is the same for every q̈."""
    return in_columns(model, q, places(model, q, qd, 0 * qd), lambda b: _acceleration_dv(b, frame))


def classical_accelerations_dq(places: Places, model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """∂[ω̇; p̈]/∂q (places, 6, nv, batch), with p̈ = a + ω × ṗ."""

    def of_place(b: Moving) -> Tensor:
        v, dv, da = seen_in("aligned", b, b.v), _velocity_dq(b, "aligned"), _acceleration_dq(b, "aligned")
        return np.concatenate((da[:3], da[3:] + cross(dv[:3], v[3:]) + cross(v[:3], dv[3:])))

    return in_columns(model, q, places(model, q, qd, qdd), of_place)


def classical_accelerations_dv(places: Places, model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂[ω̇; p̈]/∂v (places, 6, nv, batch). It is the same for every q̈."""

    def of_place(b: Moving) -> Tensor:
        v, J, da = seen_in("aligned", b, b.v), seen_in("aligned", b, b.s), _acceleration_dv(b, "aligned")
        return np.concatenate((da[:3], da[3:] + cross(J[:3], v[3:]) + cross(v[:3], J[3:])))

    return in_columns(model, q, places(model, q, qd, 0 * qd), of_place)


def jacobians_dq(places: Places, model: Model, q: Tensor, frame: str) -> Tensor:
    """∂J/∂q (places, 6, nv, nv, batch): [b, :, j, k] is the derivative of column j along coordinate k."""
    still = np.broadcast_to(constant(model.field, 0), (model.nv, q.shape[-1]))
    moving = places(model, q, still, still)
    H = np.broadcast_to(constant(model.field, 0), (len(moving), 6, model.nv, model.nv, q.shape[-1])).copy()
    for own, b in zip(H, moving, strict=True):
        if b is not None:
            precedes = (b.groups[:, None] < b.groups).astype(int)[..., None]
            dJ = (1 - precedes) * crm(b.s[:, None], b.s[:, :, None])
            own[(slice(None), *np.ix_(b.columns, b.columns))] = with_moving_frame(frame, b, dJ, b.s[:, :, None], b.s[:, None])
    return H


def moving_bodies(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> list[Moving | None]:
    """Every body with the coordinates on its path from the root."""
    joints = forward_pass(replace(model, gravity=0 * model.gravity), q, qd, qdd)
    X = transforms_from_root(model, transforms(model, q)[0])
    bodies: list[Moving | None] = []
    for i, joint in enumerate(joints):
        path = list(path_to_root(model, i))[::-1]
        s, ds, dΨ, ddΨ = (np.concatenate([joints[j][k] for j in path], axis=1) for k in range(4))
        columns = [k for j in path for k in range(model.links[j].v.start, model.links[j].v.stop)]
        links = [model.links[j] for j in path]
        sizes = [len(range(link.joint.nv)[group]) for link in links for group in coordinate_groups(link)]
        groups = np.repeat(np.arange(len(sizes)), sizes)
        bodies.append(Moving(X[i], joint.v, joint.a, s, ds, dΨ, ddΨ, columns, groups))
    return bodies


def moving_frames(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> list[Moving | None]:
    """Every frame that is fixed to a body, with the coordinates that move this body."""
    bodies = moving_bodies(model, q, qd, qdd)
    carriers = ((bodies[body] if body >= 0 else None, X) for body, X in model.frames)
    return [None if b is None else b._replace(X=X.after(b.X)) for b, X in carriers]


def seen_in(frame: str, b: Moving, m: Tensor) -> Tensor:
    """The motion vector m (6, …, batch), given in the root's frame, in ``frame``."""
    if frame == "local":
        return b.X @ m
    return m if frame == "world" else np.concatenate((m[:3], m[3:] + cross(m[:3], b.X.r)))


def with_moving_frame(frame: str, b: Moving, dm: Tensor, m: Tensor, s: Tensor) -> Tensor:
    """The derivative of m's numbers in ``frame`` along coordinates with the screws s, from dm, that of its numbers in the root's
    frame (eqs. 33, 34)."""
    if frame == "local":
        return b.X @ (dm - crm(s, m))
    seen = seen_in(frame, b, dm)
    if frame == "aligned":
        seen[3:] = seen[3:] + cross(m[:3], seen_in(frame, b, s)[3:])
    return seen


def _velocity_dq(b: Moving, frame: str) -> Tensor:
    return with_moving_frame(frame, b, b.dΨ - crm(b.v, b.s), b.v, b.s)


def _acceleration_dq(b: Moving, frame: str) -> Tensor:
    return with_moving_frame(frame, b, b.ddΨ - crm(b.v, b.dΨ) - crm(b.a, b.s), b.a, b.s)


def _acceleration_dv(b: Moving, frame: str) -> Tensor:
    return seen_in(frame, b, b.dΨ + b.ds - crm(b.v, b.s))


def in_columns(model: Model, q: Tensor, moving: list[Moving | None], of_place: Callable[[Moving], Tensor]) -> Tensor:
    """``of_place`` (6, n, batch) in the columns of the coordinates that move a place, and zeros (places, 6, nv, batch)."""
    answer = np.broadcast_to(constant(model.field, 0), (len(moving), 6, model.nv, q.shape[-1])).copy()
    for own, b in zip(answer, moving, strict=True):
        if b is not None:
            own[:, b.columns] = of_place(b)
    return answer


_BOTH = by_name(velocities_dq, accelerations_dq, accelerations_dv, jacobians_dq)

OF_BODIES = {
    name: partial(function, moving_bodies)
    for name, function in (_BOTH | by_name(classical_accelerations_dq, classical_accelerations_dv)).items()
}
"""By family of quantities."""

OF_FRAMES = {f"frame_{name}": partial(function, moving_frames) for name, function in _BOTH.items()}
