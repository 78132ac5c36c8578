"""The Euler–Lagrange equations by jets: one state exactly modulo 2⁶¹ − 1, and float64 batches beside the reference.

In theory inverse dynamics goes with n and the mass matrix with n · depth, in exact arithmetic as in floating point.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism, random_mechanism
from mechanisms.generate import Shape
from oracle import EulerLagrange, Modular, Rational

SIZES = (10, 30, 100)
STATES = 4096
BODIES = 30


@pytest.mark.parametrize("shape", ["chain", "tree"])
def test_modulo_a_prime(shape: Shape, race: Any, say: Callable[[str], None]) -> None:
    best = race({key: call for n in SIZES for key, call in modulo_a_prime(random_mechanism(1, n, shape=shape)).items()}, rounds=5)
    say(f"random {shape}s by jets, one state modulo 2^61 - 1, ms at n = {', '.join(map(str, SIZES))}")
    for quantity in dict.fromkeys(quantity for quantity, _ in best):
        seconds = [best[quantity, n] for n in SIZES]
        slope = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
        say(f"    {quantity:18} " + "".join(f"{1e3 * t:10.2f}" for t in seconds) + f"    ~ n^{slope:.2f}")


def modulo_a_prime(mechanism: Mechanism) -> dict[tuple[str, int], Callable[[], object]]:
    field, draw, n = Modular(), random.Random(0), mechanism.nv
    q, v, a = ([[draw.randrange(field.prime) for _ in range(n)]] for _ in range(3))
    dynamics = EulerLagrange(mechanism, field)
    return {
        ("building", n): partial(EulerLagrange, mechanism, field),
        ("inverse dynamics", n): partial(dynamics.inverse_dynamics, q, v, a),
        ("mass matrix", n): partial(dynamics.mass_matrix, q),
    }


def test_batches_beside_the_reference(race: Any, say: Callable[[str], None]) -> None:
    mechanism = random_mechanism(1, BODIES)
    q, v, a = np.random.default_rng(0).normal(size=(3, STATES, mechanism.nv))
    jets, reference = EulerLagrange(mechanism), REFERENCE.load(mechanism)
    best = race(
        {
            "jets": partial(jets.inverse_dynamics, q, v, a),
            "reference RNEA": partial(reference.inverse_dynamics, q, v, a),
            "jets, M": partial(jets.mass_matrix, q),
            "reference CRBA": partial(reference.mass_matrix, q),
        },
        rounds=5,
    )
    shown = ", ".join(f"{name} {1e6 * seconds / STATES / mechanism.nv:.2f}" for name, seconds in best.items())
    say(f"random tree of {BODIES}, float64, {STATES} states, µs per state and degree of freedom: {shown}")


def test_fractions(race: Any, say: Callable[[str], None]) -> None:
    """Fractions grow along the tree, residues do not."""
    mechanism, draw = random_mechanism(1, BODIES, shape="chain"), random.Random(0)
    q, v, a = ([[draw.randint(1, 9) for _ in range(mechanism.nv)]] for _ in range(3))
    dynamics = {"rationals": EulerLagrange(mechanism, Rational()), "residues": EulerLagrange(mechanism, Modular())}
    best = race({name: partial(side.inverse_dynamics, q, v, a) for name, side in dynamics.items()}, rounds=3)
    say(f"random chain of {BODIES}, inverse dynamics, ms: " + ", ".join(f"{name} {1e3 * t:.1f}" for name, t in best.items()))
