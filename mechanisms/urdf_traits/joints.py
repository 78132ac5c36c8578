"""Kinds of joints, and what belongs to them."""

from __future__ import annotations

from mechanisms.reading import Mass, Mimic, ReadJoint
from mechanisms.urdf_traits.by_hand import about_z, seen
from mechanisms.urdf_traits.trait import AT, AXIS, CARRIED, HERE, LIMIT, Trait, file, hinge, joint, link, refused, right, robot

PLANE = "URDF's page on <joint>: the axis is the normal of the plane"
LIMITS = "limits do not enter the equations of motion"
NEEDED = "URDF's page on <joint>: revolute and prismatic joints need <limit> with effort and velocity; " + LIMITS
ANGLE = "a continuous joint turns about its axis without bounds"
DAMPING = "URDF's page on <joint>: damping is N m s/rad or N s/m"
KINDS = "URDF has revolute, continuous, prismatic, fixed, floating and planar joints; urdfdom refuses others"
ENDS = "URDF's page on <joint>: parent and child are required; urdfdom refuses a joint without them"
MIMIC = "URDF's page on <joint>: the position is multiplier · (that of the other joint) + offset; 1 and 0 by default"
IGNORED = "urdfdom ignores what it does not know; a reader may refuse it"


def kind(type_: str, limit: str = "", inside: str = AT + AXIS) -> str:
    return file(inside, type_=type_, limit=limit)


def limits(attributes: str, type_: str = "revolute") -> str:
    return kind(type_, f"<limit {attributes}/>")


def dynamics(attributes: str, type_: str = "revolute") -> str:
    return kind(type_, LIMIT, f"{AT}{AXIS}<dynamics {attributes}/>")


def mimicking(attributes: str, second: str = "revolute") -> str:
    follower = HERE + AXIS + f"<mimic {attributes}/>"
    links = link("base", "") + link("arm") + link("finger")
    return robot(links + joint("hinge", "base", "arm") + joint("knuckle", "base", "finger", follower, second))


def pair(**mimic: float) -> tuple[ReadJoint, ...]:
    """The hinge, and the joint at the base's origin that follows it."""
    finger = Mass(2.0, (0.1, 0.2, 0.3), CARRIED.inertia)
    said = Mimic("hinge", mimic.get("multiplier", 1.0), mimic.get("offset", 0.0))
    return hinge(), hinge("knuckle", origin=(0, 0, 0), carries=finger, mimic=said)


INNER = robot(
    link("base", "")
    + link("arm")
    + link("tip")
    + joint("hinge", "base", "arm")
    + joint("float", "arm", "tip", '<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>', "floating", "")
)

