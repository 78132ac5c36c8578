"""Mimic joints in the oracle: closed forms, and the symbolic equations beside those by jets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from sympy import Symbol

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.mimic import Mimic


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
