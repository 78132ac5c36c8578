import numpy as np
import pytest
from sympy import Symbol

from mechanisms import (
    Inertia,
    MechanismError,
    Placement,
    Rotation,
    find_mechanism,
    parse_urdf,
    random_mechanism,
    read_urdf,
    robot,
    write_urdf,
)
from mechanisms.joint import MOVING
from mechanisms.numbers import exact
from mechanisms.robots import ROBOTS, robots_folder
from mechanisms.textbook import TEXTBOOK, pendulum
from mechanisms.write_urdf import rpy

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ARM = f'<link name="base"/><link name="arm">{INERTIAL}</link>'
JOINT = '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/></joint>'


def joint(name="j", type_="revolute", parent="base", child="arm", inside=""):
    return f'<joint name="{name}" type="{type_}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot_text(inside):
    return f'<robot name="r">{inside}</robot>'


def parse(inside, **options):
    return parse_urdf(robot_text(inside), "r.urdf", **options)


def test_numbers_stay_the_decimals_they_are():
    dynamics = '<dynamics damping="0.7" friction="3" armature="0.01"/>'
    m = parse(ARM + joint(inside='<origin xyz="0.1 0.2 0.3"/><axis xyz="0 0 1"/>' + dynamics))
    (body,) = m.bodies
    assert body.joint.placement == Placement(translation=("0.1", "0.2", "0.3"))
    assert (body.joint.damping, body.joint.armature) == (exact("0.7"), exact("0.01"))
    assert body.inertia.about_com == tuple(map(exact, ("1", "1", "1", "0.1", "0", "0")))
    assert (m.name, m.root) == ("r", "base")


def test_gravity_is_read_where_it_is_given():
    assert parse(ARM + JOINT + '<gravity xyz="0 0 -1.62"/>').gravity == (0, 0, exact("-1.62"))


def test_mimic_joints_move_on_their_own_only_when_asked():
    text = ARM + joint(inside='<mimic joint="other"/>')
    with pytest.raises(MechanismError, match=r"joint 'j' mimics 'other', which is no joint of the mechanism; correct the name"):
        parse(text)
    assert parse(text, ignore_mimic=True).nv == 1


# Free bases


def test_a_free_base_carries_the_root_link():
    m = parse(ARM.replace('"base"/>', f'"base">{INERTIAL}</link>') + JOINT, free_base=True)
    assert m.root == "world"
    assert [(b.name, b.joint.name, b.joint.kind) for b in m.bodies] == [("base", "root_joint", "free"), ("arm", "j", "revolute")]


def test_a_free_base_unbolts_a_robot_from_the_link_called_world():
    bolted = '<link name="world"/>' + joint("bolt", "fixed", "world", "base", '<origin xyz="0 0 1"/>')
    m = parse(bolted + ARM.replace('"base"/>', f'"base">{INERTIAL}</link>') + JOINT, free_base=True)
    assert m.root == "world"
    assert [(b.name, b.joint.name, b.joint.kind) for b in m.bodies] == [("base", "bolt", "free"), ("arm", "j", "revolute")]
    assert m.bodies[0].joint.placement.translation == (0, 0, 1)


def test_a_floating_joint_is_a_free_base_already():
    assert parse(ARM + joint(type_="floating"), free_base=True) == parse(ARM + joint(type_="floating"))


def test_a_massive_root_link_called_world_gets_another_ground():
    text = (ARM.replace('"base"/>', f'"base">{INERTIAL}</link>') + JOINT).replace('"base"', '"world"')
    assert parse(text, free_base=True).root == "universe"


# Refusals. The torture set (test_urdf_traits.py) has the documents that are refused.


@pytest.mark.parametrize("path", ["nowhere.urdf", ".", "a\0b.urdf"])
def test_unreadable_files_are_refused_by_name(path):
    with pytest.raises(MechanismError, match=r": the file cannot be read \(.*\); give the path of a URDF file$"):
        read_urdf(path)


def test_impossible_inertias_can_be_accepted():
    m = parse(ARM.replace('izz="1"', 'izz="9"') + JOINT, physical=False)
    assert list(m.faults) == ["arm"]


# Writing


def numbers(m):
    """Every number of a mechanism, rotations as matrices."""
    placements = [b.joint.placement for b in m.bodies] + [f.placement for f in m.frames]
    scalars = [
        [*b.joint.axis, b.joint.armature, b.joint.damping, b.inertia.mass, *b.inertia.com, *b.inertia.about_com] for b in m.bodies
    ]
    matrices = [[*p.translation, *sum(p.rotation.matrix, ())] for p in placements]
    return np.array([x for row in scalars + matrices for x in row] + list(m.gravity), dtype=float)


def names(m):
    bodies = [(b.name, b.parent, b.joint.name, b.joint.kind) for b in m.bodies]
    return m.name, m.root, bodies, [(f.name, f.joint, f.body) for f in m.frames]


