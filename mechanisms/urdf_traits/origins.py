"""Where joints are, and how they are turned."""

from __future__ import annotations

import math

from mechanisms.reading import Mass, Numbers
from mechanisms.urdf_traits.by_hand import ONE, Rows, about_x, about_y, about_z, seen, times, turned
from mechanisms.urdf_traits.trait import AT, AXIS, CARRIED, INERTIA, MASS, Trait, file, hinge, refused, right

ARM = Mass(2.0, (0.1, 0.2, 0.3), CARRIED.inertia)
"""The arm, seen from its own link."""

QUARTER = "1.5707963267948966"
THREE_FOUR = "0.6435011087932844"
"""The angle whose cosine is 0.8 and whose sine is 0.6."""

DEFAULTS = "urdf.xsd: xyz and rpy of a pose are 0 0 0 by default"
FIXED_AXES = "URDF's page on <joint>: rpy turns about the fixed axes x, y, z in this order, so R = Rz Ry Rx"
FIRST_1_1 = "quat_xyzw came with version 1.1 (urdfdom 5.1, pose.cpp)"
BOTH = "urdfdom refuses an origin with rpy and quat_xyzw"
UNIT = "urdfdom makes the quaternion's length one"
IGNORED = "urdfdom ignores what it does not know; a reader may refuse it"


def at(attributes: str, /, **others: str) -> str:
    return file(f"<origin {attributes}/>{AXIS}", **others)


def placed(R: Rows = ONE, p: Numbers = (0, 0, 1)) -> Mass:
    return seen(ARM, R, p)


def turned_hinge(R: Rows, p: Numbers = (0, 0, 1)) -> tuple:
    return (hinge(origin=p, axis=turned(R, (0, 1, 0)), carries=placed(R, p)),)


def rpy(angles: str, R: Rows, name: str, why: str = FIXED_AXES) -> Trait:
    return right(name, at(f'xyz="0 0 1" rpy="{angles}"'), why, *turned_hinge(R))


def quaternion(text: str, version: str = "1.2", more: str = "") -> str:
    return at(f'xyz="0 0 1" quat_xyzw="{text}"{more}', attributes=f' version="{version}"' if version else "")


HALF = about_z(0.28, 0.96)
"""The quaternion 0 0 0.6 0.8: the cosine is 0.8² − 0.6², the sine 2 · 0.6 · 0.8."""

OBLIQUE = times(about_z(0.8, 0.6), about_y(0.8, 0.6), about_x(0.8, 0.6))

