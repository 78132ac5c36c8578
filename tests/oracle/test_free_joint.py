"""Free joints: Euler's equations, and Pinocchio for what is tied to them."""

from __future__ import annotations

import sympy

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism


def test_a_rigid_body_obeys_euler_and_newton() -> None:
    """n = I ω̇ + ω × I ω and f = m (v̇ + ω × v − Rᵀ g), in the body's frame, for every inertia and every pose."""
    m, A, B, C, D, E, F, g = sympy.symbols("m A B C D E F g")
    body = Body("body", "world", Joint("free", "free"), Inertia(m, (0, 0, 0), (A, B, C, D, E, F)))
    e = oracle.derive(Mechanism("body", (body,), gravity=(0, 0, -g))).symbolic()
    I, w, v = sympy.Matrix([[A, D, E], [D, B, F], [E, F, C]]), e.v[:3, 0], e.v[3:, 0]
    n = I * e.a[:3, 0] + w.cross(I * w)
    x, y, z, s = e.q[3:]
    third_row = sympy.Matrix([2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x**2 + y**2)])
    f = m * (e.a[3:, 0] + w.cross(v) + g * third_row)
    assert (e.tau - sympy.Matrix([*n, *f])).expand() == sympy.zeros(6, 1)
    assert e.T.expand() == ((w.T * I * w)[0] / 2 + m * v.dot(v) / 2).expand()
