"""The public names, imported from where they are defined. ``import dalembert`` loads this module when a name is first used."""

from cross_check.results import Results
from cross_check.settings import Settings
from dalembert.api import check, derive, dynamics, write_urdf
from dalembert.session import entry
from implementations.plugins.registry import find_implementation
from implementations.processes.find import find_mechanism
from implementations.processes.find import list_subjects as list_implementations
from implementations.protocol import Dynamics, Implementation, Missing, Unsupported
from mechanisms import (
    Body,
    Constraint,
    Inertia,
    Joint,
    Mechanism,
    MechanismError,
    Mimic,
    Placement,
    Rotation,
    Source,
    difference,
    integrate,
    list_mechanisms,
    neutral,
    parse_urdf,
    random_mechanism,
    read_urdf,
    source_of,
)

__all__ = [
    "Body",
    "Constraint",
    "Dynamics",
    "Implementation",
    "Inertia",
    "Joint",
    "Mechanism",
    "MechanismError",
    "Mimic",
    "Missing",
    "Placement",
    "Results",
    "Rotation",
    "Settings",
    "Source",
    "Unsupported",
    "check",
    "derive",
    "difference",
    "dynamics",
    "entry",
    "find_implementation",
    "find_mechanism",
    "integrate",
    "list_implementations",
    "list_mechanisms",
    "neutral",
    "parse_urdf",
    "random_mechanism",
    "read_urdf",
    "source_of",
    "write_urdf",
]
