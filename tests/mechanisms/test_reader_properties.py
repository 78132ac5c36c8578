"""The URDF reader, on documents that nobody would write: it gives a mechanism or one sentence, and never anything else."""

from __future__ import annotations

from copy import deepcopy
from xml.etree.ElementTree import Element, fromstring, tostring
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mechanisms import Mechanism, MechanismError, parse_urdf, random_mechanism, write_urdf
from mechanisms.write_urdf import TYPES

THOROUGH = settings(max_examples=100, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cn"]), max_size=3)
NUMBERS = st.one_of(
    st.sampled_from(["0", "-1", "1e-3", "1e300", "-1e300", "1e-300", "1e999", "nan", "inf", "", " ", "0x1", "1_0", "٣", "1/2"]),
    st.floats().map(repr),
    WORDS,
)
VECTORS = st.one_of(st.lists(NUMBERS, min_size=3, max_size=3), st.lists(NUMBERS, max_size=5)).map(" ".join)
NAMES = st.one_of(st.sampled_from(["body0", "body1", "joint1", "world", "root_joint"]), WORDS)
KINDS = st.one_of(st.sampled_from(["revolute", "continuous", "prismatic", "fixed", "planar", "floating", "screw"]), WORDS)

ATTRIBUTES = {"name": NAMES, "link": NAMES, "joint": NAMES, "type": KINDS, "xyz": VECTORS, "rpy": VECTORS}
"""What an attribute of this name holds; any other holds a number."""

CHANGES = ("set", "set", "set", "set", "unset", "remove", "double", "move")


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A document with one to four changes: attributes set or missing, elements removed, doubled or misplaced."""
    robot = fromstring(write_urdf(random_mechanism(draw(st.integers(0, 99)), draw(st.integers(1, 4)), tuple(TYPES))))
    robot.append(Element("gravity", {"xyz": "0 0 -1"}))
    if not draw(st.integers(0, 4)):
        robot.findall("joint")[0].append(Element("mimic", {"joint": "joint0"}))
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4)):
        parent = draw(st.sampled_from([element for element in robot.iter() if len(element)] or [robot]))
        element = draw(st.sampled_from(list(parent) or [parent]))
        name = draw(st.sampled_from([*element.keys(), "name", "unphysical"]))
        if change == "set":
            element.set(name, draw(ATTRIBUTES.get(name, NUMBERS)))
        elif change == "unset":
            element.attrib.pop(name, None)
        elif change == "double":
            parent.append(deepcopy(element))
        elif element is not parent:
            parent.remove(element)
            if change == "move":
                draw(st.sampled_from(list(robot.iter()))).append(element)
    return tostring(robot)


def read(document: str | bytes, **options: bool) -> Mechanism | None:
    """The mechanism, or None where the document is refused in one sentence."""
    try:
        return parse_urdf(document, "some.urdf", **options)
    except MechanismError as error:
        assert str(error).startswith("some.urdf: ")
        assert "\n" not in str(error)
        return None


@pytest.mark.slow
@THOROUGH
@given(damaged(), st.booleans(), st.booleans(), st.booleans())
def test_damaged_documents_are_read_or_refused(document: bytes, free_base: bool, physical: bool, ignore_mimic: bool) -> None:
    read(document, free_base=free_base, physical=physical, ignore_mimic=ignore_mimic)


@THOROUGH
@given(st.one_of(st.text(), st.binary(), st.text().map(lambda text: f'<robot name="r"><link name={quoteattr(text)}/></robot>')))
def test_random_text_is_read_or_refused(document: str | bytes) -> None:
    read(document)
