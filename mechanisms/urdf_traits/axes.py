"""The axes of joints."""

from __future__ import annotations

from mechanisms.reading import Mass
from mechanisms.urdf_traits.by_hand import about_x, about_z, seen, times, turned
from mechanisms.urdf_traits.trait import AT, CARRIED, HERE, INERTIAL, Trait, file, hinge, joint, link, refused, right, robot

DIRECTION = "an axis is a direction; URDF's page asks for a unit vector, urdfdom keeps any"
DEFAULT = "URDF's page on <joint>: the default is (1, 0, 0)"
JOINT_FRAME = "URDF's page on <joint>: the axis is along the joint's frame"
NO_AXIS = "URDF's page on <joint>: fixed and floating joints do not use the axis"
NO_DIRECTION = "the zero vector has no direction"

ROOT_3 = 3**-0.5
QUARTER = "1.5707963267948966"


def axis(xyz: str, type_: str = "revolute") -> str:
    return file(f'{AT}<axis xyz="{xyz}"/>', type_=type_)


PLACED = times(about_z(0, 1), about_x(0.8, 0.6))

TRAITS: tuple[Trait, ...] = (
    right("joint without an axis", file(AT), DEFAULT, hinge(axis=(1, 0, 0))),
    right("prismatic joint without an axis", file(AT, type_="prismatic"), DEFAULT, hinge(kind="prismatic", axis=(1, 0, 0))),
    right("axis along x", axis("1 0 0"), DIRECTION, hinge(axis=(1, 0, 0))),
    right("axis along z", axis("0 0 1"), DIRECTION, hinge(axis=(0, 0, 1))),
    right("axis along −x", axis("-1 0 0"), DIRECTION, hinge(axis=(-1, 0, 0))),
    right("axis along −y", axis("0 -1 0"), DIRECTION, hinge(axis=(0, -1, 0))),
    right("axis along −z", axis("0 0 -1"), DIRECTION, hinge(axis=(0, 0, -1))),
    right("axis along −z with a negative zero", axis("-0 0 -1"), DIRECTION, hinge(axis=(0, 0, -1))),
    right("skew axis", axis("0 0.6 0.8"), DIRECTION, hinge(axis=(0, 0.6, 0.8))),
    right("skew axis with negative components", axis("0.6 0 -0.8"), DIRECTION, hinge(axis=(0.6, 0, -0.8))),
    right("axis of length 3", axis("1 -2 2"), DIRECTION, hinge(axis=(1 / 3, -2 / 3, 2 / 3))),
    right("axis with six digits", axis("0.577350 0.577350 0.577350"), DIRECTION, hinge(axis=(ROOT_3,) * 3)),
    right("axis along z of length 2.5", axis("0 0 2.5"), DIRECTION, hinge(axis=(0, 0, 1))),
    right("axis of length 0.4", axis("0 0.24 0.32"), DIRECTION, hinge(axis=(0, 0.6, 0.8))),
    right("axis of a millionth", axis("0 0 1e-6"), DIRECTION, hinge(axis=(0, 0, 1))),
    right("axis of a billion", axis("0 0 1e9"), DIRECTION, hinge(axis=(0, 0, 1))),
    right(
        "axis that is nearly along z",
        axis("1e-5 0 1"),
        DIRECTION,
        hinge(axis=(1e-5 / (1 + 1e-10) ** 0.5, 0, (1 + 1e-10) ** -0.5)),
    ),
    right("axis that is nearly zero", axis("0 0 1e-30"), DIRECTION, hinge(axis=(0, 0, 1)), may_refuse=True),
    refused("axis of zero", axis("0 0 0"), NO_DIRECTION, "<axis> is zero"),
    refused("axis of zero of a prismatic joint", axis("0 0 0", "prismatic"), NO_DIRECTION, "<axis> is zero"),
    refused("axis with two numbers", axis("0 1"), "a vector has three numbers; urdfdom refuses others", "xyz of <axis>"),
    refused("axis with a letter", axis("z 0 0"), "a letter is no number; urdfdom refuses it", "xyz of <axis>"),
    right(
        "axis without xyz",
        file(AT + "<axis/>"),
        "urdf.xsd: 1 0 0 by default; urdfdom leaves zero, so a reader may refuse it",
        hinge(axis=(1, 0, 0)),
        named="<axis>",
    ),
    right(
        "axis given as text",
        file(AT + "<axis>0 0 1</axis>"),
        "text in <axis> has no meaning, so xyz is missing: 1 0 0 by urdf.xsd, or refused",
        hinge(axis=(1, 0, 0)),
        named="<axis>",
    ),
    right(
        "second axis",
        file(AT + '<axis xyz="0 1 0"/><axis xyz="1 0 0"/>'),
        "urdf.xsd allows one; urdfdom takes the first",
        hinge(),
        may_refuse=True,
        aloud="a second <axis>",
    ),
    right(
        "axis with rpy",
        file(AT + '<axis xyz="0 1 0" rpy="1 2 3"/>'),
        "<axis> has no rpy; urdfdom ignores it",
        hinge(),
        may_refuse=True,
        aloud="'rpy' of <axis>",
    ),
    right(
        "axis in a turned frame",
        file(f'<origin xyz="0 0 1" rpy="0.6435011087932844 0 {QUARTER}"/><axis xyz="0 0 1"/>'),
        JOINT_FRAME,
        hinge(
            axis=turned(PLACED, (0, 0, 1)),
            carries=seen(Mass(2.0, (0.1, 0.2, 0.3), CARRIED.inertia), PLACED, (0, 0, 1)),
        ),
    ),
    right(
        "axis before the origin",
        file('<axis xyz="0 1 0"/>' + AT),
        "the order of elements has no meaning",
        hinge(),
    ),
    right(
        "axis of zero of a fixed joint",
        robot(
            link("base", "")
            + link("arm")
            + link("tip", "")
            + joint("hinge", "base", "arm")
            + joint("bolt", "arm", "tip", HERE + '<axis xyz="0 0 0"/>', "fixed", "")
        ),
        NO_AXIS,
        hinge(),
    ),
    right(
        "axis of zero of a floating joint",
        robot(
            link("base", "") + link("arm", INERTIAL) + joint("hinge", "base", "arm", AT + '<axis xyz="0 0 0"/>', "floating", "")
        ),
        NO_AXIS,
        hinge(kind="free", axis=()),
    ),
)
