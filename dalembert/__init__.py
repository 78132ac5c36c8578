"""Cross-validates rigid-body dynamics code against two independent derivations of the equations of motion.

    import dalembert

    results = dalembert.check(["cart-pole", "planar-pendulum:3"], ["reference"], states=28)
    print([cell.id for cell in results.cells if cell.verdict != "agrees"])
    print(dalembert.derive("pendulum").mass_matrix_terms(0, 0))

Mechanisms and implementations may be words, as on the command line, or objects. Names are loaded when they are first used, so
that importing this package, as pytest does to find the plugin, is cheap.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from typing import Any

_HOME = {
    "Body": "mechanisms",
    "Inertia": "mechanisms",
    "Joint": "mechanisms",
    "Mechanism": "mechanisms",
    "MechanismError": "mechanisms",
    "Placement": "mechanisms",
    "Rotation": "mechanisms",
    "difference": "mechanisms",
    "find_mechanism": "mechanisms",
    "integrate": "mechanisms",
    "list_mechanisms": "mechanisms",
    "neutral": "mechanisms",
    "parse_urdf": "mechanisms",
    "random_mechanism": "mechanisms",
    "read_urdf": "mechanisms",
    "derive": "dalembert.api",
    "write_urdf": "dalembert.api",
    "find_implementation": "implementations.plugins.registry",
    "list_implementations": "implementations.plugins.registry",
    "Dynamics": "implementations.protocol",
    "Implementation": "implementations.protocol",
    "Missing": "implementations.protocol",
    "Unsupported": "implementations.protocol",
    "Settings": "cross_check.harness",
    "Results": "cross_check.results",
    "check": "dalembert.api",
    "entry": "dalembert.session",
}

__all__ = sorted([*_HOME, "__version__"])  # pyright: ignore


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version("dalembert")
    if name not in _HOME:
        raise AttributeError(f"dalembert has no {name!r}; it offers {', '.join(__all__)}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
