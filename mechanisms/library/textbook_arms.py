"""Arms of the literature, as serial chains joint1, link1, joint2, link2, …"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mechanisms.body import Body
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.inertia import Inertia, box, cylinder
from mechanisms.joint import Joint, Kind
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.numbers.exact import Vector, exact

X, Y, Z = basis()
STRAIGHT = Rotation.identity()

Row = tuple[Kind, Vector, Placement, object, object, Inertia]
"""Of a chain: the joint's kind, axis, placement in the link before it, armature and damping; the link's inertia."""


def spatial_3r(
    shoulder: object = "0.35",
    upper: object = "0.4",
    fore: object = "0.3",
    masses: Sequence[object] = ("3.2", "2.4", "1.1"),
    gravity: Vector = EARTH,
) -> Mechanism:
    """Waist, shoulder and elbow: the first three joints of an articulated arm, with no symmetry left in its links.

    ``shoulder`` height, ``upper`` and ``fore`` arm lengths (m), ``masses`` (kg), ``gravity`` (m/s²). Inertias have
    products, and two joints a motor's armature. At q = 0 the arm is stretched along x. Spong et al. 2006, §3.2.
    """
    m1, m2, m3 = masses
    waist = Inertia(m1, ("0.01", "-0.02", "0.2"), ("0.043", "0.041", "0.012", "0.001", "-0.002", "0.003"))
    arm = Inertia(m2, (exact(upper) / 2, "0.01", "0.005"), ("0.006", "0.038", "0.037", "-0.001", "0.002", "0.0005"))
    forearm = Inertia(m3, (exact(fore) / 2, "0.004", "-0.003"), ("0.0016", "0.0092", "0.009", "0.0002", "-0.0004", "0.0001"))
    rows: list[Row] = [
        ("revolute", Z, Placement(), "0.12", "0.3", waist),
        ("revolute", Y, Placement(STRAIGHT, (0, "0.06", shoulder)), "0.09", "0.2", arm),
        ("revolute", Y, Placement(STRAIGHT, (upper, "-0.04", 0)), 0, "0.05", forearm),
    ]
    return _chain("spatial-3r", rows, gravity)


def scara(
    inner: object = "0.325",
    outer: object = "0.275",
    masses: Sequence[object] = ("11.4", "6.5", "1.9", "0.6"),
    gravity: Vector = EARTH,
) -> Mechanism:
    """A SCARA: two vertical hinges, a quill that slides down, and a wrist that turns with it.

    ``inner`` and ``outer`` arm lengths (m), ``masses`` (kg) of homogeneous links, ``gravity`` (m/s²). Geometry of Spong
    et al. 2006, §3.2; sizes of a common desktop arm.
    """
    a, b = exact(inner), exact(outer)
    m1, m2, m3, m4 = masses
    upside_down = Placement(Rotation(0, 1, 0, 0), (b, 0, "0.05"))
    rows: list[Row] = [
        ("revolute", Z, Placement(STRAIGHT, (0, 0, "0.8")), "1.1", "2.5", box(m1, (a, "0.18", "0.15"), (a / 2, 0, 0))),
        ("revolute", Z, Placement(STRAIGHT, (a, 0, "0.1")), "0.4", "1.2", box(m2, (b, "0.15", "0.12"), (b / 2, "0.01", 0))),
        ("prismatic", Z, upside_down, "3.5", "15", cylinder(m3, "0.015", "0.4")),
        ("revolute", Z, Placement(STRAIGHT, (0, 0, "0.2")), "0.002", "0.01", box(m4, ("0.12", "0.05", "0.04"), ("0.02", 0, 0))),
    ]
    return _chain("scara", rows, gravity)


def stanford_arm(
    offset: object = "0.154",
    masses: Sequence[object] = ("9.29", "5.01", "4.25", "1.08", "0.63", "0.51"),
    gravity: Vector = EARTH,
) -> Mechanism:
    """The Stanford arm: two turns, one slide and a spherical wrist.

    ``offset`` of the shoulder (m), ``masses`` (kg), ``gravity`` (m/s²). Geometry, masses and motor inertias of Paul 1981,
    "Robot Manipulators", tables 6.5 and 6.6. The links are homogeneous solids of about the arm's size, since some of the
    printed inertias belong to no body; damping is of a likely size.
    """
    m1, m2, m3, m4, m5, m6 = masses
    quarter, back = Rotation(1, 1, 0, 0), Rotation(1, -1, 0, 0)
    rows: list[Row] = [
        ("revolute", Z, Placement(), "0.953", "2", cylinder(m1, "0.12", "0.4", 2, (0, 0, "0.25"))),
        ("revolute", Z, Placement(back, (0, 0, "0.412")), "2.193", "2", box(m2, ("0.16", "0.16", "0.22"), (0, "0.02", "0.1"))),
        ("prismatic", Z, Placement(quarter, (0, 0, offset)), "0.782", "20", box(m3, ("0.06", "0.06", "1.2"), (0, 0, "-0.45"))),
        ("revolute", Z, Placement(), "0.106", "0.3", cylinder(m4, "0.05", "0.12", 2, (0, 0, "0.03"))),
        ("revolute", Z, Placement(back), "0.097", "0.3", box(m5, ("0.06", "0.09", "0.06"), (0, "0.01", "0.03"))),
        ("revolute", Z, Placement(quarter), "0.020", "0.1", box(m6, ("0.1", "0.03", "0.16"), (0, "0.005", "0.12"))),
    ]
    return _chain("stanford-arm", rows, gravity)


PUMA = (
    # twist, a, d, mass, centre of mass, (Ixx, Iyy, Izz), gear ratio G, rotor inertia Jm, viscous friction B at the motor
    (+1, "0", "0", "13", ("0", "0", "0"), ("0.35", "0.35", "0.35"), "-62.6111", "2e-4", "1.48e-3"),
    (0, "0.4318", "0", "17.4", ("-0.3638", "0.006", "0.2275"), ("0.13", "0.524", "0.539"), "107.815", "2e-4", "0.817e-3"),
    (-1, "0.0203", "0.15005", "4.8", ("-0.0203", "-0.0141", "0.07"), ("0.066", "0.086", "0.0125"), "-53.7063", "2e-4", "1.38e-3"),
    (+1, "0", "0.4318", "0.82", ("0", "0.019", "0"), ("1.8e-3", "1.3e-3", "1.8e-3"), "76.0364", "33e-6", "71.2e-6"),
    (-1, "0", "0", "0.34", ("0", "0", "0"), ("0.3e-3", "0.4e-3", "0.3e-3"), "71.923", "33e-6", "82.6e-6"),
    (0, "0", "0", "0.09", ("0", "0", "0.032"), ("0.15e-3", "0.15e-3", "0.04e-3"), "76.686", "33e-6", "36.7e-6"),
)
"""Corke & Armstrong-Hélouvry's table; the twist is in quarter turns, the rest in SI units."""


