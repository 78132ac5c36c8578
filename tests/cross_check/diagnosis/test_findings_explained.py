"""The known findings on Pinocchio are explained by diagnosis itself, without being told: term and kind of joint."""

from __future__ import annotations

import pytest
from diagnosed import explained

from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism

pytestmark = [pytest.mark.slow, pytest.mark.engines]


@pytest.mark.nightly
def test_joints_with_several_angles() -> None:
    from implementations.engines.pinocchio.adapter import Pinocchio

    quantities = ("drifts_world", "inverse_dynamics", "inverse_dynamics_dq", "coriolis_matrix")
    causes = explained(Pinocchio(), "pinocchio", find_mechanism("random:29:3:all"), *quantities)
    derivatives = "the derivatives take the axes of joints with several angles as fixed in the joint's body"
    drifts = "the velocity product S̊ q̇ of joints with several angles is left out"
    found = {sentence.partition(" (")[0].partition(", although")[0]: cells for sentence, cells in causes.items()}
    assert found == {
        f"In pinocchio, {drifts}": ("drifts_world",),
        f"In pinocchio, {derivatives}": ("coriolis_matrix", "inverse_dynamics_dq"),
    }


@pytest.mark.nightly
def test_armature_of_unaligned_joints() -> None:
    from implementations.engines.pinocchio.adapter import Pinocchio

    bodies = (
        Body("first", "world", Joint("a", "revolute", axis=(0, 1, 0), armature=2), Inertia(1, (1, 0, 0))),
        Body("second", "first", Joint("b", "revolute", axis=(0, 0, -1), armature=3), Inertia(1, (1, 0, 0))),
        Body("third", "second", Joint("c", "prismatic", axis=(0.6, 0, 0.8), armature=5), Inertia(1, (0, 1, 0))),
        Body("fourth", "third", Joint("d", "helical", axis=(0.6, 0.8, 0), armature=7, pitch=1), Inertia(1, (0, 1, 0))),
    )
    said = "½ armature q̇² is left out at revolute and helical joints whose axis is none of +x, +y and +z"
    found = explained(Pinocchio(), "pinocchio", Mechanism("unaligned", bodies), "kinetic_energy")
    assert found == {f"In pinocchio, {said}": ("kinetic_energy",)}
