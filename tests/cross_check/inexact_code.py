"""Implementations that lose digits, and what explains the answers of one quantity."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any
from unittest.mock import patch

import numpy as np
from wrong_codes import Code

from cross_check.explain.diagnosis.digits import Arithmetic, explain_arithmetic
from cross_check.explain.diagnosis.laboratory import Laboratory, Trial, try_sampled
from implementations.field import Real
from implementations.processes.subject import InProcess
from implementations.spatial_algebra.reference import REFERENCE
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Mechanism, find_mechanism
from mechanisms.numbers.precision import FLOAT64, Precision

ID, FD, M, DQ = "inverse_dynamics", "forward_dynamics", "mass_matrix", "inverse_dynamics_dq"
ARM = "spatial-3r"
Array = Any


class Trigonometry(Real):
    """Numbers with cosines and sines of one's own."""

    def __init__(self, functions: Callable[[Array], tuple[Array, Array]], made: Any = np.float64) -> None:
        super().__init__(made)
        object.__setattr__(self, "_functions", functions)

    def cos_sin(self, angle: Array) -> tuple[Array, Array]:
        return self._functions(angle)  # type: ignore[attr-defined, no-any-return]


def trial_of(code: Any, spec: str | Mechanism = ARM, states: int = 18, precision: Precision = FLOAT64) -> Trial:
    mechanism = find_mechanism(spec) if isinstance(spec, str) else spec
    return try_sampled(Laboratory(InProcess(code), "mine", precision), mechanism, 0, states)


def explained(code: Any, quantity: str = ID, spec: str | Mechanism = ARM, precision: Precision = FLOAT64) -> Arithmetic:
    found = explain_arithmetic(trial_of(code, spec, precision=precision), quantity)
    assert found is not None
    return found


def around(state: Callable[..., tuple[Array, ...]] = lambda *x: x, answer: Callable[[Array], Array] = lambda x: x) -> Code:
    """The reference, with the arguments and the answers changed."""

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        return {name: lambda *x, name=name: answer(getattr(right, name)(*state(*x))) for name in (ID, M, FD, "gravity")}

    return Code(make)


def single(x: Array) -> Array:
    return x.astype(np.float32).astype(np.float64)


class AsTheBookPrintsIt:
    """The reference, whose articulated inertias become asymmetric by rounding, as in Featherstone's Table 7.1."""

    def __init__(self, change: Callable[..., Array] = lambda a, q, v: a) -> None:
        self._change = change
        self._dynamics: Any = None

    def load(self, mechanism: Mechanism) -> AsTheBookPrintsIt:
        loaded = copy(self)
        loaded._dynamics = REFERENCE.load(mechanism)
        return loaded

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self._dynamics.inverse_dynamics(q, v, a)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        with patch.object(Plucker, "carry", lambda X, inertia: X.T @ (X.T @ inertia).swapaxes(0, 1)):
            return self._change(self._dynamics.forward_dynamics(q, v, tau), q, v)
