"""Kinematics and matrices that are computed wrongly: motions of bodies, Jacobians, the centre of mass; M, C and the regressor.

Functions have the arguments of :mod:`cross_check.explain.faults.answers.wrong_answer`. Of single entries of a matrix that are
wrong, what they are instead is solved for, and read: a multiple of the right one, or another entry, at all states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.answers import wrong_answer as wa
from cross_check.explain.faults.answers.conventions import frames_of_families
from cross_check.explain.faults.answers.wrong_answer import answers_of, wrong_answer
from cross_check.explain.faults.edits import faults_of
from cross_check.explain.faults.fault import Fault, WrongAnswer
from cross_check.explain.faults.mutants import loaded
from cross_check.explain.slips.formulas import multiplied
from cross_check.memory import Array
from implementations.conventions.coordinates import JACOBIANS
from mechanisms import Mechanism, Placement
from mechanisms.body import Frame
from mechanisms.quantities import FRAMES, PARAMETERS, QUANTITIES

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


def has_free(m: Mechanism) -> bool:
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
    yield from answers_of("kinematics", globals())


OF_KINEMATICS: tuple[Fault, ...] = tuple(_faults())


def blocks_transposed(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The blocks of M of two joints with as many coordinates are transposed."""
    x = np.array(x)
    for rows in mechanism.v_slices:
        for columns in mechanism.v_slices:
            if rows.stop - rows.start == columns.stop - columns.start:
                x[..., rows, columns] = np.swapaxes(x[..., rows, columns], -1, -2).copy()
    return x


ORDERS: tuple[tuple[str, tuple[int, ...]], ...] = (
    ("Ixx, Ixy, Iyy, Ixz, Iyz, Izz", (0, 1, 2, 3, 4, 7, 5, 8, 9, 6)),
    ("Ixx, Ixy, Ixz, Iyy, Iyz, Izz", (0, 1, 2, 3, 4, 7, 8, 5, 9, 6)),
    ("Ixx, Iyy, Izz, Iyz, Ixz, Ixy", (0, 1, 2, 3, 4, 5, 6, 9, 8, 7)),
)
"""Orders of the moments of inertia, and the parameters of ours in that order."""


def parameters_ordered(order: tuple[int, ...], by: int, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The parameters of every body come in this order, then moved on by some places."""
    return np.roll(_by_body(x)[..., order], by, axis=-1).reshape(x.shape)


def by_parameter(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """All masses come first, then all first moments along x, and so on."""
    return np.swapaxes(_by_body(x), -1, -2).reshape(x.shape)


def about_centers(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Parameters are those of a frame at the centre of mass: a mass there, first moments and moments of inertia about it."""
    Y = np.array(_by_body(x))
    m, one = Y[..., 0].copy(), np.eye(3)
    moments = Y[..., [[4, 7, 8], [7, 5, 9], [8, 9, 6]]] * (1 + one) / 2
    for i, c in enumerate(mechanism.arrays.coms):
        # I about the origin is I' + 2 (c · s) 1 − c sᵀ − s cᵀ for the first moment s about c, and m (|c|² 1 − c cᵀ) for a mass.
        for k in range(3):
            turned = 2 * c[k] * one - np.outer(c, one[k]) - np.outer(one[k], c)
            Y[..., i, 1 + k] += (moments[..., i, :, :] * turned).sum(axis=(-1, -2))
        m[..., i] += _by_body(x)[..., i, 1:4] @ c + (moments[..., i, :, :] * (c @ c * one - np.outer(c, c))).sum(axis=(-1, -2))
    Y[..., 0] = m
    return Y.reshape(x.shape)


def _by_body(Y: Any) -> Any:
    return Y.reshape(*Y.shape[:-1], -1, len(PARAMETERS))


def _matrices() -> Iterator[Fault]:
    words, blocks = "blocks of M are transposed", blocks_transposed
    yield wrong_answer(words, "mass matrix", ("mass_matrix",), blocks, blocks, has_several_coordinates)
    yield from faults_of("Coriolis matrix")


def _regressors() -> Iterator[Fault]:
    Y, own = ("joint_torque_regressor",), tuple(range(len(PARAMETERS)))
    yield from faults_of("regressor")
    for words, order in ORDERS:
        back = tuple(map(int, np.argsort(order)))
        ours, theirs = partial(parameters_ordered, order, 0), partial(parameters_ordered, back, 0)
        yield wrong_answer(f"moments of inertia in the regressor come in the order {words}", "regressor", Y, ours, theirs)
    for words, order in (("", own), *((f", as {words}", order) for words, order in ORDERS)):
        clause = f"moments of inertia come before mass and first moments in the regressor{words}"
        yield wrong_answer(clause, "regressor", Y, partial(parameters_ordered, order, 6))
    yield wrong_answer("the regressor has all masses first, then all first moments", "regressor", Y, by_parameter)
    yield wrong_answer("parameters of the regressor are about the centres of mass", "regressor", Y, about_centers)


OF_MATRICES: tuple[Fault, ...] = (*_matrices(), *_regressors())


LARGEST_PART = 0.3
"""Where a larger part of the entries is wrong, more than single entries are."""

CLOSE = 1e-9
"""How far entries may be off, as a part of the largest one."""

Entry = tuple[int, int]


def wrong_entries(quantity: str, answer: Array, right: Array, close: float = CLOSE) -> Iterator[Fault]:
    """The fault that single entries of the matrix ``answer`` (states, n, m) are wrong, if they can be read."""
    if answer.ndim != 3 or answer.shape != right.shape or not np.isfinite(answer).all():
        return
    bound = close * np.abs(right).max(initial=0.0)
    wrong = [(int(i), int(j)) for i, j in np.argwhere((np.abs(answer - right) > bound).any(axis=0))]
    if not 0 < len(wrong) <= LARGEST_PART * right[0].size:
        return
    title = QUANTITIES[quantity].title
    of = f"the derivative of {title}" if " by " in title else f"the {title}"
    said, entries = [], {}
    for entry in wrong:
        read = _read(of, answer[:, *entry], right, entry, bound)
        if read is None:
            return
        said.append(read[0])
        entries[entry] = read[1:]
    yield Fault("; ".join(said), title, answer=_with(entries, quantity), quantities=(quantity,))


def _read(of: str, seen: Array, right: Array, entry: Entry, bound: float) -> tuple[str, Entry, float] | None:
    """What the entry is, with the entry of the right matrix and the factor from which it follows."""
    (i, j), own = entry, right[:, *entry]
    named = f"entry ({i + 1}, {j + 1}) of {of}"
    largest = int(np.abs(own).argmax())
    if abs(own[largest]) > bound:
        k = float(np.round(seen[largest] / own[largest], 12))
        if np.abs(seen - k * own).max() <= bound:
            return f"{named} {multiplied(k) if k else 'is zero'}", entry, k
    for other in np.ndindex(right.shape[1:]):
        if np.abs(seen - right[:, *other]).max() <= bound:
            return f"{named} is that of ({other[0] + 1}, {other[1] + 1})", (other[0], other[1]), 1.0
    return None


def _with(entries: dict[Entry, tuple[Entry, float]], quantity: str) -> WrongAnswer:
    def changed(mechanism: Mechanism, name: str, state: object, answer: Array) -> Array:
        wrong = answer.copy()
        for (i, j), ((a, b), k) in entries.items():
            if max(i, a) < answer.shape[1] and max(j, b) < answer.shape[2]:
                wrong[:, i, j] = k * answer[:, a, b]
        return wrong

    return changed
