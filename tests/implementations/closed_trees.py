"""Random trees with constraints that hold at one drawn state, and what the reference answers there."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from every_joint import states

from implementations.algorithms import evaluate_in_blocks
from implementations.field import Real
from implementations.protocol import Unsupported
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import BY_PARTS, REFERENCE
from mechanisms import WELD, Constraint, Mechanism, Placement, Rotation
from mechanisms.quantities import CONSTRAINT_QUANTITIES

Ends = tuple[str, str, tuple[str, ...]]
"""First body, second body, directions."""


def closed(tree: Mechanism, *loops: Ends, seed: int = 0, apart: float = 0.0) -> tuple[Mechanism, dict[str, np.ndarray]]:
    """The tree with constraints between these bodies, and one state that satisfies them.

    The first frames are drawn, and the second ones are put where the first ones are at the state. About a free angular direction
    they are turned, and along the free linear directions they are ``apart`` (m).
    """
    rng, draw = np.random.default_rng(seed), random.Random(seed)
    q, v, v_minus = (x[:1] for x in states(tree, batch=1, seed=seed))
    places = dict(zip((body.name for body in tree.bodies), REFERENCE.load(tree).placements(q)[0], strict=True))
    places[tree.root] = np.eye(3, 4)
    constraints = []
    for k, (first, second, directions) in enumerate(loops):
        rotation = Rotation(*(draw.randint(1, 4) for _ in range(4)))
        there = Placement(rotation, tuple(Fraction(draw.randint(-9, 9), 30) for _ in range(3)))
        R, p = (np.array(x, dtype=float) for x in (rotation.matrix, there.translation))
        R, p = places[first][:, :3] @ R, places[first][:, :3] @ p + places[first][:, 3]
        free = [name for name in WELD if name not in directions]
        p = p + R @ [apart * (f"v{axis}" in free) for axis in "xyz"]
        axis = rng.normal(size=3) * [f"w{axis}" in free for axis in "xyz"]
        back = places[second][:, :3].T
        second_place = Placement(_rotation(back @ R @ _turned(axis)), _exactly(back @ (p - places[second][:, 3])))
        constraints.append(Constraint(f"loop{k}", first, second, directions, there, second_place))
    mechanism = replace(tree, constraints=tuple(constraints))
    J = REFERENCE.load(mechanism).constraint_jacobian(q)[0]
    v = v - np.linalg.pinv(J, rcond=1e-9) @ J @ v[0]
    return mechanism, {"q": q, "v": v, "tau": 5 * rng.normal(size=v.shape), "v_minus": v_minus}


def differences(dynamics: Any, mechanism: Mechanism, state: dict[str, np.ndarray]) -> dict[str, float]:
    """By quantity that is offered, the distance from the reference, relative to the largest component; infinity for NaN.

    Where rows of J follow from others, multipliers are compared by the forces Jᵀ λ. Derivatives are compared along motions of
    the state that the constraints allow.
    """
    reference: Any = REFERENCE.load(mechanism)
    found = {}
    for name, quantity in CONSTRAINT_QUANTITIES.items():
        arguments = [state[argument] for argument in quantity.arguments]
        try:
            got = getattr(dynamics, name)(*arguments)
        except (AttributeError, Unsupported):
            continue
        expected = getattr(reference, name)(*arguments)
        if quantity.name.startswith("constraint_multipliers"):
            J = reference.constraint_jacobian(state["q"])
            got, expected = (np.einsum("bij,bi...->bj...", J, x) for x in (got, expected))
        size = abs(expected)
        if name.endswith(("_dx", "_dv")):
            motions = _allowed(mechanism, state, by_state=name.endswith("_dx"))
            # What is summed is as large as the columns before the sum.
            got, expected, size = got @ motions, expected @ motions, size @ abs(motions)
        assert got.shape == expected.shape, name
        found[name] = float(np.nan_to_num(abs(got - expected).max() / max(1, size.max()), nan=np.inf))
    return found


def _allowed(mechanism: Mechanism, state: dict[str, np.ndarray], by_state: bool) -> np.ndarray:
    """Motions of v (nv, n), or of the state (2 nv, n), that the constraints allow."""
    model, q = build(mechanism, Real()), state["q"]
    J = REFERENCE.load(mechanism).constraint_jacobian(q)[0]
    inverse = np.linalg.pinv(J, rcond=1e-9)
    free = np.eye(mechanism.nv) - inverse @ J
    if not by_state:
        return free
    slip = np.einsum("ijk,j->ik", evaluate_in_blocks(BY_PARTS["constraint_jacobian_dq"], model, (q,))[0], state["v"][0])
    return np.block([[free, 0 * free], [-inverse @ slip @ free, free]])


def _turned(axis: np.ndarray) -> np.ndarray:
    """R (3, 3) by the rotation vector."""
    angle = np.linalg.norm(axis)
    if angle == 0:
        return np.eye(3)
    # Row i is eᵢ × axis, so this is [axis]×.
    across = np.cross(np.eye(3), axis / angle)
    return np.eye(3) + np.sin(angle) * across + (1 - np.cos(angle)) * across @ across


def _rotation(R: np.ndarray) -> Rotation:
    return Rotation.from_matrix(tuple(tuple(map(Fraction, row)) for row in R.tolist()))


def _exactly(p: np.ndarray) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, p.tolist()))
