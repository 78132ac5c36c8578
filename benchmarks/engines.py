"""The engines as their users call them: state by state, their answers dropped."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.engines.rbdl.adapter import RBDL
from implementations.protocol import Array
from mechanisms import Mechanism

pinocchio = pytest.importorskip("pinocchio", exc_type=ImportError)


def state_by_state(function: Callable[..., object], *batches: Array) -> None:
    for state in zip(*batches, strict=True):
        function(*state)


def pinocchio_call(mechanism: Mechanism, name: str) -> partial[Any]:
    """Pinocchio's function with the adapter's model and with data as its ``args``."""
    return partial(getattr(pinocchio, name), model := Pinocchio().load(mechanism)._dynamics._model, model.createData())


def rbdl_call(mechanism: Mechanism, quantity: str) -> Callable[..., object]:
    """RBDL's function, through whichever binding is installed."""
    return getattr(RBDL().load(mechanism)._dynamics._dynamics._calls, quantity)
