"""Volume, centre of mass and inertia of a surface of triangles, as MuJoCo defines them for its modes.

A triangle a, b, c and a point p span a tetrahedron with the volume w/6, w = det(a − p, b − p, c − p) = d − p · n. Here
d = det(a, b, c) and n = (b − a) × (c − a). With s = a + b + c its first moment about p is w (s − 3 p)/24, and the second is
w (Q − 4 (p sᵀ + s pᵀ) + 12 p pᵀ)/120 with Q = s sᵀ + a aᵀ + b bᵀ + c cᵀ (Tonon 2004, *Explicit exact formulas for the 3-D
tetrahedron inertia tensor*). The mode says how tetrahedra are added:

* exact: with their signs. That is the solid which a closed surface encloses, whatever p.
* legacy: all as if positive. The solid is the same if every face is seen from inside.
* shell: the surface itself; the weight of a triangle is its area, and the denominators are 3 and 12 times the area.

Volume and centre of mass are found with p at the centroid of the faces, weighted by area; then volume and inertia once more
with p at that centre of mass. Where the two volumes differ, the second one counts, as in MuJoCo.

All sums are over exact integers. Areas alone are irrational, and have 64 bits more than the coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.mesh_files import Integers, Mesh
from mechanisms.geometry import Matrix, cross
from mechanisms.numbers.exact import Vector, dot

AREA_BITS = POINT_BITS = 64

BLOCK = 20_000
"""How many faces are added at once."""

NO_EDGE = Fraction(1, 10**15)
"""Triangles of a smaller squared area (m⁴) do not enter the comparison of orientations."""

DOUBTFUL = 1e-10
"""Determinants of unit size, computed in float64, that are smaller than this are computed exactly."""

PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


class Content(NamedTuple):
    """What a surface has inside, or its own area: of density one."""

    content: Fraction
    """The volume (m³), of a shell the area (m²)."""
    com: Vector
    """The centre of mass (m)."""
    second: Vector
    """xx, yy, zz, xy, xz, yz of ∫ x xᵀ about the centre of mass (m⁵, of a shell m⁴)."""


class Sums(NamedTuple):
    """Sums over all faces, in the integers of the mesh; each as far as it is independent of p, then as it is linear in p."""

    w: tuple[Any, Any]
    ws: tuple[Any, Any]
    wq: tuple[Any, Any]

    def at(self, p: Integers) -> tuple[Any, Any, Any]:
        """Σ w, Σ w s (3) and Σ w Q (6) for p."""
        w, ws, wq = (constant - p @ linear for constant, linear in self)
        return w, ws, wq


def transformed(mesh: Mesh, matrix: Matrix, offset: Vector) -> Mesh:
    """The mesh with every vertex x at ``matrix`` · x + ``offset``. Its faces keep their outer side if the matrix mirrors."""
    common = math.lcm(*(x.denominator for row in matrix for x in row), *((x * mesh.over).denominator for x in offset))
    rows = np.array([[(x * common).numerator for x in row] for row in matrix], object)
    moved = np.array([(x * mesh.over * common).numerator for x in offset], object)
    mirrors = dot(matrix[0], cross(matrix[1], matrix[2])) < 0
    return Mesh(mesh.points @ rows.T + moved, mesh.over * common, mesh.faces[:, ::-1] if mirrors else mesh.faces)


def content_of(mesh: Mesh, mode: str) -> Content:
    """The content of a surface in one of the modes. Raises :class:`MechanismError` for none, and for a negative volume."""
    areas = np.concatenate([_areas(n) for *_, n in _blocks(mesh)])
    if not areas.any():
        raise MechanismError("its surface has no area; correct it")
    p = _centroid(mesh, areas)
    if mode == "shell":
        return _content(_sums(mesh, areas, is_shell=True), p, Fraction(1, (2 << AREA_BITS) * mesh.over**2), 12, mesh.over)
    if mode == "exact":
        _require_one_orientation(mesh, areas)
    signs = _signs(mesh, mode, p)
    sums = _sums(mesh, signs)
    w, ws, _ = sums.at(p)
    _require_positive(w)
    com = p + (ws - 3 * w * p) / (4 * w)
    again = _signs(mesh, mode, com)
    if (again != signs).any():
        sums = _sums(mesh, again)
    return _content(sums, com, Fraction(1, 6 * mesh.over**3), 20, mesh.over)


def _centroid(mesh: Mesh, areas: Integers) -> Integers:
    """The centroid of the faces, weighted by area; fractions, with POINT_BITS bits behind the integers of the mesh."""
    first = sum(areas[part] @ (a + b + c) for part, a, b, c, _ in _blocks(mesh))
    fine = 1 << POINT_BITS
    return np.array([Fraction(round(Fraction(x * fine, 3 * areas.sum())), fine) for x in first], object)


def _content(sums: Sums, p: Integers, unit: Fraction, denominator: int, over: int) -> Content:
    w, ws, wq = sums.at(p)
    _require_positive(w)
    second = [q - 4 * (p[i] * ws[j] + ws[i] * p[j]) + 12 * p[i] * p[j] * w for q, (i, j) in zip(wq, PAIRS, strict=True)]
    scale = unit / denominator / over**2
    return Content(w * unit, tuple(Fraction(x) / over for x in p), tuple(x * scale for x in second))


def _require_positive(w: Any) -> None:
    if w <= 0:
        raise MechanismError('its volume is not positive; turn its faces, or give it inertia="shell"')


def _blocks(mesh: Mesh) -> Iterator[tuple[slice, Integers, Integers, Integers, Integers]]:
    """Some faces at once: their place, their corners, and n."""
    for start in range(0, len(mesh.faces), BLOCK):
        part = slice(start, start + BLOCK)
        a, b, c = (mesh.points[mesh.faces[part, k]] for k in range(3))
        yield part, a, b, c, _cross(b - a, c - a)


def _cross(x: Integers, y: Integers) -> Integers:
    return np.stack([x[:, i] * y[:, j] - x[:, j] * y[:, i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=1)


def _areas(normals: Integers) -> Integers:
    """Twice the areas of triangles, with AREA_BITS bits behind the integers."""
    return np.array([math.isqrt(square << (2 * AREA_BITS)) for square in (normals * normals).sum(axis=1)], object)


def _signs(mesh: Mesh, mode: str, p: Integers) -> Integers:
    """The sign with which each tetrahedron is added."""
    signs = np.ones(len(mesh.faces), object)
    if mode == "exact":
        return signs
    start = mesh.points[0]
    apart = mesh.points - start
    # Integers beyond the range of float64 are made smaller.
    unit = 1 << max(0, int(np.abs(apart).max()).bit_length() - 1000)
    seen = (apart // unit).astype(np.float64) - ((p - start) / unit).astype(np.float64)
    size = np.abs(seen).max()
    w = np.linalg.det(seen[mesh.faces] / size)
    signs[w < 0] = -1
    # Only near zero, float64 does not tell the sign.
    for k in np.flatnonzero(np.abs(w) < DOUBTFUL):
        a, b, c = (mesh.points[mesh.faces[k, i]][None] - p for i in range(3))
        signs[k] = -1 if (a * _cross(b, c)).sum() < 0 else 1
    return signs


def _sums(mesh: Mesh, weights: Integers, is_shell: bool = False) -> Sums:
    """The sums over the faces, each with its sign; of a shell, with its area as w."""
    parts: list[Any] = []
    for part, a, b, c, n in _blocks(mesh):
        s = a + b + c
        q = np.stack([s[:, i] * s[:, j] + a[:, i] * a[:, j] + b[:, i] * b[:, j] + c[:, i] * c[:, j] for i, j in PAIRS], axis=1)
        d = weights[part] if is_shell else weights[part] * (a * _cross(b, c)).sum(axis=1)
        n = 0 * n if is_shell else weights[part][:, None] * n
        parts.append((d.sum(), n.sum(axis=0), d @ s, n.T @ s, d @ q, n.T @ q))
    w, wn, ws, wns, wq, wnq = (sum(terms[1:], terms[0]) for terms in zip(*parts, strict=True))
    return Sums((w, wn), (ws, wns), (wq, wnq))


def _require_one_orientation(mesh: Mesh, areas: Integers) -> None:
    """Raise :class:`MechanismError` if two faces run through one edge in the same direction."""
    least = math.isqrt(int(4 * NO_EDGE * mesh.over**4)) << AREA_BITS
    numbers = {point: k for k, point in enumerate(map(tuple, mesh.points))}
    same = np.array([numbers[tuple(point)] for point in mesh.points])
    edges: set[tuple[int, int]] = set()
    for area, (i, j, k) in zip(areas, same[mesh.faces].tolist(), strict=True):
        for edge in ((i, j), (j, k), (k, i)) if area > least else ():
            if edge in edges:
                raise MechanismError('its faces are not oriented alike; turn them, or give it inertia="legacy"')
            edges.add(edge)
