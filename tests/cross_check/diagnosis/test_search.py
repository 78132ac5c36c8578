"""What stages of a search find: what faulty joints or bodies have in common, and pairs of faults that do not cancel."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

import numpy as np
import pytest
from diagnosed import explained

from cross_check.explain.diagnosis.laboratory import Laboratory, try_sampled
from cross_check.explain.diagnosis.numbers.fits import at_trait, misread
from cross_check.explain.diagnosis.probes import distinguished
from cross_check.explain.diagnosis.search import Search
from cross_check.explain.diagnosis.stages import Stage, Stages
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.changes.joint_traits import AXES, SKEW, JointClass, class_of, joints_with, traits_of, words
from cross_check.explain.faults.edits import SPATIAL_TERMS
from cross_check.explain.faults.fault import Fault, Term, both, scaled
from cross_check.explain.faults.mutants import Mutant
from cross_check.explain.faults.readings.bodies import BODIES
from cross_check.explain.faults.terms.factors import terms
from implementations.processes.subject import InProcess
from mechanisms import Joint, find_mechanism

BAR = 16.0


@cache
def term(name: str) -> Term:
    (found,) = (term for term in terms() if name in (term.name, term.group))
    return found


IGNORED = next(entry for entry in BODIES if entry[0] == "the rotational inertia of {} is ignored")


def named(fault: Fault, spec: str, quantity: str, stage: str, states: int = 12) -> str:
    """What one stage and probes say of code with this fault; nothing if the stage has no explanation."""
    laboratory, mechanism = Laboratory(InProcess(Mutant(fault)), "code"), find_mechanism(spec)
    search = Search(Stages(laboratory, mechanism, []))
    symptom = Symptom(try_sampled(laboratory, mechanism, 0, states), quantity)
    (found,) = search.run([symptom], [Stage(stage, getattr(search.stages, stage))])
    return distinguished(laboratory, mechanism, found.explanations).chosen.fault.name if found.explanations else ""


@pytest.mark.slow
def test_a_force_in_other_units_at_one_kind_of_joint() -> None:
    fault = scaled(term("the force τ"), np.pi / 180, trait="of the kind prismatic")
    said = named(fault, "stanford-arm", "inverse_dynamics", "one_number")
    assert said == "the force τ is multiplied by 0.0174533 (π/180) at prismatic joints"


@pytest.mark.slow
def test_a_trait_of_several_joints_is_told_from_their_names() -> None:
    wide = scaled(term("gyroscopic moment"), 0, trait="outboard of a prismatic joint")
    narrow = scaled(term("gyroscopic moment"), 0, ("joint4", "joint5", "joint6"))
    for fault in (wide, narrow):
        assert named(fault, "stanford-arm", "nonlinear_effects", "several_numbers") == fault.name


@pytest.mark.slow
def test_bodies_that_are_misread_alike() -> None:
    mechanism = find_mechanism("stanford-arm")
    narrow, wide = misread(("link3", "link4", "link6"), *IGNORED), at_trait("from the 4th on", *IGNORED)
    assert narrow.changes(mechanism)
    for fault in (narrow, wide):
        assert named(fault, "stanford-arm", "mass_matrix", "alike") == fault.name


@pytest.mark.nightly
def test_bodies_of_the_same_effect_are_named_together_or_not_at_all() -> None:
    both_fingers = misread(("panda_leftfinger", "panda_rightfinger"), *IGNORED)
    one_finger = misread(("panda_leftfinger",), *IGNORED)
    assert named(both_fingers, "panda", "mass_matrix", "alike", 3) == both_fingers.name
    assert named(one_finger, "panda", "mass_matrix", "alike", 3) == ""


def test_traits() -> None:
    arm = find_mechanism("stanford-arm")
    assert joints_with("outboard of a prismatic joint", arm) == ("joint4", "joint5", "joint6")
    assert joints_with("with an even number", arm) == ("joint2", "joint4", "joint6")
    assert joints_with("outboard of a helical joint", arm) == ()
    assert scaled(term("gyroscopic moment"), 0, trait="of the kind prismatic").name.endswith("is left out at prismatic joints")
    names = {body.joint.name for body in arm.bodies}
    assert "outboard of a prismatic joint" in set(traits_of({"joint5", "joint6"}, names, arm))
    assert "not on the root" not in set(traits_of({"joint1", "joint6"}, names, arm))
    assert list(traits_of(names, names, arm)) == []


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
@pytest.mark.nightly
def test_a_term_that_is_missing_at_some_classes_is_found_with_them() -> None:
    classes = frozenset((kind, axis) for kind in ("revolute", "prismatic") for axis in UNALIGNED)
    fault = scaled(SPATIAL_TERMS["½ armature q̇²"], 0, trait=classes)  # type: ignore[arg-type]
    found = explained(Mutant(fault), "code", find_mechanism("random:8:4:revolute,prismatic"), "kinetic_energy")
    assert found == {f"In code, {fault.name}": ("kinetic_energy",)}


@pytest.mark.parametrize("is_named", [False, True])
def test_two_faults_that_cancel_are_no_explanation(is_named: bool) -> None:
    of_damping, of_gravity = partial(scaled, term("force of the damping")), partial(scaled, term("gravity"))
    # The two halves of the first pair nearly cancel, so that they would explain what a small third fault does.
    fault, pair = (of_damping(1 + 1e-9), (of_damping(-1), of_damping(-1 - 1e-9)))
    if is_named:
        fault, pair = both(of_damping(2), of_gravity(1.001)), (of_damping(2), of_gravity(1.001))
    mechanism = find_mechanism("cart-pole")
    symptom = Symptom(try_sampled(Laboratory(InProcess(Mutant(fault)), "code"), mechanism, 0, 18), "nonlinear_effects")

    def stage(symptom: Symptom, given: Fault) -> Iterator[tuple[Fault, ...]]:
        yield pair

    (found,) = Search(Stages(symptom.trial.laboratory, mechanism, [])).run([symptom], [Stage("a pair", stage)])
    assert bool(found.explanations) == is_named
    assert bool(found.unexplained) != is_named
