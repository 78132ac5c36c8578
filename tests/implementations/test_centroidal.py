"""Rates and derivatives of the centre of mass, of the centroidal momentum and of static forces, and the energy regressors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cross_check.comparison.case import prepare
from cross_check.comparison.judgements import compare
from cross_check.proof.prove import prove
from cross_check.results.objects import BAR
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism, integrate
from mechanisms.quantities import GROUPS, QUANTITIES

NEW = (*GROUPS["statics"], *GROUPS["energy-regressors"], *GROUPS["centroidal"])


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("spec", ["every-joint", "random:3:8:mimic"])
def test_all_are_proven_for_every_kind_of_joint(spec: str) -> None:
    certificate = prove(find_mechanism(spec), spec, quantities=NEW)
    assert certificate.verdict == "proven"
    assert set(certificate.quantities) == set(NEW)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["every-joint", "random:3:8:mimic", "free:random:2:12"])
def test_correct_code_stays_within_the_bar(spec: str) -> None:
    case = prepare(find_mechanism(spec), 0, 36)
    dynamics = REFERENCE.load(case.mechanism)
    for name in NEW:
        answer = getattr(dynamics, name)(*case.states.arguments(QUANTITIES[name].arguments))
        assert compare(case, QUANTITIES[name], answer).units.max() < BAR / 2, name


def test_the_rate_of_the_momentum_is_what_differences_give() -> None:
    """The motion q ⊕ v t + …: differences know nothing of screws, jets or duals."""
    mechanism = find_mechanism("free:random:3:5:all")
    dynamics, (q, v, a) = REFERENCE.load(mechanism), states(mechanism)
    h = 1e-5

    def momentum(t: float) -> Any:
        return dynamics.centroidal_momentum(integrate(mechanism, q, t * (v + t * a / 2)), v + t * a)

    by_differences = (momentum(h) - momentum(-h)) / (2 * h)
    np.testing.assert_allclose(dynamics.centroidal_momentum_rate(q, v, a), by_differences, rtol=1e-6, atol=1e-6)
    moved = dynamics.center_of_mass(integrate(mechanism, q, h * v)) - dynamics.center_of_mass(integrate(mechanism, q, -h * v))
    np.testing.assert_allclose(dynamics.center_of_mass_velocity(q, v), moved / (2 * h), rtol=1e-6, atol=1e-8)


def test_the_rate_is_linear_in_the_acceleration() -> None:
    mechanism = find_mechanism("every-joint")
    dynamics, (q, v, a) = REFERENCE.load(mechanism), states(mechanism)
    A, dA = dynamics.centroidal_momentum_matrix(q), dynamics.centroidal_momentum_matrix_rate(q, v)
    rate = np.einsum("bij,bj->bi", A, a) + np.einsum("bij,bj->bi", dA, v)
    np.testing.assert_allclose(dynamics.centroidal_momentum_rate(q, v, a), rate, rtol=0, atol=1e-12 * abs(rate).max())
    J, mass = dynamics.center_of_mass_jacobian(q), mechanism.arrays.masses.sum()
    np.testing.assert_allclose(J, A[:, 3:] / mass, rtol=0, atol=1e-14 * abs(J).max())


def test_a_turn_of_a_free_base_turns_the_momentum_and_a_shift_leaves_it() -> None:
    """∂h/∂q along the base's own axes: the columns of R × [k; l], and zeros."""
    mechanism = find_mechanism("free:puma560")
    dynamics, (q, v, _) = REFERENCE.load(mechanism), states(mechanism)
    derivative, h = dynamics.centroidal_momentum_dq(q, v), dynamics.centroidal_momentum(q, v)
    R = dynamics.placements(q)[:, 0, :, :3]
    for k in range(3):
        turned = np.concatenate([np.cross(R[:, :, k], h[:, :3]), np.cross(R[:, :, k], h[:, 3:])], axis=1)
        np.testing.assert_allclose(derivative[:, :, k], turned, atol=1e-12 * abs(h).max())
    np.testing.assert_allclose(derivative[:, :, 3:6], 0, atol=1e-12 * abs(h).max())


def test_forces_between_bodies_leave_the_momentum() -> None:
    mechanism = find_mechanism("free:puma560")
    dynamics, (q, v, tau) = REFERENCE.load(mechanism), states(mechanism)
    weightless = REFERENCE.load(replace(mechanism, gravity=(0, 0, 0)))
    rate = dynamics.centroidal_momentum_rate(q, v, weightless.forward_dynamics(q, v, tau * ([0] * 6 + [1] * 6)))
    np.testing.assert_allclose(rate, 0, atol=1e-11)


@pytest.mark.parametrize("spec", ["every-joint", "random:3:8:mimic"])
def test_energies_are_their_regressors_times_the_parameters(spec: str) -> None:
    mechanism = find_mechanism(spec)
    dynamics, (q, v, _) = REFERENCE.load(mechanism), states(mechanism)
    columns: list[Any] = []
    for inertia in (body.inertia for body in mechanism.bodies):
        I = inertia.about((0, 0, 0))
        columns += [inertia.mass, *(inertia.mass * c for c in inertia.com)]
        columns += [I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]
    π, armature = np.array(columns, dtype=float), mechanism.independent.arrays
    T = dynamics.kinetic_energy_regressor(q, v) @ π
    if not mechanism.has_mimics:
        T = T + (armature.per_coordinate(armature.armature) * v * v).sum(axis=1) / 2
        np.testing.assert_allclose(T, dynamics.kinetic_energy(q, v), rtol=1e-12)
    np.testing.assert_allclose(dynamics.potential_energy_regressor(q) @ π, dynamics.potential_energy(q), rtol=1e-11)


def states(mechanism: Mechanism) -> tuple[Any, Any, Any]:
    q, v, a = prepare(mechanism, 0, 2).states.pick(np.array([1])).arguments(("q", "v", "a"))
    return q, v, a
