"""What readers of engines make of MJCF and SDF."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from cross_check.read.as_read.elements import drop, each, unset
from cross_check.read.as_read.rewriting import Edit
from mechanisms.files.mjcf.placing import ORIENTATIONS


def mjcf_gravity(*xyz: str) -> Edit:
    def edit(model: Element) -> None:
        unset(".//option", "gravity")(model)
        SubElement(model, "option", gravity=" ".join(xyz))

    return edit


def sdf_gravity(*xyz: str) -> Edit:
    def edit(sdf: Element) -> None:
        for world in sdf.findall("world"):
            drop("gravity")(world)
            SubElement(world, "gravity").text = " ".join(xyz)

    return edit


def _unit_moments(body: Element) -> None:
    """Moments of 1 kg m². Mass and place are those of <inertial>, or of the first <geom>; 1 kg at the origin without a <geom>."""
    own = _with_mass(body) if body.find("geom") is not None else None
    given = {} if own is None else own.attrib
    drop("inertial")(body)
    SubElement(body, "inertial", pos=given.get("pos", "0 0 0"), mass=given.get("mass", "1"), diaginertia="1 1 1")


def _without_turn(pose: Element) -> None:
    pose.attrib.clear()
    pose.text = " ".join((pose.text or "").split()[:3] + ["0"] * 3)


def _first_body_alone(model: Element) -> None:
    # Equalities of bodies that are gone would be refused; they change nothing else that is compared.
    drop("equality")(model)
    for worldbody in model.findall("worldbody"):
        for body in worldbody.findall("body")[1:]:
            worldbody.remove(body)


def _at_inertial(body: Element) -> None:
    """Put the body where its <inertial> is."""
    (inertial,) = body.findall("inertial")[:1]
    for name in ORIENTATIONS:
        body.attrib.pop(name, None)
    body.attrib |= {name: text for name, text in inertial.attrib.items() if name in ("pos", *ORIENTATIONS)}


def _with_mass(body: Element) -> Element | None:
    """The element that says the mass of a body, and where it is."""
    geom = body.find("geom[@mass]")
    return next((one for one in (body.find("inertial"), geom) if one is not None and "fromto" not in one.attrib), None)


EDITS: dict[str, Edit] = {
    "mjcf-at-inertial": each(
        ".//body", _at_inertial, lambda body: "pos" not in body.attrib and body.find("inertial") is not None
    ),
    "mjcf-unit-inertias": each(".//body", _unit_moments, lambda body: _with_mass(body) is not None),
    "mjcf-first-body": _first_body_alone,
    "sdf-unturned-moments": each(".//link/inertial/pose", _without_turn),
}
