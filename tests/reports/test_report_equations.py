"""Equations in MathML: well formed, in the core of the standard, and saying what the terms say."""

from __future__ import annotations

from xml.etree import ElementTree

from documents import EQUATIONS, HOSTILE, equations

from reports.mathml import typeset
from reports.words import cleaned

CORE = {"math", "mi", "mn", "mo", "mrow", "msub", "msup", "msubsup", "mfrac", "mtable", "mtr", "mtd", "mspace"}


def test_equations_are_well_formed_core_mathml() -> None:
    tree = ElementTree.fromstring(typeset(EQUATIONS))
    assert {node.tag for math in tree.iter("math") for node in math.iter()} <= CORE
    assert len(tree.findall(".//mtable")) == 4


def test_names_are_escaped() -> None:
    hostile = cleaned(equations(v=[HOSTILE, "x"], V=[[HOSTILE, {HOSTILE: 2}]]))
    source = typeset(hostile)
    assert "<script" not in source
    ElementTree.fromstring(source)
