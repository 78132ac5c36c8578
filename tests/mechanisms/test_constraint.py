"""Constraints: declared, moved to the bodies that carry their frames, refused, and kept by everything that copies a mechanism."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from mechanisms import POINT, WELD, Constraint, Mechanism, MechanismError, Placement, find_mechanism, on_free_base
from mechanisms.document import described, from_document, to_document
from mechanisms.textbook_loops import LOOPS

TREE = find_mechanism("branched-tree")
"""Its body "tool" is welded to "shank"."""


def closed(*constraints: Constraint) -> Mechanism:
    return replace(TREE, constraints=constraints)


def test_frames_behind_fixed_joints_are_moved_to_the_body_that_carries_them() -> None:
    (constraint,) = closed(Constraint("c", "tool", "left", POINT, Placement(translation=(0, 0, 1)))).constraints
    (tool,) = TREE.frames
    assert constraint.first == "shank"
    assert constraint.first_placement == tool.placement @ Placement(translation=(0, 0, 1))
    assert constraint.second_placement == Placement()


def test_directions_are_sorted_and_name_the_rows() -> None:
    m = closed(Constraint("c", "world", "left", ("vz", "wy", "wx")), Constraint("d", "left", "right", POINT))
    assert m.constraints[0].directions == ("wx", "wy", "vz")
    assert m.constraints[0].rows == (0, 1, 5)
    assert m.constrained_directions == ("c.wx", "c.wy", "c.vz", "d.vx", "d.vy", "d.vz")


def test_only_a_mechanism_with_constraints_has_another_fingerprint_document_and_description() -> None:
    m = closed(Constraint("c", "tool", "left"))
    assert m.fingerprint != TREE.fingerprint == m.tree.fingerprint
    assert m.tree == TREE and TREE.tree is TREE
    assert "constraints" not in to_document(TREE)
    assert from_document(to_document(m)) == m
    assert described(m) != described(TREE)
    other = replace(
        m, constraints=(replace(m.constraints[0], second_placement=Placement(translation=(Fraction(1, 10**9), 0, 0))),)
    )
    assert other.fingerprint != m.fingerprint and described(other) != described(m)


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        ([("c", "tool", "shank")], "both frames of constraint 'c' are fixed to 'shank'; put them on two bodies"),
        ([("c", "hand", "left")], "constraint 'c' is on 'hand', which is no body; correct the name"),
        ([("c", "left", "right"), ("c", "world", "right")], "the constraint name 'c' is used twice; rename one"),
        ([("c", "left", "right", ("x",))], "constraint 'c' has a direction 'x'; use wx, wy, wz, vx, vy, vz"),
        ([("c", "left", "right", ())], "constraint 'c' has no direction; give some of wx, wy, wz, vx, vy, vz"),
        (
            [("c", "left", "right", ("wx", "vx"))],
            "constraint 'c' has one angular direction; give two for a common axis, or three",
        ),
    ],
)
def test_what_is_no_constraint_is_refused_in_one_sentence(constraints: list[tuple[str, str, str]], said: str) -> None:
    with pytest.raises(MechanismError) as refusal:
        closed(*(Constraint(*one) for one in constraints))
    assert str(refusal.value) == said


def test_on_a_free_base_a_loop_through_the_ground_becomes_one_through_the_base() -> None:
    (constraint,) = on_free_base(closed(Constraint("c", "world", "left", WELD))).constraints
    assert (constraint.first, constraint.second) == ("base", "left")


@pytest.mark.parametrize("name", LOOPS)
def test_mechanisms_with_loops_are_found_by_name_and_are_of_exact_numbers(name: str) -> None:
    m = find_mechanism(name)
    assert m.name == name and m.constraints
    assert described(m) is not None
