"""What is written as MJCF and SDF is read back as the same mechanism, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from mechanisms import (
    POINT,
    WELD,
    Body,
    Constraint,
    Frame,
    Inertia,
    Joint,
    Mechanism,
    MechanismError,
    Mimic,
    Placement,
    Rotation,
    find_mechanism,
    parse_mjcf,
    parse_sdf,
    parse_urdf,
    source_of,
    write_mjcf,
    write_sdf,
    write_urdf,
)
from mechanisms.errors import Unsupported
from mechanisms.files.mjcf.write import in_mjcf
from mechanisms.files.sdf.write import in_sdf

SKEW = Placement(Rotation(2, 1, -3, 2), (Fraction("0.1"), Fraction("-0.25"), Fraction("3e-7")))
TURNED = Placement(Rotation.from_rpy(0.3, -4.7, 3.14159), (1, 0, 0))
SOLID = Inertia(2, ("0.1", 0, "0.2"), ("0.3", "0.4", "0.5", "0.01", "-0.02", "0.03"))


def of(*bodies: Body, **more: object) -> Mechanism:
    return Mechanism("<robot> & 'co'", bodies, **more)  # type: ignore[arg-type]


def one(kind: str, **more: object) -> Mechanism:
    return of(Body("arm", "world", Joint("turn", kind, placement=TURNED, **more), SOLID))  # type: ignore[arg-type]


def lengths(mechanism: Mechanism) -> Mechanism:
    """The mechanism with quaternions whose largest number is one: their length has no meaning."""
    bodies = (replace(body, joint=replace(body.joint, placement=_one(body.joint.placement))) for body in mechanism.bodies)
    frames = tuple(replace(frame, placement=_one(frame.placement)) for frame in mechanism.frames)
    constraints = tuple(one.placed(lambda _, placement: _one(placement)) for one in mechanism.constraints)
    return replace(mechanism, bodies=tuple(bodies), frames=frames, constraints=constraints)


def _one(placement: Placement) -> Placement:
    largest = max(placement.rotation.quaternion, key=abs)
    return replace(placement, rotation=Rotation(*(x / largest for x in placement.rotation.quaternion)))


MECHANISMS = {
    "prismatic, with forces": one(
        "prismatic", axis=(Fraction(2, 3), Fraction(-1, 3), Fraction(2, 3)), armature="0.1", damping="1e-9"
    ),
    "hinge with a spring": one("revolute", stiffness="1.5", rest="-0.25", damping="0.1"),
    "slide with a spring": one("prismatic", stiffness="1e-7"),
    "ball": one("spherical"),
    "free bodies": of(*(Body(name, "world", Joint(f"{name} joint", "free"), SOLID) for name in "ab")),
    "free base": of(
        Body("base", "world", Joint("root_joint", "free"), SOLID), Body("arm", "base", Joint("j", "revolute"), SOLID)
    ),
    "gravity": of(Body("arm", "world", Joint("j", "revolute"), SOLID), gravity=("0.1", "1e-12", -3)),
    "no inertia": of(Body("a", "world", Joint("j", "revolute")), Body("b", "a", Joint("k", "prismatic", placement=SKEW), SOLID)),
    "mimic": of(
        Body("a", "world", Joint("j", "revolute"), SOLID),
        Body("b", "a", Joint("k", "prismatic", mimic=Mimic("j", "-0.3", "0.7")), SOLID),
    ),
    "welded links": of(
        Body("stand", "world", Joint("to stand", "fixed", placement=SKEW)),
        Body("arm", "stand", Joint("j", "revolute", placement=TURNED), SOLID),
        Body("tool", "arm", Joint("to tool", "fixed", placement=SKEW), SOLID),
        Body("tip", "tool", Joint("to tip", "fixed", placement=TURNED)),
    ),
    "frames": of(
        Body("arm", "world", Joint("j", "revolute", placement=SKEW), SOLID),
        frames=(Frame("camera", "to camera", 0, TURNED), Frame("floor", "to floor", -1, SKEW)),
    ),
    "thirds": of(Body("arm", "world", Joint("j", "revolute", placement=Placement(Rotation(1, Fraction(1, 3), 0, 1))), SOLID)),
}
"""Mechanisms that both formats can say."""


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("write", "parse"), [(write_mjcf, parse_mjcf), (write_sdf, parse_sdf)])
def test_what_is_written_is_read_back_exactly(
    name: str, write: Callable[[Mechanism], str], parse: Callable[[str], Mechanism]
) -> None:
    mechanism = MECHANISMS[name]
    read = parse(write(mechanism))
    if write is write_sdf and "free" in name:
        mechanism = in_sdf(mechanism)
    assert lengths(read) == lengths(mechanism)
    assert parse(write(read)) == read


@pytest.mark.parametrize("kind", ["continuous", "helical", "cylindrical", "universal", "translation", "euler-zxy"])
def test_joints_that_a_format_does_not_have_become_several(kind: str) -> None:
    mechanism = one(kind, **({"pitch": Fraction("0.3")} if kind == "helical" else {}))
    for write, parse, said in ((write_mjcf, parse_mjcf, in_mjcf), (write_sdf, parse_sdf, in_sdf)):
        read = parse(write(mechanism))
        assert lengths(read) == lengths(said(mechanism))
        assert read.nv == mechanism.nv
        assert read.coordinates == mechanism.coordinates
        assert read.bodies[-1].inertia == SOLID
    assert ("kind='universal'" in repr(parse_sdf(write_sdf(mechanism)).bodies)) == (kind == "universal")


def test_a_helical_joint_is_a_hinge_and_a_slide_that_follows_it_in_mjcf() -> None:
    joints = [body.joint for body in parse_mjcf(write_mjcf(one("helical", pitch="0.3"))).bodies]
    assert [(joint.name, joint.kind, joint.mimic) for joint in joints] == [
        ("turn", "revolute", None),
        ("turn.advance", "prismatic", Mimic("turn", "0.3")),
    ]


def test_the_angles_of_urdf_are_kept() -> None:
    # Angles of more than half a turn do not follow from the rotation.
    for read in (parse_mjcf(write_mjcf(one("revolute"))), parse_sdf(write_sdf(one("revolute")))):
        assert read.bodies[0].joint.placement.rotation.rpy == TURNED.rotation.rpy


def test_a_compound_joint_is_several_joints_of_one_body_in_mjcf() -> None:
    # MuJoCo takes no body without mass between them.
    assert write_mjcf(one("euler-xyz")).count("<body") == 1


def test_mjcf_nests_bodies_so_that_their_order_may_change() -> None:
    bodies = [Body(name, parent, Joint(f"{name}.j", "revolute"), SOLID) for name, parent in ("aw", "bw", "ca")]
    mechanism = of(*(replace(body, parent="world" if body.parent == "w" else body.parent) for body in bodies))
    assert [body.name for body in parse_mjcf(write_mjcf(mechanism)).bodies] == ["a", "c", "b"]
    assert parse_mjcf(write_mjcf(mechanism)) == in_mjcf(mechanism)
    assert parse_sdf(write_sdf(mechanism)) == mechanism


def test_names_that_sdf_has_once_only_get_an_ending() -> None:
    bodies = Body("arm", "world", Joint("arm", "revolute"), SOLID), Body("b", "arm", Joint("k", "revolute", mimic=Mimic("arm")))
    read = parse_sdf(write_sdf(of(*bodies)))
    assert [body.joint.name for body in read.bodies] == ["arm_joint", "k"]
    assert read.bodies[1].joint.mimic == Mimic("arm_joint")
    assert parse_mjcf(write_mjcf(of(*bodies))) == of(*bodies)


@pytest.mark.parametrize("directions", [POINT, WELD, ("wx", "wy", *POINT)])
def test_constraints_are_written_where_the_format_has_them(directions: tuple[str, ...]) -> None:
    a, b = (Body(name, "world", Joint(f"{name}.j", "revolute", placement=SKEW), SOLID) for name in "ab")
    closed = of(a, b, constraints=(Constraint("pin", "a", "b", directions, TURNED, TURNED),))
    assert lengths(parse_sdf(write_sdf(closed))) == lengths(closed)
    if directions in (POINT, WELD):
        apart = replace(closed, constraints=(Constraint("pin", "a", "world", directions, TURNED, SKEW),))
        assert parse_mjcf(write_mjcf(apart)) == apart
        with pytest.raises(
            MechanismError, match=r"^constraint 'pin' closes no loop of joints, or is on the world second, which SDF"
        ):
            write_sdf(apart)
    else:
        with pytest.raises(MechanismError, match=r"^constraint 'pin' is neither a point nor a weld, which MJCF cannot say"):
            write_mjcf(closed)


def test_a_link_that_readers_refuse_gives_its_mass_to_the_body_that_moves() -> None:
    flat = Inertia(2, about_com=(1, 1, 9, 0, 0, 0))
    mechanism = of(Body("a", "world", Joint("j", "revolute"), SOLID), Body("b", "a", Joint("k", "fixed"), flat), physical=False)
    for read in (parse_mjcf(write_mjcf(mechanism), physical=False), parse_sdf(write_sdf(mechanism), physical=False)):
        assert read == mechanism
        assert read.unwelded[1].inertia.is_massless


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (one("planar"), "joint 'turn' is planar"),
        (one("free"), "joint 'turn' is free and not at the root's origin"),
        (of(Body("world", "base", Joint("j", "revolute"), SOLID), root="base"), "a body is called 'world'"),
    ],
)
def test_what_neither_format_can_say_is_refused(mechanism: Mechanism, words: str) -> None:
    for write in (write_mjcf, write_sdf):
        with pytest.raises(MechanismError, match=f"^{words}"):
            write(mechanism)


def test_chains_that_are_too_deep_for_xml_are_refused() -> None:
    deep = find_mechanism("planar-pendulum:120")
    with pytest.raises(MechanismError, match=r"MJCF nests bodies; give shorter chains$"):
        write_mjcf(deep)
    assert parse_sdf(write_sdf(deep)).nv == 120
    assert parse_mjcf(write_mjcf(find_mechanism("planar-pendulum:90"))).nv == 90


def test_urdf_keeps_welded_links_as_they_were_given() -> None:
    turned = (replace(body, joint=replace(body.joint, placement=TURNED)) for body in MECHANISMS["welded links"].unwelded)
    mechanism = of(*turned)
    assert parse_urdf(write_urdf(mechanism)) == mechanism
    assert not parse_urdf(write_urdf(replace(mechanism, frames=()))).frames


def test_the_source_of_a_mechanism_is_in_any_of_the_formats() -> None:
    arm = one("revolute")
    for form, parse in (("urdf", parse_urdf), ("mjcf", parse_mjcf), ("sdf", parse_sdf)):
        source = source_of(arm, form)  # type: ignore[arg-type]
        assert (source.format, parse(source.text)) == (form, arm)
    with pytest.raises(Unsupported, match=r"^joint 'turn' is planar, which SDF cannot say"):
        source_of(one("planar"), "sdf")
    read = parse_urdf(source_of(arm).text)
    assert source_of(read) is read.source
    assert parse_mjcf(source_of(read, "mjcf").text) == arm


def test_names_that_mean_a_link_of_another_model_are_not_written_as_sdf() -> None:
    with pytest.raises(MechanismError, match="the name 'arm::hand' is reserved in SDF"):
        write_sdf(of(Body("arm::hand", "world", Joint("turn", "revolute"), SOLID)))
