"""Shapes as points whose hull encloses them: corners of the boxes around primitive shapes, and vertices of meshes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from mechanisms.errors import MechanismError
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.files.mjcf.mesh_files import FORMATS, Mesh, read_mesh
from mechanisms.files.solids import SHAPES, size_of
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.geometry import Placement, Rotation, unit_vector
from mechanisms.limits import LARGEST, MOST_FACES, MOST_FRAMES, MOST_MESH_BYTES

Array = NDArray[np.float64]

Points = Array | None
"""(n, 3), in metres; None for a shape that is not read."""

NOTHING: Array = np.empty((0, 3))

STEPS_OF_GILBERT = 100

UNREADABLE = (MechanismError, Unreadable, ValueError, IndexError, KeyError)


def known(visual: Sequence[Points], collision: Sequence[Points] = ()) -> Points:
    """The points of all shapes; None if one that is seen, or without any of these one for contact, is not read."""
    groups = [[points for points in group if _is_moderate(points)] for group in (visual, collision)]
    if len(groups[0]) < len(visual) or (not visual and len(groups[1]) < len(collision)):
        return None
    return np.vstack([NOTHING, *(points for group in groups for points in group if points is not None)])


def _is_moderate(points: Points) -> bool:
    return points is not None and bool(np.abs(points).max(initial=0) < LARGEST)


def corners(kind: str, size: Sequence[float], placement: Placement) -> Array:
    """The corners of the box around a primitive shape."""
    return moved(np.array(list(product((-1, 1), repeat=3))) * SHAPES[kind].half(size), placement)


def moved(points: Array, placement: Placement) -> Array:
    return points @ np.array(placement.rotation.matrix, float).T + np.array(placement.translation, float)


def outside(points: Array, point: Array) -> tuple[float, float]:
    """How far a plane can be between a point and all ``points``, and their length along its normal (m); 0 0 within their hull.

    Gilbert's algorithm (1966): x is in the hull of the points, seen from ``point``, and comes nearer to it in each step. The
    distance is that of the hull, or a little less.
    """
    seen = points - point
    x, distance, length = seen[np.argmin((seen * seen).sum(axis=1))], 0.0, 0.0
    for _ in range(STEPS_OF_GILBERT):
        if not x.any():
            return 0.0, 0.0
        along = seen @ x / np.linalg.norm(x)
        if along.min() > distance:
            distance, length = float(along.min()), float(np.ptp(along))
        step = seen[np.argmin(along)] - x
        if (ahead := -float(x @ step)) <= 0:
            break
        x = x + min(1.0, ahead / float(step @ step)) * step
    return distance, length


def vertices(mesh: Mesh) -> Array:
    return (mesh.points / mesh.over).astype(float)


def of_geometry(geometry: Element | None, placement: Placement, get: Callable[[Element, str], str], robot: Path) -> Points:
    """The points of <geometry> of URDF or SDF; ``get`` reads a value of a shape, and ``robot`` is the file that it is in."""
    shape = next(iter(geometry), None) if geometry is not None else None
    with suppress(*UNREADABLE), np.errstate(over="ignore", invalid="ignore"):
        if shape is not None and shape.tag == "mesh":
            scale = np.array((get(shape, "scale") or "1 1 1").split(), float)
            return moved(_mesh_file(get(shape, "filename") or get(shape, "uri"), robot) * scale, placement)
        if shape is not None and shape.tag in SHAPES:
            size = size_of(shape.tag, lambda name: np.array(get(shape, name).split(), float))
            return corners(shape.tag, size, placement)
    return None


def _mesh_file(name: str, robot: Path) -> Array:
    """The vertices in a mesh file. A package is looked for in the folders around the robot's file, and may be one of them."""
    scheme, _, rest = name.rpartition("://")
    folders = robot.resolve().parents if scheme else [robot.parent]
    path = next((folder / rest for folder in folders if (folder / rest).is_file()), robot.parent / rest)
    data = read_bounded(path, MOST_MESH_BYTES)
    if path.suffix.lower() == ".dae":
        return _collada(parse_xml(data, "COLLADA", "COLLADA"))
    return vertices(read_mesh(data, FORMATS.get(path.suffix.lower(), path.suffix)))


def _collada(root: Element) -> Array:
    """The vertices of a COLLADA document. Where y is up, programs differ in what they do, and the points are those of both."""
    ids = {f"#{element.get('id')}": element for element in root.iter() if element.get("id")}
    nodes = [(node, np.eye(4)) for scene in root.iter("visual_scene") for node in scene.findall("node")]
    found = [NOTHING]
    for node, above in nodes:
        for step in node:
            if step.tag in STEPS:
                above = above @ STEPS[step.tag](np.array((step.text or "").split(), float))
        below = [*node.findall("node"), *(ids[one.get("url", "")] for one in node.findall("instance_node"))]
        if len(nodes) > MOST_FRAMES or sum(map(len, found)) > 3 * MOST_FACES:
            raise MechanismError("its nodes name one another many times; give fewer")
        nodes += [(child, above) for child in below]
        for instance in node.findall("instance_geometry"):
            for given in ids[instance.get("url", "")].iterfind("mesh/vertices/input[@semantic='POSITION']"):
                text = ids[given.get("source", "")].findtext("float_array", "")
                found.append(np.array(text.split(), float).reshape(-1, 3) @ above[:3, :3].T + above[:3, 3])
    unit = root.find("asset/unit")
    points = np.vstack(found) * float("1" if unit is None else unit.get("meter", "1"))
    is_up = root.findtext("asset/up_axis", "").strip() == "Z_UP"
    return points if is_up else np.vstack([points, points[:, [0, 2, 1]] * (1, -1, 1)])


def _affine(linear: Any, shift: Any = 0) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = linear, shift
    return matrix


STEPS: dict[str, Callable[[Array], Array]] = {
    "matrix": lambda given: given.reshape(4, 4),
    "translate": lambda given: _affine(np.eye(3), given),
    "rotate": lambda given: _affine(Rotation.about(unit_vector(tuple(given[:3]), normalise=True), math.radians(given[3])).matrix),
    "scale": lambda given: _affine(np.diag(given)),
}
"""The elements that move a node of COLLADA: their matrices."""
