"""What is known of each link: its inertia as it is written, the body that carries it, and how large that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from cross_check.read.lint.shapes import NOTHING, Array, moved
from cross_check.read.lint.written import Written
from mechanisms import Inertia, Mechanism, Placement
from mechanisms.errors import Place
from mechanisms.inertia import CENTRE

FAR = 10
"""A body without shapes is taken to extend so many times as far as the longest distance from joint to joint."""

MATTERS = 0.01
"""A link with less of the mass and of the moments of all that its joint moves does not matter: frames often have such numbers."""


@dataclass(frozen=True)
class Carrier:
    """A body that moves, with all that is welded to it."""

    index: int
    inboard: tuple[int, ...]
    """The indices of the bodies between it and the root."""
    mass: float
    points: Array
    """(n, 3): it is within their hull, in its own frame (m)."""
    has_shapes: bool
    """Whether it has shapes, and all are read. Otherwise nothing but the joints tells how long it is."""
    has_meshes: bool

    @cached_property
    def density(self) -> float | None:
        """In the box around it, along its axes (kg/m³); None without shapes, and where the box is flat."""
        box = np.ptp(self.points, axis=0)
        return self.mass / float(np.prod(box)) if self.has_shapes and box.all() else None


@dataclass(frozen=True)
class Link:
    """A link with inertia that moves. Vectors are in its own frame."""

    name: str
    inertia: Inertia
    body: Carrier
    placement: Placement
    """Its frame in that body's."""
    size: float
    """The diagonal of the box around its own shapes (m); 0 if it has none, or not all are read."""
    matters: bool
    place: Place | None

    @cached_property
    def mass(self) -> float:
        return float(self.inertia.mass)

    @cached_property
    def com(self) -> Array:
        return np.array(self.inertia.com, float)

    @cached_property
    def matrix(self) -> Array:
        """The rotational inertia about the com (3, 3) (kg m²)."""
        return np.array(self.inertia.matrix, float)

    @cached_property
    def gyration(self) -> float:
        """√(∫ r² dm / m), r from the com (m)."""
        return float(np.sqrt(max(np.trace(self.matrix) / 2, 0) / self.mass)) if self.mass else 0.0

    @cached_property
    def points(self) -> Array:
        """The body's."""
        return moved(self.body.points, self.placement.inverse())

    def spreads(self, matrix: Array) -> Iterator[tuple[float, float]]:
        """Along each principal axis of an inertia: twice the standard deviation of the mass, and the length of the body (m).

        The com belongs to the body: where it is outside of the shapes, they do not show the body whole. A body with neither
        shapes nor joints may have any length, and gives nothing.
        """
        if not self.body.points.any():
            return
        points = np.vstack([self.points, self.com])
        squares, axes = np.linalg.eigh(np.trace(matrix) / 2 * np.eye(3) - matrix)
        for square, axis in zip(squares, axes.T, strict=True):
            yield 2 * float(np.sqrt(max(square, 0) / self.mass)), float(np.ptp(points @ axis))


def links_of(mechanism: Mechanism, written: Written) -> tuple[Link, ...]:
    """The links of a mechanism that move and have inertia."""
    inertias = {body.name: body.inertia for body in mechanism.unwelded if not body.inertia.is_massless}
    carried = [link for link in mechanism.links if link.body >= 0]
    # A mechanism leaves out the name of the model in SDF.
    full = {name[k:]: name for name in written.places for k in range(len(name)) if k == 0 or name[:k].endswith("::")}
    shapes = [(link.body, link.placement, written.shapes.get(full.get(link.name, link.name), NOTHING)) for link in carried]
    meshes = {link.body for link in carried if full.get(link.name, link.name) in written.meshes}
    bodies, moves = _carriers(mechanism, shapes, meshes), moved_by(mechanism)
    links = []
    for (i, placement, own), name in zip(shapes, (link.name for link in carried), strict=True):
        if inertia := inertias.get(name):
            second = np.trace(moves[i].about(CENTRE)) / 2
            matters = inertia.mass >= MATTERS * moves[i].mass or sum(inertia.about_com[:3]) / 2 >= MATTERS * second
            size = float(np.linalg.norm(np.ptp(own, axis=0))) if own is not None and len(own) else 0.0
            links.append(Link(name, inertia, bodies[i], placement, size, matters, written.places.get(full.get(name, name))))
    return tuple(links)


def _carriers(mechanism: Mechanism, shapes: list[tuple[int, Placement, Array | None]], meshes: set[int]) -> list[Carrier]:
    joints = [[np.zeros(3)] for _ in mechanism.bodies]
    for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True):
        if parent >= 0:
            joints[parent].append(np.array(body.joint.placement.translation, float))
    span = FAR * max(float(np.linalg.norm(point)) for points in joints for point in points)
    cube = np.array(list(product((-1, 1), repeat=3))) * span
    carriers: list[Carrier] = []
    for i, body in enumerate(mechanism.bodies):
        own = [(points, placement) for k, placement, points in shapes if k == i]
        inside = np.vstack([NOTHING, *(moved(points, placement) for points, placement in own if points is not None)])
        has_shapes = len(inside) > 0 and all(points is not None for points, _ in own)
        around = np.array(joints[i])
        points = np.vstack([inside, around]) if has_shapes else (around[:, None] + cube).reshape(-1, 3)
        above = mechanism.parents[i]
        inboard = (above, *carriers[above].inboard) if above >= 0 else ()
        carriers.append(Carrier(i, inboard, float(body.inertia.mass), points, has_shapes, i in meshes))
    return carriers


def moved_by(mechanism: Mechanism) -> list[Inertia]:
    """By joint, the inertia of all that it moves, at position zero, in its own frame."""
    sums = [body.inertia for body in mechanism.bodies]
    for i, parent in reversed(list(enumerate(mechanism.parents))):
        if parent >= 0:
            sums[parent] = (sums[parent] + sums[i].placed(mechanism.bodies[i].joint.placement)).shortened()
    return sums
