"""Certificates in general position: one point modulo 2⁶¹ − 1 with all quantities on both sides, and whole certificates.

In theory a point goes with n · depth, as the mass matrix does; degrees take as many operations, on larger things.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from cross_check.proof import degree
from cross_check.proof.exact import residues
from cross_check.proof.prove import EXPONENTS, prove
from cross_check.proof.statement import Statement
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from mechanisms import Mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import QUANTITIES

SIZES = (10, 30, 100)

GROUPS = tuple(dict.fromkeys(quantity.group for quantity in QUANTITIES.values()))
"""Dynamics, which stands first, and what else there is."""

DYNAMICS = GROUPS[:1]


def trees() -> dict[int, Mechanism]:
    """Random trees with joints of every kind, all of them among 30."""
    return {n: random_mechanism(1, n, MOVING) for n in SIZES}


def statements(mechanism: Mechanism, groups: Sequence[str] = DYNAMICS) -> list[Statement]:
    chosen = [(name, algorithm) for name, algorithm in ALGORITHMS.items() if QUANTITIES[name].group in groups]
    return [Statement(mechanism, name, algorithm, build, True) for name, algorithm in chosen]


def point(mechanism: Mechanism, groups: Sequence[str] = DYNAMICS) -> None:
    """What one round does."""
    p, rng = 2 ** EXPONENTS[0] - 1, random.Random(0)
    field = residues(p)
    for statement in statements(mechanism, groups):
        got, expected = statement.sides(field, lambda: field.element(rng.randrange(p)))
        assert got == expected


def degrees(mechanism: Mechanism) -> None:
    forget()
    for statement in statements(mechanism):
        statement.degree()


def certificate(mechanism: Mechanism) -> None:
    forget()
    assert prove(mechanism, mechanism.name).verdict == "proven"


def forget() -> None:
    """Every certificate pays for its own degrees."""
    for cached in (degree.degree, degree._common, degree._times, degree._without, degree._factor):
        cached.cache_clear()


def test_certificates_of_random_trees(race: Any, say: Callable[[str], None]) -> None:
    parts = {"one round": point, "degrees": degrees, "certificate": certificate}
    contenders = {(name, n): partial(part, tree) for n, tree in trees().items() for name, part in parts.items()}
    best = race(contenders, rounds=2)
    say(f"dynamics of random trees with joints of every kind, in general position, s at n = {', '.join(map(str, SIZES))}")
    for name in parts:
        seconds = [best[name, n] for n in SIZES]
        slope = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
        say(f"    {name:18} " + "".join(f"{t:10.2f}" for t in seconds) + f"    ~ n^{slope:.2f}")


def test_a_round_of_every_group(race: Any, say: Callable[[str], None]) -> None:
    tree = trees()[30]
    best = race({group: partial(point, tree, (group,)) for group in GROUPS}, rounds=2)
    say("one round of a random tree of 30 bodies with joints of every kind, s")
    say("    " + ", ".join(f"{group} {seconds:.2f}" for group, seconds in best.items()))
