"""Real robots, from the PyPI package example-robot-data."""

from __future__ import annotations

import dataclasses
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from mechanisms.errors import MechanismError
from mechanisms.mechanism import Mechanism
from mechanisms.urdf import read_urdf

PACKAGE = "example-robot-data"


class Source(NamedTuple):
    """A URDF below the package's robots/, whether its base is free, and whether its inertias are possible."""

    path: str
    free_base: bool = False
    physical: bool = True


ROBOTS = {
    # Arms
    "double-pendulum": Source("double_pendulum_description/urdf/double_pendulum.urdf"),
    "kinova": Source("kinova_description/robots/kinova.urdf"),
    "panda": Source("panda_description/urdf/panda.urdf"),
    "so100": Source("so_arm_description/urdf/so100.urdf"),
    "so101": Source("so_arm_description/urdf/so101.urdf"),
    "talos-arm": Source("talos_data/robots/talos_left_arm.urdf"),
    "ur3": Source("ur_description/urdf/ur3_robot.urdf"),
    "ur5": Source("ur_description/urdf/ur5_robot.urdf"),
    "ur10": Source("ur_description/urdf/ur10_robot.urdf"),
    "xarm7": Source("xarm_description/urdf/xarm7.urdf"),
    "z1": Source("z1_description/urdf/z1.urdf"),
    # Hands and fingers
    "allegro-left": Source("allegro_hand_description/urdf/allegro_left_hand.urdf"),
    "allegro-right": Source("allegro_hand_description/urdf/allegro_right_hand.urdf"),
    "finger-edu": Source("finger_edu_description/robots/finger_edu.urdf"),
    # Two arms, wheels
    "baxter": Source("baxter_description/urdf/baxter.urdf"),
    "pr2": Source("pr2_description/urdf/pr2.urdf"),
    "tiago": Source("tiago_description/robots/tiago.urdf"),
    "tiago-dual": Source("tiago_description/robots/tiago_dual.urdf"),
    "tiago-no-hand": Source("tiago_description/robots/tiago_no_hand.urdf"),
    "tiago-pro": Source("tiago_pro_description/robots/tiago_pro.urdf"),
    # Quadrupeds
    "a1": Source("a1_description/urdf/a1.urdf", free_base=True),
    "anymal-b": Source("anymal_b_simple_description/robots/anymal.urdf", free_base=True),
    "anymal-b-kinova": Source("anymal_b_simple_description/robots/anymal-kinova.urdf", free_base=True),
    "anymal-c": Source("anymal_c_simple_description/urdf/anymal.urdf", free_base=True),
    "b1": Source("b1_description/urdf/b1.urdf", free_base=True),
    "b1-z1": Source("b1_description/urdf/b1-z1.urdf", free_base=True),
    "centauro": Source("centauro_description/urdf/centauro.urdf", free_base=True),
    "go1": Source("go1_description/urdf/go1.urdf", free_base=True),
    "go2": Source("go2_description/urdf/go2.urdf", free_base=True),
    "hyq": Source("hyq_description/robots/hyq_no_sensors.urdf", free_base=True),
    "laikago": Source("laikago_description/urdf/laikago.urdf", free_base=True),
    "solo8": Source("solo_description/robots/solo.urdf", free_base=True),
    "solo12": Source("solo_description/robots/solo12.urdf", free_base=True),
    # Bipeds and humanoids
    "alex": Source("alex_description/urdf/alex_nub_hands.urdf", free_base=True),
    "bolt": Source("bolt_description/robots/bolt.urdf", free_base=True),
    "g1": Source("g1_description/urdf/g1_29dof_rev_1_0.urdf", free_base=True),
    "g1-hands": Source("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", free_base=True),
    "human": Source("human_description/robots/human.urdf", free_base=True),
    "icub": Source("icub_description/robots/icub.urdf", free_base=True),
    "romeo-small": Source("romeo_description/urdf/romeo_small.urdf", free_base=True, physical=False),
    "simple-humanoid": Source("simple_humanoid_description/urdf/simple_humanoid.urdf", free_base=True),
    "talos": Source("talos_data/robots/talos_reduced.urdf", free_base=True),
    "talos-full": Source("talos_data/robots/talos_full_v2.urdf", free_base=True),
    # In flight
    "borinot": Source("borinot_description/urdf/borinot_flying_arm_2.urdf", free_base=True),
    "hector": Source("hector_description/robots/quadrotor_base.urdf", free_base=True),
    "hextilt": Source("hextilt_description/urdf/hextilt_flying_arm_5.urdf", free_base=True),
    "iris": Source("iris_description/robots/iris.urdf", free_base=True),
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


def robot(name: str, free_base: bool | None = None) -> Mechanism:
    """The real robot of this short name. Legged and flying robots are on a free base unless ``free_base`` is given.

    The mechanism has the short name, which :func:`mechanisms.library.find_mechanism` accepts. Mimic joints move on their own, as
    in Pinocchio. Raises :class:`MechanismError` for an unknown name, and where the package that contains the robots is not
    installed.
    """
    name = ALIASES.get(name, name)
    if name not in ROBOTS:
        raise MechanismError(f"there is no robot {name!r}; use one of {', '.join(ROBOTS)}")
    path, usually_free, physical = ROBOTS[name]
    free = usually_free if free_base is None else free_base
    mechanism = read_urdf(robots_folder() / path, free, physical=physical, ignore_mimic=True)
    return dataclasses.replace(mechanism, name=f"free:{name}" if free and not usually_free else name)


def robots_folder() -> Path:
    """The folder of robots in the installed package; read from the package's file list, without importing anything."""
    try:
        files = metadata.files(PACKAGE) or ()
    except metadata.PackageNotFoundError:
        files = ()
    urdf = next((file for file in files if file.suffix == ".urdf" and "robots" in file.parts), None)
    if urdf is None:
        raise MechanismError(f'robots come with the package {PACKAGE}, which is not installed; pip install "dalembert[robots]"')
    below = urdf.parts[urdf.parts.index("robots") + 1 :]
    return Path(str(urdf.locate())).parents[len(below) - 1]
