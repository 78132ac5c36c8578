"""What moves: bodies, joints, inertias and states. It holds data and conventions, and no dynamics.

This package imports none of the others. Both derivations read it, and share no formula of mechanics.
"""

from mechanisms.arrays import Arrays
from mechanisms.body import Body, Frame
from mechanisms.constraint import POINT, WELD, Constraint
from mechanisms.errors import MechanismError
from mechanisms.files.by_form import source_of
from mechanisms.files.mjcf.read import parse_mjcf, read_mjcf
from mechanisms.files.mjcf.write import write_mjcf
from mechanisms.files.sdf.read import parse_sdf, read_sdf
from mechanisms.files.sdf.write import write_sdf
from mechanisms.files.urdf.read import parse_urdf, read_urdf
from mechanisms.files.urdf.write import write_urdf
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.library.by_name import find_mechanism, list_mechanisms
from mechanisms.library.extended import on_free_base
from mechanisms.library.generate import random_mechanism
from mechanisms.library.robots import DEFAULT_ROBOTS, robot, robot_names
from mechanisms.library.textbook import DEFAULT_TEXTBOOK, TEXTBOOK
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.mimic import Mimic
from mechanisms.source import Source
from mechanisms.states import check_state, difference, integrate, neutral

__all__ = [
    "DEFAULT_ROBOTS",
    "DEFAULT_TEXTBOOK",
    "EARTH",
    "POINT",
    "TEXTBOOK",
    "WELD",
    "Arrays",
    "Body",
    "Constraint",
    "Frame",
    "Inertia",
    "Joint",
    "Mechanism",
    "MechanismError",
    "Mimic",
    "Placement",
    "Rotation",
    "Source",
    "check_state",
    "difference",
    "find_mechanism",
    "integrate",
    "list_mechanisms",
    "neutral",
    "on_free_base",
    "parse_mjcf",
    "parse_sdf",
    "parse_urdf",
    "random_mechanism",
    "read_mjcf",
    "read_sdf",
    "read_urdf",
    "robot",
    "robot_names",
    "source_of",
    "write_mjcf",
    "write_sdf",
    "write_urdf",
]
