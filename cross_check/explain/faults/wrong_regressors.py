"""Regressors that are computed wrongly, or belong to other parameters.

Functions have the arguments of :mod:`cross_check.explain.faults.wrong_answers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Fault, everywhere
from cross_check.explain.faults.wrong_answers import wrong_answer
from mechanisms.quantities import PARAMETERS

ORDERS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("Ixx, Ixy, Iyy, Ixz, Iyz, Izz", (0, 1, 2, 3, 4, 7, 5, 8, 9, 6)),
    ("Ixx, Ixy, Ixz, Iyy, Iyz, Izz", (0, 1, 2, 3, 4, 7, 8, 5, 9, 6)),
    ("Ixx, Iyy, Izz, Iyz, Ixz, Ixy", (0, 1, 2, 3, 4, 5, 6, 9, 8, 7)),
)
"""Orders of the moments of inertia, and the parameters of ours in that order."""


def parameters_ordered(order: tuple[int, ...], name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return _by_body(x)[..., order].reshape(x.shape)


def moments_first(order: tuple[int, ...], name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return np.roll(_by_body(x)[..., order], 6, axis=-1).reshape(x.shape)


def by_parameter(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """All masses come first, then all first moments along x, and so on."""
    return np.swapaxes(_by_body(x), -1, -2).reshape(x.shape)


def about_centers(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Parameters are those of a frame at the centre of mass: a mass there, first moments and moments of inertia about it."""
    Y = np.array(_by_body(x))
    m, one = Y[..., 0].copy(), np.eye(3)
    moments = Y[..., [[4, 7, 8], [7, 5, 9], [8, 9, 6]]] * (1 + one) / 2
    for i, c in enumerate(mechanism.arrays.coms):
        # I about the origin is I' + 2 (c · s) 1 − c sᵀ − s cᵀ for the first moment s about c, and m (|c|² 1 − c cᵀ) for a mass.
        for k in range(3):
            turned = 2 * c[k] * one - np.outer(c, one[k]) - np.outer(one[k], c)
            Y[..., i, 1 + k] += (moments[..., i, :, :] * turned).sum(axis=(-1, -2))
        m[..., i] += _by_body(x)[..., i, 1:4] @ c + (moments[..., i, :, :] * (c @ c * one - np.outer(c, c))).sum(axis=(-1, -2))
    Y[..., 0] = m
    return Y.reshape(x.shape)


def _by_body(Y: Any) -> Any:
    return Y.reshape(*Y.shape[:-1], -1, len(PARAMETERS))


def _faults() -> Iterator[Fault]:
    module, Y = "joint_torque_regressor", ("joint_torque_regressor",)
    for words, right, wrong in (
        ("terms with velocities (v ×* I v)", " + crf(v[i], mul(I, v[i]))", ""),
        ("gravity", "(-model.gravity if λ < 0 else a[λ])", "(0 * model.gravity if λ < 0 else a[λ])"),
        ("accelerations", "mul(S[i], qdd[link.v])", "0 * vJ"),
    ):
        yield Fault(f"the regressor is without {words}", "regressor", everywhere(right, wrong, module))
    for words, order in ORDERS:
        back = tuple(int(k) for k in np.argsort(order))
        ours, theirs = partial(parameters_ordered, order), partial(parameters_ordered, back)
        yield wrong_answer(
            f"moments of inertia in the regressor come in the order {words}", "regressor", Y, ours, theirs, (), (_by_body,)
        )
    orders: list[tuple[str, tuple[int, ...]]] = [
        ("", tuple(range(len(PARAMETERS)))),
        *((f" as {words}", order) for words, order in ORDERS),
    ]
    for words, order in orders:
        clause = f"moments of inertia come before mass and first moments in the regressor{words and ','}{words}"
        yield wrong_answer(clause, "regressor", Y, partial(moments_first, order))
    yield wrong_answer("the regressor has all masses first, then all first moments", "regressor", Y, by_parameter)
    yield wrong_answer("parameters of the regressor are about the centres of mass", "regressor", Y, about_centers)


OF_REGRESSORS: tuple[Fault, ...] = tuple(_faults())
