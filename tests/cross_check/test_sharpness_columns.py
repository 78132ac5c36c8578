"""The columns that errors are fitted to are derivatives of the quantities by the numbers of the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import dalembert
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.sharpness import response
from cross_check.judge.sharpness.motion import Motion
from cross_check.judge.sharpness.variation import Sizes
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.joint_forces import JOINT_PARAMETERS

STEP = 1e-4
"""The step of the central differences, relative to the size of the number."""


def changed(mechanism: Mechanism, b: int, body: Body) -> Mechanism:
    bodies = (*mechanism.bodies[:b], body, *mechanism.bodies[b + 1 :])
    return replace(mechanism, bodies=bodies, physical=False)


def heavier(body: Body, change: np.ndarray) -> Body:
    """The body with this change of its mass, its centre of mass and its inertia."""
    mass, com, about_com = (np.array(getattr(body.inertia, name), float) for name in ("mass", "com", "about_com"))
    return replace(body, inertia=Inertia(float(mass + change[0]), tuple(com + change[1:4]), tuple(about_com + change[4:])))


def displaced(joint: Joint, turn: np.ndarray, shift: np.ndarray) -> Joint:
    angle = float(np.linalg.norm(turn))
    rotation = Rotation.about(tuple(turn / angle), angle) if angle else Rotation.identity()
    return replace(joint, placement=joint.placement @ Placement(rotation, tuple(shift)))


Variant = tuple[str, Callable[[float], Mechanism]]
"""A name, and the mechanism with a step in one number."""


def variants(mechanism: Mechanism) -> Iterator[Variant]:
    """In the order of the columns, but for those of joints and of gravity."""
    sizes = Sizes.of(mechanism)
    for b, body in enumerate(mechanism.bodies):
        unit = np.array([sizes.mass[b], *[sizes.center[b]] * 3, *[sizes.inertia[b]] * 6])
        for one in np.diag(unit):
            yield f"{body.name} {one}", lambda h, b=b, body=body, one=one: changed(mechanism, b, heavier(body, h * one))
        for one in np.diag([1, 1, 1, *[sizes.place[b]] * 3]):
            yield f"{body.joint.name} {one}", partial(_displaced, mechanism, b, one)
        if body.joint.nv == 1:
            axis = np.array(body.joint.axis, float)
            for across in np.linalg.svd(axis[None])[2][1:]:
                yield f"axis of {body.joint.name}", partial(_turned, mechanism, b, axis, np.cross(across, axis))


def _displaced(mechanism: Mechanism, b: int, one: np.ndarray, h: float) -> Mechanism:
    body = mechanism.bodies[b]
    return changed(mechanism, b, replace(body, joint=displaced(body.joint, h * one[:3], h * one[3:])))


def _turned(mechanism: Mechanism, b: int, axis: np.ndarray, rate: np.ndarray, h: float) -> Mechanism:
    body = mechanism.bodies[b]
    return changed(mechanism, b, replace(body, joint=replace(body.joint, axis=tuple(axis + h * rate))))


def joints_and_gravity(mechanism: Mechanism, armature: bool, damping: bool, gravity: bool) -> Iterator[Variant]:
    for b, body in enumerate(mechanism.bodies):
        for name in ["armature"] * armature + [*JOINT_PARAMETERS] * damping:
            if getattr(body.joint, name):
                yield f"{name} of {body.joint.name}", partial(_scaled, mechanism, b, name)
    g = np.array(mechanism.gravity, float)
    for k in range(3 * gravity):
        unit = np.linalg.norm(g) * np.eye(3)[k]
        yield f"gravity {k}", lambda h, unit=unit: replace(mechanism, gravity=tuple(g + h * unit))


def _scaled(mechanism: Mechanism, b: int, name: str, h: float) -> Mechanism:
    body = mechanism.bodies[b]
    changes: dict[str, Any] = {name: getattr(body.joint, name) * Fraction(1 + h)}
    return changed(mechanism, b, replace(body, joint=replace(body.joint, **changes)))


CASES = {
    "forces": ("inverse_dynamics", ("q", "v", "a"), (True, True, True)),
    "kinetic_energy": ("kinetic_energy", ("q", "v"), (True, False, False)),
    "potential_energy": ("potential_energy", ("q",), (False, False, True)),
    "centroidal_momentum": ("centroidal_momentum", ("q", "v"), (False, False, False)),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("branched-tree", "forces"),
        ("elastic-joint", "forces"),
        ("telescope", "forces"),
        *(("screw-jack", what) for what in CASES),
    ],
)
def test_the_columns_are_derivatives(name: str, what: str) -> None:
    mechanism = dalembert.find_mechanism(name)
    quantity, arguments, extra = CASES[what]
    states = sample(mechanism, 0, 2).pick(np.array([1, 1]))
    motion = Motion.of(mechanism, states.q, states.v, states.a, np.ones(2))
    columns = list(getattr(response, what)(motion))
    values = np.concatenate([block.values for block in columns], axis=-1)
    tried = [*variants(mechanism), *joints_and_gravity(mechanism, *extra)]
    assert values.shape[-1] == len(tried) == sum(len(block.names) for block in columns)
    given = states.arguments(arguments)
    size = np.abs(values).max()
    for k, (label, variant) in enumerate(tried):
        up, down = (getattr(REFERENCE.load(variant(h)), quantity)(*given) for h in (STEP, -STEP))
        assert np.abs((up - down) / (2 * STEP) - values[..., k]).max() < 1e-6 * size, label
