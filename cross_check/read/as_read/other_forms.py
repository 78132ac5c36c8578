"""What readers of engines make of MJCF and SDF."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from cross_check.read.as_read.elements import drop, each, unset
from cross_check.read.as_read.rewriting import Edit


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
    """Put one kilogram at the body's origin, with moments of 1 kg m²."""
    drop("inertial")(body)
    SubElement(body, "inertial", pos="0 0 0", mass="1", diaginertia="1 1 1")


def _without_turn(pose: Element) -> None:
    pose.attrib.clear()
    pose.text = " ".join((pose.text or "").split()[:3] + ["0"] * 3)


def _first_body_alone(model: Element) -> None:
    # Equalities of bodies that are gone would be refused; they change nothing else that is compared.
    drop("equality")(model)
    for worldbody in model.findall("worldbody"):
        for body in worldbody.findall("body")[1:]:
            worldbody.remove(body)


def _has_inertial_alone(body: Element) -> bool:
    return body.find("inertial") is not None and body.find("geom") is None


EDITS: dict[str, Edit] = {
    "mjcf-unit-inertias": each(".//body", _unit_moments, _has_inertial_alone),
    "mjcf-first-body": _first_body_alone,
    "sdf-unturned-moments": each(".//link/inertial/pose", _without_turn),
}
