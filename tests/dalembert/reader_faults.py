"""Faults of readers, each planted in users_reader.py; and two robots whose own files show few of them."""

from __future__ import annotations

from typing import NamedTuple


def _link(name: str, mass: float, com: str, moments: tuple[float, float, float]) -> str:
    ixx, iyy, izz = moments
    tensor = f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/>'
    return f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>{tensor}</inertial></link>'


def _joint(name: str, type_: str, parent: str, child: str, xyz: str, rpy: str) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><axis xyz="0 0 1"/>'
    limit = '<limit lower="-3" upper="3" effort="100" velocity="5"/>' if type_ == "revolute" else ""
    return f'<joint name="{name}" type="{type_}"><origin xyz="{xyz}" rpy="{rpy}"/>{ends}{limit}</joint>'


def _arm(root: str) -> str:
    return (
        _link("upper_arm", 3.5, "0.2 0 0.05", (0.01, 0.08, 0.075))
        + _link("forearm", 1.5, "0 0 0", (0.002, 0.02, 0.019))
        + _joint("shoulder", "revolute", root, "upper_arm", "0 0 0.3", "1.5707963267948966 0 0")
        + _joint("elbow", "revolute", "upper_arm", "forearm", "0.4 0 0", "0 0 0.5")
    )


ARM = f'<robot name="arm"><link name="base"/>{_arm("base")}</robot>'
"""An arm as many are: all axes are z, all inertias are diagonal, nothing is welded, and links come from the base on."""

ROVER = (
    f'<robot name="rover"><link name="ground"/>{_link("hull", 20, "0 0.1 0.2", (0.5, 0.8, 1))}'
    f"{_joint('drive', 'planar', 'ground', 'hull', '0 0 0.1', '0 0 0')}{_arm('hull')}</robot>"
)
DRONE = f'<robot name="drone">{_link("hull", 2, "0 0.1 0.2", (0.05, 0.08, 0.1))}{_arm("hull")}</robot>'
"""It flies: its base is free."""

FILES = {"arm": ARM, "rover": ROVER, "free:drone": DRONE}


class Planted(NamedTuple):
    """In users_reader.py ``right`` becomes ``wrong``, and ``says`` is a part of the sentence that names the fault.

    ``by`` names the rewriting that shows it; it is empty for a fault that the robot's own file shows.
    """

    right: str
    wrong: str
    by: str
    says: str
    on: str = "arm"


BY_NAME = "own[body.joint.name].q, own[body.joint.name].v = q, v"
SORTED = """body = own[sorted(own)[mechanism.bodies.index(body)]]
        body.q, body.v = q, v"""
IN_FILE_ORDER = """names = [joint.get("name") for joint in joints]
    return sorted(moving, key=lambda body: names.index(body.name))"""

