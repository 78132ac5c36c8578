"""Forces and accelerations that other quantities are put together to, wrongly.

Functions have the arguments of :mod:`cross_check.explain.faults.wrong_answers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.wrong_answers import wrong_answer
from mechanisms import Mechanism


def diagonal_only(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """τ = diag(M) a + h."""
    M = ask("mass_matrix", state)
    return x + np.einsum("...ij,...j->...i", np.eye(mechanism.nv) * M - M, state["a"])


def times_velocity(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """C v is multiplied by v, component by component."""
    return x + _coriolis(mechanism, state, ask) * (state["v"] - 1)


def opposite(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """−C v in place of C v."""
    return x - 2 * _coriolis(mechanism, state, ask)


def _coriolis(mechanism: Any, state: Any, ask: Any) -> Any:
    """C v = h − g − damping."""
    m = mechanism.arrays
    friction = m.per_coordinate(m.damping) * state["v"]
    return ask("nonlinear_effects", state) - ask("gravity", state) - friction


def without(factor: float, parts: str, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """q̈ = M⁻¹ (τ − h + some parts of h, times a factor)."""
    rest, m = {**state, "v": 0 * state["v"]}, mechanism.arrays
    g, friction = ask("gravity", rest), m.per_coordinate(m.damping) * state["v"]
    h = ask("nonlinear_effects", state)
    bias = h - g - friction
    missing = {"h": h, "C v": bias, "C v and g": h - friction, "C v and friction": h - g, "g": g}[parts]
    return x + factor * np.linalg.solve(ask("mass_matrix", state), missing[..., None])[..., 0]


def upper_triangle(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return np.triu(x)


def symmetric(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The symmetric matrix of an upper triangle."""
    return x + np.swapaxes(np.triu(x, 1), -1, -2)


def diagonal(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return x * np.eye(mechanism.nv)


def parents_only(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """M with the rows and columns of joints that are not next to each other zero."""
    kept = np.zeros((mechanism.nv, mechanism.nv))
    for i, (own, parent) in enumerate(zip(mechanism.v_slices, mechanism.parents, strict=True)):
        for k in {i, parent} - {-1}:
            kept[own, mechanism.v_slices[k]] = kept[mechanism.v_slices[k], own] = 1
    return x * kept


def halved_off_diagonal(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return x * (1 + np.eye(mechanism.nv)) / 2


def twice_off_diagonal(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return x * (2 - np.eye(mechanism.nv))


def rate_only(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Ṁ v instead of C v; Ṁ = C + Cᵀ."""
    C = ask("coriolis_matrix", state)
    return (
        C + np.swapaxes(C, -1, -2) if name == "coriolis_matrix" else x + (np.swapaxes(C, -1, -2) @ state["v"][..., None])[..., 0]
    )


def without_momentum(parts: str, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """h without ω × p of spherical and free joints; p = M v is the momentum that belongs to the joint's velocity."""
    p, v, x = (ask("mass_matrix", state) @ state["v"][..., None])[..., 0], state["v"], np.array(x)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.kind in ("spherical", "free"):
            turn, slide = slice(own.start, own.start + 3), slice(own.start + 3, own.stop)
            if "ω × k" in parts:
                x[..., turn] -= np.cross(v[..., turn], p[..., turn])
            if "u × l" in parts and body.joint.kind == "free":
                x[..., turn] -= np.cross(v[..., slide], p[..., slide])
            if "ω × l" in parts and body.joint.kind == "free":
                x[..., slide] -= np.cross(v[..., turn], p[..., slide])
    return x


def has_twists(m: Mechanism) -> bool:
    return any(body.joint.kind in ("spherical", "free") for body in m.bodies)


def rolled(names: str, by: int, mechanism: Mechanism, state: ws.State) -> ws.State:
    """The coordinates behind a free base, or all if the base is fixed, are moved on by some."""
    first = 6 if mechanism.bodies[0].joint.kind == "free" else 0
    return {
        name: np.hstack([x[:, :first], np.roll(x[:, first:], by, axis=1)]) if name in names.split() else x
        for name, x in state.items()
    }


ROLLED = {"v": "velocities", "a": "accelerations", "tau": "forces of joints", "v a": "velocities and accelerations"}


def _faults() -> Iterator[Fault]:
    words = "inverse dynamics multiplies accelerations by the diagonal of M alone"
    yield wrong_answer(words, "mass matrix", ("inverse_dynamics",), diagonal_only)
    words = "Coriolis and centrifugal forces are multiplied by the velocity once more"
    forces = ("nonlinear_effects", "inverse_dynamics", "inverse_dynamics_with_forces")
    yield wrong_answer(words, "Coriolis and centrifugal", forces, times_velocity)
    yield wrong_answer(
        "all Coriolis and centrifugal forces, C v, have the wrong sign", "Coriolis and centrifugal", forces, opposite
    )
    of_forward = ("forward_dynamics",)
    for parts, what in (
        ("h", "nonlinear effects"),
        ("C v", "Coriolis and centrifugal terms"),
        ("C v and g", "Coriolis, centrifugal and gravity terms"),
        ("C v and friction", "Coriolis, centrifugal and damping terms"),
        ("g", "gravity terms"),
    ):
        for factor, words in ((1, "are left out"), (2, "have the wrong sign"), (-1, "count twice")):
            yield wrong_answer(
                f"{what} {words} in forward dynamics", "forward dynamics", of_forward, partial(without, factor, parts)
            )
    M = ("mass_matrix",)
    yield wrong_answer("only the upper triangle of M is filled", "mass matrix", M, upper_triangle, symmetric)
    yield wrong_answer("M is its diagonal alone", "mass matrix", M, diagonal)
    yield wrong_answer("M couples joints with their parents alone", "mass matrix", M, parents_only)
    yield wrong_answer("what is off the diagonal of M is halved", "mass matrix", M, halved_off_diagonal, twice_off_diagonal)
    yield wrong_answer("what is off the diagonal of M counts twice", "mass matrix", M, twice_off_diagonal, halved_off_diagonal)
    words = "C v is Ṁ v: the derivative of the kinetic energy by q is left out"
    yield wrong_answer(words, "Coriolis and centrifugal", (*forces, "coriolis_matrix"), rate_only)
    for parts in ("ω × k", "u × l", "ω × l", "ω × k and u × l", "ω × k, u × l and ω × l"):
        words = f"{parts} of spherical and free joints, with the momentum [k; l] = M v of the joint, is left out"
        yield wrong_answer(words, "free base", forces, partial(without_momentum, parts), needs=has_twists)
    for multiple, words in ((2, "count twice"), (-1, "have the wrong sign"), (0, "are ignored"), (0.5, "are halved")):
        for name, what in (("a", "accelerations"), ("v", "velocities")):
            yield Fault(f"{what} {words}", what, state=ws.column(name, partial(np.multiply, multiple)))
    for names, what in ROLLED.items():
        for by, where in ((1, "next"), (-1, "previous")):
            words = f"{what} are those of the {where} coordinate"
            yield Fault(words, "joint order", state=partial(rolled, names, -by), needs=lambda m: m.nv > 1)


OF_DYNAMICS: tuple[Fault, ...] = tuple(_faults())
