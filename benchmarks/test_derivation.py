"""How long a derivation takes: ours beside that of ``sympy.physics.mechanics``, with generic arms.

Nothing in these arms is parallel, perpendicular or zero, so no simplification comes for free. SymPy is given L for
nothing, expanded, and only forms the equations; ours starts from the mechanism. SymPy's 5R takes more than a minute, its 6R ten:
they are formed only where the environment says ``DALEMBERT_SLOW_BENCHMARKS=1``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from time import perf_counter
from typing import Any

from sympy.physics import mechanics

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation

SLOW = "DALEMBERT_SLOW_BENCHMARKS" in os.environ

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


def lagrangian(mechanism: Mechanism) -> tuple[Any, list[Any]]:
    """L and q as SymPy's mechanics wants them. L is expanded, which is the form in which SymPy is fastest by far."""
    e, q = oracle.derive(mechanism).symbolic(), mechanics.dynamicsymbols(f"q:{mechanism.nv}")
    moving = dict(zip([*e.q, *e.v], [*q, *(x.diff() for x in q)], strict=True))
    return (e.T - e.V).xreplace(moving), q


def lagranges_method(L: Any, q: list[Any]) -> Any:
    method = mechanics.LagrangesMethod(L, q)
    method.form_lagranges_equations()
    return method


def test_derivation(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    ours, theirs = scaled((4, 5, 6, 7), (1, 2)), scaled((4, 5, 6) if SLOW else (4,), (1,))
    best = race({n: partial(derivation, generic_arm(n)) for n in ours}, rounds=3)
    rows = []
    for n in ours:
        seconds = seconds_of(partial(lagranges_method, *lagrangian(generic_arm(n)))) if n in theirs else None
        others = (f"{seconds:.3g}", f"{seconds / best[n]:.0f}") if seconds else ("", "")
        rows.append((f"{n}R", f"{best[n]:.2g}", *others))
    table("deriving", ("arm", "oracle, s", "LagrangesMethod, s", "ratio"), rows)


def derivation(mechanism: Mechanism) -> object:
    equations = oracle.derive(mechanism)
    return equations, equations.christoffel


def seconds_of(work: Callable[[], object]) -> float:
    """Of one call: nobody waits for more."""
    start = perf_counter()
    work()
    return perf_counter() - start


def test_both_form_the_same_equations() -> None:
    mechanism = generic_arm(2)
    method, ours = lagranges_method(*lagrangian(mechanism)), oracle.derive(mechanism).symbolic()
    q, v, a = ([Fraction(3, 10), Fraction(-7, 10)], [Fraction(11, 10), Fraction(1, 2)], [Fraction(-2), Fraction(4, 5)])
    at = dict(zip([*ours.q, *ours.v, *ours.a], [*q, *v, *a], strict=True))
    dynamic = [x.diff(mechanics.dynamicsymbols._t, order) for order in (2, 1, 0) for x in method.q]
    theirs = method.eom.subs(dict(zip(dynamic, [*a, *v, *q], strict=True)))
    assert all(abs(x.evalf(40)) < 1e-30 for x in theirs - ours.tau.subs(at))
