"""Terms that are wrong at joints of some kinds and axes are named as such, without the names of joints."""

from __future__ import annotations

import pytest
from diagnosed import explained

from cross_check.explain.faults.joint_classes import AXES, SKEW, JointClass, class_of, scaled_at, words
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.spatial_terms import ARMATURE_OF_ENERGY
from mechanisms import Joint, find_mechanism

ALL_AXES = (*AXES.values(), SKEW)
UNALIGNED = ("−x", "−y", "−z", SKEW)


def test_the_class_of_a_joint_is_its_kind_and_its_axis() -> None:
    assert class_of(Joint("a", "revolute", axis=(0, -1, 0))) == ("revolute", "−y")
    assert class_of(Joint("b", "helical", axis=(0.6, 0, 0.8))) == ("helical", SKEW)
    assert class_of(Joint("c", "spherical")) == ("spherical", "+z")


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ([("revolute", axis) for axis in ALL_AXES], "revolute joints"),
        (
            [(kind, axis) for kind in ("revolute", "helical") for axis in UNALIGNED],
            "revolute and helical joints whose axis is none of +x, +y and +z",
        ),
        ([("prismatic", "−x"), ("spherical", "+z")], "prismatic joints whose axis is −x, and at spherical joints"),
        ([("revolute", "+x"), ("revolute", "+z")], "revolute joints whose axis is +x or +z"),
    ],
)
def test_classes_are_said_in_words(classes: list[JointClass], said: str) -> None:
    assert words(frozenset(classes)) == said


@pytest.mark.slow
def test_a_term_that_is_missing_at_some_classes_is_found_with_them() -> None:
    classes = frozenset((kind, axis) for kind in ("revolute", "prismatic") for axis in UNALIGNED)
    fault = scaled_at(ARMATURE_OF_ENERGY, 0, classes)  # type: ignore[arg-type]
    found = explained(Mutant(fault), "code", find_mechanism("random:8:4:revolute,prismatic"), "kinetic_energy")
    assert found == {f"In code, {fault.name}": ("kinetic_energy",)}
