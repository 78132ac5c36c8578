"""J and the drift of the reference are those of the oracle, over the rationals: also where the constraints do not hold."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from implementations.algorithms import Algorithm, AlgorithmicDynamics, evaluate_in_blocks
from implementations.field import Rational
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import BY_PARTS, CONSTRAINED
from mechanisms import WELD, Constraint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.library.textbook_tables import LOOPS
from oracle import EulerLagrange
from oracle import Rational as OracleRational

SKEW = Placement(Rotation(3, 1, -2, 1), ("0.3", "-0.2", "0.7")), Placement(Rotation(2, 0, 1, -1), ("-0.1", "0.4", "0.2"))


def tree_of(kinds: tuple[str, ...], mimics: bool = False) -> Mechanism:
    """A random tree, with a weld of skew frames between two bodies, and another one to the ground."""
    m = random_mechanism(3, 5, kinds, mimics=mimics)  # type: ignore[arg-type]
    names = [body.name for body in m.bodies]
    welds = (Constraint("a", names[4], names[2], WELD, *SKEW), Constraint("b", m.root, names[3], WELD, *SKEW))
    return replace(m, constraints=welds)


EVERY = ("revolute", "prismatic", "universal", "euler-zyx", "cylindrical")
FREE = ("spherical", "planar", "free", "translation", "continuous")

MECHANISMS = {
    "four-bar": LOOPS["four-bar"](),
    "angles": tree_of(EVERY),
    "twists": tree_of(FREE),
    "mimic": tree_of(("revolute", "prismatic"), mimics=True),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_they_are_the_same_fractions(name: str) -> None:
    """J, the drift, and their derivatives by q and v."""
    m = MECHANISMS[name]
    rng = np.random.default_rng(7)

    def drawn(n: int) -> Any:
        return np.array([Fraction(int(x), 64) for x in rng.integers(-200, 200, n)], object)[None]

    q, v = drawn(m.nq), drawn(m.nv)
    for _, circle in m.slots("circle"):
        q[0, circle] = Fraction(3, 5), Fraction(-4, 5)
    oracle, reference = EulerLagrange(m, OracleRational()), AlgorithmicDynamics(m, build(m, Rational()), CONSTRAINED)
    model = build(m, Rational())
    algorithms = {name: getattr(reference, name) for name in ("constraint_jacobian", "constraint_drift")}
    algorithms |= {name: partial(_evaluated, algorithm, model) for name, algorithm in BY_PARTS.items()}
    for quantity, algorithm in algorithms.items():
        state = (q, v) if "drift" in quantity else (q,)
        expected = getattr(oracle, quantity)(*state)
        got = algorithm(*state)
        assert got.shape == expected.shape
        assert all(Fraction(a) == b for a, b in zip(got.flat, expected.flat, strict=True))
        assert any(expected.flat)


def _evaluated(algorithm: Algorithm, model: Model, *state: Any) -> Any:
    return evaluate_in_blocks(algorithm, model, state)
