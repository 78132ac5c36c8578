"""Equality constraints of MJCF: points and frames that stay together, and joints that follow others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.constraint import POINT, WELD, Constraint
from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.outline import WORLD, Outline
from mechanisms.files.mjcf.placing import quaternion
from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.words import called, is_true, one, some, values
from mechanisms.files.untrusted_xml import attribute, naming
from mechanisms.geometry import Placement
from mechanisms.mimic import Mimic

COEFFICIENTS = "0 1 0 0 0"


def active(settings: Settings) -> Iterator[Element]:
    """The equality constraints that act, with their defaults."""
    if {"equality", "constraint"} & settings.disabled:
        return
    for section in settings.root.findall("equality"):
        for given in section:
            element = settings.defaults.complete(given, tag="equality")
            if is_true(element, "active", "true"):
                yield element


def mimics_of(settings: Settings, references: Mapping[str, Fraction]) -> dict[str, Mimic]:
    """The mimics of joints that follow others, by their names; ``references`` has the position of every hinge and slide joint in
    the file.

    MuJoCo's constraint is q₁ − ref₁ = c₀ + c₁ (q₂ − ref₂) + … Raises :class:`MechanismError`.
    """
    found: dict[str, Mimic] = {}
    for element in active(settings):
        if element.tag != "joint":
            continue
        with naming(called(element), element):
            first, second = attribute(element, "joint1", "it"), element.get("joint2", "")
            if not second:
                raise MechanismError("it holds one joint where it is, which is not read; remove the joint")
            for name in (first, second):
                if name not in references:
                    raise MechanismError(f"{name[:60]!r} is no hinge or slide joint of the model; correct the name")
            if first in found:
                raise MechanismError(f"joint {first!r} follows two others; remove one")
            given = values(element, "polycoef", COEFFICIENTS)
            c = (*given, *map(Fraction, COEFFICIENTS.split()[len(given) :]))
            if len(c) > 5 or any(c[2:]):
                raise MechanismError("its polycoef is not linear, which is not read; give two numbers")
            found[first] = Mimic(second, c[1], references[first] + c[0] - c[1] * references[second])
    return found


@dataclass(frozen=True)
class Closing:
    """Makes constraints of connect and weld."""

    settings: Settings
    bodies: Mapping[str, Outline]
    sites: Mapping[str, tuple[Outline, Placement]]
    carriers: Mapping[int, tuple[str, Placement]]

    def constraints(self) -> tuple[Constraint, ...]:
        """All of them, in their order. Raises :class:`MechanismError`."""
        made: list[Constraint] = []
        for element in active(self.settings):
            if element.tag == "joint":
                continue
            with naming(called(element), element):
                name = element.get("name") or f"{element.tag} {len(made) + 1}"
                made.append(self._constraint(name, element))
        return tuple(made)

    def _constraint(self, name: str, element: Element) -> Constraint:
        if one(element, "torquescale", "1") == 0:
            raise MechanismError("its torquescale is 0; make it a connect")
        first, second = self._sites(element) if "site1" in element.attrib else self._frames(element)
        ends = []
        for body, placement in (first, second):
            holder, offset = self.carriers[id(body)]
            ends.append((holder, (offset @ placement).shortened()))
        directions = POINT if element.tag == "connect" else WELD
        return Constraint(name, ends[0][0], ends[1][0], directions, ends[0][1], ends[1][1])

    def _sites(self, element: Element) -> list[tuple[Outline, Placement]]:
        if "body1" in element.attrib:
            raise MechanismError("it names bodies and sites; name two of one kind")
        found = []
        for end in ("site1", "site2"):
            name = attribute(element, end, "it")
            if name not in self.sites:
                raise MechanismError(f"{name[:60]!r} is no site of the model; correct the name")
            found.append(self.sites[name])
        return found

    def _frames(self, element: Element) -> tuple[tuple[Outline, Placement], tuple[Outline, Placement]]:
        """The two bodies, and the frames that stay together; as the file shows them, unless it says how."""
        names = attribute(element, "body1", "it"), element.get("body2") or WORLD
        for name in names:
            if name not in self.bodies:
                raise MechanismError(f"{name[:60]!r} is no body of the model; correct the name")
        first, second = (self.bodies[name] for name in names)
        between = second.pose.inverse() @ first.pose
        if element.tag == "connect":
            attribute(element, "anchor", "it")
            anchor = Placement(translation=some(element, "anchor", 3))
            return (first, anchor), (second, Placement(translation=between(anchor.translation)))
        anchor = Placement(translation=some(element, "anchor", 3, "0 0 0"))
        relative = some(element, "relpose", 7, "0 0 0 0 0 0 0")
        if any(relative[3:]):
            return (first, Placement(quaternion(relative[3:], "relpose"), relative[:3])), (second, anchor)
        return (first, between.inverse() @ anchor), (second, anchor)