PLANTED = {
    "rpy of <inertial> is ignored": Planted("    I = R @ I @ R.T\n", "", "inertial_rpy", "ignores rpy of <inertial>"),
    "rpy is made in the opposite order": Planted(
        "turn(z, yaw) @ turn(y, pitch) @ turn(x, roll)",
        "turn(x, roll) @ turn(y, pitch) @ turn(z, yaw)",
        "oblique_inertial_rpy",
        "makes roll, pitch and yaw in the opposite order",
    ),
    "xyz of <inertial> is ignored": Planted("C = skew(c)", "C = skew(0 * c)", "", "ignores xyz of <inertial>"),
    "products of inertia have the opposite sign": Planted(
        'entry["i" + "".join(sorted(a + b))] for',
        'entry["i" + "".join(sorted(a + b))] * (1 if a == b else -1) for',
        "oblique_inertial_rpy",
        "takes products of inertia with the opposite sign",
    ),
    "the inertia of welded links is not turned": Planted(
        "X = motion_map(R, p)\n",
        "X = motion_map(np.eye(3), p)\n",
        "welded_links",
        "does not turn the inertia and the centre of mass",
    ),
    "the inertia of welded links is dropped": Planted(
        "if holder is not None:\n",
        "if holder is not None and np.array_equal(R, np.eye(3)):\n",
        "welded_links",
        "ignores the inertia of links outboard of fixed joints",
    ),
    "links without inertia have 1 kg": Planted(
        "return np.zeros((6, 6))",
        "return np.diag([0.0, 0, 0, 1, 1, 1])",
        "nested_frames",
        "gives links without <inertial> a mass of 1 kg",
    ),
    "the rotation of fixed joints is ignored": Planted(
        "visit(child, holder, R @ R1, p + R @ p1)",
        "visit(child, holder, R, p + R @ p1)",
        "nested_frames",
        "ignores the rotation of fixed joints",
    ),
    "the sign of axes is ignored": Planted(
        "axis / np.linalg.norm(axis)", "abs(axis) / np.linalg.norm(axis)", "negative_axes", "ignores the sign of <axis>"
    ),
    "axes are read in the parent's frame": Planted(
        "np.linalg.norm(axis), holder",
        "np.linalg.norm(axis) @ R1, holder",
        "",
        "reads <axis> in the frame of the parent link",
    ),
    "axes are x, y or z": Planted(
        "axis / np.linalg.norm(axis)", "np.round(axis / abs(axis).max() * 0.51)", "oblique_axes", "takes x, y or z for <axis>"
    ),
    "axes are not normalised": Planted("axis / np.linalg.norm(axis)", "axis", "longer_axes", "does not normalise <axis>"),
    "the default axis is z": Planted(
        '"xyz", "1 0 0")', '"xyz", "0 0 1")', "no_axis", "takes z for the axis of joints without <axis>"
    ),
    "planar joints are about z": Planted(
        "axis / np.linalg.norm(axis), holder",
        'np.array([0, 0, 1.0]) if kind == "planar" else axis / np.linalg.norm(axis), holder',
        "negative_axes",
        "takes z for <axis> of planar joints",
        "rover",
    ),
    "the first link is the root": Planted(
        "next(name for name in links if name not in children)",
        "next(iter(links))",
        "reversed_order",
        "links and joints come in the opposite order",
    ),
    "joints come in the order of the file": Planted(
        "    return moving",
        f"    {IN_FILE_ORDER}",
        "reversed_order",
        "the reader fails on files in which links and joints come in the opposite",
    ),
    "q is sorted by name": Planted(BY_NAME, SORTED, "", "coordinates come in alphabetical order"),
    "continuous joints are fixed": Planted(
        'if kind == "fixed"', 'if kind in ("fixed", "continuous")', "continuous_joints", "revolute joints are continuous"
    ),
    "floating joints are fixed": Planted(
        'if kind == "fixed"',
        'if kind in ("fixed", "floating")',
        "floating_base",
        "the free base is a floating joint of the file",
        "free:drone",
    ),
    "exponents are ignored": Planted(
        "return float(text)", 'return float(text.lower().split("e")[0])', "exponents", "ignores exponents of numbers"
    ),
    "exponents with a small e are ignored": Planted(
        "return float(text)",
        'return float(text.split("e")[0])',
        "lower_exponents",
        "ignores exponents that are written with a small e",
    ),
    "exponents with a capital E are ignored": Planted(
        "return float(text)",
        'return float(text.split("E")[0])',
        "exponents",
        "ignores exponents that are written with a capital E",
    ),
    "rotations of fixed joints are in the opposite order": Planted(
        "visit(child, holder, R @ R1, p + R @ p1)",
        "visit(child, holder, R1 @ R, p + R @ p1)",
        "nested_frames",
        "multiplies the rotations of several fixed joints in the opposite order",
    ),
    "xyz of fixed joints is not turned": Planted(
        "visit(child, holder, R @ R1, p + R @ p1)",
        "visit(child, holder, R @ R1, p + p1)",
        "nested_frames",
        "does not turn xyz of fixed joints by the rotations of the fixed joints before",
    ),
    "yaw alone turns inertias": Planted(
        "    I = R @ I @ R.T\n",
        '    R = turn(np.eye(3)[2], numbers(inertial.find("origin"), "rpy", "0 0 0")[2])\n    I = R @ I @ R.T\n',
        "inertial_rpy",
        "takes yaw alone of rpy of <inertial>",
    ),
    "rpy of <inertial> turns the centre of mass": Planted(
        "C = skew(c)", "C = skew(R @ c)", "inertial_rpy", "turns xyz of <inertial> by its rpy"
    ),
    "ixz and iyz are exchanged": Planted(
        'entry["i" + "".join(sorted(a + b))] for',
        'entry[{"ixz": "iyz", "iyz": "ixz"}.get(key := "i" + "".join(sorted(a + b)), key)] for',
        "oblique_inertial_rpy",
        "exchanges ixz and iyz",
    ),
    "friction is added to damping": Planted(
        'numbers(dynamics, "damping", "0")[0]',
        'sum(numbers(dynamics, name, "0")[0] for name in ("damping", "friction"))',
        "friction",
        "adds friction of <dynamics> to its damping",
    ),
    "light links have no inertia": Planted(
        "if inertial is None:",
        'if inertial is None or number(inertial.find("mass").get("value")) < 0.1:',
        "light_links",
        "ignores the inertia of light links",
    ),
    "small angles are ignored": Planted(
        "return turn(z, yaw)",
        "if abs(roll) + abs(pitch) + abs(yaw) < 0.02:\n        return np.eye(3)\n    return turn(z, yaw)",
        "small_angles",
        "takes small angles of rpy for zero",
    ),
    "short axes are not normalised": Planted(
        "axis / np.linalg.norm(axis)",
        "axis / max(1, np.linalg.norm(axis))",
        "shorter_axes",
        "does not normalise <axis>",
    ),
    "numbers are separated by one space": Planted(").split()", ').split(" ")', "spaces", "several spaces stand around"),
    "the origin of a visual is taken": Planted(
        "R, c = pose(inertial)",
        'R, c = pose(inertial if link.find("visual") is None else link.find("visual"))',
        "other_elements",
        "takes the <origin> of a <visual> for that of <inertial>",
    ),
    "joints are searched at any depth": Planted(
        'robot.findall("joint")', 'list(robot.iter("joint"))', "other_elements", "children called link, joint"
    ),
    "<origin> must be given": Planted(
        'origin = element.find("origin")\n',
        'origin = element.find("origin")\n    origin.get("rpy")\n',
        "defaults",
        "the reader fails on files in which zeros that URDF assumes are left out",
    ),
}
