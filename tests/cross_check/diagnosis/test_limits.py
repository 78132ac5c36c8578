"""Limits, thresholds and signs that code takes wrongly are named with their numbers, and shortcuts with their conditions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from diagnosed import diagnosed
from wrong_codes import Code

from mechanisms import Mechanism

Array = Any
Read = Callable[[Array, Array, Array], tuple[Array, Array, Array]]


def reading(read: Read) -> Code:
    """The reference, which is given another q, v and a than the caller has given. State by state."""

    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def gravity(q: Array) -> Array:
            still = np.zeros((len(q), mechanism.nv))
            return right.gravity(read(q, still, still)[0])

        return {"inverse_dynamics": lambda q, v, a: right.inverse_dynamics(*read(q, v, a)), "gravity": gravity}

    return Code(make)


def column(x: Array, k: int, change: Callable[[Array], Array]) -> Array:
    x = x.copy()
    x[:, k] = change(x[:, k])
    return x


def where(rows: Array, x: Array, y: Array) -> Array:
    return np.where(rows[:, None], x, y)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda q, v, a: (column(q, 1, np.abs), v, a), "the angle of joint2 is taken without its sign"),
        (lambda q, v, a: (column(q, 1, lambda x: np.clip(x, -2.5, 2.5)), v, a), "the angle of joint2 is clipped to ±2.5"),
        (lambda q, v, a: (q, np.clip(v, -4, 4), a), "velocities are clipped to ±4"),
        (lambda q, v, a: (q, v, where(q[:, 0] > 2, 0 * a, a)), "accelerations are taken for zero where q of 'joint1' > 2"),
    ],
)
def test_what_code_makes_of_a_state_is_named(read: Read, words: str) -> None:
    _, causes = diagnosed(reading(read), "planar-pendulum:2", quantities=("inverse_dynamics", "gravity"))
    assert [(cause.kind, cause.sentence) for cause in causes] == [("condition", f"In code, {words}")]


@pytest.mark.slow
def test_a_shortcut_is_a_condition() -> None:
    def make(mechanism: Mechanism, right: Any) -> dict[str, Any]:
        def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
            return right.inverse_dynamics(q, v, a) - mechanism.arrays.damping * v * ~a.any(axis=1, keepdims=True)

        return {"inverse_dynamics": inverse_dynamics}

    _, causes = diagnosed(Code(make), "cart-pole", quantities=("inverse_dynamics",))
    assert [(cause.kind, cause.sentence) for cause in causes] == [
        ("condition", "In code, damping is ignored where a is exactly zero")
    ]
