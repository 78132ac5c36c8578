import dataclasses
import pickle

import pytest

from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, Placement, Rotation, find_mechanism, on_free_base
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.split_joints import elementary

SOLID = Inertia(1, ("0.1", 0, "0.2"), (2, 2, 3, "0.1", 0, 0))
AT = Placement(Rotation(1, 2, 3, 4), ("0.1", "0.2", "0.3"))


def turn(name, parent, placement=AT, inertia=SOLID, kind="revolute"):
    return Body(name, parent, Joint(f"j-{name}", kind, placement=placement), inertia)


def kinds_with(what):
    """The kinds of joints that may have it, as a message lists them."""
    *others, last = [kind for kind, one in JOINT_KINDS.items() if getattr(one, f"takes_{what}")]
    return f"{', '.join(others)} and {last}" if others else last


def weld(name, parent):
    return turn(name, parent, kind="fixed")


def test_lumping_is_exact_and_leaves_named_frames():
    chain = Mechanism("m", (turn("a", "world"), weld("b", "a"), weld("c", "b"), turn("d", "c")))
    assert [body.name for body in chain.bodies] == ["a", "d"]
    assert chain.bodies[0].inertia == SOLID + SOLID.placed(AT) + SOLID.placed(AT @ AT)
    assert chain.bodies[1].parent == "a"
    assert chain.bodies[1].joint.placement == AT @ AT @ AT
    assert [(f.name, f.joint, f.body, f.placement) for f in chain.frames] == [("b", "j-b", 0, AT), ("c", "j-c", 0, AT @ AT)]
    # What is fixed to the root does not move.
    m = Mechanism("m", (weld("base", "world"), turn("a", "base"), turn("b", "a", kind="free"), turn("c", "b", kind="prismatic")))
    assert (m.frames[0].body, m.bodies[0].joint.placement) == (-1, AT @ AT)
    assert (m.nq, m.nv) == (9, 8)
    assert [(s.start, s.stop) for s in m.q_slices] == [(0, 1), (1, 8), (8, 9)]


def test_a_mechanism_rebuilt_is_the_same_and_the_fingerprint_sees_every_number():
    m = find_mechanism("branched-tree")
    assert dataclasses.replace(m) == m
    assert dataclasses.replace(m).fingerprint == m.fingerprint
    one = Mechanism("m", (turn("a", "world"),))
    other = Mechanism("m", (turn("a", "world", inertia=dataclasses.replace(SOLID, mass=1 + 1e-16 + 1e-15)),))
    assert one.fingerprint != other.fingerprint


def test_a_kept_hash_stays_in_its_process():
    """Another process hashes strings otherwise, and would look for an equal mechanism where it is not."""
    arm = find_mechanism("ur5")
    assert hash(arm) == hash(dataclasses.replace(arm)) != hash(dataclasses.replace(arm, name="other"))
    copy = pickle.loads(pickle.dumps(arm))
    assert copy == arm and arm.source == copy.source
    kept = [key for one in (copy, *copy.bodies) for key in vars(one) if "hash" in key]
    assert vars(arm).keys() - vars(copy).keys() == {"_kept_hash"} and not kept


IMPOSSIBLE = Inertia(1, about_com=(1, 1, 3, 0, 0, 0))


def test_impossible_inertias_are_refused_unless_asked_for_and_then_stay_visible():
    message = r"^body 'a' cannot exist, for .*triangle inequality .*; correct it, or accept it .* unphysical:FILE .*$"
    with pytest.raises(MechanismError, match=message):
        Mechanism("m", (turn("a", "world", inertia=IMPOSSIBLE),))
    m = Mechanism("m", (turn("a", "world", inertia=IMPOSSIBLE),), physical=False)
    assert list(m.faults) == ["a"]


