"""The public conversions of coordinates, six-vectors and frames."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from cross_check.comparison.sampling import sample
from dalembert import coordinates
from implementations.conventions.declared import VALUES
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import random_mechanism
from mechanisms.textbook import TEXTBOOK

MECHANISM = random_mechanism(5, 6, ("free", "spherical", "planar", "continuous", "revolute", "helical"))
FRAMES = ("local", "world", "aligned")


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in VALUES.items() for value in values])
def test_rates_and_forces_come_back(name: str, value: str) -> None:
    change = coordinates.change(MECHANISM, **{name: value})
    states = sample(MECHANISM, 4, 1)
    q, v, a = states.q, states.v, states.a
    assert np.allclose(change.our_velocity(q, change.velocity(q, v)), v, rtol=0, atol=1e-12)
    assert np.allclose(change.our_acceleration(q, change.velocity(q, v), change.acceleration(q, v, a)), a, rtol=0, atol=1e-10)
    assert np.allclose(change.our_force(q, change.force(q, a)), a, rtol=0, atol=1e-11)
    # Power does not depend on coordinates.
    power = (change.force(q, a) * change.velocity(q, v)).sum(axis=1)
    assert np.allclose(power, (a * v).sum(axis=1), rtol=1e-12, atol=1e-10)


def test_joints_in_the_order_of_the_code() -> None:
    names = [body.joint.name for body in MECHANISM.bodies]
    change = coordinates.change(MECHANISM, joints=names[::-1])
    v = np.arange(MECHANISM.nv, dtype=float)[None]
    q = sample(MECHANISM, 1, 1).q
    last = MECHANISM.v_slices[-1]
    assert np.array_equal(change.velocity(q, v)[0, : last.stop - last.start], v[0, last])
    assert np.array_equal(change.our_velocity(q, change.velocity(q, v)), v)
    with pytest.raises(ValueError, match="list each once, in the order of the code"):
        coordinates.change(MECHANISM, joints=names[1:])


def test_what_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no convention 'speed'"):
        coordinates.change(MECHANISM, speed="high")
    with pytest.raises(ValueError, match="a six-vector has 6"):
        coordinates.exchanged(np.zeros(5))
    with pytest.raises(ValueError, match="there is no frame 'body'; use local, world, aligned"):
        coordinates.force(np.eye(3, 4), np.zeros(6), "body", "world")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"give \[R p\]"):
        coordinates.motion(np.eye(4), np.zeros(6), "local", "world")


@pytest.mark.parametrize(("source", "target"), list(product(FRAMES, FRAMES)))
def test_motions_and_forces_in_every_frame(source, target) -> None:
    """Against the reference's velocities in every frame; power does not depend on the frame."""
    mechanism = TEXTBOOK["every-joint"]()
    states = sample(mechanism, 3, 1)
    reference = REFERENCE.load(mechanism)
    placements = reference.placements(states.q)
    V = {frame: getattr(reference, f"velocities_{frame}")(states.q, states.v) for frame in FRAMES}
    assert np.allclose(coordinates.motion(placements, V[source], source, target), V[target], rtol=0, atol=1e-10)
    F = np.random.default_rng(1).normal(size=V["local"].shape)
    there = coordinates.force(placements, F, source, target)
    assert np.allclose((there * V[target]).sum(axis=-1), (F * V[source]).sum(axis=-1), rtol=1e-10, atol=1e-9)


def test_six_vectors_and_quaternions() -> None:
    x = np.arange(6.0)
    assert coordinates.exchanged(x).tolist() == [3, 4, 5, 0, 1, 2]
    assert coordinates.exchanged(coordinates.exchanged(x)).tolist() == x.tolist()
    assert coordinates.w_first(np.array([1.0, 2, 3, 4])).tolist() == [4, 1, 2, 3]
