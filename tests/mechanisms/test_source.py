"""Mechanisms know the file that they were read from, as long as they are what the file says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mechanisms import (
    Inertia,
    MechanismError,
    Source,
    on_free_base,
    parse_urdf,
    read_urdf,
    source_of,
    write_urdf,
)
from mechanisms.files.document import from_document, to_document
from mechanisms.limits import MOST_URDF_BYTES

ARM = (
    '<robot name="arm"><!-- mine --><link name="base"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="a"><inertial>'
    '<origin rpy="0 1 0"/><mass value="2"/><inertia ixx="1" iyy="2" izz="2" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="j" type="revolute"><parent link="base"/><child link="a"/></joint></robot>'
)


def test_the_source_is_the_text_as_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    arm = read_urdf(path)
    assert arm.source is not None
    assert (arm.source.text, arm.source.path, arm.source.format) == (ARM, str(path), "urdf")
    assert source_of(arm) is arm.source
    assert parse_urdf(ARM).source == replace(arm.source, path="")


def test_the_source_says_whether_the_harness_put_the_robot_on_a_free_base() -> None:
    empty = '<link name="world"/><joint name="f" type="{}"><parent link="world"/><child link="base"/></joint></robot>'
    fixed, floating = (ARM.replace("</robot>", empty.format(kind)) for kind in ("fixed", "floating"))
    cases = {(ARM, False): False, (ARM, True): True, (fixed, True): True, (floating, False): False, (floating, True): False}
    for (text, asked), free in cases.items():
        source = parse_urdf(text, free_base=asked).source
        assert source is not None
        assert source.free_base == free


def test_a_changed_mechanism_has_no_stale_source() -> None:
    arm = parse_urdf(ARM)
    bare = replace(arm, read_from=None)
    assert bare.source is None
    assert (arm, hash(arm), arm.fingerprint, repr(arm)) == (bare, hash(bare), bare.fingerprint, repr(bare))
    renamed = replace(arm, name="other")
    assert renamed.source == arm.source
    assert on_free_base(parse_urdf(ARM.replace('"base"', '"ground"'))).source is None
    heavier = replace(arm, bodies=(replace(arm.bodies[0], inertia=Inertia(3)),))
    for changed in (
        replace(arm, gravity=(0, 0, 1)),
        heavier,
        replace(arm, root="ground", bodies=(replace(arm.bodies[0], parent="ground"),)),
    ):
        assert changed.source is None
        written = source_of(changed)
        assert (written.text, written.path, written.free_base) == (write_urdf(changed), "", False)
        assert parse_urdf(written.text).arrays.masses == changed.arrays.masses
    assert replace(heavier, bodies=arm.bodies).source == arm.source, "the same again"


def test_the_source_crosses_processes() -> None:
    arm = parse_urdf(ARM)
    sent = json.loads(json.dumps(to_document(arm)))
    assert from_document(sent).source == arm.source
    assert from_document(sent) == arm
    changed = to_document(replace(arm, gravity=(0, 0, 1)))
    assert "read_from" not in changed, "a stale text is not sent"
    assert from_document(changed).read_from is None


def test_a_forged_or_huge_source_is_none() -> None:
    """A worker process may send any text."""
    sent = to_document(parse_urdf(ARM))
    for forged in ({**sent["read_from"], "fingerprint": "0" * 16}, None):
        assert from_document({**sent, "read_from": forged}).source is None
    for broken in ({}, "text", {**sent["read_from"], "text": 7}, {**sent["read_from"], "more": ""}):
        with pytest.raises(MechanismError, match="this is no mechanism"):
            from_document({**sent, "read_from": broken})
    with pytest.raises(MechanismError, match="larger than 16 MiB"):
        from_document({**sent, "read_from": {**sent["read_from"], "text": " " * (MOST_URDF_BYTES + 1)}})
    with pytest.raises(MechanismError, match="larger than 16 MiB; give a smaller file"):
        Source("x" * (MOST_URDF_BYTES + 1))


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8-sig", ""),
        ("utf-16", "UTF-16"),
        ("cp1252", "windows-1252"),
    ],
)
def test_files_in_other_encodings_become_unicode(encoding: str, declared: str, tmp_path: Path) -> None:
    head = f'<?xml version="1.0" encoding="{declared}"?>\n' if declared else ""
    document = head + ARM.replace("mine", "für mich").replace('"a"', '"Größe"')
    source = parse_urdf(document.encode(encoding)).source
    assert source is not None
    assert source.text == document.replace(f'"{declared}"', '"UTF-8"') if declared else document
    with source.file() as path:
        again = read_urdf(path)
    assert not path.exists()
    assert again == parse_urdf(document.encode(encoding))
    assert "Größe" in [body.name for body in again.bodies]
