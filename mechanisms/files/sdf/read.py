"""Mechanisms from SDF 1.3 to 1.12: the tree, its joints and its inertias.

:mod:`mechanisms.files.sdf.vocabulary` declares what is read, what is ignored, and what is refused;
:mod:`mechanisms.files.sdf.documents` reads files, :mod:`mechanisms.files.sdf.frames` the frames and their poses.

A link that no chain of joints ties to the world moves freely, and so do the links that hang on it: the first of them that is no
joint's child is on a free joint. Position zero of that joint is the world's frame, and the pose in the file is no part of the
mechanism. Of joints that close a loop, the last ones are constraints.

A body is the frame of its joint. Where the frame of a link is elsewhere, the body has the joint's name, and the link is a frame
fixed to it. Names are those of SDF, model::link, without the name of the model that
is the only one that moves, if that does not make two names equal.

Decimal text is kept exactly.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

from mechanisms.body import Body
from mechanisms.constraint import Constraint
from mechanisms.errors import MechanismError, Place
from mechanisms.files.bounded_file import read_robot
from mechanisms.files.sdf.documents import Documents
from mechanisms.files.sdf.frames import Node, Scope, scope_of
from mechanisms.files.sdf.tree import Tree
from mechanisms.files.sdf.values import vector
from mechanisms.files.untrusted_xml import attribute, in_file, place_of
from mechanisms.mechanism import EARTH, Mechanism

WORLD = "world"


def read_sdf(path: str | Path, *, physical: bool = True, ignore_mimic: bool = False) -> Mechanism:
    """The mechanism in an SDF file; see :func:`parse_sdf` for the options and errors. Files in its folder may be included."""
    text = read_robot(path, "an SDF file")
    return parse_sdf(text, str(path), physical=physical, ignore_mimic=ignore_mimic, folder=Path(path).parent)


def parse_sdf(
    text: str | bytes,
    source: str = "SDF",
    *,
    physical: bool = True,
    ignore_mimic: bool = False,
    folder: Path | None = None,
) -> Mechanism:
    """The mechanism in SDF ``text``; errors name ``source``. Files that it includes are looked for in ``folder`` alone.

    ``physical=False`` accepts inertias that no rigid body can have; ``ignore_mimic`` lets joints that follow others, and those of
    gearboxes, move on their own.

    Raises :class:`MechanismError`, one sentence that names the source, the line and the element, for everything that is wrong,
    that is not understood, and that no mechanism has.
    """
    places: dict[tuple[str, str], Place | None] = {}
    with in_file(source, places):
        sdf = Documents(folder).read(text)
        world = world_of(sdf)
        tree, element = Tree(world, ignore_mimic), sdf.find(WORLD)
        models = [node for node in world.nodes.values() if node.inner]
        moving = [node.name for node in models if node.inner and not node.inner.is_static]
        prefix = f"{moving[0]}::" if len(moving) == 1 else ""
        if len({body.name.removeprefix(prefix) for body in tree.bodies}) < len(tree.bodies):
            prefix = ""
        for node in world.walk():
            kinds = ("body", "joint") if node.element.tag == "joint" else ("body",)
            places |= {(kind, node.name.removeprefix(prefix)): place_of(node.element) for kind in kinds}
            places["inertial", node.name.removeprefix(prefix)] = place_of(node.element.find("inertial"))
        places["gravity", ""] = None if element is None else place_of(element.find("gravity"))
        return Mechanism(
            models[0].name if element is None else attribute(element, "name", "<world>"),
            tuple(_body(body, prefix) for body in tree.bodies),
            EARTH if element is None else vector(element, "gravity", (0, 0, "-9.8")),
            WORLD,
            physical=physical,
            constraints=tuple(_constraint(constraint, prefix) for constraint in tree.constraints),
            places=places,
        )


def world_of(sdf: Element) -> Scope:
    """The frames of a document. Raises :class:`MechanismError` unless it has one world or one model."""
    worlds, models = sdf.findall("world"), sdf.findall("model")
    if len(worlds) + len(models) != 1:
        found = f"{len(worlds)} worlds and {len(models)} models"
        raise MechanismError(f"<sdf> has {found}; give one world, or one model", place_of(sdf))
    element = worlds[0] if worlds else Element(WORLD)
    element.extend(models)
    return scope_of(Node(WORLD, element, None), False)


def _body(body: Body, prefix: str) -> Body:
    """The body with shorter names."""
    joint, mimic = body.joint, body.joint.mimic
    follows = mimic and replace(mimic, joint=mimic.joint.removeprefix(prefix))
    joint = replace(joint, name=joint.name.removeprefix(prefix), mimic=follows)
    return replace(body, name=body.name.removeprefix(prefix), parent=body.parent.removeprefix(prefix), joint=joint)


def _constraint(constraint: Constraint, prefix: str) -> Constraint:
    name, first, second = (text.removeprefix(prefix) for text in (constraint.name, constraint.first, constraint.second))
    return replace(constraint, name=name, first=first, second=second)
