"""States of fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np

from mechanisms import Mechanism
from oracle import fields

Array = np.ndarray[Any, Any]


def state(mechanism: Mechanism, seed: int = 0) -> list[Array]:
    """q, v, a as Fractions, none of them zero, one state each."""
    draw = random.Random(seed)

    def number() -> Fraction:
        return Fraction(draw.choice((-1, 1)) * draw.randint(1, 9), draw.randint(1, 9))

    q, v, a = (np.array([[number() for _ in range(n)]]) for n in (mechanism.nq, mechanism.nv, mechanism.nv))
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "continuous":
            q[0, at] = np.array(fields.half_angle(q[0, at.start]))
    return [q, v, a]
