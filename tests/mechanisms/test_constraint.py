"""Constraints: declared, moved to the bodies that carry their frames, refused, and read from a file beside a URDF file."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from mechanisms import (
    POINT,
    WELD,
    Constraint,
    Mechanism,
    MechanismError,
    Placement,
    find_mechanism,
    on_free_base,
    read_urdf,
    source_of,
    write_urdf,
)
from mechanisms.files.document import described, from_document, to_document
from mechanisms.library.textbook_tables import LOOPS

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
    (loop,) = on_free_base(closed(Constraint("c", "world", "left", WELD))).constraints
    assert (loop.first, loop.second) == ("base", "left"), "a loop through the ground becomes one through the base"


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


def test_mechanisms_with_loops_are_found_by_name_and_are_of_exact_numbers() -> None:
    for name in LOOPS:
        m = find_mechanism(name)
        assert m.name == name and m.constraints
        assert described(m) is not None


# In a file


HEAD = '[[constraint]]\nname = "pin"\nfirst = "link2"\nsecond = "world"\n'


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(write_urdf(find_mechanism("planar-pendulum")), "utf-8")
    return path


def write(urdf: Path, text: str) -> str:
    """The spec of the file with these constraints beside it."""
    urdf.with_name("robot.constraints.toml").write_text(text, "utf-8")
    return f"closed:{urdf}"


def test_decimal_numbers_are_kept_exactly_and_world_is_the_root(urdf: Path) -> None:
    m = find_mechanism(
        write(urdf, f'{HEAD}directions = "point"\nfirst_xyz = [0.1, 0, -3e-1]\nsecond_rpy = [0, 0, 3.141592653589793]')
    )
    (pin,) = m.constraints
    assert (pin.first, pin.second, pin.directions) == ("link2", m.root, POINT)
    assert pin.first_placement.translation == (Fraction(1, 10), 0, Fraction(-3, 10))
    assert pin.second_placement.rotation.matrix[0] == (-1, 0, 0)
    assert m.tree == read_urdf(urdf)
    assert m.source is not None and m.source.path == source_of(m).path == str(urdf), "for code that reads the tree"
    assert find_mechanism(write(urdf, HEAD)).constraints[0].directions == WELD
    assert find_mechanism(write(urdf, f'{HEAD}directions = ["vz", "vx"]')).constraints[0].directions == ("vx", "vz")


def test_a_file_alone_has_no_constraints_and_a_name_has_no_file(urdf: Path) -> None:
    assert not find_mechanism(str(urdf)).constraints
    with pytest.raises(MechanismError, match=r"robot\.constraints\.toml: the constraints cannot be read"):
        find_mechanism(f"closed:{urdf}")
    with pytest.raises(MechanismError, match="'ur5' is not a file; name one"):
        find_mechanism("closed:ur5")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it has no [[constraint]]; write one for each"),
        ("constraint = [1]", "constraint 1 is no table; write [[constraint]]"),
        ("[" * 5000, "it is"),
        (f"{HEAD}stiffness = 1", "constraint 'pin': it has 'stiffness'; use name, first, second, directions, first_xyz, "),
        (f"{HEAD}directions = 3", 'constraint \'pin\': its directions are no list; give "point", "weld", or some of wx, wy, '),
        (f"{HEAD}first_xyz = [1, 2]", "constraint 'pin': first_xyz has 2 components; give 3"),
        (f"{HEAD}first_xyz = [true, 0, 0]", "constraint 'pin': first_xyz is no list of numbers; give three"),
        (f"{HEAD}first_xyz = [{'1' * 5000}, 0, 0]", "it has an integer with thousands of digits; write a shorter number"),
        (f"{HEAD}first_rpy = [1e9, 0, 0]", "constraint 'pin': first_rpy has an angle of more than 1000000 rad"),
        (HEAD.replace("link2", "link9"), "constraint 'pin' is on 'link9', which is no body; correct the name"),
        (HEAD * 300, "it has 300 constraints; give 200 at most"),
        ("#" * 2**21, "the constraints cannot be read (it is larger than 1 MiB)"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(urdf: Path, text: str, said: str) -> None:
    spec = write(urdf, text)
    with pytest.raises(MechanismError) as refusal:
        find_mechanism(spec)
    sentence = str(refusal.value)
    assert sentence.startswith(f"{urdf.with_name('robot.constraints.toml')}: {said}")
    assert "\n" not in sentence and len(sentence) < 800
