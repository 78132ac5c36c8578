"""Hypotheses that answers determine: an order of joints, bodies that are fixed to the root, a map of a body's numbers.

Each function returns the one hypothesis that the answers leave, which the caller tries like any other; None if there is none.
Each raises :class:`NoAnswer` where the implementation does not answer.

Code has ten parameters of a body: m, m c, and the moments about the origin. Nearly all code, right or wrong, computes them as
sums of 1, m, c_j, m c_j, m c_j c_k and I_jk, with I about the centre of mass. Answers about enough bodies alone show the factors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.explain.diagnosis.laboratory import Laboratory, Trial
from cross_check.explain.diagnosis.numbers.bodies import PAIRS, in_short, inertia_with, mass_matrix, mass_matrix_of, parameters_of
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.coordinates.joints import in_order, of_order
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from mechanisms import Inertia, Mechanism, neutral

CLOSE = 1e4 * EPSILON
"""How far apart two entries of M may be that are the same, relative to the inertias of their coordinates."""

STEPS = 10_000
"""The search for an order ends after so many steps: a mechanism with many equal bodies has many orders."""


def permutation(trial: Trial, quantity: str) -> Fault | None:
    """The order in which the joints come, kept throughout, only in what is read, or only in the answers.

    ``quantity`` is "mass_matrix", "inverse_dynamics" or "forward_dynamics"; of the latter two, accelerations and forces of one
    joint at a time are asked. All angles and distances are equal, so that the order of q does not matter there, unless a joint
    with a quaternion changes its place. M alone does not tell an order kept throughout from one in the answers only.
    """
    m = trial.mechanism
    q = _equal_position(m)
    M, theirs = loaded((), m).mass_matrix(q)[0], mass_matrix(trial.laboratory, m, quantity, q)
    # Numbers are close if they differ by less than the product of their scales.
    scale = np.sqrt(m.precision.near(CLOSE) * np.abs(np.diagonal(M)))
    if not scale.all() or not np.isfinite(theirs).all():
        return None
    columns, rows = _columns(M, theirs, scale), _columns(M.T, theirs.T, scale)
    # What forward dynamics reads is τ, so that M is inverted here: its rows are read.
    one_sided = (rows, columns) if quantity == "forward_dynamics" else (columns, rows)
    for variant, found in enumerate((_symmetric(M, theirs, scale), *one_sided)):
        order = _joints(m, found) if found else None
        if order and order != list(range(len(order))):
            names = ", ".join(m.bodies[i].joint.name for i in order)
            return list(of_order(f"in the order {names}", partial(in_order, tuple(order))))[variant]
    return None


def fixed_bodies(trial: Trial) -> Fault | None:
    """Bodies that are fixed to the root and count, from the centre of mass: m₀ c' − m₀ c₀ = m (c − c')."""
    total = trial.mechanism.arrays.masses.sum()
    theirs, ours = trial.answer("center_of_mass"), loaded((), trial.mechanism).center_of_mass(trial.states.q)
    if not np.isfinite(theirs).all():
        return None
    left = np.concatenate((theirs[:, :, None], np.broadcast_to(-np.eye(3), (len(theirs), 3, 3))), 2).reshape(-1, 4)
    mass, *moment = np.linalg.lstsq(left, total * (ours - theirs).reshape(-1), rcond=None)[0].tolist()
    return (
        fixed_to_root(mass, (moment[0], moment[1], moment[2])) if mass > trial.mechanism.precision.near(CLOSE) * total else None
    )


def fixed_to_root(mass: float, moment: tuple[float, float, float]) -> Fault:
    """Bodies that are fixed to the root count: their ``mass`` (kg), and mass times centre of mass (kg m) in the root's frame."""

    def center(m: Mechanism, c: Array) -> Array:
        total = m.arrays.masses.sum()
        moved: Array = (total * c + np.array(moment)) / (total + mass)
        return moved

    def answer(m: Mechanism, name: str, state: State, x: Array) -> Array:
        if name == "potential_energy":
            return x - m.arrays.gravity @ np.array(moment)
        if name == "center_of_mass":
            return center(m, x)
        c = loaded((), m).center_of_mass(state["q"])
        lever = (c - center(m, c)).reshape(-1, 3, *[1] * (x.ndim - 2))
        return np.concatenate((x[:, :3] + np.cross(lever, x[:, 3:], axis=1), x[:, 3:]), 1)

    return Fault(
        f"bodies that are fixed to the root count, {mass:.6g} kg in all",
        "centre of mass",
        answer=answer,
        quantities=("potential_energy", "center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix"),
        needs=lambda m: any(frame.body < 0 for frame in m.frames),
    )


def _equal_position(m: Mechanism) -> Array:
    """(1, nq): every angle and distance 0.7, quaternions none."""
    q = neutral(m)
    for form in ("angle", "distance"):
        for _, slot in m.slots(form):
            q[slot] = 0.7
    for _, slot in m.slots("circle"):
        q[slot] = np.cos(0.7), np.sin(0.7)
    return q[None]


def _columns(M: Array, theirs: Array, scale: Array) -> list[int]:
    """c with theirs[:, l] = M[:, c[l]]; empty if there is none."""
    close = np.abs(theirs[:, :, None] - M[:, None, :]) <= scale[:, None, None] * scale
    found = [np.flatnonzero(matches) for matches in close.all(axis=0)]
    c = [int(x[0]) for x in found if len(x)]
    return c if sorted(c) == list(range(len(M))) else []


def _symmetric(M: Array, theirs: Array, scale: Array) -> list[int]:
    """c with theirs[k, l] = M[c[k], c[l]]; empty if none was found. One coordinate after the other is assigned."""
    n, steps = len(M), iter(range(STEPS))

    def extended(c: list[int]) -> Iterator[list[int]]:
        k = len(c)
        for i in range(n):
            if i in c or next(steps, None) is None:
                continue
            now = [*c, i]
            if (np.abs(theirs[k, : k + 1] - M[i, now]) <= scale[i] * scale[now]).all():
                if k + 1 == n:
                    yield now
                else:
                    yield from extended(now)

    return next(extended([]), [])


def _joints(m: Mechanism, coordinates: list[int]) -> list[int] | None:
    """The order of joints that gives this order of coordinates."""
    owner = {k: i for i, own in enumerate(m.v_slices) for k in range(own.start, own.stop)}
    order = list(dict.fromkeys(owner[k] for k in coordinates))
    return order if [k for i in order for k in range(m.v_slices[i].start, m.v_slices[i].stop)] == coordinates else None


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
