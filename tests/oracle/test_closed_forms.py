"""The derivation against equations that textbooks print, with symbols for every mass and length."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy import Rational, cos, sin

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism, textbook, textbook_joints


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


def test_vanishes_can_tell() -> None:
    q = sympy.symbols("q1:3", real=True)
    assert vanishes(cos(2 * q[0]) - 1 + 2 * sin(q[0]) ** 2, q)
    assert not vanishes(cos(2 * q[0]) - 1 + 2 * sin(q[1]) ** 2, q)


def test_pendulum() -> None:
    m, l, I, d, g = sympy.symbols("m l I d g", positive=True)
    e = oracle.derive(textbook.pendulum(m, l, I, d, g)).symbolic()
    expected = (I + m * l**2) * e.a[0] + m * g * l * sin(e.q[0]) + d * e.v[0]
    assert vanishes(e.tau[0] - expected, e.q)
    assert vanishes(e.V + m * g * l * cos(e.q[0]), e.q)


def test_double_pendulum() -> None:
    """M. W. Spong et al., "Robot Modeling and Control", 2006, eqs. 7.83–7.90: the planar elbow arm, here hanging."""
    m1, m2, l1, l2, g = sympy.symbols("m1 m2 l1 l2 g", positive=True)
    e = oracle.derive(textbook.planar_pendulum(2, [m1, m2], [l1, l2], damping=0, gravity=g)).symbolic()
    (q1, q2), (v1, v2), c1, c2, I1, I2 = e.q, e.v, l1 / 2, l2 / 2, m1 * l1**2 / 12, m2 * l2**2 / 12
    coupling = m2 * (c2**2 + l1 * c2 * cos(q2)) + I2
    M = sympy.Matrix(
        [[m1 * c1**2 + m2 * (l1**2 + c2**2 + 2 * l1 * c2 * cos(q2)) + I1 + I2, coupling], [coupling, m2 * c2**2 + I2]]
    )
    h = -m2 * l1 * c2 * sin(q2)
    C = sympy.Matrix([[h * v2, h * (v1 + v2)], [-h * v1, 0]])
    G = sympy.Matrix([(m1 * c1 + m2 * l1) * g * sin(q1) + m2 * c2 * g * sin(q1 + q2), m2 * c2 * g * sin(q1 + q2)])
    assert all(vanishes(x, e.q) for x in [*(e.M - M), *(e.C - C), *(e.g - G)])


def test_cart_pole() -> None:
    """R. V. Florian, "Correct equations for the dynamics of the cart-pole system", 2007, with the pole's inertia kept general."""
    M, m, l, I, b, d, g = sympy.symbols("M m l I b d g", positive=True)
    e = oracle.derive(textbook.cart_pole(M, m, l, I, b, d, g)).symbolic()
    (_, q), (x, w), (ax, aw) = e.q, e.v, e.a
    force = (M + m) * ax + m * l * (aw * cos(q) - w**2 * sin(q)) + b * x
    torque = (I + m * l**2) * aw + m * l * ax * cos(q) - m * g * l * sin(q) + d * w
    assert vanishes(e.tau[0] - force, e.q)
    assert vanishes(e.tau[1] - torque, e.q)


def test_furuta_pendulum() -> None:
    """B. S. Cazzolato and Z. Prime, "On the dynamics of the Furuta pendulum", 2011, eqs. 33 and 34."""
    m1, L1, m2, L2, J, b1, b2, g = sympy.symbols("m1 L1 m2 L2 J b1 b2 g", positive=True)
    e = oracle.derive(textbook.furuta_pendulum(m1, L1, m2, L2, J, b1, b2, g)).symbolic()
    (_, q), (v1, v2), (a1, a2), l2 = e.q, e.v, e.a, L2 / 2
    J0, J2 = J + m1 * L1**2 / 3 + m2 * L1**2, m2 * L2**2 / 3
    tau1 = a1 * (J0 + J2 * sin(q) ** 2) + a2 * m2 * L1 * l2 * cos(q) - m2 * L1 * l2 * sin(q) * v2**2
    tau1 += v1 * v2 * sin(2 * q) * J2 + b1 * v1
    tau2 = a1 * m2 * L1 * l2 * cos(q) + a2 * J2 - Rational(1, 2) * v1**2 * sin(2 * q) * J2 + b2 * v2 + g * m2 * l2 * sin(q)
    assert vanishes(e.tau[0] - tau1, e.q)
    assert vanishes(e.tau[1] - tau2, e.q)


def test_lead_screw() -> None:
    """One turn lifts the nut by one thread: virtual work gives (I + m p²) a + m g p."""
    m, I, p, d, g = sympy.symbols("m I p d g", positive=True)
    e = oracle.derive(textbook_joints.lead_screw(m, I, p, d, g)).symbolic()
    assert (e.tau[0] - ((I + m * p**2) * e.a[0] + d * e.v[0] + m * g * p)).expand() == 0
    assert (e.V - m * g * p * e.q[0]).expand() == 0


def one_body(kind: Any, inertia: Inertia, gravity: Any = (0, 0, 0)) -> Any:
    return oracle.derive(Mechanism("one", (Body("body", "world", Joint("joint", kind), inertia),), gravity)).symbolic()


def test_yaw_pitch_and_roll() -> None:
    """B. Etkin, "Dynamics of Atmospheric Flight", 1972, §4.5: ω in the body's frame from the rates of yaw ψ, pitch θ, roll φ."""
    moments = sympy.symbols("A B C D E F")
    A, B, C, D, E, F = moments
    e = one_body("euler-zyx", Inertia(1, about_com=moments))
    (_, θ, φ), (ψd, θd, φd) = e.q, e.v
    ω = sympy.Matrix([φd - ψd * sin(θ), θd * cos(φ) + ψd * cos(θ) * sin(φ), ψd * cos(θ) * cos(φ) - θd * sin(φ)])
    I = sympy.Matrix([[A, D, E], [D, B, F], [E, F, C]])
    assert vanishes(e.T - (ω.T * I * ω)[0] / 2, e.q)


def test_a_body_about_a_fixed_point_obeys_euler() -> None:
    """n = I ω̇ + ω × I ω − c × m Rᵀ g, with I about the fixed point."""
    m, g, *moments = sympy.symbols("m g A B C D E F")
    c = sympy.Matrix(sympy.symbols("cx cy cz"))
    e = one_body("spherical", Inertia(m, tuple(c), tuple(moments)), (0, 0, -g))
    A, B, C, D, E, F = moments
    I = sympy.Matrix([[A, D, E], [D, B, F], [E, F, C]]) + m * (c.dot(c) * sympy.eye(3) - c * c.T)
    x, y, z, s = e.q
    down = -g * sympy.Matrix([2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x**2 + y**2)])
    n = I * e.a + e.v.cross(I * e.v) - c.cross(m * down)
    assert (e.tau - n).expand() == sympy.zeros(3, 1)


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


@pytest.mark.parametrize("name", ["1/m", "sqrt(m)", "sin(m)"])
def test_symbols_that_enter_otherwise_are_refused(name: str) -> None:
    with pytest.raises(oracle.OracleError, match="polynomial"):
        oracle.derive(textbook.pendulum(mass=sympy.sympify(name)))


@pytest.mark.parametrize("name", ["q1", "v2", "cos q1", "a1"])
def test_ambiguous_symbols_are_refused(name: str) -> None:
    with pytest.raises(oracle.OracleError, match="ambiguous"):
        oracle.derive(textbook.pendulum(mass=sympy.Symbol(name)))
