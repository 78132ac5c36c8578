"""Real robots, from the PyPI package example-robot-data."""

from __future__ import annotations

import dataclasses
import tomllib
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
    name: RobotFile(**file) for name, file in tomllib.loads(Path(__file__).with_name("robots.toml").read_text("utf-8")).items()
}
"""Robots by short name."""

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
