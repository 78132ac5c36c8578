"""How the code under test computes the inertial parameters of a body from its numbers: solved for, then read.

Code has ten parameters of a body: m, m c, and the moments about the origin. Nearly all code, right or wrong, computes them as
sums of 1, m, c_j, m c_j, m c_j c_k and I_jk, with I about the centre of mass. Answers about enough bodies alone show the factors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from cross_check.explain.diagnosis.bodies import inertia_with, mass_matrix_of, parameters_of
from cross_check.explain.diagnosis.laboratory import Laboratory
from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.families import with_numbers
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Inertia, Mechanism

PAIRS = tuple(combinations_with_replacement(range(3), 2))
MOMENTS = tuple(f"I{'xyz'[j]}{'xyz'[k]}" for j, k in PAIRS)
PRODUCTS = tuple(f"m {'xyz'[j]}²" if j == k else f"m {'xyz'[j]} {'xyz'[k]}" for j, k in PAIRS)
TERMS = ("m", "m x", "m y", "m z", *PRODUCTS, *MOMENTS, "x", "y", "z", "1")
PARAMETERS = ("m", "m x", "m y", "m z", *(f"{name} about the origin" for name in MOMENTS))

LARGEST_DENOMINATOR = 1000
"""Of factors that are taken for fractions."""

BODIES = 32
"""More than there are terms."""

SAME = 1e-9
"""Factors that differ by less are the same."""

MOST_SAID = 3
"""So many parameters are named in a sentence."""


def inertia_maps(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Fault]:
    """The fault that the code computes the parameters of every body otherwise. Raises :class:`NoAnswer`."""
    generator = np.random.default_rng(5)
    given, read = [], []
    for _ in range(BODIES):
        numbers = [Fraction(int(k), 16) for k in generator.integers(-24, 24, 9)]
        inertia = with_numbers(
            Inertia.massless(), mass=Fraction(int(generator.integers(8, 64)), 16), com=numbers[:3], about_com=numbers[3:]
        )
        M = mass_matrix_of(laboratory, mechanism, replace(mechanism.bodies[-1], inertia=inertia))
        m, mc, about_origin = parameters_of(M)
        given.append(_terms(inertia))
        read.append([m, *mc, *(about_origin[j, k] for j, k in PAIRS)])
    factors, *_ = np.linalg.lstsq(np.array(given), np.array(read), rcond=None)
    off = np.abs(np.array(given) @ factors - read).max()
    different = [k for k in range(10) if np.abs(factors[:, k] - RIGHT[:, k]).max() > SAME]
    if off > SAME * np.abs(read).max() or not different or 0 in different:
        return
    factors = np.array([[_simple(x) for x in row] for row in factors])
    said = [f"{PARAMETERS[k]} is computed as {_sum(factors[:, k])} instead of {_sum(RIGHT[:, k])}" for k in different]
    rest = f"; and {len(said) - MOST_SAID} more" if len(said) > MOST_SAID else ""
    group = "centre of mass" if any(k < 4 for k in different) else "rotational inertia"
    yield Fault("; ".join(said[:MOST_SAID]) + rest, group, mechanism=wm.inertia(lambda I: _read(I, factors)))


def _simple(x: float) -> float:
    near = float(Fraction(x).limit_denominator(LARGEST_DENOMINATOR))
    return near if abs(near - x) < SAME else x


def _terms(inertia: Inertia) -> list[float]:
    m, c = float(inertia.mass), [float(x) for x in inertia.com]
    xx, yy, zz, xy, xz, yz = map(float, inertia.about_com)
    return [m, *(m * x for x in c), *(m * c[j] * c[k] for j, k in PAIRS), xx, xy, xz, yy, yz, zz, *c, 1.0]


def _right() -> Array:
    """The factors of right code: I about the origin is I about c + m (|c|² 1 − c cᵀ)."""
    factors = np.zeros((len(TERMS), 10))
    factors[range(4), range(4)] = 1
    for k, (i, j) in enumerate(PAIRS):
        factors[10 + k, 4 + k] = 1
        if i != j:
            factors[4 + k, 4 + k] = -1
        else:
            factors[[4 + PAIRS.index((x, x)) for x in range(3) if x != i], 4 + k] = 1
    return factors


RIGHT = _right()


def _read(inertia: Inertia, factors: Array) -> Inertia:
    """The inertia with the parameters that these factors give."""
    m, *rest = (float(x) for x in np.array(_terms(inertia)) @ factors)
    about_origin = np.zeros((3, 3))
    for (j, k), moment in zip(PAIRS, rest[3:], strict=True):
        about_origin[j, k] = about_origin[k, j] = moment
    return inertia_with(m, np.array(rest[:3]), about_origin)


def _sum(factors: Array) -> str:
    """The sum of terms with these factors, such as "Ixx + m z² − 2 m y²"."""
    parts = [(k, text) for k, text in zip(factors, TERMS, strict=True) if abs(k) > SAME]
    words = [f"{'−' if k < 0 else '+'} {'' if abs(abs(k) - 1) < SAME else f'{abs(k):.6g} '}{text}" for k, text in reversed(parts)]
    said = " ".join(words).removeprefix("+ ") or "0"
    return f"−{said[2:]}" if said.startswith("− ") else said
