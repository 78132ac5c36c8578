"""The Euler–Lagrange equations by jets: one state exactly modulo 2⁶¹ − 1, and float64 batches beside the reference.

In theory inverse dynamics goes with n and the mass matrix with n · depth, in exact arithmetic as in floating point.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from benchmark_page import growth

from cross_check.prove.proof.exact import residues
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import random_mechanism
from mechanisms.library.generate import Shape
from oracle import EulerLagrange

PRIME = 2**61 - 1
SIZES = (10, 30, 100)
STATES = 4096
BODIES = 30


def test_modulo_a_prime(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    sizes = scaled(SIZES, (3, 6))
    shapes: tuple[Shape, ...] = ("chain", "tree")
    contenders = {key: call for shape in shapes for n in sizes for key, call in modulo_a_prime(shape, n).items()}
    rows = growth(sizes, race(contenders, rounds=3), lambda _, t: f"{1e3 * t:.3g}")
    table("jets-modulo-a-prime", ("ms", *(f"{n} bodies" for n in sizes), "exponent"), rows)


def modulo_a_prime(shape: Shape, n: int) -> dict[tuple[str, int], Callable[[], object]]:
    mechanism, field, draw = random_mechanism(1, n, shape=shape), residues(PRIME), random.Random(0)
    q, v, a = ([[field.element(draw.randrange(PRIME)) for _ in range(n)]] for _ in range(3))
    dynamics = EulerLagrange(mechanism, field)
    return {
        (f"{shape}, building", n): partial(EulerLagrange, mechanism, field),
        (f"{shape}, inverse dynamics", n): partial(dynamics.inverse_dynamics, q, v, a),
        (f"{shape}, mass matrix", n): partial(dynamics.mass_matrix, q),
    }


def test_batches_beside_the_reference(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    mechanism, states = random_mechanism(1, BODIES), scaled(STATES, 4)
    q, v, a = np.random.default_rng(0).normal(size=(3, states, mechanism.nv))
    jets, reference = EulerLagrange(mechanism), REFERENCE.load(mechanism)
    best = race(
        {
            ("inverse dynamics", "jets"): partial(jets.inverse_dynamics, q, v, a),
            ("inverse dynamics", "reference"): partial(reference.inverse_dynamics, q, v, a),
            ("mass matrix", "jets"): partial(jets.mass_matrix, q),
            ("mass matrix", "reference"): partial(reference.mass_matrix, q),
        },
        rounds=3,
    )
    each = {key: f"{1e6 * seconds / states / mechanism.nv:.2f}" for key, seconds in best.items()}
    rows = [(quantity, each[quantity, "jets"], each[quantity, "reference"]) for quantity in ("inverse dynamics", "mass matrix")]
    table("jets", ("µs per state and degree of freedom", "jets", "reference"), rows)
