"""The same inertias, written differently: turned axes, several welded links, links that do not move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from xml.etree.ElementTree import Element, SubElement

from cross_check.read.as_read.elements import each, give_inertial, inertial, weld
from cross_check.read.as_read.misread_inertials import Angles
from cross_check.read.as_read.rewriting import Rewrite, Rewritten, by, document, edited, is_held, text_of, unused
from mechanisms import Inertia, Mechanism, Placement, Rotation
from mechanisms.errors import Unsupported
from mechanisms.geometry import Matrix
from mechanisms.numbers.exact import Scalar

QUARTER = 1.5707963267948966
CYCLE = (QUARTER, 0.0, QUARTER)
"""Roll, pitch and yaw of the rotation that takes x to y, y to z and z to x: it turns decimal numbers into decimal numbers."""

OBLIQUE = (0.5, -0.7, 1.1)
"""Roll, pitch and yaw, none of which may be left out or exchanged."""

SHARES = (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
"""Of a body's inertia: what its own link keeps, and what the links have that are welded to it, one to the other."""

WELD_ANGLES = (CYCLE, (QUARTER, 0.0, 0.0))
WELDS = tuple(Placement(Rotation.from_rpy(*angles), (Fraction(1, 8), Fraction(-1, 4), Fraction(1, 2))) for angles in WELD_ANGLES)
"""Every welded link on the one before. The order of their rotations matters."""

LIGHT = Fraction(1, 1000)
"""The mass of light links at most (kg)."""


def _turned(angles: Angles) -> Rewrite:
    def rewrite(mechanism: Mechanism) -> Rewritten:
        bodies = {body.name: body.inertia for body in mechanism.bodies}
        moments = {name: own.matrix for name, own in bodies.items() if not own.is_massless}
        if not any(_has_axes(matrix) for matrix in moments.values()):
            raise Unsupported("all inertias of its bodies are the same in all directions")

        def turn(link: Element) -> None:
            inertial(link, bodies[link.get("name", "")], angles)

        return edited(mechanism, each("link", turn, lambda link: link.get("name") in moments))

    return rewrite


def _has_axes(matrix: Matrix) -> bool:
    return any(matrix[i][j] != (matrix[0][0] if i == j else 0) for i in range(3) for j in range(3))


def _light_share(whole: Inertia) -> tuple[Fraction, ...]:
    """What the link keeps, and a negative power of two of its mass, which is between half of :data:`LIGHT` and that."""
    part = Fraction(1, 2)
    while part * abs(whole.mass) > LIGHT:
        part /= 2
    return 1 - part, part


def _shared(mechanism: Mechanism, shares_of: Callable[[Inertia], Sequence[Fraction]]) -> Rewritten:
    robot = document(mechanism)
    bodies = {body.name: body.inertia for body in mechanism.bodies if not body.inertia.is_massless}
    if not bodies:
        raise Unsupported("its bodies have no mass")
    for link in robot.findall("link"):
        whole = bodies.get(link.get("name", ""))
        if whole is None:
            continue
        own, *shares = shares_of(whole)
        inertial(link, _share(whole, own))
        holder, back = link.get("name", ""), Placement()
        for share, placement, angles in zip(shares, WELDS, WELD_ANGLES, strict=False):
            back = placement.inverse() @ back
            name = unused(robot, "link", f"{holder}_welded")
            inertial(SubElement(robot, "link", name=name), _share(whole, share).placed(back))
            weld(robot, holder, name, placement, angles)
            holder = name
    return Rewritten(text_of(robot), free_base=is_held(mechanism))


def _share(whole: Inertia, share: Scalar) -> Inertia:
    return Inertia(share * whole.mass, whole.com, tuple(share * moment for moment in whole.about_com))


def _massive_root(mechanism: Mechanism) -> Rewritten:
    if is_held(mechanism):
        raise Unsupported("its root link moves")
    heavy = Inertia(3, ("0.25", "-0.5", "1"), ("0.5", "0.25", "0.375", "0.0625", "-0.03125", "0.125"))
    return edited(mechanism, each("link", lambda link: inertial(link, heavy), lambda link: link.get("name") == mechanism.root))


REWRITES: dict[str, Rewrite] = {
    "inertial_rpy": _turned(CYCLE),
    "oblique_inertial_rpy": _turned(OBLIQUE),
    "welded_links": partial(_shared, shares_of=lambda whole: SHARES),
    "light_links": partial(_shared, shares_of=_light_share),
    "massive_root": _massive_root,
    "zero_inertia": by(give_inertial(lambda link: Inertia.massless())),
}
