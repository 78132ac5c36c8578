"""Faults in rates and derivatives of momenta, in static forces and in energy regressors are refuted and measured."""

from __future__ import annotations

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
from mechanisms import find_mechanism
from mechanisms.quantities import GROUPS, QUANTITIES

NEW = (*GROUPS["statics"], *GROUPS["energy-regressors"], *GROUPS["centroidal"])

MOMENTA = "centroidal_derivatives"
PLANTED = {
    "centroidal_momentum_dq": (MOMENTA, "derivative[:3] - moved", "derivative[:3]"),
    "centroidal_momentum_matrix_rate": (MOMENTA, "mul(B2 + B2.swapaxes(0, 1), joint.s)", "mul(B2, joint.s)"),
    "centroidal_momentum_rate_dq": (MOMENTA, "df = df + _turned(", "df = df + 0 * _turned("),
    "centroidal_momentum_rate_dv": (MOMENTA, "mul(I, joint.dΨ + joint.ds)", "mul(I, joint.dΨ)"),
    "centroidal_momentum_rate": ("centroidal", "mul(link.I, ai) + crf(vi, mul(link.I, vi))", "mul(link.I, ai)"),
    "center_of_mass_jacobian": ("centroidal", "(model, q)[3:] / total_mass(model)", "(model, q)[3:]"),
    "static_forces_dq": ("derivatives", "fi - X.T @ force", "fi"),
    "kinetic_energy_regressor": ("energy_regressors", ".sum(axis=0) / 2", ".sum(axis=0)"),
    "potential_energy_regressor": ("energy_regressors", "mul(X.E, g)", "(g + 0 * X.r)"),
}
"""By quantity that is wrong then: an edit of the reference."""


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_refuted_and_measured(name: str) -> None:
    wrong, mechanism = edited((Edit(*PLANTED[name]),)), find_mechanism("random:4:4:revolute,free,universal")
    certificate = prove(mechanism, "it", algorithms=wrong.ALGORITHMS, build=wrong.build, quantities=[name])
    assert certificate.verdict == "refuted"
    case, quantity = prepare(mechanism, 0, 14), QUANTITIES[name]
    dynamics = AlgorithmicDynamics(mechanism, wrong.build(mechanism, Real()), wrong.ALGORITHMS)
    answer = getattr(dynamics, name)(*case.states.arguments(quantity.arguments))
    assert compare(case, quantity, answer).units.max() > 1e6 * BAR


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["every-joint", pytest.param("random:3:8:mimic", marks=pytest.mark.nightly)])
def test_correct_code_stays_within_the_bar(spec: str) -> None:
    case = prepare(find_mechanism(spec), 0, 36)
    dynamics = REFERENCE.load(case.mechanism)
    for name in NEW:
        answer = getattr(dynamics, name)(*case.states.arguments(QUANTITIES[name].arguments))
        assert compare(case, QUANTITIES[name], answer).units.max() < BAR / 2, name
