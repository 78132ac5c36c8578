"""The derivations against equations that textbooks print, with symbols for every mass and length."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Symbol, cos, sin

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.library import textbook
from mechanisms.mimic import Mimic


def vanishes(expression: Any, q: Any) -> bool:
    """Whether a polynomial in sin q and cos q is zero, decided by division by s² + c² − 1."""
    expression, relations, generators = sympy.expand(expression, trig=True), [], []
    for k, angle in enumerate(q):
        s, c = sympy.symbols(f"s_{k} c_{k}")
        expression = expression.subs({sin(angle): s, cos(angle): c})
        relations.append(s**2 + c**2 - 1)
        generators += [s, c]
    assert not expression.has(sin, cos)
    return bool(sympy.reduced(expression, relations, *generators)[1] == 0)


def test_lead_screw() -> None:
    """One turn lifts the nut by one thread: virtual work gives (I + m p²) a + m g p."""
    m, I, p, d, g = sympy.symbols("m I p d g", positive=True)
    e = oracle.derive(textbook.lead_screw(m, I, p, d, g)).symbolic()
    assert (e.tau[0] - ((I + m * p**2) * e.a[0] + d * e.v[0] + m * g * p)).expand() == 0
    assert (e.V - m * g * p * e.q[0]).expand() == 0


def one_body(kind: Any, inertia: Inertia, gravity: Any = (0, 0, 0)) -> Any:
    return oracle.derive(Mechanism("one", (Body("body", "world", Joint("joint", kind), inertia),), gravity)).symbolic()


def test_a_free_body_obeys_euler_and_newton() -> None:
    """n = I ω̇ + ω × I ω and f = m (v̇ + ω × v − Rᵀ g), in the body's frame, for every inertia and every pose."""
    m, A, B, C, D, E, F, g = sympy.symbols("m A B C D E F g")
    e = one_body("free", Inertia(m, (0, 0, 0), (A, B, C, D, E, F)), (0, 0, -g))
    I, w, v = sympy.Matrix([[A, D, E], [D, B, F], [E, F, C]]), e.v[:3, 0], e.v[3:, 0]
    n = I * e.a[:3, 0] + w.cross(I * w)
    x, y, z, s = e.q[3:]
    third_row = sympy.Matrix([2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x**2 + y**2)])
    f = m * (e.a[3:, 0] + w.cross(v) + g * third_row)
    assert (e.tau - sympy.Matrix([*n, *f])).expand() == sympy.zeros(6, 1)
    assert e.T.expand() == ((w.T * I * w)[0] / 2 + m * v.dot(v) / 2).expand()


def test_a_body_in_a_plane() -> None:
    """f = m (v̇ + ω × v + ω̇ × c − ω² c) and n = I ω̇ + c × m (v̇ + ω × v), in the body's frame."""
    m, I, cx, cy = sympy.symbols("m I cx cy")
    e = one_body("planar", Inertia(m, (cx, cy, 0), (I, I, I, 0, 0, 0)))
    (w, vx, vy), (dw, ax, ay) = e.v, e.a
    fx = m * (ax - w * vy - dw * cy - w**2 * cx)
    fy = m * (ay + w * vx + dw * cx - w**2 * cy)
    n = I * dw + m * (cx**2 + cy**2) * dw + m * (cx * (ay + w * vx) - cy * (ax - w * vy))
    assert (e.tau - sympy.Matrix([n, fx, fy])).expand() == sympy.zeros(3, 1)


def test_a_universal_joint() -> None:
    """About z, then about the x that has moved along: in the body's frame ω = (v₂, v₁ sin q₂, v₁ cos q₂)."""
    A, B, C = sympy.symbols("A B C")
    e = one_body("universal", Inertia(1, about_com=(A, B, C, 0, 0, 0)))
    (v1, v2), q2 = e.v, e.q[1]
    assert vanishes(e.T - (A * v2**2 + (B * sin(q2) ** 2 + C * cos(q2) ** 2) * v1**2) / 2, e.q)


@pytest.mark.parametrize(
    ("mass", "message"),
    [(1 / sympy.Symbol("m"), "polynomial"), (sin(sympy.Symbol("m")), "polynomial")]
    + [(sympy.Symbol(name), "ambiguous") for name in ("q1", "v2", "cos q1", "a1")],
    ids=str,
)
def test_symbols_that_enter_otherwise_or_are_ambiguous_are_refused(mass: Any, message: str) -> None:
    with pytest.raises(oracle.OracleError, match=message):
        oracle.derive(textbook.pendulum(mass=mass))


# Mimic joints


def rack_and_pinion() -> Mechanism:
    """A pinion about y, 2 kg m² with armature 3 and damping 0.5, and a rack along z, 5 kg with 7 and 11, at 0.1 φ + 1."""
    pinion = Joint("pinion", "revolute", (0, 1, 0), armature=3, damping=Fraction(1, 2))
    rack = Joint("rack", "prismatic", armature=7, damping=11, mimic=Mimic("pinion", Fraction(1, 10), 1))
    bodies = (Body("wheel", "world", pinion, Inertia(1, about_com=(2, 2, 2, 0, 0, 0))), Body("bar", "world", rack, Inertia(5)))
    return Mechanism("rack and pinion", bodies, physical=False)


def test_a_rack_and_pinion_in_closed_form() -> None:
    for equations in (oracle.EulerLagrange(rack_and_pinion()), oracle.Evaluator(oracle.derive(rack_and_pinion()))):
        q, v, a = np.array([[0.3]]), np.array([[2.0]]), np.array([[-1.5]])
        M, D, g = 2 + 3 + 0.01 * (5 + 7), 0.5 + 0.01 * 11, 0.1 * 5 * 9.81
        np.testing.assert_allclose(equations.mass_matrix(q), [[[M]]], rtol=1e-14)
        np.testing.assert_allclose(equations.gravity(q), [[g]], rtol=1e-14)
        np.testing.assert_allclose(equations.inverse_dynamics(q, v, a), M * a + D * v + g, rtol=1e-14)
        np.testing.assert_allclose(equations.kinetic_energy(q, v), [M * 2], rtol=1e-14)
        np.testing.assert_allclose(equations.potential_energy(q), [5 * 9.81 * (0.1 * 0.3 + 1)], rtol=1e-14)


def test_a_multiplier_may_be_a_symbol() -> None:
    lead = Body("a", "world", Joint("a", "revolute", (0, 1, 0)), Inertia(1, (0, 0, -1)))
    follow = Joint("b", "revolute", (0, 1, 0), mimic=Mimic("a", Symbol("k"), Symbol("c")))
    m = Mechanism("gear", (lead, Body("b", "world", follow, Inertia(1, (0, 0, -1)))))
    text = oracle.text(oracle.derive(m))
    assert "M[1,1] = 1 + k^2" in text
    assert "sin(k·q1+c)" in text
    assert any(line.endswith("b, revolute, a mimic joint") for line in text.splitlines())


def test_joints_that_follow_alike_share_their_sine() -> None:
    gear = [Joint(name, "revolute", (0, 1, 0), mimic=Mimic("a", -1) if name != "a" else None) for name in "abc"]
    m = Mechanism("gears", tuple(Body(j.name, "world", j, Inertia(1, (0, 0, -1))) for j in gear))
    equations = oracle.derive(m)
    assert [generator.kind for generator in equations.ring.generators] == ["sin", "cos"]
    # Two turn against the first: sin q − sin(−q) − sin(−q).
    assert "g[1] = 29.43 sin(q1)" in oracle.text(equations).splitlines()
