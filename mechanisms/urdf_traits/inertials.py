"""Masses and inertias."""

from __future__ import annotations

from mechanisms.reading import Mass
from mechanisms.urdf_traits.by_hand import about_x, about_y, about_z, seen, times
from mechanisms.urdf_traits.trait import (
    CARRIED,
    INERTIA,
    INERTIAL,
    MASS,
    NO_MASS,
    Trait,
    file,
    hinge,
    joint,
    link,
    refused,
    right,
    robot,
)

NONE = "URDF's page on <link>: without <inertial> mass and inertia are zero"
AXES = "URDF's page on <link>: moments are about the centre of mass along axes that rpy turns; xyz is along the link's"
REQUIRED = "urdfdom refuses the <inertial>, and then drops it, which leaves a link without mass"
NO_BODY = "no rigid body has this; a reader that does not check inertias reads what is written"
IGNORED = "urdfdom ignores what it does not know; a reader may refuse it"
NOT_BODIES = "only <inertial> says what a link weighs"

QUARTER = "1.5707963267948966"
OBLIQUE = times(about_z(0.8, 0.6), about_y(0.8, 0.6), about_x(0.8, 0.6))


def inertial(origin: str = '<origin xyz="0.1 0.2 0.3"/>', mass: str = MASS, inertia: str = INERTIA) -> str:
    return file(inertial=f"<inertial>{origin}{mass}{inertia}</inertial>")


def moments(xx: str, yy: str, zz: str, xy: str = "0", xz: str = "0", yz: str = "0", more: str = "") -> str:
    return inertial(inertia=f'<inertia ixx="{xx}" ixy="{xy}" ixz="{xz}" iyy="{yy}" iyz="{yz}" izz="{zz}"{more}/>')


def carrying(*six: float, mass: float = 2.0) -> tuple:
    return (hinge(carries=Mass(mass, CARRIED.com, six)),)


def turned_by(R: tuple) -> tuple:
    return carrying(*seen(CARRIED, R).inertia)


def rpy(angles: str) -> str:
    return inertial(f'<origin xyz="0.1 0.2 0.3" rpy="{angles}"/>')


COLLISION = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
VISUAL = '<visual><origin xyz="5 5 5"/><geometry><mesh filename="package://nowhere/nothing.stl"/></geometry></visual>'

