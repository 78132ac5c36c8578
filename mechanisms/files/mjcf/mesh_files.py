"""Triangles from STL (binary and text), OBJ and MSH, MuJoCo's own format; coordinates as exact integers over one denominator."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mechanisms.errors import MechanismError
from mechanisms.limits import MOST_FACES
from mechanisms.numbers.exact import exact

Integers = np.ndarray[Any, np.dtype[Any]]
"""Python's integers of any size."""


class Mesh(NamedTuple):
    """A surface of triangles: vertices (m) are ``points`` (n, 3) / ``over``; ``faces`` (m, 3) has the indices of three."""

    points: Integers
    over: int
    faces: np.ndarray[Any, np.dtype[np.int64]]


FORMATS = {".stl": "model/stl", ".obj": "model/obj", ".msh": "model/vnd.mujoco.msh"}
"""The formats of mesh files by their endings."""


def read_mesh(data: bytes, kind: str) -> Mesh:
    """The mesh in a file's ``data`` of one of :data:`FORMATS`. Raises :class:`MechanismError`."""
    readers = {"model/stl": _stl, "model/obj": _obj, "model/vnd.mujoco.msh": _msh}
    if kind not in readers:
        raise MechanismError(f"its format {kind[:40]!r} is not read; give a file with an ending of {', '.join(FORMATS)}")
    try:
        return readers[kind](data)
    except (struct.error, ValueError, IndexError, OverflowError) as error:
        if isinstance(error, MechanismError):
            raise
        raise MechanismError(f"it is no file of the format {kind}, or it is damaged; give another") from None


def mesh_of(coordinates: Sequence[Fraction], corners: Sequence[Fraction | int]) -> Mesh:
    """The mesh of vertices, three numbers each, and faces, three indices each."""
    if any(x.denominator != 1 or not 0 <= x < len(coordinates) for x in corners):
        raise MechanismError("a face has a vertex that does not exist; correct it")
    over = math.lcm(*{x.denominator for x in coordinates}) if coordinates else 1
    return _mesh(
        np.array([x.numerator * (over // x.denominator) for x in coordinates], object), over, np.array(corners, np.int64)
    )


def _mesh(whole: Integers, over: int, corners: np.ndarray[Any, Any]) -> Mesh:
    if whole.size % 3 or corners.size % 3:
        raise MechanismError("its vertices or faces do not come in threes; correct it")
    if corners.size > 3 * MOST_FACES:
        raise MechanismError(f"it has {corners.size // 3} faces; give {MOST_FACES} at most")
    if corners.size and not 0 <= corners.min() <= corners.max() < whole.size // 3:
        raise MechanismError("a face has a vertex that does not exist; correct it")
    return Mesh(whole.reshape(-1, 3), over, corners.reshape(-1, 3).astype(np.int64))


def _of_floats(numbers: np.ndarray[Any, Any], corners: np.ndarray[Any, Any]) -> Mesh:
    """The mesh of float32 coordinates, which are exactly integers times a power of two."""
    values = numbers.astype(np.float64).ravel()
    if not np.isfinite(values).all():
        raise MechanismError("a coordinate is not finite; correct it")
    mantissas, exponents = np.frexp(values)
    least = min(0, int(exponents[values != 0].min(initial=24)) - 24)
    shifts = np.where(values == 0, 0, exponents - 24 - least).astype(object)
    return _mesh((mantissas * 2.0**24).astype(np.int64).astype(object) << shifts, 1 << -least, corners)


def _stl(data: bytes) -> Mesh:
    count = int.from_bytes(data[80:84], "little")
    if len(data) >= 84 and len(data) == 84 + 50 * count:
        if count > MOST_FACES:
            raise MechanismError(f"it has {count} faces; give {MOST_FACES} at most")
        records = np.frombuffer(data, np.dtype([("normal", "<f4", 3), ("corners", "<f4", 9), ("color", "<u2")]), count, 84)
        return _of_floats(records["corners"], np.arange(3 * count))
    if not data.lstrip().startswith(b"solid"):
        raise MechanismError(
            "its size does not fit to its number of faces, and it is no text that begins with solid; give another"
        )
    found = re.findall(r"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", data.decode("ascii"))
    return mesh_of(_decimals(word for point in found for word in point), range(len(found)))


def _msh(data: bytes) -> Mesh:
    vertices, normals, texture, faces = np.frombuffer(data, "<i4", 4).tolist()
    if min(vertices, normals, texture, faces) < 0 or len(data) != 16 + 12 * (vertices + normals + faces) + 8 * texture:
        raise MechanismError("its size does not fit to the numbers in its header; give another")
    points = np.frombuffer(data, "<f4", 3 * vertices, 16)
    return _of_floats(points, np.frombuffer(data, "<i4", 3 * faces, len(data) - 12 * faces))


def _obj(data: bytes) -> Mesh:
    numbers: list[str] = []
    corners: list[int] = []
    for line in data.decode("utf-8", "replace").replace("\\\n", " ").splitlines():
        match line.split():
            case ["v", x, y, z, *_]:
                numbers += (x, y, z)
            case ["f", *words]:
                face = [int(word.partition("/")[0]) for word in words]
                # Indices count from one; negative ones from the last vertex backwards.
                polygon = [corner - 1 if corner > 0 else len(numbers) // 3 + corner for corner in face]
                for second, third in pairwise(polygon[1:]):
                    corners += (polygon[0], second, third)
                if len(corners) > 3 * MOST_FACES:
                    raise MechanismError(f"it has more than {MOST_FACES} triangles; give fewer")
    return mesh_of(_decimals(numbers), corners)


def _decimals(words: Iterable[str]) -> list[Fraction]:
    return [exact(word, "a coordinate") for word in words]
