"""Kinematics that is computed wrongly: motions of bodies, Jacobians, drifts, the centre of mass.

Functions have the arguments of :mod:`cross_check.explain.faults.answers.wrong_answer`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.answers import wrong_answer as wa
from cross_check.explain.faults.answers.frames import frames_of_families
from cross_check.explain.faults.answers.wrong_answer import wrong_answer
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from implementations.conventions.coordinates import JACOBIANS
from mechanisms import Mechanism, Placement
from mechanisms.body import Frame
from mechanisms.quantities import FRAMES, QUANTITIES

DRIFTS = tuple(f"drifts_{frame}" for frame in FRAMES)
POINTS = ("jacobians", "velocities", "accelerations", "classical_accelerations", "drifts")
"""Families that concern a point of a body, which is its origin in the local and the aligned frame."""


IN_MOTION = {"drifts_local": "accelerations_local", "drifts_aligned": "classical_accelerations"}
"""The quantities that drifts are where a is zero."""


def at_centers(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The same quantity of frames at the centres of mass, along the bodies' axes, in the place of the bodies' own."""
    places = [Placement(translation=body.inertia.com) for body in mechanism.bodies]
    frames = tuple(Frame(f"centre {i}", f"weld {i}", i, place) for i, place in enumerate(places))
    quantity = QUANTITIES[f"frame_{IN_MOTION.get(name, name)}"]
    given = {"a": np.zeros_like(state["v"]), **state} if name in IN_MOTION else state
    code = loaded((), replace(mechanism, frames=frames, physical=False))
    return getattr(code, quantity.name)(*(given[argument] for argument in quantity.arguments))


def without_own_columns(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Without the columns of the body's own joint."""
    x = np.array(x)
    for i, own in enumerate(mechanism.v_slices):
        x[..., i, :, own] = 0
    return x


def columns_reversed(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The columns of every joint come in the opposite order."""
    order = [k for own in mechanism.v_slices for k in reversed(range(own.start, own.stop))]
    return x[..., order]


def without_free_columns(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return x * [body.joint.kind != "free" for body in mechanism.bodies for _ in range(body.joint.nv)]


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
    yield from frames_of_families()
    for family, words in (("jacobians", "Jacobians"), ("velocities", "velocities"), ("", "motions")):
        names = tuple(name for one in POINTS for name in _framed(one) if one == family or not family)
        yield wrong_answer(f"{words} of bodies are those of their centres of mass", "kinematics", names, at_centers)
    yield wrong_answer("placements are those of the centres of mass", "placements of bodies", ("placements",), at_centers)
    for clause, group, change, quantities in (
        ("Jacobians lack the columns of the body's own joint", "Jacobians", without_own_columns, JACOBIANS),
        ("J̇ v is zero", "drifts", partial(wa.scaled, 0.0), DRIFTS),
    ):
        yield wrong_answer(clause, group, quantities, change)
        for name in quantities:
            frame = f"{'the ' if name in DRIFTS else ''}{name.rpartition('_')[2]}"
            yield wrong_answer(f"{frame} {clause}", group, (name,), change)
    words = "the columns of a joint come in the opposite order in Jacobians"
    yield wrong_answer(words, "Jacobians", JACOBIANS, columns_reversed, columns_reversed, has_several_coordinates)
    words = "the aligned J̇ v lacks ω × v, as a spatial acceleration does"
    minus, plus = partial(wa.plus_turning, -1.0), partial(wa.plus_turning, 1.0)
    yield wrong_answer(words, "drifts", ("drifts_aligned",), minus, plus)
    for words, arguments in (
        ("the mean of the bodies' centres of mass, without their masses as weights", (False, True, True)),
        ("the mean of the centres of mass of bodies with mass, without weights", (False, True, False)),
        ("the mean of the bodies' origins, with their masses as weights", (True, False, True)),
        ("the mean of the bodies' origins", (False, False, True)),
    ):
        change = partial(mean_of_bodies, *arguments)
        yield wrong_answer(f"the centre of mass is {words}", "centre of mass", ("center_of_mass",), change)
    words, momenta = "the centroidal momentum matrix lacks the columns of a free base", ("centroidal_momentum_matrix",)
    yield wrong_answer(words, "centroidal momentum", momenta, without_free_columns, needs=_has_free)


OF_KINEMATICS: tuple[Fault, ...] = tuple(_faults())