TRAITS: tuple[Trait, ...] = (
    right("joint without an origin", file(AXIS), DEFAULTS, *turned_hinge(ONE, (0, 0, 0))),
    right("origin without attributes", file("<origin/>" + AXIS), DEFAULTS, *turned_hinge(ONE, (0, 0, 0))),
    right("origin without rpy", at('xyz="1 2 3"'), DEFAULTS, *turned_hinge(ONE, (1, 2, 3))),
    right("origin without xyz", at(f'rpy="0 0 {QUARTER}"'), DEFAULTS, *turned_hinge(about_z(0, 1), (0, 0, 0))),
    rpy(f"{QUARTER} 0 0", about_x(0, 1), "roll of a quarter turn"),
    rpy(f"0 {QUARTER} 0", about_y(0, 1), "pitch of a quarter turn"),
    rpy(f"0 -{QUARTER} 0", about_y(0, -1), "pitch of a negative quarter turn"),
    rpy(f"0 0 {QUARTER}", about_z(0, 1), "yaw of a quarter turn"),
    rpy(f"{QUARTER} {QUARTER} 0", times(about_y(0, 1), about_x(0, 1)), "roll and pitch of quarter turns"),
    rpy(f"0 {QUARTER} {QUARTER}", times(about_z(0, 1), about_y(0, 1)), "pitch and yaw of quarter turns"),
    rpy(f"{QUARTER} 0 {QUARTER}", times(about_z(0, 1), about_x(0, 1)), "roll and yaw of quarter turns"),
    rpy(f"{THREE_FOUR} {THREE_FOUR} {THREE_FOUR}", OBLIQUE, "roll, pitch and yaw"),
    rpy(f"-{THREE_FOUR} 0 0", about_x(0.8, -0.6), "negative roll"),
    rpy("3.141592653589793 0 0", about_x(-1, 0), "roll of a half turn"),
    rpy("0 0 4.71238898038469", about_z(0, -1), "yaw beyond a half turn", "an angle is any number (rad)"),
    rpy("0 3.7850937623830774 0", about_y(-0.8, -0.6), "pitch beyond a half turn", "an angle is any number (rad)"),
    rpy("0 0 90", about_z(math.cos(90), math.sin(90)), "yaw of 90", "angles are in radians, also where degrees seem to be meant"),
    rpy("0 0 -1000", about_z(math.cos(1000), -math.sin(1000)), "yaw of many turns", "an angle is any number (rad)"),
    rpy("1e-7 0 0", about_x(math.cos(1e-7), math.sin(1e-7)), "tiny roll", "a small angle is an angle"),
    right("origin a million metres away", at('xyz="0 0 1e6"'), "a distance is any number", *turned_hinge(ONE, (0, 0, 1e6))),
    right("origin a nanometre away", at('xyz="0 0 1e-9"'), "a distance is any number", *turned_hinge(ONE, (0, 0, 1e-9))),
    right(
        "second origin",
        file(AT + '<origin xyz="5 5 5"/>' + AXIS),
        "urdf.xsd allows one; urdfdom takes the first",
        hinge(),
        may_refuse=True,
        aloud="a second <origin>",
    ),
    right("origin with units", at('xyz="0 0 1" units="mm"'), IGNORED, hinge(), may_refuse=True, aloud="'units' of <origin>"),
    right(
        "origin with capital letters",
        file('<Origin xyz="5 5 5"/>' + AT + AXIS),
        "XML tells capital letters apart; " + IGNORED,
        hinge(),
        may_refuse=True,
        aloud="<Origin>",
    ),
    right(
        "rpy with capital letters", at('xyz="0 0 1" RPY="1 1 1"'), IGNORED, hinge(), may_refuse=True, aloud="'RPY' of <origin>"
    ),
    right(
        "origin of a link",
        file().replace('<link name="arm">', '<link name="arm"><origin xyz="5 5 5"/>'),
        "a link has no origin of its own; " + IGNORED,
        hinge(),
        may_refuse=True,
        aloud="<origin> is ignored",
    ),
    right("quaternion in version 1.1", quaternion("0 0 0.6 0.8", "1.1"), FIRST_1_1, *turned_hinge(HALF)),
    right("quaternion in version 1.2", quaternion("0 0 0.6 0.8"), FIRST_1_1, *turned_hinge(HALF)),
    right("quaternion with the opposite sign", quaternion("0 0 -0.6 -0.8"), "q and −q are one rotation", *turned_hinge(HALF)),
    right("quaternion of another length", quaternion("0 0 3 4"), UNIT, *turned_hinge(HALF)),
    right("quaternion about x", quaternion("0.6 0 0 0.8"), "the order is x y z w", *turned_hinge(about_x(0.28, 0.96))),
    right(
        "quaternion without a version",
        quaternion("0 0 0.6 0.8", ""),
        FIRST_1_1 + "; without a version the file is of version 1.0, and urdfdom ignores it with a warning",
        hinge(),
        may_refuse=True,
        aloud="'quat_xyzw' of <origin>",
    ),
    right(
        "quaternion in version 1.0",
        quaternion("0 0 0.6 0.8", "1.0", f' rpy="0 0 {QUARTER}"'),
        FIRST_1_1 + "; urdfdom ignores it with a warning, and takes rpy",
        *turned_hinge(about_z(0, 1)),
        may_refuse=True,
        aloud="'quat_xyzw' of <origin>",
    ),
    right(
        "quaternion of an inertia",
        file(
            inertial=f'<inertial><origin xyz="0.1 0.2 0.3" quat_xyzw="0 0 1 1"/>{MASS}{INERTIA}</inertial>',
            attributes=' version="1.1"',
        ),
        FIRST_1_1,
        hinge(carries=Mass(2.0, CARRIED.com, seen(ARM, about_z(0, 1)).inertia)),
    ),
    refused("quaternion and rpy", quaternion("0 0 0.6 0.8", more=' rpy="0 0 0"'), BOTH, "rpy and quat_xyzw"),
    refused("quaternion of zero", quaternion("0 0 0 0"), "no rotation; urdfdom takes none in silence", "quat_xyzw of <origin>"),
    refused("quaternion of three numbers", quaternion("0 0 1"), "a quaternion has four numbers", "quat_xyzw of <origin>"),
    refused("quaternion of five numbers", quaternion("0 0 0 1 0"), "a quaternion has four numbers", "quat_xyzw of <origin>"),
    refused("quaternion with nan", quaternion("0 0 nan 1"), "nan is no number", "quat_xyzw of <origin>"),
)
