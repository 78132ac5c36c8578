"""Engines' rates and derivatives of the centre of mass and of momenta, energy regressors, and derivatives of static forces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_evaluations import both_answers

from cross_check.explain.findings.finding import Prediction, Repaired
from cross_check.explain.findings.known import FINDINGS
from cross_check.judge.comparison.case import prepare
from cross_check.judge.comparison.judgements import compare
from implementations.plugins.registry import find_implementation
from implementations.protocol import Missing
from mechanisms import find_mechanism
from mechanisms.quantities import GROUPS, QUANTITIES

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("without_coverage")]

NEW = (*GROUPS["statics"], *GROUPS["energy-regressors"], *GROUPS["centroidal"])


def installed(engine: str) -> Any:
    implementation: Any = find_implementation(engine)
    try:
        implementation.version  # noqa: B018
    except Missing as missing:
        pytest.skip(str(missing))
    return implementation


REPAIRED = {
    "centroidal_momentum_matrix_rate": "pinocchio-centroidal-map-rate",
    "center_of_mass_jacobian": "idyntree-com-jacobian-digits",
    "center_of_mass_acceleration": "idyntree-com-jacobian-digits",
}


@pytest.mark.parametrize("name", REPAIRED)
def test_a_repair_hides_no_other_fault(name: str) -> None:
    """The answer is spoilt alone: what the repair takes from other answers of the engine remains right."""
    finding = next(finding for finding in FINDINGS if finding.name == REPAIRED[name])
    mechanism, quantity = find_mechanism("stanford-arm"), QUANTITIES[name]
    case = prepare(mechanism, 0, 36)
    arguments = case.states.arguments(quantity.arguments)
    dynamics = installed(finding.implementation).load(mechanism)

    def worst(by: float) -> float:
        spoilt = Repaired(dynamics, **{name: lambda *state: by * np.asarray(getattr(dynamics, name)(*state))})
        repaired = Prediction([finding], mechanism).without(spoilt)
        return float(compare(case, quantity, getattr(repaired, name)(*arguments)).units.max())

    assert worst(1.0) < 8
    assert worst(1.001) > 1e6


@pytest.mark.parametrize("quantity", [name for name in NEW if name != "centroidal_momentum_matrix_rate"])
def test_the_program_for_pinocchio_alone_answers_what_is_expected(quantity: str) -> None:
    installed("pinocchio")
    got, program = both_answers("pinocchio", find_mechanism("random:3:4"), quantity)
    np.testing.assert_allclose(got, program.expected, rtol=1e-8, atol=1e-8)
