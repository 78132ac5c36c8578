"""Sizes bound the terms of correct code in any frame and with any formula, and are no larger than necessary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from altered import run, verdicts_of

from cross_check.judge.comparison.sampling import sample
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from implementations.field import Real
from implementations.screws.product_of_exponentials import SCREWS
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Mechanism, Placement, Rotation, find_mechanism, random_mechanism
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import QUANTITIES, USUAL

Array = np.ndarray[Any, Any]
SIZED = [name for name in USUAL if not QUANTITIES[name].needs_regular_mass_matrix]


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["cart-pole", pytest.param("puma560", marks=pytest.mark.nightly)])
def test_correct_code_in_other_frames_agrees(spec: str) -> None:
    """In frames at centres of mass. Includes quarter turns, where a cosine vanishes in one frame only, and fast motions."""
    judged = verdicts_of(run(SCREWS, spec, "inverse_dynamics", "gravity", "mass_matrix"))
    assert judged and set(judged.values()) == {"agrees"}


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["puma560", "floating-base-link", "every-joint", "free:random:4:7"])
def test_no_value_is_larger_than_its_size(spec: str) -> None:
    mechanism = find_mechanism(spec)
    states, scale, dynamics = sample(mechanism, 1, 21), ErrorScale(mechanism), REFERENCE.load(mechanism)
    for quantity in SIZED:
        arguments = states.arguments(QUANTITIES[quantity].arguments)
        values, size = getattr(dynamics, quantity)(*arguments), scale.size(quantity, *arguments)
        assert values.shape == size.shape, quantity
        assert (np.abs(values) <= size * (1 + 1e-12)).all(), quantity


def test_sizes_know_no_directions() -> None:
    """Turning every joint's frame changes every component and no size."""
    straight = random_mechanism(6, 5)
    places = [Placement(Rotation(1, 2, -1, 3), body.joint.placement.translation) for body in straight.bodies]
    bodies = [replace(b, joint=replace(b.joint, placement=place)) for b, place in zip(straight.bodies, places, strict=True)]
    both = (straight, replace(straight, bodies=tuple(bodies)))
    states = sample(straight, 1, 21)
    for quantity in SIZED:
        arguments = states.arguments(QUANTITIES[quantity].arguments)
        assert np.array_equal(*(ErrorScale(m).size(quantity, *arguments) for m in both)), quantity
        assert not np.allclose(*(getattr(REFERENCE.load(m), quantity)(*arguments) for m in both)), quantity


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["prismatic", "free"])
def test_sizes_grow_with_the_rotations_on_a_path(kind: Kind) -> None:
    """A long chain errs as little as a short one, and a billionth still shows."""
    chain = random_mechanism(8, 100 if kind == "prismatic" else 40, (kind,), shape="chain")
    states, scale, exact = sample(chain, 1, 3), ErrorScale(chain), Reference(Real(np.longdouble)).load(chain)
    answers = REFERENCE.load(chain)
    for quantity in ("mass_matrix", "inverse_dynamics", "placements", "velocities_local", "center_of_mass"):
        arguments = states.arguments(QUANTITIES[quantity].arguments)
        true, answer = (getattr(one, quantity)(*arguments) for one in (exact, answers))
        size = scale.size(quantity, *arguments)
        assert in_epsilons(np.float64(answer - true), size).max() < 6
        assert in_epsilons(np.float64(answer * (1 + 1e-9) - true), size).max() > 100
    tau = exact.inverse_dynamics(states.q, states.v, states.a).astype(np.float64)
    reached = answers.forward_dynamics(states.q, states.v, tau)
    residual = np.float64(exact.inverse_dynamics(states.q, states.v, reached) - tau)
    assert in_epsilons(residual, scale.shared_force(states.q, states.v, reached)).max() < 6


@pytest.mark.parametrize("spec", ["ur5", "every-joint"])
def test_a_mass_matrix_is_sized_by_its_inertias_at_angles_of_many_turns_too(spec: str) -> None:
    """Answers of M⁻¹ are judged by √J, and M by its size: both must know that many turns are rounded."""
    mechanism = find_mechanism(spec)
    scale, q = ErrorScale(mechanism), sample(mechanism, 0, 98).q
    root = np.sqrt(scale.subtree_inertias(q))
    np.testing.assert_allclose(scale.size("mass_matrix", q), root[:, :, None] * root[:, None, :], rtol=1e-12)


def test_sizes_of_a_pendulum_are_its_formula() -> None:
    """m g l, I + m l², and (I + m l²) q̇² / 2: the sizes have no other terms."""
    mechanism = find_mechanism("pendulum")
    sizes, inertia = ErrorScale(mechanism), mechanism.bodies[0].inertia
    m, l = float(inertia.mass), 0.4
    q = np.array([[1.0]])
    assert sizes.size("gravity", q)[0, 0] == pytest.approx(m * 9.81 * l)
    assert sizes.size("potential_energy", q)[0] == pytest.approx(m * 9.81 * l)
    trace = sum(float(x) for x in inertia.about_com[:3])
    assert sizes.size("mass_matrix", q)[0, 0, 0] == pytest.approx(trace + m * l * l)
    assert sizes.size("kinetic_energy", q, np.array([[3.0]]))[0] == pytest.approx((trace + m * l * l) * 9 / 2)
    assert sizes.size("inverse_dynamics_dq", q, 0 * q, 0 * q)[0, 0, 0] == pytest.approx(m * 9.81 * l)
    assert sizes.size("inverse_dynamics_dv", q, 0 * q)[0, 0, 0] == pytest.approx(float(mechanism.bodies[0].joint.damping))
    assert sizes.size("coriolis_matrix", q, 0 * q) == 0


def test_armature_and_damping_count() -> None:
    bare = random_mechanism(5, 4, armature=False, damping=False)
    armed = (replace(body, joint=replace(body.joint, armature=7, damping=11)) for body in bare.bodies)
    light, heavy = ErrorScale(bare), ErrorScale(Mechanism(bare.name, tuple(armed)))
    q, v, a = sample(bare, 1, 21).arguments(("q", "v", "a"))
    added = heavy.size("inverse_dynamics", q, v, a) - light.size("inverse_dynamics", q, v, a)
    np.testing.assert_allclose(added, 7 * np.abs(a) + 11 * np.abs(v), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(heavy.subtree_inertias(q) - light.subtree_inertias(q), 7, rtol=1e-9)
    energy = heavy.size("kinetic_energy", q, v) - light.size("kinetic_energy", q, v)
    np.testing.assert_allclose(energy, 3.5 * (v * v).sum(axis=1), rtol=1e-6, atol=1e-9)