def puma560(gravity: Vector = EARTH) -> Mechanism:
    """The Unimation PUMA 560, the most measured arm of all, with its motors' armature and damping.

    ``gravity`` (m/s²). Corke & Armstrong-Hélouvry 1994, "A search for consensus among model parameters reported for the
    PUMA 560 robot", in the standard Denavit–Hartenberg frames of Corke's Robotics Toolbox, after Armstrong et al. 1986.
    Armature is G² Jm and damping G² B; Coulomb friction is left out.

    The published moments of link 3 violate the triangle inequality by a tenth, and are kept as published; hence
    ``physical=False``. Link 1 was only identified as far as a bolted base lets it be felt, Iyy = 0.35 kg m²; its mass and
    its other moments change no force there, and are chosen here so that it is a body.
    """
    rows: list[Row] = []
    joint_frame = Placement(STRAIGHT, (0, 0, "0.672"))
    for twist, a, d, mass, com, moments, gear, rotor, friction in PUMA:
        # The table's frame is at the outboard end of its link; our frame is at the joint that moves the link.
        far_end = Placement(Rotation(1, twist, 0, 0), (a, 0, d))
        link = Inertia(mass, com, (*moments, 0, 0, 0)).placed(far_end)
        rows.append(("revolute", Z, joint_frame, exact(gear) ** 2 * exact(rotor), exact(gear) ** 2 * exact(friction), link))
        joint_frame = far_end
    return _chain("puma560", rows, gravity, physical=False)


def _chain(name: str, rows: Iterable[Row], gravity: Vector, physical: bool = True) -> Mechanism:
    bodies = []
    for i, (kind, axis, placement, armature, damping, inertia) in enumerate(rows, 1):
        joint = Joint(f"joint{i}", kind, axis, placement, armature, damping)
        bodies.append(Body(f"link{i}", f"link{i - 1}" if i > 1 else "world", joint, inertia))
    return Mechanism(name, tuple(bodies), gravity, physical=physical)
