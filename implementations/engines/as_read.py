"""An engine on the model that its own reader makes of the mechanism's file.

An adapter builds the engine's model from our numbers, so what we read wrongly is wrong on both sides. Here the engine reads
the file itself. Only names of joints and conventions of coordinates are matched.
"""

from __future__ import annotations

import importlib
from typing import Any, Protocol

from implementations.conventions.converted import order_of
from implementations.engines.declared import Engine
from implementations.engines.files import FileModel, require_fixed_root
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.reading import Form, Reading

SUFFIX = "-urdf"
"""What follows the engine's name in the name of the implementation that reads the file."""


class Reader(Protocol):
    """``read`` of an engine's reader.py."""

    def __call__(self, text: str, form: Form, free_base: bool) -> FileModel:
        """What the engine makes of the file with this ``text``.

        With ``free_base`` the root link moves freely: the first joint is called "root_joint" then. Gravity is the reader's own.
        Raises :class:`Unsupported` with the engine's words if it refuses the file, and
        :class:`implementations.protocol.Missing` if it is not installed.
        """


class AsRead:
    """The implementation "ENGINE-urdf"."""

    mimic_joints = "the engine's reader is asked for a model in which every joint moves on its own"

    def __init__(self, engine: Engine) -> None:
        self.name = engine.name + SUFFIX
        self._engine = engine

    @property
    def joint_forces(self) -> tuple[str, tuple[str, ...]]:
        """What is said of other forces of joints, and the forces that the engine has."""
        return f"{self._engine.name} does not read", self._engine.joint_forces

    @property
    def version(self) -> str:
        return str(self._adapter.version)

    @property
    def precision(self) -> str:
        return str(getattr(self._adapter, "precision", ""))

    @property
    def workarounds(self) -> tuple[str, ...]:
        """Those of the adapter, which evaluates the model, and those of the reader."""
        return (*getattr(self._adapter, "workarounds", ()), *self._engine.workarounds_of_reader)

    @property
    def _adapter(self) -> Any:
        return getattr(_module(self._engine, "adapter"), self._engine.adapter)()

    def read(self, text: str, form: Form, free_base: bool) -> Reading:
        """What the engine's own reader makes of a file; see :class:`Reader`."""
        return read(self._engine, text, form, free_base).reading

    def load(self, mechanism: Mechanism) -> Any:
        """Raises :class:`Unsupported` where the mechanism was not read from a file, and :class:`Failure` for other joints."""
        source = mechanism.source
        if source is None:
            raise Unsupported("the mechanism was not read from a file")
        model = read(self._engine, source.text, source.format, source.free_base)
        theirs = [joint.name for joint in model.reading.joints]
        order = order_of("joints", [body.joint.name for body in mechanism.bodies], theirs)
        return model.dynamics(mechanism, order)


def read(engine: Engine, text: str, form: Form, free_base: bool) -> FileModel:
    """What the engine's own reader makes of the file; see :class:`Reader`."""
    if form not in engine.reads:
        raise Unsupported(f"{engine.name} has no reader of {form.upper()}")
    require_fixed_root(form, free_base)
    reader: Reader = _module(engine, "reader").read
    return reader(text, form, free_base)


def _module(engine: Engine, name: str) -> Any:
    return importlib.import_module(f".{engine.folder}.{name}", __package__)
