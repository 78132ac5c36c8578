"""How numbers are written."""

from __future__ import annotations

from mechanisms.reading import Mass
from mechanisms.urdf_traits.trait import AT, AXIS, CARRIED, INERTIA, MASS, Trait, file, hinge, refused, right

DOUBLE = "the schema of URDF (urdf.xsd) types the value as xs:double, which "
COLLAPSED = DOUBLE + "collapses white space around the number"
SEPARATED = "XML 1.0, 3.3.3: a parser gives every tab and line end in an attribute as a space"
NO_DOUBLE = DOUBLE + "has no such number; urdfdom refuses it"
THREE = "a vector has three numbers; urdfdom refuses others"


def mass(text: str) -> str:
    return file(inertial=f'<inertial><origin xyz="0.1 0.2 0.3"/><mass value="{text}"/>{INERTIA}</inertial>')


def place(xyz: str) -> str:
    return file(f'<origin xyz="{xyz}"/>{AXIS}')


def scaled(factor: float) -> Mass:
    """The arm with so many times its mass and inertia."""
    return Mass(CARRIED.mass * factor, CARRIED.com, tuple(x * factor for x in CARRIED.inertia))


SCALED = '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2{0}"/>' + (
    '<inertia ixx="0.5{0}" ixy="0.01{0}" ixz="0.02{0}" iyy="0.6{0}" iyz="0.03{0}" izz="0.7{0}"/></inertial>'
)

WRITTEN = {
    "an exponent": "0.2e1",
    "an exponent with a capital E": "20E-1",
    "an exponent with a sign and zeros": "2e+00",
    "a plus sign": "+2",
    "no digit behind the point": "2.",
    "leading zeros": "002.0",
    "forty digits": "2.000000000000000000000000000000000000001",
    "a character reference": "&#50;",
}

NO_NUMBERS = {
    "nan": "nan",
    "infinity": "inf",
    "a number beyond float64": "1e999",
    "hexadecimal digits": "0x2",
    "a decimal comma": "2,5",
    "an underscore between digits": "2_0",
    "a unit": "2kg",
    "a word": "two",
    "a fraction": "4/2",
    "Fortran's exponent": "2d0",
    "an exponent without digits": "2e",
    "Arabic digits": "\u0662",
    "the minus sign of typography": "\u22122",
    "a property of xacro": "${mass}",
    "nothing": "",
}

TRAITS: tuple[Trait, ...] = (
    *(right(f"mass with {what}", mass(text), DOUBLE + "allows this", hinge()) for what, text in WRITTEN.items()),
    right("mass between spaces", mass(" 2 "), COLLAPSED, hinge()),
    right("moment of inertia behind a space", file().replace('ixx="0.5"', 'ixx="0.5 "'), COLLAPSED, hinge()),
    *(refused(f"mass with {what}", mass(text), NO_DOUBLE, "mass") for what, text in NO_NUMBERS.items()),
    right("origin with numbers without a leading digit", place("0 .0 +.1e1"), DOUBLE + "allows this", hinge()),
    right("origin with negative zeros", place("-0 -0.0 1"), "-0 equals 0", hinge()),
    right("origin with several spaces", place("0   0  1"), "urdfdom skips empty words between numbers", hinge()),
    right("origin with spaces around", place(" 0 0 1 "), "urdfdom skips empty words around numbers", hinge()),
    right("origin with tabs", place("0\t0\t1"), SEPARATED, hinge()),
    right("origin with line ends", place("0\n      0\n      1"), SEPARATED, hinge()),
    right("origin with line ends of Windows", place("0\r\n0\r\n1"), SEPARATED, hinge()),
    right(
        "origin with referenced tabs",
        place("0&#9;0&#9;1"),
        "a referenced tab stays a tab (XML 1.0, 3.3.3); urdfdom separates by spaces alone, so a reader may refuse it",
        hinge(),
        may_refuse=True,
    ),
    right(
        "axis with tabs and line ends",
        file(AT + '<axis xyz="\n\t0\n\t1\n\t0"/>'),
        SEPARATED,
        hinge(),
    ),
    right(
        "origin of an inertia with line ends",
        file().replace("0.1 0.2 0.3", "0.1\n0.2\n0.3"),
        SEPARATED,
        hinge(),
    ),
    right(
        "origin with a number below float64's normal range",
        place("1e-320 0 1"),
        "the number is zero but for float64's spacing; urdfdom reads it so or refuses it",
        hinge(),
        may_refuse=True,
    ),
    refused("origin with two numbers", place("0 1"), THREE, "xyz of <origin>"),
    refused("origin with four numbers", place("0 0 1 0"), THREE, "xyz of <origin>"),
    refused("origin with no number", place(""), THREE, "<origin>"),
    refused("origin with commas", place("0,0,1"), THREE, "xyz of <origin>"),
    refused("origin with commas and spaces", place("0, 0, 1"), NO_DOUBLE, "xyz of <origin>"),
    refused("origin with an expression of xacro", place("0 0 ${height}"), NO_DOUBLE, "xyz of <origin>"),
    refused("origin with nan", place("0 0 nan"), NO_DOUBLE, "xyz of <origin>"),
    refused("axis with infinity", file(AT + '<axis xyz="0 inf 0"/>'), NO_DOUBLE, "xyz of <axis>"),
    refused("damping with a word", file(AT + AXIS + '<dynamics damping="low"/>'), NO_DOUBLE, "damping"),
    right("huge mass and inertia", file(inertial=SCALED.format("e30")), DOUBLE + "reaches to 1e308", hinge(carries=scaled(1e30))),
    right(
        "tiny mass and inertia", file(inertial=SCALED.format("e-30")), DOUBLE + "reaches to 1e-308", hinge(carries=scaled(1e-30))
    ),
    right(
        "mass of a gram",
        file(inertial=SCALED.format("e-3")),
        "small numbers are numbers; some readers put a least mass in their place",
        hinge(carries=scaled(1e-3)),
    ),
    right(
        "mass of thirty-one digits",
        file(inertial=SCALED.replace("2{0}", "2" + "0" * 30, 1).format("e30")),
        DOUBLE + "may have any number of digits",
        hinge(carries=scaled(1e30)),
    ),
    right("text inside of mass", file().replace(MASS, '<mass value="2">2</mass>'), "text in <mass> has no meaning", hinge()),
)
