"""Real robots, from the PyPI package example-robot-data."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import NamedTuple

from mechanisms.errors import MechanismError
from mechanisms.files.urdf.read import read_urdf
from mechanisms.mechanism import Mechanism

PACKAGE = "example-robot-data"


class RobotFile(NamedTuple):
    """A URDF below the package's robots/, whether its base is free, and whether its inertias are possible."""

    path: str
    free_base: bool = False
    physical: bool = True


ROBOTS = {
    # Arms
    "double-pendulum": RobotFile("double_pendulum_description/urdf/double_pendulum.urdf"),
    "kinova": RobotFile("kinova_description/robots/kinova.urdf"),
    "panda": RobotFile("panda_description/urdf/panda.urdf"),
    "so100": RobotFile("so_arm_description/urdf/so100.urdf"),
    "so101": RobotFile("so_arm_description/urdf/so101.urdf"),
    "talos-arm": RobotFile("talos_data/robots/talos_left_arm.urdf"),
    "ur3": RobotFile("ur_description/urdf/ur3_robot.urdf"),
    "ur5": RobotFile("ur_description/urdf/ur5_robot.urdf"),
    "ur10": RobotFile("ur_description/urdf/ur10_robot.urdf"),
    "xarm7": RobotFile("xarm_description/urdf/xarm7.urdf"),
    "z1": RobotFile("z1_description/urdf/z1.urdf"),
    # Hands and fingers
    "allegro-left": RobotFile("allegro_hand_description/urdf/allegro_left_hand.urdf"),
    "allegro-right": RobotFile("allegro_hand_description/urdf/allegro_right_hand.urdf"),
    "finger-edu": RobotFile("finger_edu_description/robots/finger_edu.urdf"),
    # Two arms, wheels
    "baxter": RobotFile("baxter_description/urdf/baxter.urdf"),
    "pr2": RobotFile("pr2_description/urdf/pr2.urdf"),
    "tiago": RobotFile("tiago_description/robots/tiago.urdf"),
    "tiago-dual": RobotFile("tiago_description/robots/tiago_dual.urdf"),
    "tiago-no-hand": RobotFile("tiago_description/robots/tiago_no_hand.urdf"),
    "tiago-pro": RobotFile("tiago_pro_description/robots/tiago_pro.urdf"),
    # Quadrupeds
    "a1": RobotFile("a1_description/urdf/a1.urdf", free_base=True),
    "anymal-b": RobotFile("anymal_b_simple_description/robots/anymal.urdf", free_base=True),
    "anymal-b-kinova": RobotFile("anymal_b_simple_description/robots/anymal-kinova.urdf", free_base=True),
    "anymal-c": RobotFile("anymal_c_simple_description/urdf/anymal.urdf", free_base=True),
    "b1": RobotFile("b1_description/urdf/b1.urdf", free_base=True),
    "b1-z1": RobotFile("b1_description/urdf/b1-z1.urdf", free_base=True),
    "centauro": RobotFile("centauro_description/urdf/centauro.urdf", free_base=True),
    "go1": RobotFile("go1_description/urdf/go1.urdf", free_base=True),
    "go2": RobotFile("go2_description/urdf/go2.urdf", free_base=True),
    "hyq": RobotFile("hyq_description/robots/hyq_no_sensors.urdf", free_base=True),
    "laikago": RobotFile("laikago_description/urdf/laikago.urdf", free_base=True),
    "solo8": RobotFile("solo_description/robots/solo.urdf", free_base=True),
    "solo12": RobotFile("solo_description/robots/solo12.urdf", free_base=True),
    # Bipeds and humanoids
    "alex": RobotFile("alex_description/urdf/alex_nub_hands.urdf", free_base=True),
    "bolt": RobotFile("bolt_description/robots/bolt.urdf", free_base=True),
    "g1": RobotFile("g1_description/urdf/g1_29dof_rev_1_0.urdf", free_base=True),
    "g1-hands": RobotFile("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", free_base=True),
    "human": RobotFile("human_description/robots/human.urdf", free_base=True),
    "icub": RobotFile("icub_description/robots/icub.urdf", free_base=True),
    "romeo-small": RobotFile("romeo_description/urdf/romeo_small.urdf", free_base=True, physical=False),
    "simple-humanoid": RobotFile("simple_humanoid_description/urdf/simple_humanoid.urdf", free_base=True),
    "talos": RobotFile("talos_data/robots/talos_reduced.urdf", free_base=True),
    "talos-full": RobotFile("talos_data/robots/talos_full_v2.urdf", free_base=True),
    # In flight
    "borinot": RobotFile("borinot_description/urdf/borinot_flying_arm_2.urdf", free_base=True),
    "hector": RobotFile("hector_description/robots/quadrotor_base.urdf", free_base=True),
    "hextilt": RobotFile("hextilt_description/urdf/hextilt_flying_arm_5.urdf", free_base=True),
    "iris": RobotFile("iris_description/robots/iris.urdf", free_base=True),
}
"""Robots by short name. Each was tried: all load, and none has a massless moving part."""

ALIASES = {"anymal": "anymal-c", "allegro": "allegro-right", "solo": "solo12"}
"""Shorter names for some robots."""

DEFAULT_ROBOTS = (
    "ur5",
    "panda",
    "kinova",
    "allegro-right",
    "baxter",
    "solo12",
    "anymal-c",
    "bolt",
    "talos",
    "borinot",
    "hextilt",
)
"""The robots of a default run: arms, a hand, a robot with two arms, quadrupeds, a biped, a humanoid, and drones with an arm.

In baxter's file, the axes of an inertia are turned by an rpy that matters."""


def robot_names() -> tuple[str, ...]:
    """The names that :func:`robot` knows, without aliases."""
    return tuple(ROBOTS)


def robot(name: str, free_base: bool | None = None, mimic: bool = False) -> Mechanism:
    """The real robot of this short name. Legged and flying robots are on a free base unless ``free_base`` is given.

    The mechanism has the short name, which :func:`mechanisms.library.by_name.find_mechanism` accepts. Mimic joints move on their
    own, as they do for most engines; with ``mimic`` they follow their leaders, and "mimic:" is before the name. Raises
    :class:`MechanismError` for an unknown name, and where the package that contains the robots is not installed.
    """
    name = ALIASES.get(name, name)
    if name not in ROBOTS:
        raise MechanismError(f"there is no robot {name!r}; use one of {', '.join(ROBOTS)}")
    path, usually_free, physical = ROBOTS[name]
    free = usually_free if free_base is None else free_base
    mechanism = read_urdf(robots_folder() / path, free, physical=physical, ignore_mimic=not mimic)
    prefixes = ("free:" if free and not usually_free else "") + ("mimic:" if mimic else "")
    return dataclasses.replace(mechanism, name=prefixes + name)


def robots_folder() -> Path:
    """The folder of robots in the installed package; read from the package's file list, without importing anything."""
    from importlib import metadata  # Slow to import, and worker processes never ask.

    try:
        files = metadata.files(PACKAGE) or ()
    except metadata.PackageNotFoundError:
        files = ()
    urdf = next((file for file in files if file.suffix == ".urdf" and "robots" in file.parts), None)
    if urdf is None:
        raise MechanismError(f'robots come with the package {PACKAGE}, which is not installed; pip install "dalembert[robots]"')
    below = urdf.parts[urdf.parts.index("robots") + 1 :]
    return Path(str(urdf.locate())).parents[len(below) - 1]
