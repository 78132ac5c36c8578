"""What the writers of all formats share: XML, numbers that are plain, and the mechanism that a format can say.

MJCF and SDF call the root "world", have no joint whose position is a cosine and a sine, and few joints of several coordinates.
:func:`simplified` makes of a mechanism one that they can say, with the same q and v, but for positions of continuous joints.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from mechanisms.assembly import lump
from mechanisms.body import MASSLESS, Body
from mechanisms.errors import MechanismError
from mechanisms.files.attributes import quoted
from mechanisms.geometry import Placement
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import Kind
from mechanisms.mechanism import Mechanism
from mechanisms.mimic import Mimic
from mechanisms.split_joints import split

WORLD = "world"
"""The root in MJCF and SDF."""


@contextmanager
def plain_numbers(mechanism: Mechanism) -> Iterator[None]:
    """Raises :class:`MechanismError` for a mechanism whose numbers have no text."""
    try:
        yield
    except (TypeError, OverflowError):
        message = f"mechanism {mechanism.name!r} has symbols or numbers too large for float64; give plain numbers"
        raise MechanismError(message) from None


def element(tag: str, inside: Sequence[str] = (), **attributes: str | None) -> list[str]:
    """An XML element as lines; ``inside`` is its text, or the lines of what is in it. An attribute that is None is left out."""
    start = " ".join([tag, *(f"{name}={quoted(text)}" for name, text in attributes.items() if text is not None)])
    if isinstance(inside, str):
        return [f"<{start}>{quoted(inside)[1:-1]}</{tag}>"]
    return [f"<{start}>", *(f"  {line}" for line in inside), f"</{tag}>"] if inside else [f"<{start}/>"]


def welded(mechanism: Mechanism) -> tuple[Body, ...]:
    """The bodies of which the mechanism was made, those outboard of fixed joints among them, as exact as they were given.

    If some frames were given as frames, all frames are bodies without inertia, which come last, and keep their order.
    """
    given = mechanism.unwelded
    if lump(mechanism.root, given)[1] == mechanism.frames:
        return given
    carriers = [mechanism.root, *(body.name for body in mechanism.bodies)]
    frames = (
        Body(frame.name, carriers[frame.body + 1], Joint(frame.joint, "fixed", placement=frame.placement))
        for frame in mechanism.frames
    )
    return (*mechanism.bodies, *frames)


def _possible(mechanism: Mechanism) -> list[Body]:
    """:func:`welded`, but where MuJoCo refuses the inertia of a link, or Drake changes it, a body has that of all links on it."""
    bodies, whole = welded(mechanism), {body.name: (body.inertia, body.lifted) for body in mechanism.bodies}
    *_, carriers = lump(mechanism.root, bodies)
    refused = {carriers[body.name][0] for body in bodies if not _is_taken(body.inertia)}
    made = []
    for body in bodies:
        inertia, lifted = (
            whole.get(body.name, (MASSLESS, MASSLESS)) if carriers[body.name][0] in refused else (body.inertia, body.lifted)
        )
        made.append(replace(body, inertia=inertia, lifted=lifted))
    return made


def _is_taken(inertia: Inertia) -> bool:
    """Whether there is a mass, all moments are positive, and none is larger than the sum of the others; or there is nothing."""
    least, middle, most = np.linalg.eigvalsh(np.array(inertia.matrix, float))
    return inertia.is_massless or bool(inertia.mass > 0 and least > 0 and least + middle >= most)


def static(bodies: Sequence[Body], root: str) -> set[str]:
    """The root and the names of bodies that are fixed to it, of ``bodies`` with parents first; their masses enter no quantity."""
    found = {root}
    for body in bodies:
        if body.joint.kind == "fixed" and body.parent in found:
            found.add(body.name)
    return found


def simplified(mechanism: Mechanism, form: str, kinds: Collection[Kind]) -> Mechanism:
    """The mechanism with joints of these ``kinds`` alone, and with the root "world"; ``form`` is the format's name in errors.

    A joint of another kind becomes several joints in series, which have its name with that of the coordinate, and massless bodies
    "body/joint" between them. A helical joint becomes a revolute one, and a prismatic one that follows it. Where readers refuse
    or change the inertia of a welded link, the body that moves has its mass.

    Raises :class:`MechanismError` for joints that cannot be said so: the velocity of a planar joint is no rate of its position,
    and a free joint is at the world's origin.
    """
    if WORLD in [body.name for body in welded(mechanism)]:
        raise MechanismError(f"a body is called {WORLD!r}, which is the root's name in {form}; rename it")
    bodies: list[Body] = []
    for body in _possible(mechanism):
        carrier = WORLD if body.parent == mechanism.root else body.parent
        *between, last = _joints(body.joint, form, kinds)
        if last.kind == "free" and (carrier != WORLD or last.placement != Placement()):
            message = f"joint {last.name!r} is free and not at the root's origin, which {form} cannot say"
            raise MechanismError(f"{message}; move it there")
        for joint in between:
            name = f"{body.name}/{joint.name}"
            bodies.append(Body(name, carrier, joint, MASSLESS))
            carrier = name
        bodies.append(replace(body, parent=carrier, joint=last))
    constraints = []
    for one in mechanism.constraints:
        first, second = (WORLD if end == mechanism.root else end for end in (one.first, one.second))
        constraints.append(replace(one, first=first, second=second))
    return Mechanism(
        mechanism.name,
        tuple(bodies),
        mechanism.gravity,
        WORLD,
        physical=mechanism.physical,
        constraints=tuple(constraints),
        precision=mechanism.precision,
    )


def _joints(joint: Joint, form: str, kinds: Collection[Kind]) -> list[Joint]:
    if joint.kind in kinds:
        return [joint]
    if joint.kind == "continuous":
        return [replace(joint, kind="revolute")]
    if joint.kind == "helical":
        follower = Joint(f"{joint.name}.advance", "prismatic", joint.axis, mimic=Mimic(joint.name, joint.pitch))
        return [replace(joint, kind="revolute", pitch=0), follower]
    if not joint.compound:
        raise MechanismError(f"joint {joint.name!r} is {joint.kind}, which {form} cannot say; use slides and revolute joints")
    names = joint.description.velocity_names
    return [replace(one, name=f"{joint.name}.{name}") for one, name in zip(split(joint), names, strict=True)]
