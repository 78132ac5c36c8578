"""How the code under test computes the inertial parameters of a body from its numbers: solved for, then read.

Code has ten parameters of a body: m, m c, and the moments about the origin. Nearly all code, right or wrong, computes them as
sums of 1, m, c_j, m c_j, m c_j c_k and I_jk, with I about the centre of mass. Answers about enough bodies alone show the factors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from cross_check.explain.diagnosis.laboratory import Laboratory
from cross_check.explain.diagnosis.numbers.bodies import PAIRS, in_short, inertia_with, mass_matrix_of, parameters_of
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Inertia, Mechanism

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


def inertia_maps(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Fault]:
    """The fault that the code computes the parameters of every body otherwise. Raises :class:`NoAnswer`."""
    bodies = (replace(mechanism.bodies[-1], inertia=inertia) for inertia in DRAWN)
    read = np.array([parameters_of(mass_matrix_of(laboratory, mechanism, body)) for body in bodies])
    factors = _factors(read)
    off, same = np.abs(GIVEN @ factors - read).max(), laboratory.precision.near(SAME)
    different = [k for k in range(10) if np.abs(factors[:, k] - RIGHT[:, k]).max() > same]
    if off > same * np.abs(read).max() or not different or 0 in different:
        return
    factors = np.array([[_simple(x, same) for x in row] for row in factors])
    said = [f"{PARAMETERS[k]} is computed as {_sum(factors[:, k])} instead of {_sum(RIGHT[:, k])}" for k in different]
    group = "centre of mass" if any(k < 4 for k in different) else "rotational inertia"
    yield Fault(in_short(said), group, mechanism=wm.inertia(lambda I: _read(I, factors)))


def _simple(x: float, same: float) -> float:
    near = float(Fraction(x).limit_denominator(LARGEST_DENOMINATOR))
    return near if abs(near - x) < same else x


def _terms(inertia: Inertia) -> list[float]:
    m, c, I = float(inertia.mass), np.array(inertia.com, dtype=float), np.array(inertia.matrix, dtype=float)
    return [m, *(m * c), *(m * c[j] * c[k] for j, k in PAIRS), *(I[j, k] for j, k in PAIRS), *c, 1.0]


def _right(inertia: Inertia) -> list[float]:
    """The ten parameters of right code."""
    about_origin = inertia.about((Fraction(0),) * 3)
    return [float(x) for x in (inertia.mass, *(inertia.mass * x for x in inertia.com), *(about_origin[j][k] for j, k in PAIRS))]


def _read(inertia: Inertia, factors: Array) -> Inertia:
    """The inertia with the parameters that these factors (terms, parameters) give."""
    return inertia_with(np.array(_terms(inertia)) @ factors)


def _factors(parameters: Array) -> Array:
    """The factors (terms, parameters) with which the parameters (bodies, 10) of the drawn bodies are sums of terms."""
    return np.asarray(np.linalg.lstsq(GIVEN, parameters, rcond=None)[0])


def _drawn() -> Iterator[Inertia]:
    """Inertias, which no body need have, whose terms are independent."""
    generator = np.random.default_rng(5)
    for _ in range(BODIES):
        numbers = [Fraction(int(k), 16) for k in generator.integers(-24, 24, 9)]
        yield Inertia(Fraction(int(generator.integers(8, 64)), 16), tuple(numbers[:3]), tuple(numbers[3:]))


DRAWN = tuple(_drawn())
GIVEN = np.array([_terms(inertia) for inertia in DRAWN])
RIGHT = np.round(_factors(np.array([_right(inertia) for inertia in DRAWN])))
"""The factors of right code."""


def _sum(factors: Array) -> str:
    """The sum of terms with these factors, such as "Ixx + m z² − 2 m y²"."""
    parts = [(k, text) for k, text in zip(factors, TERMS, strict=True) if abs(k) > SAME]
    words = [f"{'−' if k < 0 else '+'} {'' if abs(abs(k) - 1) < SAME else f'{abs(k):.6g} '}{text}" for k, text in reversed(parts)]
    said = " ".join(words).removeprefix("+ ") or "0"
    return f"−{said[2:]}" if said.startswith("− ") else said
