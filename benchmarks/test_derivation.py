"""How long a derivation takes: ours beside that of ``sympy.physics.mechanics``, with generic arms.

Nothing in these arms is parallel, perpendicular or zero, so no simplification comes for free. Both sides form the
same equations; :func:`test_both_form_the_same_equations` holds them against each other. SymPy's 6R takes minutes and is
formed once.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from sympy.physics import mechanics

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation

seconds: dict[tuple[str, int], float] = {}

AXES = [(2, 1, 2), (2, 3, 6), (1, 4, 8)]
TURNS = [(1, 1, 1, 2), (2, 1, -2, 4), (1, -4, 2, 2)]


def generic_arm(n: int) -> Mechanism:
    """n revolute joints with skew axes, turned and offset frames, and full inertias."""
    bodies = []
    for i in range(n):
        axis = tuple(Fraction(u, {0: 3, 1: 7, 2: 9}[i % 3]) for u in AXES[i % 3])
        offset = (Fraction(i + 1, 10), Fraction(-i - 2, 20), Fraction(3 + i, 10))
        com = (Fraction(1, 10), Fraction(-i - 1, 20), Fraction(1, 5))
        moments = tuple(Fraction(k, 100) for k in (12 + i, 15, 14, 1, -2, 3))
        joint = Joint(f"joint{i}", "revolute", axis, Placement(Rotation(*TURNS[i % 3]), offset))
        bodies.append(Body(f"link{i}", f"link{i - 1}" if i else "world", joint, Inertia(Fraction(7 - i), com, moments)))
    return Mechanism(f"generic-{n}r", tuple(bodies))


def lagranges_method(mechanism: Mechanism) -> Any:
    """The same equations by the route that ``sympy.physics.mechanics`` documents; returns them and the method."""
    q = mechanics.dynamicsymbols(f"q:{mechanism.nv}")
    world = frame = mechanics.ReferenceFrame("N")
    origin = point = mechanics.Point("O")
    origin.set_vel(world, 0)
    links = []
    for i, body in enumerate(mechanism.bodies):
        placed, turned = mechanics.ReferenceFrame(f"P{i}"), mechanics.ReferenceFrame(f"B{i}")
        placed.orient_explicit(frame, sympy.Matrix(body.joint.placement.rotation.matrix))
        turned.orient_axis(placed, _vector(placed, body.joint.axis), q[i])
        joint = point.locatenew(f"J{i}", _vector(frame, body.joint.placement.translation))
        joint.v2pt_theory(point, world, frame)
        com = joint.locatenew(f"G{i}", _vector(turned, body.inertia.com))
        com.v2pt_theory(joint, world, turned)
        inertia = mechanics.inertia(turned, *(sympy.sympify(body.inertia.about_com[k]) for k in (0, 1, 2, 3, 5, 4)))
        link = mechanics.RigidBody(f"L{i}", com, turned, sympy.sympify(body.inertia.mass), (inertia, com))
        link.potential_energy = -link.mass * com.pos_from(origin).dot(_vector(world, mechanism.gravity))
        links.append(link)
        frame, point = turned, joint
    method = mechanics.LagrangesMethod(mechanics.Lagrangian(world, *links), q)
    method.form_lagranges_equations()
    return method


def _vector(frame: Any, components: Any) -> Any:
    return sum((sympy.sympify(c) * e for c, e in zip(components, (frame.x, frame.y, frame.z), strict=True)), 0 * frame.x)


@pytest.mark.parametrize("n", [4, 6, 7])
def test_oracle(benchmark: Any, n: int) -> None:
    mechanism = generic_arm(n)

    def derivation() -> Any:
        equations = oracle.derive(mechanism)
        return equations, equations.christoffel

    benchmark.pedantic(derivation, rounds=5, warmup_rounds=1)
    seconds["oracle", n] = benchmark.stats.stats.median


@pytest.mark.parametrize("n", [4, 6])
def test_lagranges_method(benchmark: Any, n: int) -> None:
    mechanism = generic_arm(n)
    benchmark.pedantic(lagranges_method, args=(mechanism,), rounds=1)
    seconds["LagrangesMethod", n] = benchmark.stats.stats.median


def test_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {(6, 6): 200, (7, 4): 10}
    needed = {key for ours, theirs in wanted for key in (("oracle", ours), ("LagrangesMethod", theirs))}
    if missing := needed - seconds.keys():
        pytest.skip(f"not timed in this run: {sorted(missing)}")
    for (ours, theirs), least in wanted.items():
        a, b = seconds["oracle", ours], seconds["LagrangesMethod", theirs]
        with capsys.disabled():
            print(f"\noracle {ours}R in {a:.3f} s, LagrangesMethod {theirs}R in {b:.1f} s: {b / a:.0f} times as long")
        assert b / a >= least


def test_both_form_the_same_equations() -> None:
    mechanism = generic_arm(2)
    method, ours = lagranges_method(mechanism), oracle.derive(mechanism).symbolic()
    q, v, a = ([Fraction(3, 10), Fraction(-7, 10)], [Fraction(11, 10), Fraction(1, 2)], [Fraction(-2), Fraction(4, 5)])
    at = dict(zip([*ours.q, *ours.v, *ours.a], [*q, *v, *a], strict=True))
    dynamic = [x.diff(mechanics.dynamicsymbols._t, order) for order in (2, 1, 0) for x in method.q]
    theirs = method.eom.subs(dict(zip(dynamic, [*a, *v, *q], strict=True)))
    assert all(abs(x.evalf(40)) < 1e-30 for x in theirs - ours.tau.subs(at))
