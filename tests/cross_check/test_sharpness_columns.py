"""The columns that errors are fitted to are derivatives of the quantities by the numbers of the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert
from cross_check.comparison.sampling import sample
from cross_check.sharpness import response
from cross_check.sharpness.motion import Motion
from cross_check.sharpness.parameters import Sizes
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation

STEP = 1e-4
"""The step of the central differences, relative to the size of the number."""


def changed(mechanism: Mechanism, b: int, body: Body) -> Mechanism:
    bodies = (*mechanism.bodies[:b], body, *mechanism.bodies[b + 1 :])
    return replace(mechanism, bodies=bodies, physical=False)


def heavier(body: Body, change: np.ndarray) -> Body:
    """The body with this change of its ten inertial parameters."""
    m, c = float(body.inertia.mass), np.array(body.inertia.com, float)
    I = np.array(body.inertia.about((Fraction(0),) * 3), float)
    dm, dmc, (xx, yy, zz, xy, xz, yz) = change[0], change[1:4], change[4:]
    mass, com = m + dm, (m * c + dmc) / (m + dm)
    I = I + np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (com @ com * np.eye(3) - np.outer(com, com))
    inertia = Inertia(mass, tuple(com), (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]))
    return replace(body, inertia=inertia)


def displaced(joint: Joint, turn: np.ndarray, shift: np.ndarray) -> Joint:
    angle = float(np.linalg.norm(turn))
    rotation = Rotation.about(tuple(turn / angle), angle) if angle else Rotation.identity()
    return replace(joint, placement=joint.placement @ Placement(rotation, tuple(shift)))


def variants(mechanism: Mechanism) -> Iterator[tuple[str, Callable[[float], Mechanism]]]:
    """In the order of the columns, but for those of joints and of gravity: a name, and the mechanism with a step."""
    sizes = Sizes.of(mechanism)
    for b, body in enumerate(mechanism.bodies):
        unit = np.array([sizes.mass[b], *[sizes.moment[b]] * 3, *[sizes.inertia[b]] * 6])
        for k in range(10):
            yield f"{body.name} {k}", lambda h, b=b, body=body, k=k, unit=unit: changed(
                mechanism, b, heavier(body, h * unit * np.eye(10)[k])
            )
        for k in range(3):
            yield f"turn {body.name} {k}", lambda h, b=b, body=body, k=k: changed(
                mechanism, b, replace(body, joint=displaced(body.joint, h * np.eye(3)[k], np.zeros(3)))
            )
        for k in range(3):
            yield f"shift {body.name} {k}", lambda h, b=b, body=body, k=k: changed(
                mechanism, b, replace(body, joint=displaced(body.joint, np.zeros(3), h * sizes.place[b] * np.eye(3)[k]))
            )
        if body.joint.nv == 1:
            axis = np.array(body.joint.axis, float)
            for across in np.linalg.svd(axis[None])[2][1:]:
                yield f"axis {body.name}", lambda h, b=b, body=body, axis=axis, across=across: changed(
                    mechanism, b, replace(body, joint=replace(body.joint, axis=tuple(axis + h * np.cross(across, axis))))
                )


def joints_and_gravity(mechanism: Mechanism, armature: bool, damping: bool, gravity: bool) -> Iterator[tuple[str, Callable[[float], Mechanism]]]:
    for b, body in enumerate(mechanism.bodies):
        for name, wanted in (("armature", armature), ("damping", damping)):
            if wanted and (number := getattr(body.joint, name)):
                yield name, lambda h, b=b, body=body, name=name, number=number: changed(
                    mechanism, b, replace(body, joint=replace(body.joint, **{name: number * Fraction(1 + h)}))
                )
    if gravity:
        g = np.array(mechanism.gravity, float)
        for k in range(3):
            yield "gravity", lambda h, k=k: replace(mechanism, gravity=tuple(g + h * np.linalg.norm(g) * np.eye(3)[k]))


CASES = {
    "forces": ("inverse_dynamics", ("q", "v", "a"), (True, True, True)),
    "kinetic_energy": ("kinetic_energy", ("q", "v"), (True, False, False)),
    "potential_energy": ("potential_energy", ("q",), (False, False, True)),
    "centroidal_momentum": ("centroidal_momentum", ("q", "v"), (False, False, False)),
}


@pytest.mark.parametrize("name", ["every-joint", "puma560", "branched-tree", "swarm"])
@pytest.mark.parametrize("what", CASES)
def test_the_columns_are_derivatives(name: str, what: str) -> None:
    mechanism = dalembert.find_mechanism(name)
    mechanism = replace(mechanism, bodies=mechanism.bodies[:9]) if name == "swarm" else mechanism
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
