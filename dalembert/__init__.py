"""Cross-validates rigid-body dynamics code against two independent derivations of the equations of motion.

    import dalembert

    robot = dalembert.find_mechanism("ur5")
    results = dalembert.check([("ur5", robot)], [dalembert.entry("my_package.dynamics")])

Names are loaded when they are first used, so that importing this package, as pytest does to find the plugin, is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "Body": "mechanisms",
    "Inertia": "mechanisms",
    "Joint": "mechanisms",
    "Mechanism": "mechanisms",
    "MechanismError": "mechanisms",
    "Placement": "mechanisms",
    "Rotation": "mechanisms",
    "find_mechanism": "mechanisms",
    "list_mechanisms": "mechanisms",
    "parse_urdf": "mechanisms",
    "random_mechanism": "mechanisms",
    "read_urdf": "mechanisms",
    "write_urdf": "mechanisms",
    "derive": "oracle",
    "find_implementation": "implementations.registry",
    "list_implementations": "implementations.registry",
    "Dynamics": "implementations.protocol",
    "Implementation": "implementations.protocol",
    "Unsupported": "implementations.protocol",
    "Settings": "cross_check.harness",
    "check": "cross_check.harness",
    "entry": "dalembert.session",
}

__all__ = sorted(_HOME)  # pyright: ignore


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"dalembert has no {name!r}; it offers {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
