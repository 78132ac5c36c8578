"""Sizes bound the quantities, and no choice of frames makes them small."""

from dataclasses import replace

import numpy as np
import pytest

from implementations.traced import TRACED
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, find_mechanism, random_mechanism
from mechanisms.states import integrate, neutral


def states(mechanism: Mechanism, count: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    moves, v, a = rng.normal(size=(3, count, mechanism.nv)) * 2
    return integrate(mechanism, np.tile(neutral(mechanism), (count, 1)), moves), v, a


@pytest.mark.parametrize("spec", ["puma560", "floating-base-link", "stanford-arm", "random:3:9", "free:random:4:7"])
def test_sizes_bound_what_they_are_the_sizes_of(spec: str) -> None:
    mechanism = find_mechanism(spec)
    dynamics = TRACED.load(mechanism)
    q, v, a = states(mechanism)
    slack = 1 + 1e-12
    assert (dynamics.magnitudes("inverse_dynamics", q, v, a) <= slack * dynamics.magnitudes("force_size", q, v, a)).all()
    assert (dynamics.magnitudes("kinetic_energy", q, v) <= slack * dynamics.magnitudes("kinetic_size", q, v)).all()
    carried = np.sqrt(dynamics.magnitudes("inertia_size", q))
    assert (np.abs(dynamics.mass_matrix(q)) <= slack * carried[:, :, None] * carried[:, None, :]).all()


def test_sizes_stay_when_a_component_vanishes() -> None:
    """A slide stretched far along a nearly vertical axis: M about that axis is small, what it is summed from is not."""
    ball = Inertia(1, about_com=(1, 1, 1, 0, 0, 0))
    tilted = Placement(Rotation.about((0, 1, 0), 1e-4))
    turret = Body("turret", "world", Joint("turn", "revolute"), ball)
    slider = Body("slider", "turret", Joint("slide", "prismatic", placement=tilted), ball)
    mechanism = Mechanism("crane", (turret, slider))
    q = np.array([[0.3, 1e3]])
    dynamics = TRACED.load(mechanism)
    assert dynamics.magnitudes("mass_matrix", q)[0, 0, 0] < 3
    assert dynamics.magnitudes("inertia_size", q)[0, 0] > 1e6


def test_armature_and_damping_count() -> None:
    bare = random_mechanism(5, 4, armature=False, damping=False)
    q, v, a = states(bare)
    armed = (replace(body, joint=replace(body.joint, armature=7, damping=11)) for body in bare.bodies)
    with_rotors = Mechanism(bare.name, tuple(armed))
    light, heavy = TRACED.load(bare), TRACED.load(with_rotors)
    added = heavy.magnitudes("force_size", q, v, a) - light.magnitudes("force_size", q, v, a)
    np.testing.assert_allclose(added, 7 * np.abs(a) + 11 * np.abs(v), rtol=1e-9)
    np.testing.assert_allclose(heavy.magnitudes("inertia_size", q) - light.magnitudes("inertia_size", q), 7, rtol=1e-9)
    energy = heavy.magnitudes("kinetic_size", q, v) - light.magnitudes("kinetic_size", q, v)
    np.testing.assert_allclose(energy, 3.5 * (v * v).sum(axis=1), rtol=1e-9)
