"""What is read has limits: kind and size of files, links, nesting, digits and magnitudes. Each is one sentence."""

from __future__ import annotations

import os
import random
import re
import socket
from fractions import Fraction
from pathlib import Path

import pytest

from mechanisms import Body, Inertia, Joint, Mechanism, MechanismError, Placement, parse_urdf, read_urdf, write_urdf
from mechanisms.files import untrusted_xml
from mechanisms.files.urdf import read
from mechanisms.geometry import unit_vector
from mechanisms.limits import LONGEST_BITS, MOST_DIGITS, MOST_LINKS, MOST_URDF_BYTES
from mechanisms.numbers.exact import exact
from mechanisms.plain_text import UNPRINTABLE, sentence

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ARM = f'<link name="base"/><link name="arm">{INERTIAL}</link>'


def joint(k: int | str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    return f'<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def document(inside: str) -> str:
    return f'<robot name="r">{inside}</robot>'


def chain(links: int, kind: str) -> str:
    """A revolute joint, and links behind it on joints of this kind, with general rotations."""
    draw = random.Random(0)
    parts = [ARM, joint(0, "base", "arm"), *(f'<link name="l{k}">{INERTIAL}</link>' for k in range(1, links))]
    for k in range(1, links):
        xyz, rpy = (" ".join(f"{draw.uniform(-2, 2):.6f}" for _ in range(3)) for _ in range(2))
        parts.append(joint(k, f"l{k - 1}" if k > 1 else "arm", f"l{k}", kind, f'<origin xyz="{xyz}" rpy="{rpy}"/>'))
    return document("".join(parts))


def refused(text: str) -> str:
    """The sentence that refuses the document."""
    with pytest.raises(MechanismError) as error:
        parse_urdf(text, "r.urdf")
    said = str(error.value)
    assert re.match(r"r\.urdf(, line 1)?: ", said)
    assert len(said) <= 500
    return said


# Files


def test_only_regular_files_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # The path of a socket may have a hundred characters only.
    Path("directory").mkdir()
    os.mkfifo("pipe")
    Path("device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        for kind in ("directory", "pipe", "device", "socket"):
            with pytest.raises(MechanismError, match=rf"\(it is a {kind}, not a regular file\); give the path of a URDF"):
                read_urdf(kind)


def test_files_that_are_too_large_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "r.urdf"
    with path.open("wb") as file:
        file.truncate(MOST_URDF_BYTES + 1)
    with pytest.raises(MechanismError, match=r"cannot be read \(it is larger than 16 MiB\); give"):
        read_urdf(path)
    with pytest.raises(MechanismError, match="no XML"):
        os.truncate(path, MOST_URDF_BYTES)
        read_urdf(path)


@pytest.mark.skipif(not Path("/proc/self/pagemap").exists(), reason="only Linux has such files")
def test_a_file_that_tells_no_size_is_read_up_to_the_limit() -> None:
    with pytest.raises(MechanismError, match="the file cannot be read"):
        read_urdf("/proc/self/pagemap")


# Documents


def test_nesting_has_a_limit() -> None:
    assert parse_urdf(document(ARM + joint(0, "base", "arm") + "<a>" * 98 + "</a>" * 98)).nv == 1
    assert "r.urdf, line 1: <a> is more than 100 elements deep; remove" in refused(document("<a>" * 10**5 + "</a>" * 10**5))


def test_links_moving_bodies_and_elements_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    many = "".join(f'<link name="l{k}"/>' for k in range(MOST_LINKS + 1))
    assert "has 2001 links; give 2000 at most" in refused(document(many))
    monkeypatch.setattr(read, "MOST_BODIES", 10)
    assert parse_urdf(chain(10, "revolute")).nv == 10
    assert "has 11 joints that move; give 10 at most" in refused(chain(11, "revolute"))
    # The parser stops at the first element too many.
    monkeypatch.setattr(untrusted_xml, "MOST_XML_ELEMENTS", 99)
    assert "the document has more than 99 elements; remove" in refused(document("<link/>" * 99))


# Numbers


@pytest.mark.parametrize(
    ("text", "said"),
    [(text, "length is .*; give a decimal number") for text in ("１", "-Infinity", "e5", ".", "1 2", "--1")]
    + [
        # These would take long to compute.
        *((text, "length is '.*'; give a finite number within") for text in ("1e308", "1e999999999", "1e-999999999", "1e+0400")),
        ("3" * (MOST_DIGITS + 1), "length has 301 characters; give a decimal number of 300 at most$"),
    ],
)
def test_only_plain_decimals_of_few_digits_are_numbers(text: str, said: str) -> None:
    """The torture set (test_urdf_traits.py) has more of them, and those that are read."""
    assert exact("0e999999999") == exact("-0") == 0
    assert exact("0." + "3" * (MOST_DIGITS - 2))
    with pytest.raises(MechanismError, match=f"^{said}"):
        exact(text, "length")


@pytest.mark.parametrize("size", ["1e41", "1e-41"])
@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('mass value="2"', 'mass value="{}"', "link 'arm': mass is about"),
        (
            'ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"',
            'ixx="{0}" ixy="0" ixz="0" iyy="{0}" iyz="0" izz="{0}"',
            "link 'arm': rota",
        ),
        ("<mass", '<origin xyz="0 0 {}"/><mass', "link 'arm': translation of a placement is about"),
        ("<AT/>", '<origin xyz="{} 0 0"/>', "joint 'j0': translation of a placement is about"),
        ("<AT/>", '<axis xyz="0 {} 0"/>', "joint 'j0': its <axis> is about"),
        ("<AT/>", '<dynamics damping="{}"/>', "damping of joint 'j0' is about"),
        ("<AT/>", '<dynamics armature="{}"/>', "armature of joint 'j0' is about"),
        ("</robot>", '<gravity xyz="{} 0 0"/></robot>', "gravity is about"),
    ],
)
def test_magnitudes_that_float64_cannot_multiply_are_refused_by_name(old: str, new: str, named: str, size: str) -> None:
    text = document(ARM + joint(0, "base", "arm", inside="<AT/>"))
    assert old in text
    said = refused(text.replace(old, new.format(size)))
    assert f": {named}" in said
    assert "; give zero, or a magnitude between 1e-40 and 1e+40" in said


