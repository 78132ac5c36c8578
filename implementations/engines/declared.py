"""Every engine, declared once in engines.toml: its adapter, the files that its own reader reads, and what both do themselves.

The folder of an engine has the same modules for all:

    adapter.py      builds the engine's model of a mechanism through its own functions; its docstring says what differs
    reader.py       ``read(text, form, free_base)``: what the engine's own reader makes of a file
    evaluation.py   writes a program that asks the engine alone
"""

from __future__ import annotations

import importlib
import tomllib
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from implementations.conventions.declared import Conventions
from implementations.protocol import Missing
from mechanisms.reading import Form

OURS = Conventions()


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
    """The forces of joints (:mod:`mechanisms.joint_forces`) that the adapter and the reader give it, and
    :data:`mechanisms.body.GRAVITY_COMPENSATION`, if they do."""
    package: str = ""
    """The folder, where it is not called as the engine."""
    title: str = ""
    """Its name in sentences."""
    module: str = ""
    """Its Python module, for :func:`engine_of`; empty where its adapter imports several."""
    essential: str = ""
    """What its module has, and other packages' modules of the same name have not."""
    conventions: Conventions = OURS
    """Those of its coordinates, as users declare theirs."""
    leaves_out: bool = False
    """Whether it lacks armature, and damping in all quantities but those that are ``damped``: the adapter adds them."""
    damped: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    """Its package, and others that its version names, as "JAX jax"; empty if its module says the version."""
    workarounds: tuple[str, ...] = ()
    """What its adapter computes or changes itself: see :mod:`implementations.protocol`."""
    workarounds_of_reader: tuple[str, ...] = ()
    """The same of its reader."""
    offers: frozenset[str] = frozenset()
    """The quantities of a port of MuJoCo: see :mod:`implementations.engines.mujoco.ports`."""

    @property
    def folder(self) -> str:
        return self.package or self.name


SHARED = ("workarounds", "title", "module", "essential", "conventions", "leaves_out", "damped")
"""What engines with one folder have in common: the first of them has it in engines.toml."""


def _engines() -> tuple[Engine, ...]:
    """Those of engines.toml."""
    found: list[Engine] = []
    for name, table in tomllib.loads(Path(__file__).with_name("engines.toml").read_text("utf-8")).items():
        given: dict[str, Any] = {field: tuple(value) if isinstance(value, list) else value for field, value in table.items()}
        given["conventions"] = Conventions.declared(given.get("conventions", {}))
        engine = Engine(name, **{**given, "offers": frozenset(given.get("offers", "").split())})
        first = next((one for one in found if one.folder == engine.folder), engine)
        found.append(replace(engine, **{field: getattr(first, field) for field in SHARED}))
    return tuple(found)


ENGINES = _engines()

PACKAGES = {"adam-robotics": "adam", "biorbd": "rbdl", "dartpy": "dart", "mujoco-mjx": "mjx", "pin": "pinocchio"}
"""The engine that a package of another name contains, by what registries call the package."""


class Adapter:
    """What adapters to engines have in common. Their module has ``engine()``, which raises :class:`Missing`."""

    name: str

    @property
    def workarounds(self) -> tuple[str, ...]:
        return declared(self.name).workarounds

    @property
    def version(self) -> str:
        engine = declared(self.name)
        module = importlib.import_module(f".{engine.folder}.adapter", __package__).engine()
        if not engine.versions:
            return str(module.__version__)
        # Other worker processes need no metadata, which is slow to import.
        from importlib import metadata

        own, *others = engine.versions
        beside = [f"{title} {metadata.version(package)}" for title, _, package in (one.rpartition(" ") for one in others)]
        return metadata.version(own) + (f" ({', '.join(beside)})" if beside else "")


def declared(name: str) -> Engine:
    """The engine of this name."""
    return next(engine for engine in ENGINES if engine.name == name)


def engine_of(name: str) -> Any:
    """The Python module of the engine of this name. Raises :class:`Missing`."""
    engine = declared(name)
    # Some warn when they are imported, and fail where warnings are errors.
    with warnings.catch_warnings(action="ignore"):
        return imported(engine.title, name, engine.module, engine.essential)


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
