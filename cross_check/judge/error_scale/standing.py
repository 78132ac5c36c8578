"""Where a mechanism stands, and from where the distances of a quantity's size are measured.

A body is carried if no joint before its own turns: its placements are the same in all states, and they occur in no force. Every
other body belongs to the carried body before it, and R is the distance from that body's place. What a quantity says of places
decides what is added to R (docs/notes/error-scale.md, eq. 65):

    tree         0                        forces, M, their derivatives, energy of motion: the place occurs in no value
    reach        min(Σ |placement|, L)    local and aligned motions, constraints, the regressor of τ
    mechanism    |s − s̄|                  momenta about the centre of mass: how far the trees are apart
    world        Σ |placement|            placements, the centre of mass, V, motions of the point at the root's origin

The sum has the placements that carry the body. s is the place of the carried body, and s̄ the mean over all bodies, weighted with
their masses. L is the reach of the tree: the largest distance of a body from the place of the first one, where all slides are at
zero, with its centre of mass and its radius of gyration. A body on the axis of its joint does not move, and code that takes
moments about another point of the tree rounds this zero. So motions get a lever that such a point has, and never a longer one.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mechanisms import Mechanism
from mechanisms.quantities import Quantity

Array = np.ndarray[Any, Any]

From = Literal["tree", "reach", "mechanism", "world"]

OF_PLACES = ("placements", "frame_placements", "center_of_mass", "potential_energy", "potential_energy_regressor")
"""Families of quantities whose values contain the place in the world, beside motions of the point at the root's origin."""

OF_POINTS = ("classical_accelerations", "frame_classical_accelerations", "constraint_", "joint_torque_regressor")
"""How families begin with components that are zero for points on an axis, beside motions in several frames."""

ABOUT_THE_CENTER = "centroidal_"
"""How families of momenta about the centre of mass begin."""


def measured_from(quantity: Quantity) -> From:
    """From where the distances of this quantity's size are measured."""
    if quantity.frame == "world" or quantity.family in OF_PLACES:
        return "world"
    if quantity.frame or quantity.family.startswith(OF_POINTS):
        return "reach"
    return "mechanism" if quantity.family.startswith(ABOUT_THE_CENTER) else "tree"


def is_carried(mechanism: Mechanism) -> list[bool]:
    """For every body, whether no joint before its own turns."""
    carried: list[bool] = []
    turns = [any(screw.turns for screw in body.joint.screws) for body in mechanism.bodies]
    for λ in mechanism.parents:
        carried.append(λ < 0 or (carried[λ] and not turns[λ]))
    return carried


def standing(mechanism: Mechanism, origin: From) -> list[float]:
    """What is added to R of every body (m)."""
    if origin == "tree":
        return [0.0] * len(mechanism.bodies)
    carriers, places, lengths = _carriers(mechanism)
    if origin == "world":
        return lengths
    if origin == "reach":
        return np.minimum(lengths, _reaches(mechanism, carriers, lengths)).tolist()
    # Relative to the first place: a mean of large numbers would round.
    apart = np.array(places) - places[0]
    masses = np.array([abs(float(body.inertia.mass)) for body in mechanism.bodies])
    return np.linalg.norm(apart - masses @ apart / (masses.sum() or 1), axis=1).tolist()


def _carriers(mechanism: Mechanism) -> tuple[list[int], list[Array], list[float]]:
    """By body: the carried body that it belongs to, the place (3,) of that one in metres, and the sum of the lengths to it."""
    carriers: list[int] = []
    turned: list[Array] = []
    places: list[Array] = []
    lengths: list[float] = []
    root = np.eye(3), np.zeros(3), 0.0
    for i, (body, λ, carried) in enumerate(zip(mechanism.bodies, mechanism.parents, is_carried(mechanism), strict=True)):
        R, p, length = (turned[λ], places[λ], lengths[λ]) if λ >= 0 else root
        own = np.array(body.joint.placement.translation, dtype=np.float64)
        carriers.append(i if carried else carriers[λ])
        turned.append(R @ np.array(body.joint.placement.rotation.matrix, dtype=np.float64) if carried else R)
        places.append(p + R @ own if carried else p)
        lengths.append(length + float(np.linalg.norm(own)) if carried else length)
    return carriers, places, lengths


def _reaches(mechanism: Mechanism, carriers: list[int], lengths: list[float]) -> Array:
    """L of the tree of every body."""
    trees: list[int] = []
    arms: list[float] = []
    reach = np.zeros(len(mechanism.bodies))
    for i, (body, λ) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        trees.append(trees[λ] if λ >= 0 else i)
        arms.append(0.0 if carriers[i] == i else arms[λ] + norm(body.joint.placement.translation))
        inertia = body.inertia
        gyration = np.sqrt(sum(abs(float(x)) for x in inertia.about_com[:3]) / (abs(float(inertia.mass)) or 1))
        own = lengths[i] - lengths[trees[i]] + arms[i] + norm(inertia.com) + float(gyration)
        reach[trees[i]] = max(reach[trees[i]], own)
    return reach[trees]


def norm(vector: Any) -> float:
    """Euclid's norm of exact numbers, as a float64."""
    return math.hypot(*map(float, vector))
