"""Explanations hold in general, not only on the user's mechanism; but what a mechanism lacks does not count against them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from diagnosed import explained, fault_called
from wrong_codes import Misread

from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.mutants import Mutant
from mechanisms import Mechanism, find_mechanism

pytestmark = pytest.mark.slow


def as_files_say(mechanism: Mechanism) -> Mechanism:
    """The mechanism for code that reads files and knows no rotors and no dampers."""
    bodies = tuple(replace(body, joint=replace(body.joint, armature=0, damping=0)) for body in mechanism.bodies)
    return replace(mechanism, bodies=bodies)


def test_code_that_knows_neither_dampers_nor_rotors_ignores_damping_where_there_is_some() -> None:
    mechanism = find_mechanism("planar-pendulum:3")
    assert [*explained(Misread(as_files_say), "reader", mechanism, "inverse_dynamics")] == ["In reader, damping is ignored"]


@pytest.mark.nightly
def test_a_wrong_sign_of_such_code_is_named_where_there_are_no_dampers() -> None:
    mechanism = as_files_say(find_mechanism("random:3:4"))
    wrong = Misread(as_files_say, Mutant(fault_called("v ×* I v has the wrong sign")))
    assert [*explained(wrong, "reader", mechanism, "inverse_dynamics")] == ["In reader, v ×* I v has the wrong sign"]


@pytest.mark.nightly
def test_what_a_refuted_pair_began_with_is_named_without_it() -> None:
    """A pair of other faults explains both answers here, and not elsewhere."""
    edits = (
        Edit("crba", "link.armature[k - link.v.start]", "0"),
        Edit("aba", "- joint_force(model, link, q, qd)", "+ joint_force(model, link, q, qd)"),
    )
    wrong = Mutant(Fault("two faults", "armature", edits))
    said = [*explained(wrong, "code", find_mechanism("puma560"), "mass_matrix", "forward_dynamics", "inverse_dynamics")]
    assert any("armature" in sentence and "M " in sentence for sentence in said), said


def test_a_constant_of_potential_energy_is_no_number_of_one_joint() -> None:
    """A higher first joint has the same effect, because its axis is vertical. With another gravity it has not."""

    def shifted(mechanism: Mechanism, quantity: str, state: Any, answer: Any) -> Any:
        return answer - mechanism.arrays.masses.sum()

    wrong = Mutant(Fault("the mass counts as energy", "energies", answer=shifted, quantities=("potential_energy",)))
    said = [*explained(wrong, "code", find_mechanism("furuta-pendulum"), "potential_energy", "gravity")]
    assert said == ["In code, potential energy is wrong; no fault that was tried explains it"]
