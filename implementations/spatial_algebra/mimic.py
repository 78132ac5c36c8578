"""Mimic joints: the algorithms of a tree, reduced exactly to the coordinates of the joints that move on their own.

A mimic joint's position is k q_l + c, with q_l that of its leader. So the tree's velocity is G v, its acceleration G a, and G is
constant: it has a one where a coordinate moves its own joint, and k where it moves a mimic joint. The virtual powers
τᵀ v = τ_treeᵀ G v are equal for every v, and therefore

    τ = Gᵀ τ_tree,        M = Gᵀ M_tree G,        C = Gᵀ C_tree G,        J = J_tree G

Every axis of an answer that is as long as v is multiplied by Gᵀ. Armature and damping of a mimic joint count k² times, and its
friction |k| times. Energies, placements and motions are those of the tree. Forward dynamics of the tree does not know the
coupling: M a + h = τ is solved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from implementations.algorithms import Algorithm, by_name
from implementations.field import Tensor, constant
from implementations.linear import solve
from implementations.spatial_algebra.model import Link, Model
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_DERIVATIVES, Quantity


def with_mimics(algorithms: Mapping[str, Algorithm]) -> dict[str, Algorithm]:
    """The algorithm of every quantity, for models with mimic joints too."""
    reduced: dict[str, Algorithm] = {}
    for name, algorithm in algorithms.items():
        solved = name in SOLVED
        reduced[name] = partial(choose, algorithm, partial(SOLVED[name], reduced)) if solved else with_mimic(name, algorithm)
    return reduced


def with_mimic(name: str, algorithm: Algorithm) -> Algorithm:
    """The algorithm of a quantity, for models with mimic joints too; not of one that M a + h = τ determines."""
    return partial(choose, algorithm, partial(answer, {**ALL_QUANTITIES, **CONSTRAINT_DERIVATIVES}[name], algorithm))


def choose(algorithm: Algorithm, of_reduced: Algorithm, model: Model, *arguments: Tensor) -> Tensor:
    """``algorithm`` of a model without mimic joints, ``of_reduced`` of a model with some."""
    has_mimics = any(link.joint.mimic for link in model.links)
    return (of_reduced if has_mimics else algorithm)(model, *arguments)


def answer(quantity: Quantity, algorithm: Algorithm, model: Model, *arguments: Tensor) -> Tensor:
    """The tree's answer at the tree's state, contracted with Gᵀ along every axis that is as long as v."""
    expand: dict[str, Algorithm] = {"q": tree_position, "v": tree_velocity, "f": lambda model, f: f}
    state = (expand[kind](model, x) for kind, x in zip(quantity.inputs, arguments, strict=True))
    result = algorithm(tree(model), *state)
    for axis, of in enumerate(quantity.axes):
        if of == "nv":
            result = contracted(model, result, axis)
    return result


def forward_dynamics(reduced: Mapping[str, Algorithm], model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """q̈ with M q̈ + h = τ."""
    return solve(reduced["mass_matrix"](model, q), tau - reduced["nonlinear_effects"](model, q, qd))


def forward_dynamics_dq(reduced: Mapping[str, Algorithm], model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """X with M X = −∂ID/∂q at q̈ = FD(q, q̇, τ)."""
    a = reduced["forward_dynamics"](model, q, qd, tau)
    return solve(reduced["mass_matrix"](model, q), -reduced["inverse_dynamics_dq"](model, q, qd, a))


def forward_dynamics_dv(reduced: Mapping[str, Algorithm], model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """X with M X = −∂ID/∂v."""
    return solve(reduced["mass_matrix"](model, q), -reduced["inverse_dynamics_dv"](model, q, qd))


def forward_dynamics_dtau(reduced: Mapping[str, Algorithm], model: Model, q: Tensor) -> Tensor:
    """M⁻¹."""
    one = constant(model.field, np.eye(model.nv, dtype=int))[..., None]
    return solve(reduced["mass_matrix"](model, q), np.broadcast_to(one, (*one.shape[:2], q.shape[-1])))


def tree(model: Model) -> Model:
    """The same bodies with every joint moving on its own."""
    links: list[Link] = []
    nq = nv = 0
    for link in model.links:
        q, v = slice(nq, nq + link.joint.nq), slice(nv, nv + link.joint.nv)
        links.append(replace(link, q=q, v=v))
        nq, nv = q.stop, v.stop
    return replace(model, links=tuple(links), nv=nv, lifted=model.lifted and tree(model.lifted))


def tree_position(model: Model, q: Tensor) -> Tensor:
    """The positions of all joints (nq of the tree, batch)."""
    return np.concatenate([q[link.q] if link.joint.mimic is None else mimic_position(model, link, q) for link in model.links])


def mimic_position(model: Model, link: Link, q: Tensor) -> Tensor:
    """k q_l + c (1, batch), by angles where leader and follower have angles."""
    field = model.field
    (leader,) = (other.joint for other in model.links if other.q == link.q and other.joint.mimic is None)
    own = multiplier(model, link) * (field.angle(q[link.q]) if has_angle(leader) else q[link.q]) + offset(model, link)
    return field.position(own) if has_angle(link.joint) else own


def tree_velocity(model: Model, x: Tensor) -> Tensor:
    """G x (nv of the tree, batch), for x = v or a."""
    parts = [x[link.v] if link.joint.mimic is None else multiplier(model, link) * x[link.v] for link in model.links]
    return np.concatenate(parts)


def contracted(model: Model, x: Tensor, axis: int) -> Tensor:
    """``x`` multiplied by Gᵀ along an axis that is as long as the tree's velocity."""
    x = np.moveaxis(x, axis, 0)
    sums: dict[int, Any] = {link.v.start: x[own.v] for link, own in _pairs(model) if link.joint.mimic is None}
    for link, own in _pairs(model):
        if link.joint.mimic is not None:
            sums[link.v.start] = sums[link.v.start] + multiplier(model, link) * x[own.v]
    return np.moveaxis(np.concatenate([sums[start] for start in sorted(sums)]), 0, axis)


def multiplier(model: Model, link: Link) -> Any:
    """k, a number of the field."""
    return model.field.number(link.joint.mimic.multiplier)  # type: ignore[union-attr]


def offset(model: Model, link: Link) -> Any:
    """c, a number of the field."""
    return model.field.number(link.joint.mimic.offset)  # type: ignore[union-attr]


def has_angle(joint: Any) -> bool:
    return joint.slots[0].form == "angle"


def _pairs(model: Model) -> Any:
    """Every link, and the same link with slices of its own."""
    return zip(model.links, tree(model).links, strict=True)


SOLVED = by_name(forward_dynamics, forward_dynamics_dq, forward_dynamics_dv, forward_dynamics_dtau)
"""The quantities that M a + h = τ determines."""
