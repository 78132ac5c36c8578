"""LaTeX of the equations: a document that TeX accepts, that fits on its pages, and that says what was derived."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy

import oracle
from mechanisms import Mechanism
from mechanisms.library import textbook
from oracle.symbolic.latex import width

PREAMBLE = {"documentclass", "usepackage", "allowdisplaybreaks", "setcounter", "setlength", "parindent", "mathindent"}
MATHEMATICS = {"begin", "end", "[", "]", ",", "cos", "sin", "cdot", "tfrac", "quad", "operatorname", "text", "_"}
BREAK = " \\\\\n"

PAGE = 170 / 25.4 * 72.27 / 5
"""The width of the text, 170 mm, in digits of 5 pt."""


def require_valid(document: str) -> None:
    """Check, without TeX, what TeX refuses: unknown commands, active characters, braces, environments, too many columns.
    Check also that nothing is wider than a line."""
    head, _, body = "\n".join(line for line in document.split("\n") if not line.startswith("%")).partition("\\begin{document}")
    body = body.removesuffix("\n\\end{document}\n")
    assert head.startswith("\\documentclass") and set(re.findall(r"\\(\w+)", head)) == PREAMBLE
    formulas = re.sub(r"^Entries of .*$", "", body, flags=re.MULTILINE).replace(BREAK, "\n")
    assert formulas.isascii() and not set("%#~$'") & set(formulas)
    assert set(re.findall(r"\\([A-Za-z]+|.)", formulas)) <= MATHEMATICS
    opened: list[str] = []
    for mark in re.findall(r"\\begin\{[^}]*\}|\\end\{[^}]*\}|\\\[|\\\]|[{}]", body):
        if mark.startswith((r"\begin", r"\[", "{")):
            opened.append(mark)
        else:
            assert opened and opened.pop() == {r"\]": r"\[", "}": "{"}.get(mark, mark.replace("end", "begin"))
    assert not opened
    columns = int(re.findall(r"MaxMatrixCols\}\{(\d+)\}", head)[0])
    for matrix in re.findall(r"\\begin\{pmatrix\}\n(.*?)\n\\end", body, flags=re.DOTALL):
        rows = [row.split(" & ") for row in matrix.split(BREAK)]
        assert len({len(row) for row in rows}) == 1 and len(rows[0]) <= columns
        assert sum(2 + max(map(width, column)) for column in zip(*rows, strict=True)) <= PAGE - width("C(q, v) = ()")
    for equation in re.findall(r"\\begin\{align\*\}\n(.*?)\n\\end", body, flags=re.DOTALL):
        first, *others = (line.split("&") for line in equation.split(BREAK))
        assert re.fullmatch(r"[MCD]_\{\d+,\d+\} |g_\{\d+\} ", first[0])
        assert all(len(line) == 2 and not line[0] for line in others)
        assert all(width(line[1]) <= PAGE - width(first[0]) for line in (first, *others))


@pytest.mark.parametrize("name", ["cart_pole", "free_rigid_body", "branched_tree"])
def test_a_document_is_valid_and_fits_on_the_page(name: str) -> None:
    require_valid(oracle.latex(oracle.derive(textbook.TEXTBOOK[name.replace("_", "-")]())))


def test_more_columns_than_ten_are_declared() -> None:
    slider = textbook.cart_pole().bodies[0]
    bodies = (replace(slider, name=f"slider{k}", joint=replace(slider.joint, name=f"joint{k}")) for k in range(12))
    document = oracle.latex(oracle.derive(Mechanism("sliders", tuple(bodies))))
    require_valid(document)
    assert document.count("pmatrix") == 6


@pytest.mark.parametrize("name", ["spatial_3r", "crane"])
def test_entries_of_a_long_matrix_are_equations_and_say_what_was_derived(name: str) -> None:
    equations = oracle.derive(textbook.TEXTBOOK[name.replace("_", "-")]())
    require_valid(oracle.latex(equations))
    n = equations.nv
    q, v = np.random.default_rng(1).uniform(-1, 1, size=(2, n))
    names: dict[str, Any] = {"cos": math.cos, "sin": math.sin}
    names |= {f"{letter}{k + 1}": value for letter, values in (("q", q), ("v", v)) for k, value in enumerate(values)}
    document = oracle.latex(equations)
    flat = document.replace(BREAK + "&\\quad", "")
    values = {letter: np.zeros((n, n)) for letter in "MCg"}
    for letter, indices, entry in re.findall(r"^([MCg])_\{([\d,]+)\} &= (.*)$", flat, flags=re.MULTILINE):
        i, *j = (int(k) - 1 for k in indices.split(","))
        values[letter][i, j[0] if j else 0] = eval(as_python(entry), names)
    M, C, g = values.values()
    e = oracle.Evaluator(equations)
    tight: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}
    np.testing.assert_allclose(M + np.triu(M, 1).T, e.mass_matrix(q[None])[0], **tight)
    np.testing.assert_allclose(C, e.coriolis_matrix(q[None], v[None])[0], **tight)
    if "g_{" in document:
        np.testing.assert_allclose(g[:, 0], e.gravity(q[None])[0], **tight)
    assert "M(q) =" not in document and "C(q, v) =" not in document


def as_python(formula: str) -> str:
    formula = re.sub(r"\\(cos|sin)(?:\^\{(\d)\})? q_\{(\d)\}", lambda m: f"{m[1]}(q{m[3]})**{m[2] or 1}", formula)
    formula = re.sub(r"([qv])_\{(\d)\}", r"\1\2", formula)
    formula = re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", r"\1/\2", formula)
    return re.sub(r"\^\{(\d)\}", r"**\1", formula).replace(r"\,", "*").replace(r"\cdot 10**", "* 10.0**")


def test_symbols_of_any_name_compile_and_are_no_commands() -> None:
    mass, length, inertia, damping, gravity = map(sympy.Symbol, ["m%$#&~\\input{x}", "λ_b", "a_b", "l1", "_"])
    document = oracle.latex(oracle.derive(textbook.pendulum(mass, length, inertia, damping, gravity)))
    require_valid(document)
    assert r"\text{mU+0025U+0024U+0023U+0026U+007EU+005CinputU+007BxU+007D}" in document
    assert r"\text{U+03BB\_b}" in document
    assert r"D = \operatorname{diag}(l_{1})" in document


@pytest.mark.parametrize(("name", "written"), [("a__b", "{a^{b}}^{2}"), ("xprime", "{{x}'}^{2}"), ("alpha", r"\alpha^{2}")])
def test_a_power_of_a_symbol_has_one_exponent(name: str, written: str) -> None:
    assert written in oracle.latex(oracle.derive(textbook.pendulum(length=sympy.Symbol(name), inertia=0)))
