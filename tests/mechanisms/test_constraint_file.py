"""Constraints in a TOML file beside a URDF file: exact numbers, and one sentence for every fault of a file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from mechanisms import POINT, WELD, MechanismError, find_mechanism, read_urdf, source_of, write_urdf

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


def test_without_directions_it_is_a_weld_and_a_list_names_some(urdf: Path) -> None:
    assert find_mechanism(write(urdf, HEAD)).constraints[0].directions == WELD
    assert find_mechanism(write(urdf, f'{HEAD}directions = ["vz", "vx"]')).constraints[0].directions == ("vx", "vz")


def test_the_file_still_describes_the_tree_for_code_that_reads_it(urdf: Path) -> None:
    m = find_mechanism(write(urdf, HEAD))
    assert m.source is not None and m.source.path == str(urdf)
    assert source_of(m).path == str(urdf)


def test_a_file_alone_has_no_constraints_and_a_name_has_no_file(urdf: Path) -> None:
    assert not find_mechanism(str(urdf)).constraints
    with pytest.raises(MechanismError, match=r"robot\.constraints\.toml: the constraints cannot be read"):
        find_mechanism(f"closed:{urdf}")
    with pytest.raises(MechanismError, match="'ur5' is not a URDF file; name one"):
        find_mechanism("closed:ur5")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it has no [[constraint]]; write one for each"),
        ("constraint = 3", "it has no [[constraint]]; write one for each"),
        ("gear = 1", "it has 'gear'; write nothing but [[constraint]]"),
        ("constraint = [1]", "constraint 1 is no table; write [[constraint]]"),
        ("[[constraint]]\nname = 1", "constraint 1: it has no name; give a string"),
        ("x = [[[", "it is no TOML (Invalid value (at end of document)); correct it"),
        ("[" * 5000, "it is"),
        (f"{HEAD}stiffness = 1", "constraint 'pin': it has 'stiffness'; use name, first, second, directions, first_xyz, "),
        (f"{HEAD}directions = 3", 'constraint \'pin\': its directions are no list; give "point", "weld", or some of wx, wy, '),
        (f'{HEAD}directions = ["q"]', "constraint 'pin' has a direction 'q'; use wx, wy, wz, vx, vy, vz"),
        (f"{HEAD}first_xyz = [1, 2]", "constraint 'pin': first_xyz has 2 components; give 3"),
        (f"{HEAD}first_xyz = [true, 0, 0]", "constraint 'pin': first_xyz is no list of numbers; give three"),
        (f'{HEAD}first_xyz = ["1", 0, 0]', "constraint 'pin': first_xyz is no list of numbers; give three"),
        (f"{HEAD}first_xyz = [{'1' * 5000}, 0, 0]", "it has an integer with thousands of digits; write a shorter number"),
        (f"{HEAD}first_xyz = [nan, 0, 0]", "a number is 'nan'; give a decimal number"),
        (f"{HEAD}first_xyz = [1e999999999, 0, 0]", "a number is '1e999999999'; give a finite number"),
        (f"{HEAD}first_xyz = [1e300, 0, 0]", "constraint 'pin': translation of a placement is about 1e300; give zero, or"),
        (f"{HEAD}first_rpy = [1e9, 0, 0]", "constraint 'pin': first_rpy has an angle of more than 1000000 rad"),
        (HEAD.replace("link2", "link9"), "constraint 'pin' is on 'link9', which is no body; correct the name"),
        (HEAD + HEAD, "the constraint name 'pin' is used twice; rename one"),
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
