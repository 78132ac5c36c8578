"""Mechanisms that combine what others lack, in the form of :mod:`mechanisms.textbook`.

They have several roots, gravity in another direction or none, bodies without mass, armature and slides on a free base, joints
behind helical, spherical and continuous ones, and more than 64 coordinates. docs/kill-table.md says which faults only they show.
"""

from __future__ import annotations

from fractions import Fraction

from mechanisms.body import Body
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.numbers import Vector
from mechanisms.solids import box, cylinder
from mechanisms.textbook_joints import SKEW

X, Y, Z = basis()

TILTED: Vector = (Fraction("3.27"), Fraction("-6.54"), Fraction("-6.54"))
"""Gravity (m/s²) of the usual strength, along no axis."""


def satellite() -> Mechanism:
    """A satellite without gravity: a reaction wheel, and a boom that slides out and carries a camera on a cross.

    The boom is light beside the hub, so that the mass matrix stays well-conditioned wherever the boom is. The wheel and the boom
    have motors with armature and damping. The cross that carries the camera has no mass, and the second axis of the camera is not
    at a right angle to the first.
    """
    wheel = Joint("wheel", "continuous", Y, Placement(Rotation(4, 1, 0, 1), ("0.1", 0, "0.2")), "0.01", "0.03")
    boom = Joint("boom", "prismatic", (0, "0.6", "0.8"), Placement(Rotation(2, 0, 1, 0), ("0.3", "-0.1", 0)), "0.5", "2")
    pan = Joint("pan", "revolute", ("0.6", 0, "0.8"), Placement(Rotation(5, 1, 2, 0), (0, 0, "0.4")), damping="0.02")
    tilt = Joint("tilt", "universal", X, Placement(Rotation(3, 0, 0, 1), (0, "0.05", 0)), second_axis=("0.6", "0.8", 0))
    bodies = (
        Body("hub", "world", Joint("flight", "free"), box("20000", ("8", "6", "10"), ("0.3", "-0.2", "0.1"))),
        Body("wheel", "hub", wheel, cylinder("2", "0.1", "0.04", axis=1)),
        Body("boom", "hub", boom, SKEW),
        Body("cross", "boom", pan),
        Body("camera", "cross", tilt, SKEW),
    )
    return Mechanism("satellite", bodies, (0, 0, 0))


def wall_arms() -> Mechanism:
    """Two arms on a slanting wall, one behind a ball and one behind a wheel: gravity along no axis, and two roots.

    A link of the left arm has no mass. The right arm ends in a slide with damping.
    """
    left = Placement(Rotation(3, 1, 0, 1), ("0.1", "0.4", "1"))
    right = Placement(Rotation(2, 0, -1, 1), ("-0.1", "-0.5", "1.2"))
    turned, lifted = Placement(Rotation(4, 0, 1, 2), ("0.3", 0, "0.1")), Placement(Rotation(1, 0, 1, 0), (0, "0.2", "0.1"))
    bodies = (
        Body("left shoulder", "world", Joint("left ball", "spherical", placement=left), SKEW),
        Body("left link", "left shoulder", Joint("left elbow", "revolute", ("0.8", "0.6", 0), turned)),
        Body("left hand", "left link", Joint("left wrist", "revolute", Y, lifted, damping="0.1"), SKEW),
        Body("right wheel", "world", Joint("right wheel", "continuous", ("0.6", 0, "0.8"), right, damping="0.3"), SKEW),
        Body("right slide", "right wheel", Joint("right slide", "prismatic", (0, "0.8", "-0.6"), turned, damping="1.5"), SKEW),
    )
    return Mechanism("wall-arms", bodies, TILTED)


def screw_jack() -> Mechanism:
    """A skew screw that carries a lever, and at its end a second screw: joints in front of and behind helical ones."""
    first = Joint("jack", "helical", (0, "0.6", "0.8"), Placement(Rotation(5, 1, 0, -1), (0, 0, "0.2")), "0.02", "0.1", "0.05")
    lever = Joint("lever", "revolute", X, Placement(Rotation(2, 0, 1, 0), ("0.2", "0.1", 0)), damping="0.05")
    second = Joint("vice", "helical", Y, Placement(Rotation(4, -1, 1, 0), ("0.3", 0, "0.1")), damping="0.02", pitch="-0.08")
    bodies = (Body("nut", "world", first, SKEW), Body("lever", "nut", lever, SKEW), Body("jaw", "lever", second, SKEW))
    return Mechanism("screw-jack", bodies)


def swarm() -> Mechanism:
    """Ten drones in flight around an arm of seven hinges: 67 coordinates, and eleven roots."""
    seen = Placement(Rotation(5, 1, 0, -1), ("0.1", "-0.2", "0.05"))
    next_to = Placement(Rotation(3, 0, 1, 0), ("0.2", 0, "0.1"))
    drones = [Body(f"drone{i}", "world", Joint(f"flight{i}", "free", placement=seen), SKEW) for i in range(1, 11)]
    links = [
        Body(f"link{i}", f"link{i - 1}" if i > 1 else "world", Joint(f"hinge{i}", "revolute", (Y, Z, X)[i % 3], next_to), SKEW)
        for i in range(1, 8)
    ]
    return Mechanism("swarm", (*drones, *links))
