"""Mechanisms that show what the usual ones do not, in the form of :mod:`mechanisms.library.textbook`.

First small mechanisms on the less common joints, one for each kind. Then mechanisms that combine what others lack: several roots,
gravity in another direction or none, bodies without mass, armature and slides on a free base, joints outboard of helical,
spherical and continuous ones, and more than 64 coordinates. docs/kill-table.md says which faults only they show.
"""

from __future__ import annotations

from fractions import Fraction

from mechanisms.body import Body
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.inertia import Inertia, box, cylinder
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, MOVING
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import Vector, exact

X, Y, Z = basis()
STRAIGHT = Rotation.identity()

SKEW = Inertia("1.4", ("0.1", "-0.02", "0.03"), ("0.006", "0.011", "0.009", "0.001", "-0.0015", "0.0005"))
"""A body whose centre of mass and principal axes have no special position."""

TILTED: Vector = (Fraction("3.27"), Fraction("-6.54"), Fraction("-6.54"))
"""Gravity (m/s²) of the usual strength, along no axis."""


def down(gravity: object) -> Vector:
    """Gravity of this strength (m/s²) along −z."""
    return (0, 0, -exact(gravity, "gravity"))


def lead_screw(
    mass: object = "3.0", inertia: object = "0.004", pitch: object = "0.002", damping: object = "0.01", gravity: object = "9.81"
) -> Mechanism:
    """A nut of ``mass`` (kg) that turns down a vertical screw, advancing by ``pitch`` (m/rad).

    ``inertia`` about the screw (kg m²), ``damping`` (N m s), ``gravity`` (m/s²). M = inertia + mass pitch²,
    g = mass pitch gravity: the work done in one turn lifts the nut by one thread.
    """
    nut = Inertia(mass, (0, 0, 0), (inertia, inertia, inertia, 0, 0, 0))
    joint = Joint("thread", "helical", Z, damping=damping, pitch=pitch)
    return Mechanism("lead-screw", (Body("nut", "world", joint, nut),), down(gravity))


def spherical_pendulum(gravity: object = "9.81") -> Mechanism:
    """A skew body on a ball joint, its orientation a quaternion: Euler's equations about a fixed point.

    ``gravity`` (m/s²).
    """
    hung = SKEW.placed(Placement(STRAIGHT, ("0.1", "0.05", "-0.4")))
    return Mechanism("spherical-pendulum", (Body("bob", "world", Joint("ball", "spherical"), hung),), down(gravity))


def gyroscope(gravity: object = "9.81") -> Mechanism:
    """A heavy rotor on a gimbal of three Euler angles z, y, x, then spinning on its own.

    ``gravity`` (m/s²).
    """
    frame = box("0.4", ("0.3", "0.2", "0.1"), ("0.02", 0, "0.01"))
    spin = Joint("spin", "continuous", X, Placement(Rotation(4, 1, 0, 1), ("0.1", 0, "0.05")), armature="0.001", damping="0.002")
    bodies = (
        Body("frame", "world", Joint("gimbal", "euler-zyx"), frame),
        Body("rotor", "frame", spin, cylinder("1.5", "0.08", "0.03", axis=0)),
    )
    return Mechanism("gyroscope", bodies, down(gravity))


def universal_pendulum(gravity: object = "9.81") -> Mechanism:
    """A shaft on a universal joint that carries a second, whose two axes are not at right angles.

    ``gravity`` (m/s²).
    """
    second = Joint("second", "universal", X, Placement(Rotation(3, 0, 1, 0), (0, 0, "-0.5")), second_axis=("0.6", "0.8", 0))
    bodies = (
        Body("shaft", "world", Joint("first", "universal", X, second_axis=Y), cylinder(2, "0.02", "0.5", com=(0, 0, "-0.25"))),
        Body("tip", "shaft", second, SKEW),
    )
    return Mechanism("universal-pendulum", bodies, down(gravity))


def telescope(gravity: object = "9.81") -> Mechanism:
    """A tube that turns and slides in a skew sleeve, with a lens that hinges on it: a cylindrical joint.

    ``gravity`` (m/s²).
    """
    sleeve = Joint("sleeve", "cylindrical", (0, "0.6", "0.8"), Placement(Rotation(5, 1, 0, -1), (0, 0, 1)))
    lens = Joint("hinge", "revolute", Y, Placement(STRAIGHT, (0, "0.1", "0.3")), damping="0.05")
    return Mechanism("telescope", (Body("tube", "world", sleeve, SKEW), Body("lens", "tube", lens, SKEW)), down(gravity))


def crane(gravity: object = "9.81") -> Mechanism:
    """A trolley that moves along three axes, with a load that swings from it on a ball joint.

    ``gravity`` (m/s²).
    """
    load = SKEW.placed(Placement(Rotation(2, 1, 0, 0), (0, 0, "-1.5")))
    bodies = (
        Body("trolley", "world", Joint("rails", "translation"), Inertia(8)),
        Body("load", "trolley", Joint("hook", "euler-xyz", placement=Placement(STRAIGHT, (0, 0, "-0.2"))), load),
    )
    return Mechanism("crane", bodies, down(gravity))


def puck(gravity: object = "9.81") -> Mechanism:
    """A puck on a slope, its centre of mass off its origin, with a pendulum on it: a planar joint.

    ``gravity`` (m/s²).
    """
    slope = Joint("slope", "planar", (0, "-0.28", "0.96"), Placement(STRAIGHT, (0, 0, "0.2")))
    pin = Joint("pin", "revolute", X, Placement(Rotation(1, 1, 0, 0), ("0.05", 0, "0.02")), damping="0.01")
    return Mechanism("puck", (Body("puck", "world", slope, SKEW), Body("bob", "puck", pin, SKEW)), down(gravity))


def every_joint(gravity: object = "9.81") -> Mechanism:
    """A trunk with limbs of two joints each: every kind of joint that moves, about skew axes.

    ``gravity`` (m/s²).
    """
    tilts = (Rotation(5, 1, 0, -1), Rotation(4, -1, 1, 0), Rotation(6, 0, 2, 1))
    bodies = [Body("trunk", "world", Joint("trunk", "revolute", Z, armature="0.2"), box("20", ("0.4", "0.4", "0.6")))]
    for i, kind in enumerate(MOVING):
        placement = Placement(tilts[i % 3], ("0.1", "-0.05", "0.15"))
        armature, damping = ("0.02", "0.1") if JOINT_KINDS[kind].takes_armature_and_damping else (0, 0)
        pitch = "0.05" if JOINT_KINDS[kind].takes_pitch else 0
        joint = Joint(kind, kind, (0, "0.6", "0.8"), placement, armature, damping, pitch)
        bodies.append(Body(f"behind {kind}", bodies[-1].name if i % 2 else "trunk", joint, SKEW))
    return Mechanism("every-joint", tuple(bodies), down(gravity))


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
