"""The torture set catches faults of a reader: each of these was planted in ours."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from mechanisms import MechanismError, parse_urdf, untrusted_xml, urdf, urdf_vocabulary
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia
from mechanisms.urdf_reading import reading_of
from mechanisms.urdf_traits import GROUPS
from mechanisms.urdf_traits.judge import wrong
from mechanisms.urdf_traits.trait import Trait

Patch = pytest.MonkeyPatch


def attribute_of(owner: Any, name: str, value: Any) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(owner, name, value)


def inertials_are_not_turned(patch: Patch) -> None:
    origin = urdf._origin
    patch.setattr(
        urdf,
        "_origin",
        lambda e: Placement(translation=origin(e).translation) if e.tag == "inertial" else origin(e),
    )


def steiner_is_forgotten(patch: Patch) -> None:
    patch.setattr(Inertia, "about", lambda self, point: self.matrix)


def rpy_in_the_opposite_order(patch: Patch) -> None:
    from_rpy = Rotation.from_rpy

    def wrong_order(cls: type, roll: float, pitch: float, yaw: float) -> Rotation:
        return from_rpy(roll, 0, 0) @ from_rpy(0, pitch, 0) @ from_rpy(0, 0, yaw)

    patch.setattr(Rotation, "from_rpy", classmethod(wrong_order))


def quaternions_with_w_first(patch: Patch) -> None:
    read = urdf.numbers
    patch.setattr(urdf, "numbers", lambda *given: (*read(*given)[1:], read(*given)[0]))


def changed_text(old: str, new: str) -> Callable[[Patch], None]:
    """A reader that takes ``old`` in a file for ``new``."""

    def plant(patch: Patch) -> None:
        parse = untrusted_xml.parse_xml
        patch.setattr(urdf, "parse_xml", lambda text, *rest: parse(_replaced(text, old, new), *rest))

    return plant


def the_last_counts(patch: Patch) -> None:
    parse = untrusted_xml.parse_xml

    def wrong_order(*given: Any) -> Any:
        robot = parse(*given)
        for joint in robot.findall("joint"):
            joint[:] = reversed(joint)
        return robot

    patch.setattr(urdf, "parse_xml", wrong_order)


def _replaced(text: str | bytes, old: str, new: str) -> str | bytes:
    return text.replace(old, new) if isinstance(text, str) else text


FAULTS: dict[str, tuple[str, Callable[[Patch], None]]] = {
    "the default axis is z": ("Axes", attribute_of(urdf, "basis", lambda: ((Fraction(0), Fraction(0), Fraction(1)),))),
    "axes are nearest axes": (
        "Axes",
        attribute_of(urdf, "unit_vector", lambda v, *_, **__: tuple(Fraction(int(abs(x) == max(map(abs, v)))) for x in v)),
    ),
    "inertials are not turned": ("Inertias", inertials_are_not_turned),
    "Steiner is forgotten": ("Trees", steiner_is_forgotten),
    "rpy is made in the opposite order": ("Origins", rpy_in_the_opposite_order),
    "quaternions have w first": ("Origins", quaternions_with_w_first),
    "quaternions are ignored": ("Origins", changed_text("quat_xyzw", "quat_wxyz")),
    "versions are ignored": ("Documents", changed_text(' version="1.3"', "")),
    "every version is 1.2": ("Origins", attribute_of(urdf_vocabulary, "_version", lambda robot: (1, 2))),
    "ixz and iyz are exchanged": (
        "Inertias",
        attribute_of(
            urdf,
            "Inertia",
            type(
                "Exchanged",
                (),
                {
                    "__new__": lambda cls, mass, about_com: Inertia(mass, about_com=(*about_com[:4], about_com[5], about_com[4])),
                    "massless": staticmethod(Inertia.massless),
                },
            ),
        ),
    ),
    "damping is ignored": ("Joints", changed_text("damping=", "dumping=")),
    "friction is damping": ("Joints", changed_text('friction="0.7"', 'damping="0.7"')),
    "continuous joints are fixed": ("Joints", attribute_of(urdf, "KINDS", {**urdf.KINDS, "continuous": "fixed"})),
    "planar joints are floating": ("Joints", attribute_of(urdf, "KINDS", {**urdf.KINDS, "planar": "free"})),
    "exponents are ignored": ("Numbers", changed_text("e1", "")),
    "the last of two elements counts": ("Axes", the_last_counts),
    "welds are lost": ("Trees", attribute_of(Inertia, "__add__", lambda self, other: self)),
    "what is ignored is not said": ("Joints", attribute_of(urdf, "overlooked", lambda robot: ())),
}
"""By what is wrong: the traits that show it, and how to plant it."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_show_on_some_trait(fault: str, monkeypatch: Patch) -> None:
    group, plant = FAULTS[fault]
    plant(monkeypatch)
    assert any(_shows(trait) for trait in GROUPS[group]), "no trait shows it"


def _shows(trait: Trait) -> bool:
    """Whether the reader is not right about this file any more."""
    try:
        read = parse_urdf(trait.text, "trait.urdf")
    except MechanismError as error:
        return not trait.named or trait.named not in str(error)
    if trait.named or not read.source:
        return bool(trait.named)
    said = any(trait.aloud in note for note in read.notes) if trait.aloud else read.notes == ()
    return not said or bool(wrong(trait, reading_of(read.source.text)[0], 1e-12))
