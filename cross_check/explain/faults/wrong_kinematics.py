"""Kinematics that is computed wrongly: motions of bodies, Jacobians, drifts, the centre of mass.

Functions have the arguments of :mod:`cross_check.explain.faults.wrong_answers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults import wrong_answers as wa
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.frames import FAMILIES, PARTS, back_from, other_frame, part_of_other_frame
from cross_check.explain.faults.wrong_answers import wrong_answer
from implementations.conventions.coordinates import JACOBIANS
from implementations.conventions.rates import crossing
from mechanisms import Mechanism
from mechanisms.quantities import FRAMES

DRIFTS = tuple(f"drifts_{frame}" for frame in FRAMES)
POINTS = ("jacobians", "velocities", "accelerations", "classical_accelerations", "drifts")
"""Families that concern a point of a body, which is its origin in the local and the aligned frame."""


def _centers(name: str, mechanism: Any, state: Any, ask: Any) -> Any:
    """The centres of mass (…, bodies, 3) from the bodies' origins, along the axes of the quantity's frame."""
    c = mechanism.arrays.coms
    return c if name.endswith("local") else (ask("placements", state)[..., :3] @ c[..., None])[..., 0]


def at_centers(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """A motion (…, 6), or columns (…, 6, nv), of the centre of mass instead of the origin."""
    c = _centers(name, mechanism, state, ask)
    if name.startswith("jacobians"):
        return np.concatenate((x[..., :3, :], x[..., 3:, :] - crossing(c) @ x[..., :3, :]), -2)
    linear = x[..., 3:] + np.cross(x[..., :3], c)
    if name in ("classical_accelerations", "drifts_aligned"):
        w = ask("velocities_aligned", state)[..., :3]
        linear = linear + np.cross(w, np.cross(w, c))
    return np.concatenate((x[..., :3], linear), -1)


def placed_at_centers(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return np.concatenate((x[..., :3], x[..., 3:] + x[..., :3] @ mechanism.arrays.coms[..., None]), -1)


def without_own_columns(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    x = np.array(x)
    for i, own in enumerate(mechanism.v_slices):
        x[..., i, :, own] = 0
    return x


def columns_reversed(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The columns of every joint come in the opposite order."""
    order = [k for own in mechanism.v_slices for k in reversed(range(own.start, own.stop))]
    return x[..., order]


def without_free_columns(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    x = np.array(x)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.kind == "free":
            x[..., own] = 0
    return x


def mean_of_bodies(weighted: bool, centers: bool, massless: bool, name: str, x: Any, m: Any, state: Any, ask: Any) -> Any:
    """A mean over the bodies, with their masses as weights or not, of their centres of mass or of their origins."""
    T, w = ask("placements", state), m.arrays.masses
    p = T[..., 3] + (T[..., :3] @ m.arrays.coms[..., None])[..., 0] * centers
    w = w if weighted else np.logical_or(massless, w != 0) * 1.0
    return (w[:, None] * p).sum(axis=-2) / w.sum()


def _has_free(m: Mechanism) -> bool:
    return any(body.joint.kind == "free" for body in m.bodies)


def has_several_coordinates(m: Mechanism) -> bool:
    return any(body.joint.nv > 1 for body in m.bodies)


def _framed(family: str) -> tuple[str, ...]:
    """The quantities of a family in frames in which the point is the body's origin."""
    return (family,) if family.startswith("classical") else (f"{family}_local", f"{family}_aligned")


def _faults() -> Iterator[Fault]:
    for asked in FRAMES:
        for given in FRAMES:
            for family in FAMILIES:
                if asked != given:
                    quantity = f"{family}_{asked}"
                    aligned = family == "drifts" and "aligned" in (asked, given)
                    right = None if aligned else partial(back_from, given)
                    words = "Jacobians" if family == "jacobians" else family
                    clause = f"{asked} {words} of bodies are the {given} ones"
                    yield wrong_answer(clause, "frames", (quantity,), partial(other_frame, given), right, ("placements",))
                    for part, rows in PARTS:
                        # World and aligned motions turn alike.
                        if part == "linear" or "local" in (asked, given):
                            clause = f"the {part} part of {asked} {words} is that of {given} ones"
                            yield wrong_answer(clause, "frames", (quantity,), partial(part_of_other_frame, given, rows))
    for family, words in (("jacobians", "Jacobians"), ("velocities", "velocities"), ("", "motions")):
        names = tuple(name for one in POINTS for name in _framed(one) if one == family or not family)
        yield wrong_answer(f"{words} of bodies are those of their centres of mass", "kinematics", names, at_centers)
    yield wrong_answer("placements are those of the centres of mass", "placements of bodies", ("placements",), placed_at_centers)
    yield wrong_answer("Jacobians lack the columns of the body's own joint", "Jacobians", JACOBIANS, without_own_columns)
    for name in JACOBIANS:
        words = f"{name.rpartition('_')[2]} Jacobians lack the columns of the body's own joint"
        yield wrong_answer(words, "Jacobians", (name,), without_own_columns)
    words = "the columns of a joint come in the opposite order in Jacobians"
    yield wrong_answer(words, "Jacobians", JACOBIANS, columns_reversed, columns_reversed, needs=has_several_coordinates)
    yield wrong_answer("J̇ v is zero", "drifts", DRIFTS, partial(wa.scaled, 0.0))
    for name in DRIFTS:
        yield wrong_answer(f"the {name.rpartition('_')[2]} J̇ v is zero", "drifts", (name,), partial(wa.scaled, 0.0))
    words, asks = "the aligned J̇ v lacks ω × v, as a spatial acceleration does", ("velocities_aligned",)
    minus, plus = partial(wa.plus_turning, -1.0), partial(wa.plus_turning, 1.0)
    yield wrong_answer(words, "drifts", ("drifts_aligned",), minus, plus, asks)
    for words, arguments in (
        ("the mean of the bodies' centres of mass, without their masses as weights", (False, True, True)),
        ("the mean of the centres of mass of bodies with mass, without weights", (False, True, False)),
        ("the mean of the bodies' origins, with their masses as weights", (True, False, True)),
        ("the mean of the bodies' origins", (False, False, True)),
    ):
        quantities = ("center_of_mass",)
        yield wrong_answer(f"the centre of mass is {words}", "centre of mass", quantities, partial(mean_of_bodies, *arguments))
    words, quantities = "the centroidal momentum matrix lacks the columns of a free base", ("centroidal_momentum_matrix",)
    yield wrong_answer(words, "centroidal momentum", quantities, without_free_columns, needs=_has_free)


OF_KINEMATICS: tuple[Fault, ...] = tuple(_faults())
