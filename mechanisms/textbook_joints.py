"""Small mechanisms on the less common joints, one for each kind, in the form of :mod:`mechanisms.textbook`."""

from __future__ import annotations

from mechanisms.body import Body
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, MOVING
from mechanisms.mechanism import Mechanism
from mechanisms.numbers import Vector, exact
from mechanisms.solids import box, cylinder

X, Y, Z = basis()
STRAIGHT = Rotation.identity()

SKEW = Inertia("1.4", ("0.1", "-0.02", "0.03"), ("0.006", "0.011", "0.009", "0.001", "-0.0015", "0.0005"))
"""A body whose centre of mass and principal axes have no special position."""


def lead_screw(
    mass: object = "3.0", inertia: object = "0.004", pitch: object = "0.002", damping: object = "0.01", gravity: object = "9.81"
) -> Mechanism:
    """A nut of ``mass`` (kg) that turns down a vertical screw, advancing by ``pitch`` (m/rad).

    ``inertia`` about the screw (kg m²), ``damping`` (N m s), ``gravity`` (m/s²). M = inertia + mass pitch²,
    g = mass pitch gravity: the work done in one turn lifts the nut by one thread.
    """
    nut = Inertia(mass, (0, 0, 0), (inertia, inertia, inertia, 0, 0, 0))
    joint = Joint("thread", "helical", Z, damping=damping, pitch=pitch)
    return Mechanism("lead-screw", (Body("nut", "world", joint, nut),), _down(gravity))


def spherical_pendulum(gravity: object = "9.81") -> Mechanism:
    """A skew body on a ball joint, its orientation a quaternion: Euler's equations about a fixed point.

    ``gravity`` (m/s²).
    """
    hung = SKEW.placed(Placement(STRAIGHT, ("0.1", "0.05", "-0.4")))
    return Mechanism("spherical-pendulum", (Body("bob", "world", Joint("ball", "spherical"), hung),), _down(gravity))


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
    return Mechanism("gyroscope", bodies, _down(gravity))


def universal_pendulum(gravity: object = "9.81") -> Mechanism:
    """A shaft on a universal joint that carries a second, whose two axes are not at right angles.

    ``gravity`` (m/s²).
    """
    second = Joint("second", "universal", X, Placement(Rotation(3, 0, 1, 0), (0, 0, "-0.5")), second_axis=("0.6", "0.8", 0))
    bodies = (
        Body("shaft", "world", Joint("first", "universal", X, second_axis=Y), cylinder(2, "0.02", "0.5", com=(0, 0, "-0.25"))),
        Body("tip", "shaft", second, SKEW),
    )
    return Mechanism("universal-pendulum", bodies, _down(gravity))


def telescope(gravity: object = "9.81") -> Mechanism:
    """A tube that turns and slides in a skew sleeve, with a lens that hinges on it: a cylindrical joint.

    ``gravity`` (m/s²).
    """
    sleeve = Joint("sleeve", "cylindrical", (0, "0.6", "0.8"), Placement(Rotation(5, 1, 0, -1), (0, 0, 1)))
    lens = Joint("hinge", "revolute", Y, Placement(STRAIGHT, (0, "0.1", "0.3")), damping="0.05")
    return Mechanism("telescope", (Body("tube", "world", sleeve, SKEW), Body("lens", "tube", lens, SKEW)), _down(gravity))


def crane(gravity: object = "9.81") -> Mechanism:
    """A trolley that moves along three axes, with a load that swings from it on a ball joint.

    ``gravity`` (m/s²).
    """
    load = SKEW.placed(Placement(Rotation(2, 1, 0, 0), (0, 0, "-1.5")))
    bodies = (
        Body("trolley", "world", Joint("rails", "translation"), Inertia(8)),
        Body("load", "trolley", Joint("hook", "euler-xyz", placement=Placement(STRAIGHT, (0, 0, "-0.2"))), load),
    )
    return Mechanism("crane", bodies, _down(gravity))


def puck(gravity: object = "9.81") -> Mechanism:
    """A puck on a slope, its centre of mass off its origin, with a pendulum on it: a planar joint.

    ``gravity`` (m/s²).
    """
    slope = Joint("slope", "planar", (0, "-0.28", "0.96"), Placement(STRAIGHT, (0, 0, "0.2")))
    pin = Joint("pin", "revolute", X, Placement(Rotation(1, 1, 0, 0), ("0.05", 0, "0.02")), damping="0.01")
    return Mechanism("puck", (Body("puck", "world", slope, SKEW), Body("bob", "puck", pin, SKEW)), _down(gravity))


def every_joint(gravity: object = "9.81") -> Mechanism:
    """A trunk with seven limbs of two joints each: every kind of joint that moves, about skew axes.

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
    return Mechanism("every-joint", tuple(bodies), _down(gravity))


def _down(gravity: object) -> Vector:
    return (0, 0, -exact(gravity, "gravity"))
