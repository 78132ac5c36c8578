"""The known findings on Pinocchio are explained by diagnosis itself, without being told: term and kind of joint."""

from __future__ import annotations

import numpy as np
import pytest

from cross_check.diagnosis.diagnose import Diagnosis
from cross_check.harness import check
from cross_check.part import Entry
from cross_check.results.causes import Cause
from cross_check.settings import Settings
from implementations.processes.subject import InProcess
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism

pytestmark = [pytest.mark.slow, pytest.mark.engines]


def explained(mechanism: Mechanism, *quantities: str) -> list[Cause]:
    """What a diagnosis finds in Pinocchio that takes known findings for discrepancies."""
    from implementations.engines.pinocchio.adapter import Pinocchio

    entry = Entry("pinocchio", "pinocchio", InProcess(Pinocchio()))
    settings = Settings(states=36, invariants=False, quantities=quantities)
    results = check([(mechanism.name, mechanism)], [entry], settings, explain=False)
    wrong = {cell.id for cell in results.cells if cell.verdict == "known"}
    diagnosis = Diagnosis(entry.subject, entry.name, entry.spec, results.items, settings, verdicts=("discrepancy", "known"))
    with np.errstate(all="ignore"):
        causes = diagnosis.run([mechanism])
    assert wrong
    assert {cell for cause in causes for cell in cause.cells} == wrong
    return causes


def test_joints_with_several_angles() -> None:
    quantities = ("drifts_world", "inverse_dynamics", "inverse_dynamics_dq", "inverse_dynamics_dv", "coriolis_matrix")
    drifts, derivatives = explained(find_mechanism("random:3:3:all"), *quantities)
    assert "the velocity product S̊ q̇ of joints with several angles is left out (only in Jacobian drifts" in drifts.sentence
    assert "the derivatives take the axes of joints with several angles as fixed in the joint's body" in derivatives.sentence
    assert [cell.rpartition("/")[2] for cell in drifts.cells] == ["drifts_world"]
    assert len(derivatives.cells) == 3


def test_armature_of_unaligned_joints() -> None:
    bodies = [
        Body("first", "world", Joint("a", "revolute", axis=(0, 1, 0), armature=2), Inertia(1, (1, 0, 0))),
        Body("second", "first", Joint("b", "revolute", axis=(0, 0, -1), armature=3), Inertia(1, (1, 0, 0))),
        Body("third", "second", Joint("c", "prismatic", axis=(0.6, 0, 0.8), armature=5), Inertia(1, (0, 1, 0))),
        Body("fourth", "third", Joint("d", "helical", axis=(0.6, 0.8, 0), armature=7, pitch=1), Inertia(1, (0, 1, 0))),
    ]
    (cause,) = explained(Mechanism("unaligned", tuple(bodies)), "kinetic_energy")
    said = "½ armature q̇² is left out at revolute and helical joints whose axis is none of +x, +y and +z"
    assert cause.sentence == f"In pinocchio, {said}"
