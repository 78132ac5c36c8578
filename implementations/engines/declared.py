"""Every engine, declared once: its folder, its adapter, and the files that its own reader reads.

The folder of an engine has the same modules for all:

    adapter.py      builds the engine's model of a mechanism through its own functions; its docstring says what differs
    reader.py       ``read(text, form, free_base)``: what the engine's own reader makes of a file
    evaluation.py   writes a program that asks the engine alone
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from implementations.protocol import Missing
from mechanisms.joint_forces import JOINT_FORCES
from mechanisms.reading import Form


@dataclass(frozen=True)
class Engine:
    """One engine."""

    name: str
    adapter: str
    """The class in its adapter.py."""
    by_default: bool = False
    """Whether it takes part in runs that name no implementation."""
    reads: tuple[Form, ...] = ()
    """The files that its reader.py reads; empty if it has none."""
    has_evaluation: bool = False
    """Whether it has an evaluation.py."""
    joint_forces: tuple[str, ...] = ("damping",)
    """The forces of joints (:mod:`mechanisms.joint_forces`) that the adapter and the reader give it."""
    package: str = ""
    """The folder, where it is not called as the engine."""

    @property
    def folder(self) -> str:
        return self.package or self.name


ENGINES = (
    Engine("pinocchio", "Pinocchio", by_default=True, reads=("urdf", "mjcf"), has_evaluation=True),
    Engine("rbdl", "RBDL", by_default=True, has_evaluation=True),
    Engine("adam", "Adam", reads=("urdf",)),
    Engine("adam-jax", "AdamJAX", package="adam"),
    Engine("adam-torch", "AdamTorch", package="adam"),
    Engine("adam-torch-float32", "AdamTorchFloat32", package="adam"),
    Engine("jaxsim", "JaxSim", reads=("sdf",)),
    Engine("mujoco", "MuJoCo", reads=("urdf", "mjcf"), joint_forces=tuple(JOINT_FORCES)),
    Engine("mjx", "MJX"),
    Engine("mujoco-warp", "MuJoCoWarp", package="mujoco_warp"),
    Engine("newton", "Newton", reads=("urdf", "mjcf")),
    Engine("brax", "Brax"),
    Engine("frax", "Frax", reads=("urdf",)),
    Engine("drake", "Drake", reads=("urdf", "mjcf", "sdf"), joint_forces=("damping", "spring")),
    Engine("dart", "DART", reads=("urdf", "mjcf", "sdf"), joint_forces=("damping", "spring")),
    Engine("idyntree", "IDynTree", reads=("urdf",)),
    Engine("pybullet", "PyBullet", reads=("urdf",)),
    Engine("sympy-kane", "Kane", package="sympy_mechanics", joint_forces=tuple(JOINT_FORCES)),
    Engine("sympy-lagrange", "Lagrange", package="sympy_mechanics", joint_forces=tuple(JOINT_FORCES)),
)

PACKAGES = {"adam-robotics": "adam", "biorbd": "rbdl", "dartpy": "dart", "mujoco-mjx": "mjx", "pin": "pinocchio"}
"""The engine that a package of another name contains, by what registries call the package."""


def imported(title: str, extra: str, module: str, essential: str = "") -> Any:
    """The ``module`` of the engine that is called ``title`` and that the ``extra`` of our package installs.

    Raises :class:`Missing` if it is not installed, or if what is called so does not have what is ``essential``: PyPI has other
    packages of the same name, and a folder beside the user's files imports too, as an empty package.
    """
    hint = f'{title} is not installed; pip install "dalembert[{extra}]"'
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise Missing(hint) from error
    if essential and not hasattr(found, essential):
        raise Missing(hint)
    return found


def warp(extra: str) -> Any:
    """NVIDIA's Warp, without what it prints of its devices and of what it compiles. Raises :class:`Missing`."""
    found = imported("Warp", extra, "warp", "ScopedDevice")
    found.config.log_level = found.LOG_ERROR
    return found
