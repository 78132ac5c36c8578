"""The engines as their users call them: state by state, their answers dropped."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
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


def pinocchio_core(mechanism: Mechanism, name: str, *batches: Array) -> partial[Any]:
    """Pinocchio's own loop over a batch, with one thread."""
    columns = [np.asfortranarray(x.T) for x in batches]
    pool = pinocchio.ModelPool(pinocchio_call(mechanism, "rnea").args[0], 1)
    return partial(getattr(pinocchio, name), 1, pool, *columns)


def rbdl_call(mechanism: Mechanism, quantity: str) -> Callable[..., object]:
    """RBDL's function, through whichever binding is installed."""
    return getattr(RBDL().load(mechanism)._dynamics._dynamics._calls, quantity)
