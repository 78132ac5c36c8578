"""Hypotheses on single bodies and joints: each is visible, is told from all others, and names its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rich_mechanism import RICH

from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.explain.faults.readings.bodies import shifted
from cross_check.explain.faults.readings.joints import rpy_order
from cross_check.explain.faults.readings.mechanisms import misreadings
from cross_check.judge.comparison.sampling import States, sample
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, find_mechanism
from mechanisms.library.textbook_tables import SKEW
from mechanisms.quantities import QUANTITIES

TOLD = ("inverse_dynamics", "placements", "center_of_mass", "centroidal_momentum")


def answers(fault: Fault, states: States) -> np.ndarray:
    """What code with the fault answers about the rich mechanism, as one vector."""
    dynamics = MutantDynamics(fault, RICH)
    return np.concatenate([getattr(dynamics, name)(*states.arguments(QUANTITIES[name].arguments)).ravel() for name in TOLD])


@pytest.mark.slow
def test_every_misreading_is_seen_and_told_from_every_other() -> None:
    found = [NO_FAULT, *misreadings(RICH)]
    names = [fault.name for fault in found]
    assert len(set(names)) == len(names) > 250
    states = sample(RICH, 0, 20).pick(np.array([1, 9]))
    told = np.array([answers(fault, states) for fault in found])
    told /= 1 + np.abs(told[0])
    apart = np.array([np.abs(told - one).max(axis=1) for one in told])
    same = list(zip(*np.nonzero(np.triu(apart < 1e-12, 1)), strict=True))
    # Ways to misread may give the same numbers, as an axis that is snapped to the one that is always taken.
    read = [fault.mechanism(RICH).bodies if fault.mechanism else RICH.bodies for fault in found]
    assert [(names[i], names[k]) for i, k in same if read[i] != read[k]] == []


def test_every_misreading_names_one_body_or_joint_and_goes_by_its_name() -> None:
    names = {name for body in RICH.bodies for name in (body.name, body.joint.name)}
    other = find_mechanism("pendulum")
    for fault in misreadings(RICH):
        assert len(fault.where) == 1
        assert fault.where[0] in names
        assert fault.where[0] in fault.name
        assert fault.changes(RICH)
        assert not fault.changes(other)


def test_nothing_is_misread_that_is_not_there() -> None:
    mechanism = Mechanism("plain", (Body("rod", "world", Joint("hinge", "revolute"), Inertia(1, ("1", 0, 0))),))
    names = [fault.name for fault in misreadings(mechanism)]
    for absent in ("armature", "damping", "pitch", "Ixy", "roll", "parent", "the origin of", "has no inertia"):
        assert not [name for name in names if absent in name], absent
    assert "the mass of rod is a thousand times too large" in names


def test_all_kinds_of_joints_can_be_misread() -> None:
    mechanism = find_mechanism("every-joint")
    q = sample(mechanism, 0, 2).q
    for fault in misreadings(mechanism):
        if "is taken for" in fault.name:
            assert np.isfinite(MutantDynamics(fault, mechanism).placements(q)).all(), fault.name


def test_a_wrong_order_of_angles_is_that_of_a_matrix() -> None:
    """R = Rx(roll) Ry(pitch) Rz(yaw), whether the rotation was made from angles or not."""
    roll, pitch, yaw = 0.3, -0.4, 1.2
    x, y, z = (
        Rotation.about(axis, angle) for axis, angle in zip(((1, 0, 0), (0, 1, 0), (0, 0, 1)), (roll, pitch, yaw), strict=True)
    )
    expected = np.array((x @ y @ z).matrix, dtype=float)
    made = Rotation.from_rpy(roll, pitch, yaw)
    for rotation in (made, Rotation(*made.quaternion)):
        assert np.allclose(np.array(rpy_order(Placement(rotation)).rotation.matrix, dtype=float), expected, atol=1e-14)


def test_an_inertia_that_is_moved_twice_is_moved_once_about_the_origin() -> None:
    once = np.array(SKEW.about((0, 0, 0)), dtype=float)
    twice = np.array(shifted(SKEW, 1).about((0, 0, 0)), dtype=float)
    centre = np.array(SKEW.matrix, dtype=float)
    assert np.allclose(twice - once, once - centre)
    assert np.allclose(np.array(shifted(SKEW, -1).about((0, 0, 0)), dtype=float), centre)


def test_a_name_with_braces_is_kept() -> None:
    mechanism = Mechanism("odd", (Body("{0}{x}", "world", replace(RICH.bodies[1].joint, name="{}"), SKEW),))
    found = list(misreadings(mechanism))
    assert {"{0}{x}", "{}"} == {fault.where[0] for fault in found}
    assert all(fault.where[0] in fault.name for fault in found)
