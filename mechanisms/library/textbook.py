"""Small mechanisms that textbooks derive by hand, with exact decimal numbers.

Every keyword may be a number, decimal text, a fraction or a SymPy symbol, so that small mechanisms can be read as
formulas: ``pendulum(mass=Symbol("m"), length=Symbol("l"))``. SI units. Planar mechanisms swing in the vertical plane x–z
about y, and gravity points along −z. The arms are in :mod:`mechanisms.library.textbook_arms`.

Others stand in textbook.toml: small mechanisms on the less common joints, one for each kind, and mechanisms that combine what
others lack: several roots, gravity in another direction or none, bodies without mass, armature and slides on a free base, joints
outboard of helical, spherical and continuous ones, and more than 64 coordinates. docs/kill-table.md says which faults only they
show.
"""

from __future__ import annotations

from mechanisms.body import Body
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.inertia import Inertia, box, cylinder
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, MOVING
from mechanisms.library import textbook_arms as arms
from mechanisms.library.textbook_tables import SKEW, TREES, Make, down
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import Scalar, Vector, exact

X, Y, Z = basis()
STRAIGHT = Rotation.identity()


def pendulum(
    mass: object = "1.2", length: object = "0.4", inertia: object = "0.064", damping: object = "0.05", gravity: object = "9.81"
) -> Mechanism:
    """A compound pendulum; at q = 0 it hangs at rest.

    ``mass`` (kg), ``length`` from pivot to centre of mass (m), ``inertia`` about the centre of mass and the swing axis
    (kg m²), ``damping`` (N m s), ``gravity`` (m/s²). M = inertia + mass · length². Goldstein et al. 2002, §5; here a rod.
    """
    swung = Inertia(mass, (0, 0, -exact(length)), (inertia, inertia, 0, 0, 0, 0))
    return Mechanism("pendulum", (Body("bob", "world", Joint("pivot", "revolute", Y, damping=damping), swung),), down(gravity))


def planar_pendulum(
    links: int = 2,
    mass: object = "1.0",
    length: object = "0.5",
    damping: object = "0.02",
    armature: object = "0",
    gravity: object = "9.81",
) -> Mechanism:
    """``links`` uniform rods in series; at q = 0 they hang at rest, and q are relative angles.

    ``mass`` (kg), ``length`` (m), ``damping`` (N m s) and ``armature`` (kg m²) are one value for all links, or a list
    with one for each; ``gravity`` (m/s²). Two links: the double pendulum of Landau & Lifshitz, §5, with rods for points.
    Raises :class:`MechanismError` for fewer than one link and for lists of another length.
    """
    if links < 1:
        raise MechanismError(f"planar-pendulum has {links} links; give at least one")
    m, l = _each(mass, links, "mass"), _each(length, links, "length")
    j, d = _each(armature, links, "armature"), _each(damping, links, "damping")
    bodies = []
    for i in range(links):
        above = Placement(STRAIGHT, (0, 0, -l[i - 1] if i else 0))
        joint = Joint(f"joint{i + 1}", "revolute", Y, above, j[i], d[i])
        rod = cylinder(m[i], 0, l[i], com=(0, 0, -l[i] / 2))
        bodies.append(Body(f"link{i + 1}", f"link{i}" if i else "world", joint, rod))
    return Mechanism(f"planar-pendulum:{links}", tuple(bodies), down(gravity))


def cart_pole(
    cart_mass: object = "1.0",
    pole_mass: object = "0.1",
    pole_length: object = "0.5",
    pole_inertia: object = "0.0083",
    cart_damping: object = "0.1",
    pole_damping: object = "0.002",
    gravity: object = "9.81",
) -> Mechanism:
    """A pole on a cart that slides along x; at q = 0 the pole stands upright.

    Masses (kg), ``pole_length`` from hinge to centre of mass (m), ``pole_inertia`` about the centre of mass (kg m²),
    damping (N s/m and N m s), ``gravity`` (m/s²). Florian 2007, "Correct equations for the dynamics of the cart-pole
    system".
    """
    pole = Inertia(pole_mass, (0, 0, pole_length), (pole_inertia, pole_inertia, 0, 0, 0, 0))
    bodies = (
        Body("cart", "world", Joint("slide", "prismatic", X, damping=cart_damping), Inertia(cart_mass)),
        Body("pole", "cart", Joint("hinge", "revolute", Y, damping=pole_damping), pole),
    )
    return Mechanism("cart-pole", bodies, down(gravity))


def elastic_joint(
    rotor_mass: object = "0.6",
    rotor_inertia: object = "0.02",
    link_mass: object = "1.5",
    link_length: object = "0.4",
    link_inertia: object = "0.08",
    stiffness: object = "31",
    rest: object = "0.1",
    elastic_damping: object = "0.05",
    motor_damping: object = "0.1",
    motor_friction: object = "0.3",
    gravity: object = "9.81",
) -> Mechanism:
    """A motor that moves a link through an elastic shaft: every force of a joint; at q = 0 the link stands upright.

    Masses (kg), moments of inertia about the centres of mass (kg m²), a tenth of it about the link's length, ``link_length`` from
    the axis to the link's centre of mass (m), the shaft's ``stiffness`` (N m/rad), damping (N m s) and position without force
    (rad), the motor's damping (N m s) and Coulomb friction (N m), ``gravity`` (m/s²). M. Spong, "Modeling and control of elastic
    joint robots", ASME Journal of Dynamic Systems, Measurement, and Control 109, 1987; here the second coordinate is relative to
    the first.
    """
    shaft = Joint("shaft", "revolute", Y, damping=elastic_damping, stiffness=stiffness, rest=rest)
    motor = Joint("motor", "revolute", Y, damping=motor_damping, friction=motor_friction)
    bodies = (
        Body("rotor", "world", motor, Inertia(rotor_mass, (0, 0, 0), (rotor_inertia,) * 3 + (0,) * 3)),
        Body(
            "link",
            "rotor",
            shaft,
            Inertia(link_mass, (0, 0, link_length), (*(link_inertia,) * 2, exact(link_inertia) / 10, 0, 0, 0)),
        ),
    )
    return Mechanism("elastic-joint", bodies, down(gravity))


