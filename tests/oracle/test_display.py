"""What people and other programs read: text, LaTeX, Python, plain terms."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import oracle
from mechanisms import Mechanism, find_mechanism
from mechanisms.library import textbook
from mechanisms.library.generate import random_mechanism
from oracle.symbolic.equations_of_motion import full, short
from oracle.symbolic.lagrange import estimated_size

SUMMED = ("nonlinear_effects", "inverse_dynamics", "forward_dynamics")

HOSTILE = "j\nimport os\r\x0b\x0c\x1c\x85\u2028\u2029raise SystemExit #"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("0", "0"), ("3", "3"), ("-1/8", "-0.125"), ("1200000", "1200000"), ("1/3", "1/3"), ("981/100", "9.81"),
        ("1/1000000000000", "0.000000000001"), ("123456789012345678/7", "≈1.76367e+16"), ("-1234567/8912345", "≈-0.138523"),
        ("1/1024", "0.0009765625"), ("123456789.123456", "≈1.23457e+08"), ("1e15", "1000000000000000"),
    ],
)  # fmt: skip
def test_short_numbers(value: str, shown: str) -> None:
    assert short(Fraction(value)) == shown
    assert shown.startswith("≈") or Fraction(shown) == Fraction(value)
    assert full(Fraction(value)) == (repr(float(Fraction(value))) if shown.startswith("≈") else shown)


def test_what_is_printed_is_what_was_derived() -> None:
    third = Fraction(1234567, 8912345)
    equations = oracle.derive(textbook.pendulum(mass=third, length=1, inertia=0, damping=0))
    text, latex = oracle.text(equations), oracle.latex(equations)
    assert f"M[1,1] = {float(third)!r}\n" in text and repr(float(third)) in latex
    assert "≈" not in text + latex and "approx" not in latex
    tiny = oracle.latex(oracle.derive(textbook.pendulum(mass=third / 10**9, length=1, inertia=0)))
    assert r" \cdot 10^{-10}" in tiny


def test_the_heading_says_what_is_left_out_and_damping_only_where_there_is_some() -> None:
    damped, undamped = (oracle.derive(textbook.pendulum(damping=d)) for d in (1, 0))
    assert damped.size == 3
    assert oracle.is_small(textbook.arms.puma560()) and oracle.is_small(textbook.floating_base_link())
    assert not oracle.is_small(random_mechanism(0, 8, kinds=("revolute",), shape="chain"))
    assert estimated_size(random_mechanism(0, 6, kinds=("revolute",), shape="chain")) == sum(5**k for k in range(6))
    assert "+ D v" in oracle.text(damped) and r"D = " in oracle.latex(damped)
    assert "D" not in oracle.text(undamped).replace("CoM", "") and r"D = " not in oracle.latex(undamped)
    for said in ("Christoffel", "Left out: entries that are zero, and M below its diagonal"):
        assert said in oracle.text(damped)
    assert "unit quaternion" in oracle.text(oracle.derive(textbook.floating_base_link()))
    own_chart = "C + Cᵀ is not Ṁ"
    assert own_chart in oracle.text(oracle.derive(find_mechanism("puck"))) and own_chart not in oracle.text(damped)


@pytest.mark.parametrize("name", ["furuta-pendulum", "floating-base-link", "random:3:4:revolute,prismatic,helical,mimic"])
def test_python_source_computes_the_equations(name: str) -> None:
    mechanism = find_mechanism(name)
    functions, e = _run(mechanism), oracle.Evaluator(oracle.derive(mechanism))
    q, v = np.random.default_rng(4).normal(size=(1, mechanism.nq)), np.random.default_rng(5).normal(size=(1, mechanism.nv))
    tight: dict[str, Any] = {"rtol": 1e-13, "atol": 1e-13}
    np.testing.assert_allclose(functions["mass_matrix"](q[0]), e.mass_matrix(q)[0], **tight)
    C = functions["christoffel_matrix" if name == "floating-base-link" else "coriolis_matrix"]
    np.testing.assert_allclose(C(q[0], v[0]), e.coriolis_matrix(q, v)[0], **tight)
    np.testing.assert_allclose(functions["gravity"](q[0]), e.gravity(q)[0], **tight)
    np.testing.assert_allclose(functions["nonlinear_effects"](q[0], v[0]), e.nonlinear_effects(q, v)[0], **tight)
    a = np.random.default_rng(6).normal(size=(1, mechanism.nv))
    tau = e.inverse_dynamics(q, v, a)[0]
    np.testing.assert_allclose(functions["inverse_dynamics"](q[0], v[0], a[0]), tau, **tight)
    np.testing.assert_allclose(functions["forward_dynamics"](q[0], v[0], tau), a[0], rtol=1e-9, atol=1e-9)


def test_names_never_become_code() -> None:
    body = textbook.pendulum().bodies[0]
    hostile = Mechanism(HOSTILE, (dataclasses.replace(body, joint=dataclasses.replace(body.joint, name=HOSTILE)),))
    equations = oracle.derive(hostile)
    names = {"np", "mechanism", "D", "mass_matrix", "coriolis_matrix", "gravity", *SUMMED}
    assert set(_run(hostile)) == names
    assert _run(hostile)["mechanism"] == HOSTILE
    assert len(oracle.python(equations).splitlines()) == len(oracle.python(oracle.derive(textbook.pendulum())).splitlines())
    assert [line for line in oracle.latex(equations).splitlines() if "import" in line and not line.startswith("%")] == []
    assert len(oracle.text(equations).splitlines()) == len(oracle.text(oracle.derive(textbook.pendulum())).splitlines())


def test_symbols_have_no_python() -> None:
    with pytest.raises(oracle.OracleError, match="symbols"):
        oracle.python(oracle.derive(textbook.pendulum(mass=sympy.Symbol("m"))))


def test_text_and_latex_of_the_cart_pole() -> None:
    equations = oracle.derive(textbook.cart_pole(*sympy.symbols("M m_p l I b d")))
    text, latex = oracle.text(equations), oracle.latex(equations)
    assert "M[1,2] = l m_p cos(q2)\n" in text
    assert "C[1,2] = -l m_p sin(q2) v2\n" in text
    assert "q1 (m): slide, prismatic" in text
    assert r"l \, m_{p} \, \cos q_{2}" in latex
    assert latex.count("pmatrix") == 6
    assert "D[1,1] = b\nD[2,2] = d\n" in text
    assert r"\operatorname{diag}(b, d)" in latex


def test_terms_are_plain_and_sum_to_the_equations() -> None:
    mechanism = random_mechanism(5, 3)
    equations = oracle.derive(mechanism)
    terms = json.loads(json.dumps(equations.terms()))
    assert terms["v"] == list(mechanism.coordinates)
    q, v = np.array([[0.3, -0.4, 0.9]]), np.array([[0.7, 1.1, -0.2]])
    value = {f"{f} q{k + 1}": g(q[0, k]) for k in range(3) for f, g in (("cos", np.cos), ("sin", np.sin))}
    value |= {f"q{k + 1}": q[0, k] for k in range(3)} | {f"v{k + 1}": v[0, k] for k in range(3)}

    def total(entry: Any) -> float:
        return sum(
            float(Fraction(c.lstrip("≈"))) * np.prod([value[g] ** power for g, power in powers.items()]) for c, powers in entry
        )

    e = oracle.Evaluator(equations)
    rounded: dict[str, Any] = {"rtol": 1e-4, "atol": 1e-4}
    np.testing.assert_allclose([[total(x) for x in row] for row in terms["M"]], e.mass_matrix(q)[0], **rounded)
    np.testing.assert_allclose([[total(x) for x in row] for row in terms["C"]], e.coriolis_matrix(q, v)[0], **rounded)
    np.testing.assert_allclose([total(x) for x in terms["g"]], e.gravity(q)[0], **rounded)
    np.testing.assert_allclose(total(terms["T"]), e.kinetic_energy(q, v)[0], **rounded)
    np.testing.assert_allclose(total(terms["V"]), e.potential_energy(q)[0], **rounded)
    assert [total(x) for x in terms["damping"]] == pytest.approx([float(b.joint.damping) for b in mechanism.bodies])


def _run(mechanism: Mechanism) -> dict[str, Any]:
    functions: dict[str, Any] = {}
    exec(oracle.python(oracle.derive(mechanism)), functions)
    functions.pop("__builtins__")
    return functions
