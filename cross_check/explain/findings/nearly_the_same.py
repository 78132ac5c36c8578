"""Axes and frames that an engine takes for simpler ones that are nearly the same: right answers about another mechanism.

Drake takes axes for x, y or z if the cosine of the angle between them rounds to one. A revolute or prismatic joint whose axis, of
length one in float64, has a component of exactly 1 turns about that coordinate axis, or slides along it: up to 1.5e-8 rad beside
its own (docs/findings/drake-nearly-coordinate-axes.md has the proof).

MuJoCo takes frames for their bodies' own if they differ by less than 10⁻⁶ (docs/findings/mujoco-nearly-the-same-frame.md). A site
whose quaternion differs from 1 by less in every number gets the body's axes; if its position does, too, it gets its origin.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.findings.finding import Functions
from implementations.protocol import Array, Dynamics
from implementations.recorded.traced import PRECISE
from mechanisms import Body, Frame, Mechanism, Placement
from mechanisms.quantities import QUANTITIES

SAME = 1e-6
"""The largest difference at which MuJoCo takes two frames for one."""


def with_coordinate_axes(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Drake's answers: every quantity of the mechanism with such axes along x, y and z."""
    bodies = tuple(_snapped(body) for body in mechanism.bodies)
    return _about(replace(mechanism, bodies=bodies), mechanism, right) if bodies != mechanism.bodies else {}


def without_own_places(mechanism: Mechanism, right: Dynamics) -> Functions:
    """MuJoCo's answers: frames that are nearly those of their bodies, as those of their bodies."""
    frames = tuple(_of_body(frame) for frame in mechanism.frames)
    return _about(replace(mechanism, frames=frames), mechanism, right, "frame_") if frames != mechanism.frames else {}


def _about(other: Mechanism, mechanism: Mechanism, right: Dynamics, prefix: str = "") -> Functions:
    """The quantities whose names begin with ``prefix``, as those of the ``other`` mechanism."""
    simpler, own = PRECISE.load(other), PRECISE.load(mechanism)

    def wrong(name: str, *state: Array) -> Array:
        # The difference is small beside both answers, whose roundings would be counted as errors of the engine.
        difference = getattr(simpler, name)(*state) - getattr(own, name)(*state)
        return np.asarray(getattr(right, name)(*state) + difference.astype(np.float64))

    return {name: partial(wrong, name) for name in QUANTITIES if name.startswith(prefix) and hasattr(simpler, name)}


def _snapped(body: Body) -> Body:
    joint = body.joint
    if joint.kind not in ("revolute", "prismatic"):
        return body
    axis = np.array([float(x) for x in joint.axis])
    axis /= np.linalg.norm(axis)
    if 1 not in axis:
        return body
    return replace(body, joint=replace(joint, axis=tuple(Fraction(int(x == 1)) for x in axis)))


def _of_body(frame: Frame) -> Frame:
    quaternion = np.array(frame.placement.rotation.quaternion, dtype=float)
    quaternion *= np.sign(quaternion[0] or 1) / np.linalg.norm(quaternion)
    if abs(quaternion - [1, 0, 0, 0]).max() >= SAME:
        return frame
    is_at_origin = max(map(abs, frame.placement.translation)) < SAME
    return replace(frame, placement=Placement() if is_at_origin else Placement(translation=frame.placement.translation))
