"""Rates and derivatives of the centre of mass, of the centroidal momentum and of static forces, and the energy regressors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.objects import BAR
from cross_check.explain.faults.fault import Edit
from cross_check.explain.faults.mutants import edited
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.prove.proof.prove import prove
from implementations.algorithms import AlgorithmicDynamics
from implementations.field import Real
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism, integrate
from mechanisms.quantities import GROUPS, QUANTITIES

NEW = (*GROUPS["statics"], *GROUPS["energy-regressors"], *GROUPS["centroidal"])

MOMENTA = "centroidal_derivatives"
PLANTED = {
    "∂c × l left out": (Edit(MOMENTA, "derivative[:3] - moved", "derivative[:3]"), "centroidal_momentum_dq"),
    "ċ × l left out": (Edit(MOMENTA, "derivative[:3] - moved", "derivative[:3]"), "centroidal_momentum_matrix_rate"),
    "Bᵀ left out of İ": (
        Edit(MOMENTA, "mul(B2 + B2.swapaxes(0, 1), joint.s)", "mul(B2, joint.s)"),
        "centroidal_momentum_matrix_rate",
    ),
    "s × F left out": (Edit(MOMENTA, "df = df + _turned(", "df = df + 0 * _turned("), "centroidal_momentum_rate_dq"),
    "s × h left out": (Edit(MOMENTA, "dh = dh + _turned(", "dh = dh + 0 * _turned("), "centroidal_momentum_dq"),
    "ṡ left out": (Edit(MOMENTA, "mul(I, joint.dΨ + joint.ds)", "mul(I, joint.dΨ)"), "centroidal_momentum_rate_dv"),
    "I a alone": (
        Edit("centroidal", "mul(link.I, ai) + crf(vi, mul(link.I, vi))", "mul(link.I, ai)"),
        "centroidal_momentum_rate",
    ),
    "not divided by the mass": (
        Edit("centroidal", "(model, q)[3:] / total_mass(model)", "(model, q)[3:]"),
        "center_of_mass_jacobian",
    ),
    "forces fixed in the root": (Edit("derivatives", "fi - X.T @ force", "fi"), "static_forces_dq"),
    "½ left out": (Edit("energy_regressors", ".sum(axis=0) / 2", ".sum(axis=0)"), "kinetic_energy_regressor"),
    "first moments not turned": (Edit("energy_regressors", "mul(X.E, g)", "(g + 0 * X.r)"), "potential_energy_regressor"),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_refuted_and_measured(fault: str) -> None:
    edit, quantity = PLANTED[fault]
    wrong, mechanism = edited((edit,)), find_mechanism("random:4:4:revolute,free,universal")
    certificate = prove(mechanism, "it", algorithms=wrong.ALGORITHMS, build=wrong.build, quantities=[quantity])
    assert certificate.verdict == "refuted"
    case = prepare(mechanism, 0, 14)
    dynamics = AlgorithmicDynamics(mechanism, wrong.build(mechanism, Real()), wrong.ALGORITHMS)
    answer = getattr(dynamics, quantity)(*case.states.arguments(QUANTITIES[quantity].arguments))
    assert compare(case, QUANTITIES[quantity], answer).units.max() > 1e6 * BAR


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


def states(mechanism: Mechanism) -> tuple[Any, Any, Any]:
    q, v, a = prepare(mechanism, 0, 2).states.pick(np.array([1])).arguments(("q", "v", "a"))
    return q, v, a