TRAITS: tuple[Trait, ...] = (
    right("continuous joint", kind("continuous"), ANGLE, hinge()),
    right("continuous joint with limits", kind("continuous", LIMIT), ANGLE, hinge()),
    right("prismatic joint", kind("prismatic", LIMIT), "it slides along its axis", hinge(kind="prismatic")),
    right("floating joint", kind("floating", "", AT), "it moves freely", hinge(kind="free", axis=())),
    right(
        "floating joint behind another",
        INNER,
        "it moves freely",
        hinge(),
        *(
            hinge(
                "float",
                "free",
                "hinge",
                (0, 0, 2),
                (),
                seen(Mass(2.0, (0.1, 0.2, 0.3), CARRIED.inertia), about_z(0, 1), (0, 0, 2)),
            ),
        ),
    ),
    right("planar joint along z", kind("planar", "", AT + '<axis xyz="0 0 1"/>'), PLANE, hinge(kind="planar", axis=(0, 0, 1))),
    right("planar joint along y", kind("planar", "", AT + AXIS), PLANE, hinge(kind="planar")),
    right("planar joint along −z", kind("planar", "", AT + '<axis xyz="0 0 -1"/>'), PLANE, hinge(kind="planar", axis=(0, 0, -1))),
    right("planar joint, skew", kind("planar", "", AT + '<axis xyz="0 3 4"/>'), PLANE, hinge(kind="planar", axis=(0, 0.6, 0.8))),
    right(
        "planar joint without an axis",
        kind("planar", "", AT),
        PLANE + ", (1, 0, 0) by default",
        hinge(kind="planar", axis=(1, 0, 0)),
    ),
    right("revolute joint without a limit", kind("revolute"), NEEDED, hinge(), may_refuse=True),
    right("prismatic joint without a limit", kind("prismatic"), NEEDED, hinge(kind="prismatic"), may_refuse=True),
    right("limit without effort", limits('lower="-1" upper="1" velocity="1"'), NEEDED, hinge(), may_refuse=True),
    right("limit without velocity", limits('lower="-1" upper="1" effort="1"'), NEEDED, hinge(), may_refuse=True),
    right("limit without lower and upper", limits('effort="1" velocity="1"'), "urdf.xsd: 0 by default; " + LIMITS, hinge()),
    right("limits in the wrong order", limits('lower="1" upper="-1" effort="1" velocity="1"'), LIMITS, hinge(), may_refuse=True),
    right("limits without zero", limits('lower="1" upper="2" effort="1" velocity="1"'), LIMITS, hinge()),
    right("limits that are equal", limits('lower="1" upper="1" effort="1" velocity="1"'), LIMITS, hinge()),
    right("limits of zero", limits('lower="0" upper="0" effort="0" velocity="0"'), LIMITS, hinge()),
    right(
        "limits that are infinite", limits('lower="-inf" upper="inf" effort="inf" velocity="1"'), LIMITS, hinge(), may_refuse=True
    ),
    right("limit that is a word", limits('lower="-1" upper="1" effort="strong" velocity="1"'), LIMITS, hinge(), may_refuse=True),
    right(
        "limit of acceleration in version 1.2",
        file(limit=LIMIT.replace("/>", ' acceleration="1" jerk="1"/>'), attributes=' version="1.2"'),
        "urdfdom 6.0, joint.cpp: version 1.2 has them; " + LIMITS,
        hinge(),
    ),
    right(
        "limit without lower and upper in version 1.2",
        file(limit='<limit effort="1" velocity="1"/>', attributes=' version="1.2"'),
        "urdfdom 6.0, joint.cpp: version 1.2 requires them; " + LIMITS,
        hinge(),
        may_refuse=True,
    ),
    right(
        "damping within the limit",
        limits('lower="-1" upper="1" effort="1" velocity="1" damping="5"'),
        "damping belongs to <dynamics>; " + IGNORED,
        hinge(),
        may_refuse=True,
        aloud="'damping' of <limit>",
    ),
    right("damping", dynamics('damping="0.7"'), DAMPING, hinge(damping=0.7)),
    right("damping of a prismatic joint", dynamics('damping="0.7"', "prismatic"), DAMPING, hinge(kind="prismatic", damping=0.7)),
    right("damping of a continuous joint", dynamics('damping="0.7"', "continuous"), DAMPING, hinge(damping=0.7)),
    right(
        "friction",
        dynamics('friction="0.7"'),
        "friction is Coulomb's, and no damping",
        hinge(),
        aloud="'friction' of <dynamics>",
    ),
    right("friction beside damping", dynamics('damping="0.7" friction="3"'), DAMPING, hinge(damping=0.7), aloud="'friction'"),
    right(
        "second dynamics",
        dynamics('damping="0.7"/><dynamics damping="3"'),
        "urdfdom takes the first",
        hinge(damping=0.7),
        may_refuse=True,
        aloud="a second <dynamics>",
    ),
    right("dynamics without attributes", dynamics(""), "urdf.xsd: 0 by default; urdfdom refuses it", hinge(), may_refuse=True),
    right(
        "negative damping",
        dynamics('damping="-0.7"'),
        "damping must not drive; a reader that does not check reads what is written",
        hinge(damping=-0.7),
        named="damping of joint 'hinge'",
    ),
    right(
        "damping of a floating joint",
        file(AT + '<dynamics damping="0.7"/>', type_="floating", limit=""),
        "no page says which of the six velocities is damped",
        hinge(kind="free", axis=()),
        named="joint 'hinge' is free and has damping",
    ),
    right("spring", dynamics('damping="0" stiffness="9"'), IGNORED, hinge(), may_refuse=True, aloud="'stiffness' of <dynamics>"),
    right(
        "spring as an element", file(f"{AT}{AXIS}<spring stiffness='9'/>"), IGNORED, hinge(), may_refuse=True, aloud="<spring>"
    ),
    right(
        "calibration and safety controller",
        file(
            AT
            + AXIS
            + '<calibration rising="0.3"/><safety_controller k_velocity="10" soft_lower_limit="-1" soft_upper_limit="1"/>'
        ),
        LIMITS,
        hinge(),
    ),
    right(
        "mimic",
        mimicking('joint="hinge" multiplier="-2" offset="0.25"'),
        MIMIC,
        *pair(multiplier=-2.0, offset=0.25),
        may_refuse=False,
    ),
    right("mimic without multiplier and offset", mimicking('joint="hinge"'), MIMIC, *pair(), may_refuse=False),
    right("mimic of a fixed joint", mimicking('joint="hinge"', "fixed"), "a fixed joint does not move", hinge()),
    refused("mimic of an unknown joint", mimicking('joint="elbow"'), MIMIC, "joint 'knuckle'"),
    refused("mimic of itself", mimicking('joint="knuckle"'), MIMIC, "'knuckle'"),
    refused("mimic without a joint", mimicking('multiplier="2"'), "the joint is required; urdfdom refuses it", "joint 'knuckle'"),
    refused("joint of type ball", kind("ball"), KINDS, "type 'ball'"),
    refused("joint of type spherical", kind("spherical"), KINDS, "type 'spherical'"),
    refused("joint of type screw", kind("screw"), KINDS, "type 'screw'"),
    refused("joint of type Revolute", kind("Revolute"), KINDS, "type 'Revolute'"),
    refused(
        "joint without a type", file().replace(' type="revolute"', ""), KINDS, "joint 'hinge': <joint> lacks the attribute 'type'"
    ),
    refused("joint without a parent", file().replace('<parent link="base"/>', ""), ENDS, "joint 'hinge': it has no <parent>"),
    refused("joint without a child", file().replace('<child link="arm"/>', ""), ENDS, "joint 'hinge': it has no <child>"),
    refused("parent without a link", file().replace('parent link="base"', "parent"), ENDS, "<parent> lacks the attribute 'link'"),
    refused("parent that is no link", file().replace('parent link="base"', 'parent link="bass"'), ENDS, "its parent 'bass'"),
    refused("child that is no link", file().replace('child link="arm"', 'child link="farm"'), ENDS, "its child 'farm'"),
    right(
        "second parent element",
        file().replace('<parent link="base"/>', '<parent link="base"/><parent link="arm"/>'),
        "urdf.xsd allows one; urdfdom takes the first",
        hinge(),
        may_refuse=True,
        aloud="a second <parent>",
    ),
)
