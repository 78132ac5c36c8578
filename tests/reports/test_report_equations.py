"""Equations in MathML: well formed, in the core of the standard, and saying what the terms say."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from documents import EQUATIONS, HOSTILE, equations

from reports.mathml import typeset
from reports.words import cleaned

CORE = {"math", "mi", "mn", "mo", "mrow", "msub", "msup", "msubsup", "mfrac", "mtable", "mtr", "mtd", "mspace"}


def test_equations_are_well_formed_core_mathml() -> None:
    tree = ElementTree.fromstring(typeset(EQUATIONS))
    assert {node.tag for math in tree.iter("math") for node in math.iter()} <= CORE
    assert len(tree.findall(".//mtable")) == 4


def test_signs_fractions_powers_and_rounding() -> None:
    text = "".join(ElementTree.fromstring(typeset(EQUATIONS)).itertext())
    assert "M(q)a+C(q,v)v+g(q)+Dv=τ" in text
    assert "130" in text  # 1/30, as a fraction
    assert "−0.05sin\u2061q2v2" in text
    assert "0.333333…" in text
    assert "−1.25…·10-5" in text
    assert "−0.5cos\u2061q2 +2 +0.333333…m" in text


def test_long_entries_are_named_and_written_below() -> None:
    source = typeset(EQUATIONS)
    assert source.count("<msub><mi>M</mi><mn>22</mn></msub>") == 2


def test_a_coefficient_of_one_is_not_written() -> None:
    source = str(typeset(equations(V=[["1", {"q1": 2}], ["-1", {"l": 1}]])))
    assert re.search(r"<math><msubsup><mi>q</mi><mn>1</mn><mn>2</mn></msubsup></math>", source)
    assert '<mo form="infix">−</mo><mrow><mi>l</mi></mrow>' in source


def test_names_are_escaped() -> None:
    hostile = cleaned(equations(v=[HOSTILE, "x"], V=[[HOSTILE, {HOSTILE: 2}]]))
    source = typeset(hostile)
    assert "<script" not in source
    ElementTree.fromstring(source)
