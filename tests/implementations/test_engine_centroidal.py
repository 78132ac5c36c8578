"""Engines' rates and derivatives of the centre of mass and of momenta, energy regressors, and derivatives of static forces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_evaluations import both_answers

from cross_check.comparison.case import prepare
from cross_check.comparison.judgements import compare
from cross_check.findings.finding import Prediction
from cross_check.findings.known import FINDINGS
from cross_check.findings.repaired import Repaired
from cross_check.harness import Entry, check
from cross_check.settings import Settings
from implementations.engines.rbdl.adapter import binding
from implementations.engines.rbdl.official import Official
from implementations.plugins.registry import find_implementation
from implementations.processes.subject import InProcess
from implementations.protocol import Missing
from mechanisms import find_mechanism
from mechanisms.quantities import GROUPS, QUANTITIES

pytestmark = [pytest.mark.engines, pytest.mark.usefixtures("without_coverage")]

NEW = (*GROUPS["statics"], *GROUPS["energy-regressors"], *GROUPS["centroidal"])
CENTER = {"center_of_mass_velocity", "center_of_mass_acceleration", "center_of_mass_jacobian"}
EVERY_JOINT, BASE = "random:5:9:all", "free:random:2:4"
OFFERED = {
    ("pinocchio", EVERY_JOINT): set(NEW),
    ("pinocchio", BASE): set(NEW),
    ("pinocchio", "random:3:3:mimic"): {*CENTER, "centroidal_momentum_rate"},
    ("drake", EVERY_JOINT): CENTER,
    ("drake", "stanford-arm"): {*CENTER, "gravity_dq", "centroidal_momentum_dq"},
    ("drake", BASE): CENTER,
    ("dart", EVERY_JOINT): CENTER,
    ("dart", BASE): CENTER,
    ("idyntree", "stanford-arm"): CENTER,
    ("idyntree", BASE): CENTER,
    ("mujoco", "stanford-arm"): CENTER - {"center_of_mass_acceleration"},
    ("mujoco", BASE): CENTER - {"center_of_mass_acceleration"},
    ("adam", "planar-pendulum:3"): {"center_of_mass_jacobian"},
    ("rbdl", "stanford-arm"): CENTER,
}


def installed(engine: str) -> Any:
    implementation: Any = find_implementation(engine)
    try:
        implementation.version  # noqa: B018
    except Missing as missing:
        pytest.skip(str(missing))
    return implementation


def offered(engine: str, spec: str) -> set[str]:
    """Of RBDL's two bindings, the adapter asks biorbd alone for motions of the centre of mass."""
    return set() if engine == "rbdl" and binding()[0] is Official else OFFERED[engine, spec]


@pytest.mark.nightly
@pytest.mark.parametrize(("engine", "spec"), OFFERED, ids=lambda x: str(x))
def test_an_engine_agrees_but_for_its_known_faults(engine: str, spec: str) -> None:
    settings = Settings(states=36, quantities=NEW, invariants=False)
    entry = Entry(engine, engine, InProcess(installed(engine), engine=engine))
    cells = check([(spec, find_mechanism(spec))], [entry], settings, explain=False).document()["cells"]
    compared = {cell["quantity"] for cell in cells if cell["verdict"] in ("agrees", "known")}
    assert compared == offered(engine, spec), {cell["quantity"]: cell["verdict"] for cell in cells}
    assert {cell["verdict"] for cell in cells} <= {"agrees", "known", "not offered", "unsupported"}


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
