"""Why a reader may take MJCF or SDF otherwise: see :mod:`cross_check.read.readers.hypotheses`, which has those of URDF."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from cross_check.read.as_read.elements import drop, each, unset
from cross_check.read.as_read.rewriting import Edit, Misreading

ITS_GRAVITY = "takes 9.81 m/s² along −z for gravity, whatever the file says"

SET_GRAVITY = "set gravity after loading"

SET_DAMPING = "set the damping after loading"

COUPLE = "remove the coupling, and couple the joints in your own code"

SET_FRICTION = "set the friction after loading"
SET_SPRINGS = "add the springs after loading"


def _mjcf_gravity(xyz: str) -> Edit:
    def edit(model: Element) -> None:
        unset(".//option", "gravity")(model)
        SubElement(model, "option", gravity=xyz)

    return edit


def _sdf_gravity(xyz: str) -> Edit:
    def edit(sdf: Element) -> None:
        for world in sdf.findall("world"):
            drop("gravity")(world)
            SubElement(world, "gravity").text = xyz

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


MJCF = (
    Misreading(
        "takes every <inertial> without a <geom> beside it for 1 kg at the body's origin, with moments of 1 kg m²",
        each(".//body", _unit_moments, lambda body: body.find("inertial") is not None and body.find("geom") is None),
        pages=("dart-mjcf-inertia",),
    ),
    Misreading(
        "reads the first <body> of <worldbody> alone", _first_body_alone, "put the bodies into a file each, or into one <body>"
    ),
    Misreading("ignores settotalmass", unset("compiler", "settotalmass"), "write the masses that are meant"),
    Misreading("welds what moves freely", drop(".//freejoint"), pages=("dart-mjcf-inertia",)),
    Misreading("ignores <equality><joint>: the joint moves by itself", drop("equality/joint"), COUPLE),
    Misreading("ignores damping", unset(".//joint", "damping"), SET_DAMPING),
    Misreading("ignores the springs of joints", unset(".//joint", "stiffness"), SET_SPRINGS),
    Misreading("ignores Coulomb friction", unset(".//joint", "frictionloss"), SET_FRICTION),
    Misreading("ignores armature", unset(".//joint", "armature"), "set the armature after loading"),
    Misreading(ITS_GRAVITY, _mjcf_gravity("0 0 -9.81"), SET_GRAVITY),
)

SDF = (
    Misreading(
        "does not turn moments by the <pose> of <inertial>",
        each(".//link/inertial/pose", _without_turn),
        "write the moments along the link's axes, and no orientation in the <pose> of <inertial>",
        pages=("dart-sdf-inertial-pose",),
    ),
    Misreading("ignores <mimic>: the joint moves by itself", drop(".//axis/mimic"), COUPLE),
    Misreading("ignores <dynamics><damping>", drop(".//axis/dynamics/damping"), SET_DAMPING),
    Misreading("ignores the springs of joints", drop(".//axis/dynamics/spring_stiffness"), SET_SPRINGS),
    Misreading("ignores Coulomb friction", drop(".//axis/dynamics/friction"), SET_FRICTION),
    Misreading(ITS_GRAVITY, _sdf_gravity("0 0 -9.81"), SET_GRAVITY),
)