TRAITS: tuple[Trait, ...] = (
    right("moving link without an inertial", file(inertial=""), NONE, hinge(carries=NO_MASS)),
    right("moving link with collision and no inertial", file(inertial=COLLISION), NONE, hinge(carries=NO_MASS)),
    right(
        "inertial of zeros",
        inertial(mass='<mass value="0"/>', inertia='<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'),
        "zeros are numbers",
        hinge(carries=NO_MASS),
    ),
    right(
        "inertial without an origin",
        inertial(""),
        "urdf.xsd: 0 0 0 by default",
        hinge(carries=Mass(2.0, (0, 0, 1), CARRIED.inertia)),
    ),
    right("inertial turned by yaw", rpy(f"0 0 {QUARTER}"), AXES, *turned_by(about_z(0, 1))),
    right("inertial turned by pitch", rpy(f"0 {QUARTER} 0"), AXES, *turned_by(about_y(0, 1))),
    right("inertial turned by roll", rpy(f"{QUARTER} 0 0"), AXES, *turned_by(about_x(0, 1))),
    right(
        "inertial turned by roll and yaw", rpy(f"{QUARTER} 0 {QUARTER}"), AXES, *turned_by(times(about_z(0, 1), about_x(0, 1)))
    ),
    right("inertial turned obliquely", rpy("0.6435011087932844 " * 3), AXES, *turned_by(OBLIQUE)),
    right("inertial turned beyond a half turn", rpy("0 0 4.71238898038469"), AXES, *turned_by(about_z(0, -1))),
    right(
        "order within an inertial",
        file(inertial=f'<inertial>{INERTIA}{MASS}<origin rpy="0 0 {QUARTER}" xyz="0.1 0.2 0.3"/></inertial>'),
        "the order of elements has no meaning",
        *turned_by(about_z(0, 1)),
    ),
    right("diagonal inertia", moments("0.5", "0.6", "0.7"), AXES, *carrying(0.5, 0.6, 0.7, 0, 0, 0)),
    right(
        "large products of inertia",
        moments("0.5", "0.6", "0.7", "-0.2", "0.1", "0.15"),
        "ixy is the entry of the matrix, −∫ x y dm",
        *carrying(0.5, 0.6, 0.7, -0.2, 0.1, 0.15),
    ),
    right("point mass", moments("0", "0", "0"), "a point mass is a body", *carrying(0, 0, 0, 0, 0, 0)),
    right("thin rod", moments("0", "0.5", "0.5"), "0 + 0.5 = 0.5: a rod along x is a body", *carrying(0, 0.5, 0.5, 0, 0, 0)),
    right(
        "flat plate", moments("0.25", "0.5", "0.75"), "0.25 + 0.5 = 0.75: a plate is a body", *carrying(0.25, 0.5, 0.75, 0, 0, 0)
    ),
    right(
        "flat plate, turned obliquely",
        file(
            inertial='<inertial><origin xyz="0.1 0.2 0.3" rpy="0.6435011087932844 0.6435011087932844 0.6435011087932844"/>'
            + MASS
            + '<inertia ixx="0.25" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="0.75"/></inertial>'
        ),
        "a plate is a body; rounding must not make it impossible",
        *carrying(*seen(Mass(2.0, CARRIED.com, (0.25, 0.5, 0.75, 0, 0, 0)), OBLIQUE).inertia),
    ),
    right(
        "centre of mass a kilometre away",
        inertial('<origin xyz="0 0 1000"/>'),
        "a distance is any number",
        hinge(carries=Mass(2.0, (0, 0, 1001), CARRIED.inertia)),
    ),
    right(
        "inertia without mass",
        inertial(mass='<mass value="0"/>'),
        NO_BODY,
        *carrying(*CARRIED.inertia, mass=0.0),
        named="body 'arm'",
    ),
    right("impossible inertia", moments("0.1", "0.1", "0.7"), NO_BODY, *carrying(0.1, 0.1, 0.7, 0, 0, 0), named="body 'arm'"),
    right(
        "negative moment of inertia", moments("-0.5", "0.6", "0.7"), NO_BODY, *carrying(-0.5, 0.6, 0.7, 0, 0, 0), named="'arm'"
    ),
    right(
        "products too large for the moments",
        moments("0.5", "0.6", "0.7", "0.9"),
        NO_BODY,
        *carrying(0.5, 0.6, 0.7, 0.9, 0, 0),
        named="body 'arm'",
    ),
    right(
        "negative mass",
        inertial(mass='<mass value="-2"/>'),
        "no body weighs less than nothing; a reader that does not check reads what is written",
        *carrying(*CARRIED.inertia, mass=-2.0),
        named="link 'arm'",
    ),
    right(
        "inertia given with iyx, too",
        moments("0.5", "0.6", "0.7", "0.01", "0.02", "0.03", ' iyx="9"'),
        "the matrix is symmetric, and iyx is unknown; " + IGNORED,
        hinge(),
        may_refuse=True,
        aloud="'iyx' of <inertia>",
    ),
    refused("inertial without mass", inertial(mass=""), REQUIRED, "link 'arm': <inertial> lacks <mass>"),
    refused("inertial without inertia", inertial(inertia=""), REQUIRED, "<inertial> lacks <mass> or <inertia>"),
    refused("mass without a value", inertial(mass="<mass/>"), REQUIRED, "<mass>"),
    refused("mass as text", inertial(mass="<mass>2</mass>"), REQUIRED, "<mass>"),
    refused("mass with a misspelt value", inertial(mass='<mass vlaue="2"/>'), REQUIRED, "<mass>"),
    right(
        "inertia without ixy",
        file().replace(' ixy="0.01"', ""),
        "urdf.xsd: 0 by default; urdfdom refuses the <inertial>, so a reader may",
        *carrying(0.5, 0.6, 0.7, 0, 0.02, 0.03),
        named="ixy",
    ),
    right(
        "inertia without izz",
        file().replace(' izz="0.7"', ""),
        "urdf.xsd: 0 by default; urdfdom refuses the <inertial>, so a reader may",
        *carrying(0.5, 0.6, 0, 0.01, 0.02, 0.03),
        named="izz",
    ),
    right(
        "second inertial",
        file(inertial=INERTIAL + INERTIAL.replace('"2"', '"9"')),
        "urdf.xsd allows one; urdfdom takes the first",
        hinge(),
        may_refuse=True,
        aloud="a second <inertial>",
    ),
    right(
        "second mass",
        inertial(mass=MASS + '<mass value="9"/>'),
        "urdf.xsd allows one; urdfdom takes the first",
        hinge(),
        may_refuse=True,
        aloud="a second <mass>",
    ),
    right(
        "mass with units",
        inertial(mass='<mass value="2" units="g"/>'),
        IGNORED,
        hinge(),
        may_refuse=True,
        aloud="'units' of <mass>",
    ),
    right(
        "inertial inside of a joint",
        file(inertial="").replace("</joint>", f"{INERTIAL}</joint>"),
        "a joint has no inertia; " + IGNORED,
        hinge(carries=NO_MASS),
        may_refuse=True,
        aloud="<inertial> is ignored",
    ),
    right("inertial beside collision", file(inertial=COLLISION + INERTIAL + VISUAL), NOT_BODIES, hinge()),
    right(
        "mass inside of collision",
        file(inertial=COLLISION.replace("<geometry>", '<mass value="9"/><density value="9"/><geometry>') + INERTIAL),
        NOT_BODIES,
        hinge(),
    ),
    right(
        "inertial inside of visual",
        file(inertial=VISUAL.replace("<geometry>", INERTIAL.replace('"2"', '"9"') + "<geometry>") + INERTIAL),
        NOT_BODIES,
        hinge(),
    ),
    right(
        "inertial of the root",
        robot(link("base") + link("arm") + joint("hinge", "base", "arm")),
        "the root does not move, so its mass enters no motion",
        hinge(),
    ),
)