def furuta_pendulum(
    arm_mass: object = "0.095",
    arm_length: object = "0.085",
    pole_mass: object = "0.024",
    pole_length: object = "0.129",
    armature: object = "0.0000046",
    arm_damping: object = "0.0015",
    pole_damping: object = "0.0005",
    gravity: object = "9.81",
) -> Mechanism:
    """A pendulum on the end of an arm that a motor turns about the vertical; at q = 0 it hangs.

    Masses (kg), lengths (m) of uniform rods, ``armature`` of the motor and its hub (kg m²), damping (N m s), ``gravity``
    (m/s²). Cazzolato & Prime 2011, "On the dynamics of the Furuta pendulum"; numbers of the Quanser QUBE-Servo 2.
    """
    l, p = exact(arm_length), exact(pole_length)
    arm = cylinder(arm_mass, 0, l, axis=0, com=(l / 2, 0, 0))
    pole = cylinder(pole_mass, 0, p, axis=2, com=(0, 0, -p / 2))
    swing = Joint("swing", "revolute", X, Placement(STRAIGHT, (l, 0, 0)), damping=pole_damping)
    bodies = (
        Body("arm", "world", Joint("motor", "revolute", Z, armature=armature, damping=arm_damping), arm),
        Body("pole", "arm", swing, pole),
    )
    return Mechanism("furuta-pendulum", bodies, down(gravity))


def free_rigid_body(
    mass: object = "2.5",
    com: Vector = ("0.02", "-0.03", "0.05"),
    about_com: Vector = ("0.031", "0.042", "0.027", "-0.004", "0.003", "0.005"),
    gravity: object = "9.81",
) -> Mechanism:
    """One body in free flight, its centre of mass off its origin and its axes off its principal ones.

    ``mass`` (kg), ``com`` (m), ``about_com`` (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) (kg m²), ``gravity`` (m/s²). Its equations
    are Newton's and Euler's.
    """
    body = Body("body", "world", Joint("free", "free"), Inertia(mass, com, about_com))
    return Mechanism("free-rigid-body", (body,), down(gravity))


def floating_base_link(
    base_mass: object = "6.0",
    link_mass: object = "1.5",
    link_length: object = "0.4",
    damping: object = "0.1",
    gravity: object = "9.81",
) -> Mechanism:
    """A free base that carries a single link, seven degrees of freedom in all.

    Text 000, §6.2, announces this mechanism but does not give it. ``base_mass`` (kg) of a 0.3 × 0.2 × 0.1 m box,
    ``link_mass`` (kg) and ``link_length`` (m) of a rod hinged off the box's centre, ``damping`` of the hinge (N m s),
    ``gravity`` (m/s²).
    """
    l = exact(link_length)
    hinge = Joint("hinge", "revolute", Y, Placement(Rotation(3, 1, 0, 0), ("0.15", "0.02", "-0.05")), damping=damping)
    bodies = (
        Body("base", "world", Joint("free", "free"), box(base_mass, ("0.3", "0.2", "0.1"), ("0.01", "0", "-0.01"))),
        Body("link", "base", hinge, cylinder(link_mass, "0.02", l, com=(0, 0, -l / 2))),
    )
    return Mechanism("floating-base-link", bodies, down(gravity))


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


def _each(value: object, links: int, what: str) -> list[Scalar]:
    values = list(value) if isinstance(value, (list, tuple)) else [value] * links
    if len(values) != links:
        raise MechanismError(f"{what} has {len(values)} values for {links} links; give one for each, or a single one for all")
    return [exact(one, what) for one in values]


_MADE: tuple[Make, ...] = (
    *(pendulum, planar_pendulum, cart_pole, elastic_joint, furuta_pendulum, free_rigid_body, floating_base_link),
    *(arms.spatial_3r, arms.scara, arms.stanford_arm, arms.puma560, lead_screw, every_joint),
)

_ORDER = """
    pendulum planar-pendulum cart-pole elastic-joint furuta-pendulum spatial-3r scara stanford-arm puma560 free-rigid-body
    floating-base-link branched-tree lead-screw spherical-pendulum gyroscope universal-pendulum telescope crane puck every-joint
    satellite wall-arms screw-jack swarm"""
"""That in which they are listed and checked; a mechanism without a place in it is an error."""

_BY_NAME = TREES | {made.__name__.replace("_", "-"): made for made in _MADE}

TEXTBOOK: dict[str, Make] = dict(sorted(_BY_NAME.items(), key=lambda one: _ORDER.split().index(one[0])))
"""Every textbook mechanism by name."""

PLAIN_TEXTBOOK = tuple(name for name in TEXTBOOK if name != "elastic-joint")
"""Those whose joints have no forces but damping, as much code and most formats expect."""

DEFAULT_TEXTBOOK = tuple(
    name
    for name in PLAIN_TEXTBOOK
    if name not in ("planar-pendulum", "furuta-pendulum", "scara", "stanford-arm", "puma560", "swarm")
)
"""The textbook mechanisms of a default check. The others show no fault that these do not show (docs/kill-table.md);
the faults of "swarm" show on what a default check draws."""
