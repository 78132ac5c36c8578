"""What a rewriting is: the same mechanism in another file, which a reader has to read as the same mechanism.

All rewritings start from the **plain file**, which :func:`mechanisms.write_urdf` makes of the mechanism without its frames. It
has no rotation of an inertia, no welded body and no unusual notation, so that a rewriting differs from it in one thing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal
from xml.etree.ElementTree import Element, tostring

from mechanisms import Mechanism, Rotation, parse_urdf, write_urdf
from mechanisms.errors import MechanismError, Unsupported
from mechanisms.files.untrusted_xml import parse_xml

Edit = Callable[[Element], None]
"""Changes the element <robot> of a document in place."""


@dataclass(frozen=True)
class Misreading:
    """A fault of a reader. ``sentence`` completes "The reader of …"; code with it takes a file for what ``edit`` makes of it.

    ``remedy`` says what to write in the file so that all read the same; empty if nothing in the file helps. ``verdict`` is
    "digits" if the reader only rounds. ``pages`` are those of docs/findings about readers that do so; each begins with an engine.
    """

    sentence: str
    edit: Edit
    remedy: str = ""
    verdict: Literal["reading", "digits"] = "reading"
    pages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rewritten:
    """A file, and how its mechanism corresponds to the plain one.

    ``free_base`` is that of :class:`mechanisms.Source`. ``bodies`` and ``joints`` are new names, by the plain ones. ``turns``
    are, by the plain name of a body, the rotations of body frames: coordinates in the plain frame = turn · those in the new one.
    """

    text: str
    free_base: bool = False
    bodies: Mapping[str, str] = field(default_factory=dict)
    joints: Mapping[str, str] = field(default_factory=dict)
    turns: Mapping[str, Rotation] = field(default_factory=dict)


Rewrite = Callable[[Mechanism], Rewritten]
"""Makes the file of a plain mechanism. Raises :class:`Unsupported`, with the reason, where there is nothing to rewrite."""


@dataclass(frozen=True)
class Rewriting:
    """``name`` is a word; ``exercises`` completes "a file in which …"."""

    name: str
    exercises: str
    rewrite: Rewrite
    misreadings: tuple[Misreading, ...] = ()
    suspect: str = ""
    """What a reader that fails probably does; it completes "The reader of …". For rewritings without a misreading that fits."""


def plain(mechanism: Mechanism) -> Mechanism:
    """The mechanism as it is read from its plain file. A free base stays outside the file if it was outside the one it came from.

    Raises :class:`Unsupported` for a mechanism that URDF cannot describe.
    """
    return _plain(mechanism, is_held(mechanism))


@lru_cache(256)
def _plain(mechanism: Mechanism, held: bool) -> Mechanism:
    try:
        made = written(dataclasses.replace(mechanism, frames=()), held)
        return read(made, f"{mechanism.name} [plain]", mechanism)
    except MechanismError as error:
        raise Unsupported(str(error)) from None


def is_held(mechanism: Mechanism) -> bool:
    """Whether the free joint of the mechanism's base is not in its file."""
    return mechanism.source is not None and mechanism.source.free_base


def written(mechanism: Mechanism, held: bool) -> Rewritten:
    """The file of a mechanism. If ``held``, the free joint of its base is left out where that gives the same mechanism."""
    text = write_urdf(mechanism)
    if not held:
        return Rewritten(text)
    whole = parse_urdf(text, physical=False)
    for edit in (_without_base, _fixed_base):
        robot = document(whole)
        edit(robot, whole)
        shorter = text_of(robot)
        with suppress(MechanismError):
            if parse_urdf(shorter, free_base=True, physical=False).bodies == whole.bodies:
                return Rewritten(shorter, free_base=True)
    return Rewritten(text)


def _without_base(robot: Element, mechanism: Mechanism) -> None:
    remove(robot, "link", mechanism.root)
    remove(robot, "joint", mechanism.bodies[0].joint.name)


def _fixed_base(robot: Element, mechanism: Mechanism) -> None:
    """The joint of an empty link "world" is fixed; the harness frees it."""
    for joint in robot.findall("joint"):
        if joint.get("name") == mechanism.bodies[0].joint.name:
            joint.set("type", "fixed")


def read(made: Rewritten, name: str, like: Mechanism) -> Mechanism:
    """The mechanism that a file describes. Impossible inertias are accepted if ``like`` has some."""
    mechanism = parse_urdf(made.text, free_base=made.free_base, physical=not like.faults)
    return dataclasses.replace(mechanism, name=name)


def document(mechanism: Mechanism) -> Element:
    """The element <robot> of the mechanism's file."""
    source = mechanism.source
    return parse_xml(source.text if source else write_urdf(mechanism), "robot", "URDF")


def text_of(robot: Element) -> str:
    return f'<?xml version="1.0"?>\n{tostring(robot, encoding="unicode")}\n'


def edited(mechanism: Mechanism, edit: Edit) -> Rewritten:
    """The mechanism's file after ``edit``; bodies and coordinates stay the same."""
    robot = document(mechanism)
    edit(robot)
    return Rewritten(text_of(robot), free_base=is_held(mechanism))


def by(edit: Edit) -> Rewrite:
    """The rewriting of a mechanism's file by ``edit``."""
    return partial(edited, edit=edit)


def remove(robot: Element, tag: str, name: str) -> None:
    for element in robot.findall(tag):
        if element.get("name") == name:
            robot.remove(element)


def unused(robot: Element, tag: str, name: str) -> str:
    """The name, or a longer one that no element of this tag has."""
    taken = {element.get("name") for element in robot.findall(tag)}
    while name in taken:
        name += "_"
    return name
