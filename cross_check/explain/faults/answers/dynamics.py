"""Forces and accelerations that other quantities are put together to, wrongly.

Functions have the arguments of :mod:`cross_check.explain.faults.answers.wrong_answer`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.answers.wrong_answer import FORCES, answers_of, wrong_answer
from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.fault import Fault
from mechanisms import Mechanism
from mechanisms.plain_text import listing

Concerned = Callable[[Mechanism], list[slice]]
"""The rows of the joints that are concerned."""

CORIOLIS = "Coriolis and centrifugal"

CROSSED = {"ω × k": ("ω", "k", "ω"), "u × l": ("u", "l", "ω"), "ω × l": ("ω", "l", "u")}
"""By product: the velocity, the momentum, and the velocity along which the force is."""


def forces_of(parts: tuple[str, ...], mechanism: Any, state: Any, ask: Any) -> Any:
    """The sum of some parts of h: C v, g and friction."""
    if len(parts) > 1:
        return sum(forces_of((part,), mechanism, state, ask) for part in parts)
    if parts == ("g",):
        return ask("gravity", state)
    if parts == ("friction",):
        return mechanism.arrays.per_coordinate(mechanism.arrays.damping) * state["v"]
    return ask("nonlinear_effects", state) - forces_of(("g", "friction"), mechanism, state, ask)


def plus_forces(factor: float, parts: tuple[str, ...], name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Some parts of h are added once more, times a factor."""
    return x + factor * forces_of(parts, mechanism, state, ask)


def accelerated(factor: float, parts: tuple[str, ...], name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """q̈ = M⁻¹ (τ − h + some parts of h, times a factor)."""
    forces = forces_of(parts, mechanism, state, ask)
    return x + factor * np.linalg.solve(ask("mass_matrix", state), forces[..., None])[..., 0]


def without_at(joints: Concerned, parts: tuple[str, ...], name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The forces of some joints lack some parts of h."""
    x, forces = np.array(x), forces_of(parts, mechanism, state, ask)
    for row in joints(mechanism):
        x[..., row] -= forces[..., row]
    return x


def accelerated_by_velocity(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """M v + g: inverse dynamics at rest, with the velocities for accelerations."""
    return ask("inverse_dynamics", {**state, "v": 0 * state["v"], "a": state["v"]})


def times_velocity(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """C v is multiplied by v, component by component."""
    return x + forces_of(("C v",), mechanism, state, ask) * (state["v"] - 1)


def diagonal_only(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """τ = diag(M) a + h."""
    M = ask("mass_matrix", state)
    return x + np.einsum("...ij,...j->...i", np.eye(mechanism.nv) * M - M, state["a"])


def upper_triangle(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    return np.triu(x)


def symmetric(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """The symmetric matrix of an upper triangle."""
    return x + np.swapaxes(np.triu(x, 1), -1, -2)


def off_diagonal(factor: float, name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """What is off the diagonal, times a factor."""
    return x * (factor + (1 - factor) * np.eye(mechanism.nv))


def parents_only(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """M with the rows and columns of joints that are not next to each other zero."""
    kept = np.zeros((mechanism.nv, mechanism.nv))
    for i, (own, parent) in enumerate(zip(mechanism.v_slices, mechanism.parents, strict=True)):
        for k in {i, parent} - {-1}:
            kept[own, mechanism.v_slices[k]] = kept[mechanism.v_slices[k], own] = 1
    return x * kept


def rate_only(name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """Ṁ v instead of C v; Ṁ = C + Cᵀ."""
    C = ask("coriolis_matrix", state)
    CT = np.swapaxes(C, -1, -2)
    return C + CT if name == "coriolis_matrix" else x + (CT @ state["v"][..., None])[..., 0]


def without_momentum(products: tuple[str, ...], name: str, x: Any, mechanism: Any, state: Any, ask: Any) -> Any:
    """h without products of the velocity [ω; u] and the momentum [k; l] = M v of spherical joints, which have no u, and free
    ones."""
    p, v, x = (ask("mass_matrix", state) @ state["v"][..., None])[..., 0], state["v"], np.array(x)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.kind in ("spherical", "free"):
            angular, linear = slice(own.start, own.start + 3), slice(own.start + 3, own.stop)
            at = {"ω": angular, "k": angular} | ({"u": linear, "l": linear} if body.joint.kind == "free" else {})
            for velocity, momentum, along in (CROSSED[product] for product in products):
                if momentum in at:
                    x[..., at[along]] -= np.cross(v[..., at[velocity]], p[..., at[momentum]])
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
    yield from answers_of("dynamics", globals())
    for what, *parts in (
        ("nonlinear effects", "C v", "g", "friction"),
        ("Coriolis and centrifugal terms", "C v"),
        ("Coriolis, centrifugal and gravity terms", "C v", "g"),
        ("Coriolis, centrifugal and damping terms", "C v", "friction"),
        ("gravity terms", "g"),
    ):
        for factor, words in ((1, "are left out"), (2, "have the wrong sign"), (-1, "count twice")):
            clause, change = f"{what} {words} in forward dynamics", partial(accelerated, factor, tuple(parts))
            yield wrong_answer(clause, "forward dynamics", ("forward_dynamics",), change)
    for several in (("ω × k",), ("u × l",), ("ω × l",), ("ω × k", "u × l"), ("ω × k", "u × l", "ω × l")):
        words = f"{listing(several)} of spherical and free joints, with the momentum [k; l] = M v of the joint, is left out"
        yield wrong_answer(words, "free base", FORCES, partial(without_momentum, several), needs=has_twists)
    for multiple, words in ((2, "count twice"), (-1, "have the wrong sign"), (0, "are ignored"), (0.5, "are halved")):
        for name, what in (("a", "accelerations"), ("v", "velocities")):
            yield Fault(f"{what} {words}", what, state=ws.column(name, partial(np.multiply, multiple)))
    for names, what in ROLLED.items():
        for by, where in ((1, "next"), (-1, "previous")):
            words = f"{what} are those of the {where} coordinate"
            yield Fault(words, "joint order", state=partial(rolled, names, -by), needs=lambda m: m.nv > 1)


OF_DYNAMICS: tuple[Fault, ...] = tuple(_faults())


def wrong_rows(m: Mechanism) -> Iterator[Fault]:
    """Gravity, or the terms of velocities, missing in the forces of one joint, or of the joints of one kind."""
    joints = [body.joint for body in m.bodies]
    for kind in dict.fromkeys(joint.kind for joint in joints):
        if any(joint.kind != kind for joint in joints):
            yield from _without(f"the forces of {kind} joints contain", "kind", kind)
    for joint in joints if len(joints) > 1 else ():
        yield from _without(f"the force of joint {joint.name} contains", "name", joint.name)


def _without(forces: str, trait: str, value: str) -> Iterator[Fault]:
    def rows(m: Mechanism) -> list[slice]:
        return [v for body, v in zip(m.bodies, m.v_slices, strict=True) if getattr(body.joint, trait) == value]

    for words, group, quantities, parts in (
        ("gravity", "gravity", (*FORCES, "gravity"), ("g",)),
        ("terms of velocities", CORIOLIS, FORCES, ("C v", "friction")),
    ):
        change = partial(without_at, rows, parts)
        fault = wrong_answer(f"{forces} no {words}", group, quantities, change, needs=lambda m: bool(rows(m)))
        yield replace(fault, where=(value,) if trait == "name" else ())
