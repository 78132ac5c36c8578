"""Where mechanisms come from: textbooks, seeds, robots, words, and seeds for those that exceed the limits of engines."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from fractions import Fraction
from importlib import metadata

import numpy as np
import pytest
from sympy import Symbol

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import (
    DEFAULT_TEXTBOOK,
    EARTH,
    TEXTBOOK,
    Mechanism,
    MechanismError,
    find_mechanism,
    random_mechanism,
    robot,
    robot_names,
    write_urdf,
)
from mechanisms.joint import MOVING
from mechanisms.library.drawn import IN_WORDS, TRAITS, default_drawn

# Textbook


def test_textbook_mechanisms_are_possible_and_full():
    tilted = tuple(map(Fraction, ("3.27", "-6.54", "-6.54")))
    for name in TEXTBOOK:
        m = TEXTBOOK[name]()
        assert m.name.partition(":")[0] == name
        assert set(m.faults) == ({"link3"} if name == "puma560" else set())
        assert m.subtrees_without_inertia == (), name
        assert m.gravity == {"satellite": (0, 0, 0), "wall-arms": tilted}.get(name, EARTH)
        for body in m.bodies:
            for number in (body.inertia.mass, *body.joint.placement.translation, body.joint.damping):
                assert 10**20 % number.denominator == 0, f"{name}: numbers are short decimals"


@pytest.mark.parametrize("name", ["pendulum", "planar-pendulum", "cart-pole", "furuta-pendulum", "floating-base-link"])
def test_small_mechanisms_take_symbols_for_every_number(name):
    keywords = [key for key in inspect.signature(TEXTBOOK[name]).parameters if key != "links"]
    m = TEXTBOOK[name](**{key: Symbol(key) for key in keywords})
    assert all(key in repr((m.bodies, m.gravity)) for key in keywords)


def test_a_default_check_has_what_its_statement_of_coverage_needs():
    chosen = [TEXTBOOK[name]() for name in DEFAULT_TEXTBOOK]
    drawn = [find_mechanism(name) for name in default_drawn(0)]
    bodies = [(m, i, body) for m in chosen for i, body in enumerate(m.bodies)]
    assert len(TEXTBOOK) - len(DEFAULT_TEXTBOOK) == 7
    assert {body.joint.kind for _, _, body in bodies} == set(MOVING)
    assert max(m.nv for m in drawn) > 64
    assert any(m.parents.count(-1) > 1 for m in chosen)
    assert any(body.inertia.is_massless for _, _, body in bodies)
    carried = {m.bodies[m.parents[i]].joint.kind for m, i, _ in bodies if m.parents[i] >= 0}
    assert {"spherical", "helical", "continuous", "free"} <= carried
    on_free_base = [body.joint for m, _, body in bodies if m.bodies[0].joint.kind == "free"]
    assert any(joint.kind == "prismatic" and joint.armature for joint in on_free_base)


def test_the_puma_weighs_what_corke_prints():
    """gravload and inertia at the nominal pose, as the Robotics Toolbox's manual prints them."""
    puma, nominal = REFERENCE.load(TEXTBOOK["puma560"]()), np.array([[0, np.pi / 4, np.pi, 0, np.pi / 4, 0]])
    np.testing.assert_allclose(puma.gravity(nominal)[0], [0, 31.6399, 6.0351, 0, 0.0283, 0], atol=5e-5)
    inertia = np.diag(puma.mass_matrix(nominal)[0])
    np.testing.assert_allclose(inertia, [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], atol=5e-5)


# Random


def test_random_mechanisms_are_reproducible_and_differ():
    assert random_mechanism(3, 9) == random_mechanism(3, 9)
    assert random_mechanism(3, 9).fingerprint != random_mechanism(4, 9).fingerprint
    # Pinned, so that a seed in a bug report means the same mechanism tomorrow.
    assert random_mechanism(7).fingerprint == "293dee6d5a41343c"


