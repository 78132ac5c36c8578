"""Files with the defects of public reports, of which one warning each is due, and files that are right and odd, of which none is.

Only numbers are those of the reports; the files are our own.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from test_lint import told

Three = tuple[float, float, float]


def link(name: str, mass: float, moments: Three, com: str = "0 0 0", shapes: str = "", products: str = "0 0 0") -> str:
    xx, yy, zz = moments
    xy, xz, yz = products.split()
    inertia = f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/>'
    return f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>{inertia}</inertial>{shapes}</link>'


def box(size: str, at: str = "0 0 0") -> str:
    return f'<visual><origin xyz="{at}"/><geometry><box size="{size}"/></geometry></visual>'


def solid(mass: float, size: str) -> Three:
    """The moments of a homogeneous box."""
    x, y, z = (float(side) ** 2 * mass / 12 for side in size.split())
    return y + z, x + z, x + y


def rod(name: str, mass: float, length: float, side: float = 0.05) -> str:
    """A box that hangs from its joint."""
    size, middle = f"{side} {side} {length}", f"0 0 {-length / 2}"
    return link(name, mass, solid(mass, size), middle, box(size, middle))


def chain(*links: str, away: str = "0 0 -0.4", limit: str = 'lower="-3" upper="3"', axis: str = "0 1 0") -> str:
    """A robot of links that turn on one another; their names are a, b, c, …"""
    joints = [
        f'<joint name="j{k}" type="revolute"><parent link="{a}"/><child link="{b}"/><origin xyz="{away}"/><axis xyz="{axis}"/>'
        f"<limit {limit}/></joint>"
        for k, (a, b) in enumerate(zip("abcdef", "bcdef"[: len(links) - 1], strict=False))
    ]
    return '<robot name="robot">\n' + "\n".join([*links, *joints]) + "</robot>"


def mjcf(bodies: str, compiler: str = "") -> str:
    return f"<mujoco>{compiler}<worldbody>{bodies}</worldbody></mujoco>"


def hinges(*ranges: str) -> str:
    shape = '<geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.03"/>'
    each = (f'<body pos="0 {k} 0"><joint name="h{k}" range="{ends}"/>{shape}</body>' for k, ends in enumerate(ranges))
    return "".join(each)


A, B = rod("a", 1.2, 0.4), rod("b", 1.2, 0.4)

REPORTED = {
    "dev_robot_control_sdk#30, four hips": (
        chain(A, link("b", 0.526649872, (-0.0012073, -0.0011993, 0.00033), shapes=box("0.08 0.08 0.08"))),
        "impossible",
    ),
    "rm_models#6, a decimal point": (
        chain(A, link("b", 1.559, (2661.9e-6, 2302.5e-6, 1676359e-6), products="-31.029e-6 9.34e-6 151.466e-6")),
        "impossible",
    ),
    "robot_descriptions#29, a matrix read by rows": (
        chain(link("a", 51.3211, (16616.493, -2240.0581, 0), products="-2240.0581 0 16616.324"), B),
        "impossible",
    ),
    "mujoco_menagerie#231, a base of 60 kg": (
        mjcf(
            '<body><joint/><inertial pos="0 0 0" mass="60" diaginertia="1e-3 1e-3 1e-3"/>'
            '<geom type="box" size="0.25 0.27 0.1"/></body>'
        ),
        "too_small",
    ),
    "turtlebot_arm#20, a gripper": (chain(A, link("b", 0.1, (1, 1, 1), shapes=box("0.05 0.05 0.1"))), "placeholder"),
    "drcsim#36, a palm": (chain(A, link("b", 0.1, (0.01, 0.01, 0.01), shapes=box("0.1 0.1 0.05"))), "too_large"),
    "jaka_ros2#15, Link2": (
        chain(A, link("b", 7.293, (0.014, 2.9544, 2.9595), "0.0215 0 -0.135", box("0.5 0.15 0.3", "0.2 0 -0.1"))),
        "too_large",
    ),
    "Fusion360#18, the root's centre of mass": (
        chain(link("a", 1, solid(1, "0.2 0.1 0.2"), "0 -0.041 0", box("0.2 0.1 0.2", "0 0.05 0")), B),
        "outside",
    ),
    "phobos#37, degrees": (chain(A, B, limit='lower="0" upper="90"'), "degrees"),
    "sdformat#1275, ends exchanged": (chain(A, B, limit='lower="1.2" upper="-1.2"'), "range"),
    "gz-physics#1003, radians in MJCF": (mjcf(hinges("-0.863 0.863", "-0.686 4.501", "-2.818 -0.888")), "degrees"),
    "allegro_hand_ros, a palm": (
        chain(link("a", 0.4154, (1e-4, 1e-4, 1e-4), "0 0 0.0475", box("0.04 0.11 0.095", "0 0 -0.0475")), B, away="0 0 -0.01"),
        "outside",
    ),
}


@pytest.mark.parametrize("report", REPORTED)
def test_defects_of_public_reports_are_told(report: str, tmp_path: Path) -> None:
    text, rule = REPORTED[report]
    assert {one.rule for one in told(text, tmp_path, "robot.xml")} == {rule}


DRUM = link("b", 2, (0.0113, 0.02, 0.0113), shapes='<visual><geometry><sphere radius="0.2"/></geometry></visual>')

ENDS = box("0.05 0.05 0.05", "0 0 0.175") + box("0.05 0.05 0.05", "0 0 -0.175")

LARGE = rod("left_claw", 3, 0.6, 0.1), rod("right_claw", 0.5, 0.2)

ODD = {
    "a body of tungsten": chain(A, link("b", 19.3, solid(19.3, "0.1 0.1 0.1"), shapes=box("0.1 0.1 0.1"))),
    "a winch": chain(A, DRUM, limit='lower="-178" upper="178"'),
    "a lead screw of forty turns": chain(A, DRUM, limit='lower="0" upper="251.327"'),
    "a crane with a load": chain(A, B, rod("c", 1.2, 0.4), link("d", 40, solid(40, "0.2 0.2 0.2"), shapes=box("0.2 0.2 0.2"))),
    "bars of steel": chain(*(rod(name, 7.85, 0.4) for name in "abcd")),
    "a flexure": mjcf(hinges("-2 2", "-3 3", "-1.5 1.5", "-5 5")),
    "a propeller without shapes": chain(
        A.replace(box("0.05 0.05 0.4", "0 0 -0.2"), ""), link("b", 0.2, (0.02, 0.0001, 0.02)), away="0 0 -0.1"
    ),
    "a cube of 6 kg and 1 m": chain(A, link("b", 6, (1, 1, 1), shapes=box("1 1 1"))),
    "a long rod on a short arm, without shapes": chain(
        link("a", 1, (1e-3, 1e-3, 1e-3)), link("b", 1, (0.333, 0.333, 1e-4), "0 0 -1"), away="0 0 0.05"
    ),
    "a bow": chain(
        A,
        link("b", 1, (0.03, 0.01, 0.04), "0.1 0 0", box("0.4 0.02 0.02", "0 0.2 0") + box("0.4 0.02 0.02", "0 -0.2 0")),
    ),
    "a blimp": chain(link("a", 1.5, solid(1.5, "4 1 1"), shapes=box("4 1 1")), B),
    "a dumb-bell": chain(A, link("b", 2, (0.0608, 0.0608, 0.0008), shapes=ENDS)),
    "a fiddler crab": '<robot name="crab">'
    + A
    + "".join(LARGE)
    + "".join(
        f'<joint name="{side}" type="revolute"><parent link="a"/><child link="{side}_claw"/><limit lower="-1" upper="1"/></joint>'
        for side in ("left", "right")
    )
    + "</robot>",
    "a counterweight": chain(
        A, link("b", 5, (0.08, 0.08, 0.01), "0 0 0.08", box("0.05 0.05 0.4", "0 0 -0.2") + box("0.1 0.1 0.2", "0 0 0.1"))
    ),
    "a plate without thickness": chain(A, link("b", 1, (1 / 12, 1 / 12, 1 / 6), shapes=box("1 1 0"))),
    "a robot of milligrams": chain(
        *(link(name, 1e-6, solid(1e-6, "1e-3 1e-3 1e-3"), shapes=box("1e-3 1e-3 1e-3")) for name in "ab"), away="0 0 -1e-3"
    ),
    "a ship": chain(link("a", 1e7, solid(1e7, "100 20 10"), shapes=box("100 20 10")), B),
}


@pytest.mark.parametrize("odd", ODD)
def test_what_is_right_and_odd_is_not_told(odd: str, tmp_path: Path) -> None:
    assert told(ODD[odd], tmp_path, "robot.xml") == []