def test_rounding_noise_beside_other_numbers_is_read_and_an_angle_beyond_all_meaning_refused() -> None:
    noisy = joint(0, "base", "arm", inside='<origin xyz="1 1e-70 0" rpy="1e-300 0 0"/><axis xyz="0 1 -1e-66"/>')
    (body,) = parse_urdf(document(ARM + noisy)).bodies
    assert body.joint.placement.translation[1] == Fraction(1, 10**70)
    turned = document(ARM + joint(0, "base", "arm", inside='<origin rpy="0 0 1.1e6"/>'))
    assert "joint 'j0': rpy of <origin> has an angle of more than 1000000 rad; give angles in radians" in refused(turned)


# Chains


def longest(m: Mechanism) -> int:
    """The bits of the longest number."""
    placements = [*(body.joint.placement for body in m.bodies), *(frame.placement for frame in m.frames)]
    numbers = [x for p in placements for x in (*p.rotation.quaternion, *p.translation)]
    numbers += [x for body in m.bodies for x in (body.inertia.mass, *body.inertia.com, *body.inertia.about_com)]
    return max(part.bit_length() for x in numbers for part in (x.numerator, x.denominator))


def test_numbers_stay_short_along_welds_and_are_off_by_far_less_than_any_float(monkeypatch: pytest.MonkeyPatch) -> None:
    text = chain(14, "fixed")
    rounded = parse_urdf(text)
    assert longest(rounded) <= LONGEST_BITS
    assert len(rounded.fingerprint) == 16
    with monkeypatch.context() as patch:
        for kind in (Placement, Inertia):
            patch.setattr(kind, "shortened", lambda self: self)
        unrounded = parse_urdf(text)
    assert longest(unrounded) > LONGEST_BITS
    assert rounded.fingerprint != unrounded.fingerprint
    for ours, theirs in zip(rounded.bodies[0].inertia.about_com, unrounded.bodies[0].inertia.about_com, strict=True):
        assert abs(ours / theirs - 1) < Fraction(1, 10**145)
    for ours, theirs in zip(rounded.frames, unrounded.frames, strict=True):
        pairs = zip(sum(ours.placement.rotation.matrix, ()), sum(theirs.placement.rotation.matrix, ()), strict=True)
        assert max(abs(x - y) for x, y in pairs) < Fraction(1, 10**145)


@pytest.mark.parametrize("seed", range(2))
def test_of_bodies_that_may_come_next_the_one_given_first_comes(seed: int) -> None:
    draw = random.Random(seed)
    names = [f"b{k}" for k in range(30)]
    made = [Body(name, draw.choice(["world", *names[:k]]), Joint(name, "revolute")) for k, name in enumerate(names)]
    draw.shuffle(made)
    expected, waiting, placed = [], list(made), {"world"}
    while waiting:
        body = next(body for body in waiting if body.parent in placed)
        waiting.remove(body)
        placed.add(body.name)
        expected.append(body.name)
    assert [body.name for body in Mechanism("m", tuple(made)).bodies] == expected


# Writing and reading


@pytest.mark.parametrize(
    "axis", [(Fraction(2, 7), Fraction(3, 7), Fraction(6, 7)), ("0.577350", "0.577350", "0.577350"), (1e-320, 1, 0)]
)
def test_every_axis_is_written_so_that_it_is_read_again(axis: tuple[object, ...]) -> None:
    hinge = Joint("j", "revolute", unit_vector(axis, normalise=True))
    once = parse_urdf(write_urdf(Mechanism("m", (Body("b", "world", hinge, Inertia(1)),))))
    if Fraction(axis[0]) > Fraction(1, 10**300):
        assert once.bodies[0].joint.axis == hinge.axis
    assert parse_urdf(write_urdf(once)).fingerprint == once.fingerprint


def test_names_are_written_without_turning_what_a_terminal_shows_or_refused() -> None:
    def written(name: str) -> str:
        return write_urdf(Mechanism("m", (Body(name, "world", Joint("j", "revolute"), Inertia(1)),)))

    turning = "a\n\u202eb\x9b\u2066c"
    assert not UNPRINTABLE.search(written(turning))
    assert parse_urdf(written(turning)).bodies[0].name == turning
    for name in ("", " a", "a\x1b", "\ud800", "\uffff"):
        with pytest.raises(MechanismError, match=r"^the name .* cannot be written to XML; give one without control characters"):
            written(name)


def test_sentences_are_short_and_printable_and_keep_their_remedy() -> None:
    assert sentence("a\x1b[31m\u202e\n b\x9b") == "a\ufffd[31m\ufffd b\ufffd"
    loop = [Body(f"b{k}", f"b{(k + 1) % 99}", Joint(f"j{k}", "revolute")) for k in range(99)]
    with pytest.raises(MechanismError) as error:
        Mechanism("m", tuple(loop))
    assert len(str(error.value)) == 500
    assert str(error.value).startswith("bodies 'b0', 'b1', ")
    assert str(error.value).endswith("form a loop that never reaches the root 'world'; cut it")
