"""Mechanisms from MJCF, the format of MuJoCo: the tree, its joints, its inertias and its equality constraints.

A model may be in several files, and meshes are in files of their own (:mod:`mechanisms.files.mjcf.files`).
:mod:`mechanisms.files.mjcf.vocabulary` declares every element and attribute: what is read, what changes no dynamics and is
ignored, and what is refused. What it does not have is refused. A file means what MuJoCo 4.0 makes of it; where MuJoCo rounds,
this is exact.

Decimal text is kept exactly. Only π, lengths between ends, and areas of meshes are irrational, and have 64 bits and more.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from pathlib import Path

from mechanisms.errors import MechanismError, Place
from mechanisms.files.bounded_file import read_robot
from mechanisms.files.mjcf.equalities import Closing, active, mimics_of
from mechanisms.files.mjcf.files import Files
from mechanisms.files.mjcf.inertias import Inertias
from mechanisms.files.mjcf.joints import Assembler
from mechanisms.files.mjcf.motors import motors_of, require_idle
from mechanisms.files.mjcf.outline import HERE, WORLD, Outline, Outliner
from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.vocabulary import check
from mechanisms.files.mjcf.words import is_true
from mechanisms.files.untrusted_xml import in_file, naming, parse_xml, place_of
from mechanisms.inertia import Inertia
from mechanisms.limits import MOST_BODIES
from mechanisms.mechanism import Mechanism

UNNAMED = "MuJoCo Model"
"""The name of a model without a name, as in MuJoCo."""


def read_mjcf(path: str | Path, *, physical: bool = True, ignore_mimic: bool = False) -> Mechanism:
    """The mechanism in an MJCF file, with the files that it names; see :func:`parse_mjcf` for the options and errors."""
    text = read_robot(path, "an MJCF file")
    return parse_mjcf(text, str(path), physical=physical, ignore_mimic=ignore_mimic, folder=Path(path).parent)


def parse_mjcf(
    text: str | bytes,
    source: str = "MJCF",
    *,
    physical: bool = True,
    ignore_mimic: bool = False,
    folder: str | Path | None = None,
) -> Mechanism:
    """The mechanism in MJCF ``text``; errors name ``source``. Files that it names are beside it in ``folder``; without a folder
    none is opened.

    q is MuJoCo's, but that quaternions are x y z w. Velocities are those of :mod:`mechanisms.joint_kinds`: of a free joint
    [ω; v] in the body's frame, of which MuJoCo has v first, and along the world's axes. A joint that follows another by an
    equality constraint has no coordinate; with ``ignore_mimic`` it moves on its own. connect and weld become constraints.
    The frame of a body is at its last joint.

    ``physical=False`` accepts inertias that no rigid body can have.

    Raises :class:`MechanismError`, one sentence that names the source, the line and the element, for everything that is wrong,
    and for what is not read.
    """
    files = Files(None if folder is None else Path(folder))
    if files.folder and (own := files.folder / Path(source).name).is_file():
        files.included.add(own.resolve())
    places: dict[tuple[str, str], Place | None] = {}
    with in_file(source, places):
        root = parse_xml(text, "mujoco", "MJCF")
        files.expand(root)
        check(root)
        return _mechanism(Settings(root, files), places, physical, ignore_mimic)


def _mechanism(settings: Settings, places: dict[tuple[str, str], Place | None], physical: bool, ignore_mimic: bool) -> Mechanism:
    settings.check()
    require_idle(settings)
    outliner = Outliner(settings)
    outlines = outliner.collect()
    assembler = Assembler(settings, {}, {})
    names = assembler.name(outlines)
    if sum(map(len, names.values())) > MOST_BODIES:
        raise MechanismError(f"the model has more than {MOST_BODIES} joints; give fewer")
    joints = {name: element for body in outlines for name, (element, _) in zip(names[id(body)], body.joints, strict=True)}
    places |= {("body", body.name): place_of(body.element) for body in outlines}
    places |= {("inertial", body.name): place_of(body.inertial[0]) for body in outlines if body.inertial}
    places |= {("joint", name): place_of(element) for name, element in joints.items()}
    places["gravity", ""] = place_of(settings.option)
    assembler.motors = motors_of(settings, joints)
    references = {
        name: assembler.reference(joint)
        for name, joint in joints.items()
        if joint.tag == "joint" and joint.get("type", "hinge") in ("hinge", "slide")
    }
    assembler.mimics = {} if ignore_mimic else mimics_of(settings, references)
    assembler.carriers[id(outlines[0])] = (WORLD, HERE)
    for body, inertia in zip(outlines[1:], _inertias(settings, outlines[1:]), strict=True):
        with naming(f"body {body.name!r}", body.element):
            assembler.add(body, names[id(body)], inertia)
    by_name = {body.name: body for body in outlines}
    constraints = Closing(settings, by_name, outliner.sites, assembler.carriers).constraints()
    closing = (element for element in active(settings) if element.tag != "joint")
    places |= {("constraint", one.name): place_of(element) for one, element in zip(constraints, closing, strict=True)}
    name = settings.root.get("model") or UNNAMED
    return Mechanism(
        name, tuple(assembler.bodies), settings.gravity, WORLD, physical=physical, constraints=constraints, places=places
    )


def _inertias(settings: Settings, bodies: list[Outline]) -> list[Inertia]:
    """The inertias of the bodies. Static ones enter nothing but the total mass."""
    maker, total = Inertias(settings), settings.bound("settotalmass")
    made: list[Inertia] = []
    for body in bodies:
        if body.is_static and (total <= 0 or is_true(settings.compiler, "fusestatic")):
            made.append(Inertia.massless())
            continue
        with naming(f"body {body.name!r}", body.element):
            made.append(maker.of_body(body.inertial, body.geoms))
    whole = sum((inertia.mass for inertia in made), Fraction(0))
    if total <= 0 or not whole:
        return made
    return [_scaled(inertia, total / whole) for inertia in made]


def _scaled(inertia: Inertia, factor: Fraction) -> Inertia:
    about = tuple(x * factor for x in inertia.about_com)
    return dataclasses.replace(inertia, mass=inertia.mass * factor, about_com=about)