def assert_survives(m):
    again = parse_urdf(write_urdf(m))
    assert again.faults.keys() == m.faults.keys()
    assert names(again) == names(m)
    np.testing.assert_allclose(numbers(again), numbers(m), rtol=0, atol=1e-15)
    # Rounded once, it is rounded for good.
    np.testing.assert_array_equal([float(b.inertia.mass) for b in again.bodies], [float(b.inertia.mass) for b in m.bodies])


@pytest.mark.parametrize("spec", [*list(TEXTBOOK)[:11], "puck", "random:1:12", "free:random:2:9"])
def test_writing_and_reading_gives_the_same_mechanism(spec):
    assert_survives(find_mechanism(spec))


@pytest.mark.parametrize("kind", sorted(set(MOVING) - {"revolute", "continuous", "prismatic", "planar", "free"}))
def test_joints_that_urdf_has_not_are_refused_by_name(kind):
    with pytest.raises(MechanismError, match=f"^joint 'joint1' is {kind}, which URDF cannot say; use revolute, .* joints only$"):
        write_urdf(random_mechanism(0, 1, (kind,)))


def test_a_continuous_joint_comes_back_as_the_revolute_joint_that_moves_alike():
    written = random_mechanism(0, 1, ("continuous",)).bodies[0].joint
    read = parse_urdf(write_urdf(random_mechanism(0, 1, ("continuous",)))).bodies[0].joint
    assert (read.kind, read.nq, written.nq) == ("revolute", 1, 2)
    np.testing.assert_allclose(np.array(read.axis, float), np.array(written.axis, float), atol=1e-15)


@pytest.mark.engines
@pytest.mark.parametrize("name", ["ur5", "romeo-small"])
def test_robots_survive_too(robots, name):
    assert_survives(robot(name))


def test_only_a_file_that_says_so_may_hold_impossible_inertias():
    text = robot_text(ARM.replace('ixx="1"', 'ixx="9"') + JOINT)
    with pytest.raises(MechanismError, match="triangle inequality"):
        parse_urdf(text)
    with pytest.raises(MechanismError, match="triangle inequality"):
        parse_urdf(text.replace('name="r"', 'name="r" unphysical="false"'))
    assert parse_urdf(text.replace('name="r"', 'name="r" unphysical="true"')).faults.keys() == {"arm"}
    assert "unphysical" not in write_urdf(pendulum())


@pytest.mark.parametrize("off", [0, 1e-17, 1e-12, 1e-8, 1e-7, 1e-4, 0.1])
@pytest.mark.parametrize("side", [1, -1])
def test_rotations_survive_next_to_gimbal_lock(off, side):
    rotation = Rotation.from_rpy(0.7, side * (np.pi / 2 - off), -1.1)
    again = Rotation.from_rpy(*rpy(rotation))
    np.testing.assert_allclose(np.array(again.matrix, dtype=float), np.array(rotation.matrix, dtype=float), rtol=0, atol=1e-15)


def test_names_and_gravity_survive():
    text = robot_text(ARM + JOINT + '<gravity xyz="1 0 -1.62"/>').replace('"arm"', '"a&lt;&quot;&amp;>rm"')
    m = parse_urdf(text)
    assert m.bodies[0].name == 'a<"&>rm'
    assert_survives(m)


def test_symbols_cannot_be_written():
    with pytest.raises(MechanismError, match="mechanism 'pendulum' has symbols"):
        write_urdf(pendulum(mass=Symbol("m")))


# Against Pinocchio's own reader


@pytest.mark.engines
@pytest.mark.parametrize("name", ["ur5", "panda", "allegro-right", "solo12", "anymal-c", "talos", "tiago-no-hand"])
def test_real_robots_are_read_as_pinocchio_reads_them(robots, name):
    pin = pytest.importorskip("pinocchio")
    path = str(robots_folder() / ROBOTS[name].path)
    ours = robot(name)
    theirs = pin.buildModelFromUrdf(path, *([pin.JointModelFreeFlyer()] if ROBOTS[name].free_base else []))
    assert ours.nv == theirs.nv
    for body in ours.bodies:
        k = theirs.getJointId(body.joint.name)
        Y, M = theirs.inertias[k], theirs.jointPlacements[k]
        np.testing.assert_allclose(float(body.inertia.mass), Y.mass, rtol=1e-14)
        np.testing.assert_allclose(np.array(body.inertia.com, dtype=float), Y.lever, atol=1e-14)
        np.testing.assert_allclose(np.array(body.inertia.matrix, dtype=float), Y.inertia, atol=1e-13)
        np.testing.assert_allclose(np.array(body.joint.placement.rotation.matrix, dtype=float), M.rotation, atol=1e-14)
        np.testing.assert_allclose(np.array(body.joint.placement.translation, dtype=float), M.translation, atol=1e-14)


def test_the_root_link_keeps_its_inertia_when_it_becomes_free():
    text = """<robot name="r"><link name="hull"><inertial><mass value="5"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial></link></robot>"""
    (hull,) = parse_urdf(text, free_base=True).bodies
    assert (hull.joint.kind, hull.inertia) == ("free", Inertia(5, (0, 0, 0), (1, 2, 2, 0, 0, 0)))