def test_random_mechanisms_are_possible_and_have_what_is_asked_for():
    for free_base in (False, True):
        m = random_mechanism(1, 12, ("revolute", "prismatic", "fixed", "free"), free_base=free_base, tilted_gravity=True)
        assert (m.faults, m.subtrees_without_inertia) == ({}, ())
        assert m.bodies[0].joint.kind == "free" or not free_base
        assert all(body.joint.nv == 1 or body.joint.armature == body.joint.damping == 0 for body in m.bodies)
    assert random_mechanism(1, 7, shape="chain").parents == (-1, 0, 1, 2, 3, 4, 5)
    assert all(random_mechanism(seed, 2, ("fixed", "revolute")).nv >= 1 for seed in range(20)), "something moves"
    assert random_mechanism(1, 4, ("fixed",), free_base=True).nv == 6
    bare = random_mechanism(2, 20, armature=False, damping=False)
    assert {body.joint.armature for body in bare.bodies} == {body.joint.damping for body in bare.bodies} == {0}
    assert any(body.joint.armature for body in random_mechanism(2, 20).bodies)
    one, every = find_mechanism("random:3:5:universal,free"), find_mechanism("random:1:99:all")
    assert {body.joint.kind for body in one.bodies} == {"universal", "free"}
    assert {body.joint.kind for body in every.bodies} == set(MOVING)
    assert (find_mechanism(one.name), find_mechanism(every.name)) == (one, every)
    for bad in ({"bodies": 0}, {"kinds": ()}, {"kinds": ("fixed",)}, {"shape": "star"}):
        with pytest.raises(MechanismError, match="cannot be drawn; give at least one body"):
            random_mechanism(1, **bad)


# Robots


@pytest.mark.engines
def test_every_robot_loads_and_moves(robots):
    assert len(robot_names()) >= 25
    for name in robot_names():
        m = robot(name)
        assert m.name == name
        assert m.subtrees_without_inertia == ()
        assert bool(m.faults) is not m.physical
    for spec, nv in {"ur5": 6, "free:ur5": 12, "panda": 9, "solo12": 18, "anymal": 18, "talos": 38}.items():
        assert find_mechanism(spec).nv == nv, spec
    assert robot("solo12", free_base=False).nv == 12


def test_robots_that_are_not_there_are_refused(monkeypatch):
    with pytest.raises(MechanismError, match=r"there is no robot 'ur55'; use one of .*ur5"):
        robot("ur55")

    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", absent)
    with pytest.raises(MechanismError, match=r'not installed; pip install "dalembert\[robots\]"$'):
        robot("ur5")


# The library


@pytest.mark.parametrize(
    ("spec", "nv"),
    [
        ("random:7", 6),
        ("free:random:7:30", 35),
        ("free:planar-pendulum:3", 9),
    ],
)
def test_a_word_names_a_mechanism(spec, nv):
    m = find_mechanism(spec)
    assert m.nv == nv
    # Its name finds it again.
    assert find_mechanism(m.name).fingerprint == m.fingerprint


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cartpole", "no mechanism is called 'cartpole'; did you mean 'cart-pole'\\? `dalembert mechanisms` lists them all"),
        ("random", r"did you mean 'random:SEED:BODIES\[:KINDS\]'"),
        ("random:1:99999", "asks for 99999; ask for 1000 at most"),
        ("planar-pendulum:", "has '' behind a colon; write whole numbers"),
        ("gone.urdf", r"gone.urdf: the file cannot be read \(.*\); give the path"),
        ("free:free-rigid-body", "is on a free joint already; take it as it is"),
        ("random:3:5:ball", "^there is no kind of joint 'ball'; use all, or some of revolute, "),
        ("planar-pendulum:0", "planar-pendulum has 0 links; give at least one"),
    ],
)
def test_a_word_that_names_nothing_is_answered_with_the_nearest_that_does(spec, message):
    with pytest.raises(MechanismError, match=message):
        find_mechanism(spec)


