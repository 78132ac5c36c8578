"""Axes that Drake takes for x, y or z, because the cosine of the angle between them rounds to one.

docs/findings/drake-nearly-coordinate-axes.md has the proof. A revolute or prismatic joint whose axis, of length one in float64,
has a component of exactly 1 turns about that coordinate axis, or slides along it: up to 1.5e-8 rad beside its own.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.findings.finding import Functions
from implementations.protocol import Array, Dynamics
from implementations.recorded.traced import PRECISE
from mechanisms import Body, Mechanism
from mechanisms.quantities import QUANTITIES


def with_coordinate_axes(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Every quantity of the mechanism with such axes along x, y and z."""
    bodies = tuple(_snapped(body) for body in mechanism.bodies)
    if bodies == mechanism.bodies:
        return {}
    snapped, own = PRECISE.load(replace(mechanism, bodies=bodies)), PRECISE.load(mechanism)

    def wrong(name: str, *state: Array) -> Array:
        # The difference is small beside both answers, whose roundings would be counted as errors of the engine.
        difference = getattr(snapped, name)(*state) - getattr(own, name)(*state)
        return np.asarray(getattr(right, name)(*state) + difference.astype(np.float64))

    return {name: partial(wrong, name) for name in QUANTITIES if hasattr(snapped, name)}


def _snapped(body: Body) -> Body:
    joint = body.joint
    if joint.kind not in ("revolute", "prismatic"):
        return body
    axis = np.array([float(x) for x in joint.axis])
    axis /= np.linalg.norm(axis)
    if 1 not in axis:
        return body
    return replace(body, joint=replace(joint, axis=tuple(Fraction(int(x == 1)) for x in axis)))
