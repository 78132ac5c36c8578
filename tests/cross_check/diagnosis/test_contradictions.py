"""Explanations hold in general, not only on the user's mechanism; but what a mechanism lacks does not count against them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from diagnosed import explained, fault_called

from cross_check.faults.mutants import loaded
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, find_mechanism

pytestmark = pytest.mark.slow


class FileReader:
    """Code that reads files: it knows no rotors, and no dampers."""

    def load(self, mechanism: Mechanism) -> Any:
        bodies = tuple(replace(body, joint=replace(body.joint, armature=0, damping=0)) for body in mechanism.bodies)
        return REFERENCE.load(replace(mechanism, bodies=bodies, physical=mechanism.physical))


class WrongFileReader(FileReader):
    def load(self, mechanism: Mechanism) -> Any:
        bodies = tuple(replace(body, joint=replace(body.joint, armature=0, damping=0)) for body in mechanism.bodies)
        return loaded(fault_called("v ×* I v has the wrong sign").edits, replace(mechanism, bodies=bodies))


def test_code_that_knows_neither_dampers_nor_rotors_ignores_damping_where_there_is_some() -> None:
    mechanism = find_mechanism("planar-pendulum:3")
    assert [*explained(FileReader(), "reader", mechanism, "inverse_dynamics")] == ["In reader, damping is ignored"]


def test_a_wrong_sign_of_such_code_is_named_where_there_are_no_dampers() -> None:
    mechanism = find_mechanism("random:3:4")
    bodies = tuple(replace(body, joint=replace(body.joint, armature=0, damping=0)) for body in mechanism.bodies)
    assert [*explained(WrongFileReader(), "reader", replace(mechanism, bodies=bodies), "inverse_dynamics")] == [
        "In reader, v ×* I v has the wrong sign"
    ]