def test_importing_mechanisms_loads_no_engine():
    code = "import sys, mechanisms; print(sorted({'pinocchio', 'biorbd', 'sympy', 'flint'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_a_path_names_a_urdf_and_prefixes_take_it_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / "arm.urdf", tmp_path / "arm"):
        path.write_text(write_urdf(find_mechanism("spatial-3r")))
        assert find_mechanism(str(path)).nv == 3
    assert find_mechanism("arm.urdf").name == "spatial-3r"
    urdf = tmp_path / "odd.urdf"
    flat = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = '<joint name="{0}" type="revolute"><parent link="base"/><child link="{0}"/>{1}</joint>'
    urdf.write_text(
        '<robot name="odd"><link name="base"/>'
        + "".join(f'<link name="{name}">{flat}</link>' for name in "ab")
        + joint.format("a", "")
        + joint.format("b", '<mimic joint="a"/>')
        + "</robot>"
    )
    assert find_mechanism(f"unphysical:{urdf}").nv == 1
    with pytest.raises(MechanismError, match=r"unphysical:FILE"):
        find_mechanism(f"independent:{urdf}")
    assert find_mechanism(f"independent:unphysical:{urdf}").nv == 2
    assert find_mechanism(f"free:independent:unphysical:{urdf}").nv == 8


# Drawn mechanisms exceed every limit that they are drawn for, whatever the seed


SEEDS = range(3)


def drawn(trait: str) -> list[Mechanism]:
    return [find_mechanism(f"drawn:{seed}:{trait}") for seed in SEEDS]


def depth(mechanism: Mechanism) -> int:
    depths: list[int] = []
    for parent in mechanism.parents:
        depths.append(1 + (depths[parent] if parent >= 0 else 0))
    return max(depths)


def test_a_chain_is_deep_and_its_names_differ_behind_the_longest_limit() -> None:
    for mechanism in drawn("deep"):
        assert len(mechanism.bodies) > depth(mechanism) > 32
        for names in ([body.name for body in mechanism.bodies], [body.joint.name for body in mechanism.bodies]):
            assert len({name[:128] for name in names}) == 1


def test_a_bush_has_many_bodies_roots_and_children_and_names_of_two_cases() -> None:
    for mechanism in drawn("broad"):
        names = [body.name for body in mechanism.bodies]
        assert len(names) > 64
        assert mechanism.parents.count(-1) > 16
        assert max(mechanism.parents.count(i) for i in range(len(names))) > 16
        assert len({name.lower() for name in names}) < len(set(names))
        assert depth(mechanism) > 2


def test_numbers_are_tiny_beside_huge_ones_and_axes_are_beside_principal_ones() -> None:
    for mechanism in drawn("numbers"):
        masses = [float(body.inertia.mass) for body in mechanism.bodies]
        assert min(masses) <= 1e-7 and max(masses) >= 1e3
        angles = [math.degrees(math.hypot(*sorted(map(float, map(abs, body.joint.axis)))[:2])) for body in mechanism.bodies]
        assert all(0 < angle < 2 for angle in angles)
        assert min(angles) < 1e-8 and max(angles) > 0.1


def test_the_seed_decides() -> None:
    assert len({mechanism.fingerprint for trait in TRAITS for mechanism in drawn(trait)}) == len(TRAITS) * len(SEEDS)
    assert [find_mechanism(name).name for name in default_drawn(7)] == [*default_drawn(7)]
    assert find_mechanism("free:drawn:0:numbers").nv == find_mechanism("drawn:0:numbers").nv + 6
    assert IN_WORDS.keys() == TRAITS.keys()


def test_an_unknown_trait_is_refused_with_those_that_exist() -> None:
    with pytest.raises(MechanismError, match="use deep, broad, numbers"):
        find_mechanism("drawn:0:tall")