def test_inertias_are_judged_after_lumping_and_ends_without_are_named():
    placeholder = Body("tip", "a", Joint("w", "fixed"), Inertia("1e-6", about_com=("1e-6",) * 6))
    assert placeholder.inertia.fault
    assert not Mechanism("m", (turn("a", "world"), placeholder)).faults
    nothing = Inertia.massless()
    m = Mechanism("m", (turn("a", "world"), turn("b", "a", inertia=nothing), turn("c", "b", inertia=nothing)))
    assert m.subtrees_without_inertia == ("j-b", "j-c")


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        ((turn("a", "world"), turn("a", "world")), "the body name 'a' is used twice; rename one"),
        ((turn("world", "world"),), "the body name 'world' is used twice; rename one"),
        ((turn("a", "world"), Body("b", "a", Joint("j-a", "free"))), "the joint name 'j-a' is used twice; rename one"),
        ((turn("a", "nowhere"),), "the parent 'nowhere' of body 'a' is unknown; name a body or the root 'world'"),
    ],
)
def test_trees_that_are_none_are_refused(bodies, message):
    with pytest.raises(MechanismError) as error:
        Mechanism("m", bodies)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "ball"}, r"joint 'j' is of kind 'ball'; use one of revolute, continuous, .*, free, fixed"),
        ({"kind": "revolute", "axis": (0, 0, 0)}, r"axis of joint 'j' is zero; give a direction"),
        ({"kind": "revolute", "damping": -1}, r"damping of joint 'j' is -1; give zero or more"),
        ({"kind": "free", "armature": 1}, r"joint 'j' is free and has armature; only joints with one velocity may"),
        ({"kind": "revolute", "pitch": "0.1"}, rf"joint 'j' is revolute and has pitch; only {kinds_with('pitch')} joints may"),
        (
            {"kind": "free", "second_axis": (1, 0, 0)},
            rf"joint 'j' is free and has a second axis; only {kinds_with('second_axis')} joints may",
        ),
        ({"kind": "universal", "second_axis": (0, 0, -1)}, r"the axes of joint 'j' are parallel; give two that are not, .*"),
        ({"kind": "prismatic", "armature": float("inf")}, r"armature of joint 'j' is inf; give a finite number"),
    ],
)
def test_joints_that_are_none_are_refused(arguments, message):
    with pytest.raises(MechanismError, match=f"^{message}$"):
        Joint("j", **arguments)


def test_a_mechanism_taken_off_the_ground_keeps_everything_else():
    bolted = find_mechanism("branched-tree")
    free = on_free_base(bolted)
    assert free.nv == bolted.nv + 6
    assert [b.inertia for b in free.bodies[1:]] == [b.inertia for b in bolted.bodies]
    assert {f.name: free.bodies[f.body].name for f in free.frames} == {f.name: bolted.bodies[f.body].name for f in bolted.frames}
    with pytest.raises(MechanismError, match="is on a free joint already"):
        on_free_base(free)
    arm, heavy = Mechanism("arm", (turn("a", "world"),)), Inertia(7, (0, 0, 1), (1, 2, 2, 0, 0, 0))
    assert [body.inertia for body in on_free_base(arm, heavy).bodies] == [heavy, SOLID]


def test_every_component_of_position_and_velocity_has_a_name():
    mechanism = find_mechanism("every-joint")
    assert len(mechanism.positions) == len(set(mechanism.positions)) == mechanism.nq
    assert len(mechanism.coordinates) == len(set(mechanism.coordinates)) == mechanism.nv
    assert mechanism.positions[-7:] == tuple(f"free.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw"))
    assert {"revolute", "continuous.cos", "continuous.sin", "euler-zyx.z", "planar.angle"} < set(mechanism.positions)
    assert {"continuous", "cylindrical.angle", "planar.w", "spherical.wz"} < set(mechanism.coordinates)


def test_a_split_joint_is_where_the_whole_one_was():
    placement = Placement(Rotation.from_rpy(0, 0, "0.5"), (1, 2, 3))
    whole = Mechanism("pipe", (Body("tube", "world", Joint("sleeve", "cylindrical", placement=placement), Inertia(1)),))
    first, second = elementary(whole).bodies
    assert (first.joint.placement, second.joint.placement) == (placement, Placement())
