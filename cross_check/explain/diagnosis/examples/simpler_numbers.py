"""Moves that simplify numbers: each list begins with the simplest value and ends before the present one.

Lists for bodies are tried for all of them at once, then for one after the other. Mechanisms that cannot exist are left out. The
numbers of a state become zeros and ones, then numbers with few digits, while the mechanism stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from typing import Any, TypeVar

import numpy as np

from cross_check.judge.comparison.sampling import Array, States
from mechanisms import Body, Inertia, Joint, Mechanism, Placement
from mechanisms.errors import MechanismError
from mechanisms.geometry import Rotation, basis
from mechanisms.joint_forces import NO_DYNAMICS
from mechanisms.joint_kinds import Form, Kind
from mechanisms.numbers.exact import Scalar, Vector
from mechanisms.states import neutral

T = TypeVar("T")

Moves = Callable[[Mechanism, States], Iterator[tuple[Mechanism, States]]]
"""Given a mechanism and one state of it, simpler ones."""

ZERO: Vector = (0, 0, 0)
UNITS = basis()
SKEW = (Fraction(3, 5), Fraction(0), Fraction(4, 5))
"""The simplest unit vector that is no coordinate axis."""

QUARTER_TURNS = (Rotation(1, 1, 0, 0), Rotation(1, 0, 1, 0), Rotation(1, 0, 0, 1))

PLAIN: tuple[Kind, ...] = ("revolute", "prismatic")

SPHERE = (1, 1, 1, 0, 0, 0)

INERTIAS = (
    Inertia.massless(),
    Inertia(1),
    Inertia(1, ZERO, SPHERE),
    *(Inertia(1, unit) for unit in UNITS),
    *(Inertia(1, unit, SPHERE) for unit in UNITS),
    Inertia(1, ZERO, (2, 3, 4, 0, 0, 0)),
    *(Inertia(1, ZERO, (2, 2, 2, *products)) for products in ((1, 0, 0), (0, 1, 0), (0, 0, 1))),
    Inertia(1, (1, 1, 1)),
)
"""The simplest bodies, in order: nothing, points, balls, boxes, one product of inertia."""

PLACEMENTS = (
    Placement(),
    *(Placement(translation=unit) for unit in UNITS),
    *(Placement(turn) for turn in QUARTER_TURNS),
    *(Placement(turn, unit) for turn in QUARTER_TURNS for unit in UNITS),
)

GRAVITIES: tuple[Vector, ...] = (ZERO, (0, 0, -10), (-10, 0, 0), (0, -10, 0))


def inherited(mechanism: Mechanism, state: States, other: Mechanism) -> States:
    """The state of ``other`` in which joints and bodies of the same name and kind have the numbers of ``state``.

    A joint of another kind is at zero; its first velocities and accelerations are those of the joint.
    """
    index = {body.name: i for i, body in enumerate(mechanism.bodies)}
    n = len(other.bodies)
    q, v, a, f = neutral(other)[None], np.zeros((1, other.nv)), np.zeros((1, other.nv)), np.zeros((1, n, 6))
    for k, body in enumerate(other.bodies):
        i = index[body.name]
        own_v, old_v = other.v_slices[k], mechanism.v_slices[i]
        both = min(own_v.stop - own_v.start, old_v.stop - old_v.start)
        for new, old in ((v, state.v), (a, state.a)):
            # Adding zero turns −0 into 0.
            new[:, own_v.start : own_v.start + both] = old[:, old_v.start : old_v.start + both] + 0.0
        if body.joint.kind == mechanism.bodies[i].joint.kind:
            q[:, other.q_slices[k]] = state.q[:, mechanism.q_slices[i]]
        f[:, k] = state.f[:, i] + 0.0
    return States(state.kinds, q, v, a, np.zeros_like(v), f)


def simpler_joints(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    """Revolute and prismatic joints instead of others; then axes, armature, the numbers of forces, and pitch."""
    for moves in JOINTS:
        yield from moves(mechanism, state)


def simpler_gravity(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    for gravity in before(mechanism.gravity, [*GRAVITIES, _rounded(mechanism.gravity)]):
        yield replace(mechanism, gravity=gravity), state


def _inertias(body: Body) -> Iterator[Inertia]:
    """Simpler ones, from the simplest to the present one with rounded numbers."""
    now = body.inertia
    yield from INERTIAS
    xx, yy, zz, *_ = now.about_com
    simpler: list[tuple[Scalar, Vector, Vector]] = [
        (Fraction(1), now.com, SPHERE),
        (now.mass, now.com, (0,) * 6),
        (now.mass, ZERO, now.about_com),
        (now.mass, now.com, (xx, yy, zz, 0, 0, 0)),
        (Fraction(1), now.com, now.about_com),
        (_rounded((now.mass,))[0], _rounded(now.com), _rounded(now.about_com)),
        (now.mass, now.com, _rounded(now.about_com)),
    ]
    yield from (Inertia(*numbers) for numbers in simpler)


def _placements(body: Body) -> Iterator[Placement]:
    now = body.joint.placement
    yield from (*PLACEMENTS, Placement(translation=now.translation), Placement(now.rotation))
    yield from (Placement(_rounded_rotation(now.rotation, k), _rounded(now.translation)) for k in (1, 2, 4))


def _kinds(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    def options(body: Body) -> list[Body]:
        joint = body.joint
        plain: dict[str, Any] = {"placement": joint.placement}
        if joint.nv == 1:
            plain |= joint.dynamics
        return [replace(body, joint=Joint(joint.name, kind, joint.axis, **plain)) for kind in before(joint.kind, PLAIN)]

    return _bodies(mechanism, state, options)


def _part(name: str, options: Callable[[Body], Iterable[Any]]) -> Moves:
    """The moves that replace the part with this name, of a body or of its joint, by simpler ones of the ``options``."""

    def simpler(body: Body) -> list[Body]:
        is_of_body = hasattr(body, name)
        chosen = before(getattr(body if is_of_body else body.joint, name), options(body))
        return [replace(body, **{name: one}) if is_of_body else _with_joint(body, **{name: one}) for one in chosen]

    return lambda mechanism, state: _bodies(mechanism, state, simpler)


def _bodies(mechanism: Mechanism, state: States, options: Callable[[Body], list[Body]]) -> Iterator[tuple[Mechanism, States]]:
    """Every body replaced by its options of the same rank, then every body alone by each of its options."""
    simpler = [options(body) for body in mechanism.bodies]
    if len(mechanism.bodies) > 1:
        for rank in range(max(map(len, simpler))):
            chosen = [own[min(rank, len(own) - 1)] if own else body for own, body in zip(simpler, mechanism.bodies, strict=True)]
            yield from _valid(mechanism, state, chosen)
    for i, own in enumerate(simpler):
        for body in own:
            yield from _valid(mechanism, state, [body if k == i else other for k, other in enumerate(mechanism.bodies)])


def _valid(mechanism: Mechanism, state: States, bodies: Sequence[Body]) -> Iterator[tuple[Mechanism, States]]:
    try:
        simpler = replace(mechanism, bodies=tuple(bodies))
    except MechanismError:
        return
    yield simpler, inherited(mechanism, state, simpler)


def before(now: T, options: Iterable[T]) -> Iterator[T]:
    """The options that are simpler than the present one."""
    return takewhile(lambda option: option != now, options)


def _with_joint(body: Body, **changes: Any) -> Body:
    try:
        return replace(body, joint=replace(body.joint, **changes))
    except MechanismError:  # such as parallel axes
        return body


def _rounded(numbers: Vector) -> Vector:
    """Each number with one significant digit."""
    return tuple(Fraction(f"{float(x):.0e}") for x in numbers)


def _rounded_rotation(rotation: Rotation, largest: int) -> Rotation:
    """The direction of the quaternion in integers up to ``largest``."""
    scale = max(map(abs, rotation.quaternion))
    return Rotation(*(round(largest * x / scale) for x in rotation.quaternion))


def _small(name: str) -> Moves:
    return _part(name, lambda body: (Fraction(0), Fraction(1), *_rounded((getattr(body.joint, name),))))


simpler_inertias = _part("inertia", _inertias)
simpler_compensation = _part("lifted", lambda body: (Inertia.massless(), body.inertia, Inertia(1, body.lifted.com)))
simpler_placements = _part("placement", _placements)
JOINTS = (
    _kinds,
    _part("axis", lambda body: (UNITS[2], UNITS[0], UNITS[1], SKEW) if body.joint.description.has_axis else ()),
    _part("second_axis", lambda body: UNITS if body.joint.second_axis else ()),
    *map(_small, (*NO_DYNAMICS, "pitch")),
)

POSITIONS: dict[Form, tuple[tuple[float, ...], ...]] = {
    "angle": ((0,), (math.pi / 2,), (0.5,), (1,)),
    "distance": ((0,), (1,)),
    "circle": ((1, 0), (0, 1), (0.6, 0.8)),
    "quaternion": ((0, 0, 0, 1), (0.5, 0.5, 0.5, 0.5), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.6, 0, 0, 0.8)),
}
"""The simplest positions, in order. Cosines, sines and quaternions have length one."""

RATES = (0.0, 1.0, -1.0)

DIGITS = (1, 2, 3)


def simpler_rates(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    """v, a and forces on bodies: all zero, all one, all of magnitude one, then one number after the other."""
    for name in ("f", "a", "v"):
        column = getattr(state, name)
        for simpler in (np.zeros_like(column), np.ones_like(column), np.sign(column)):
            if np.array_equal(simpler, column):
                break
            yield mechanism, _replaced(state, name, simpler)
        for k, number in enumerate(column.ravel().tolist()):
            for value in before(number, RATES):
                yield mechanism, _replaced(state, name, _changed(column, k, value))


def simpler_positions(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    """q: all zero, then one slot after the other. Then the numbers of all columns are rounded."""
    yield mechanism, replace(state, q=neutral(mechanism)[None])
    for form, simplest in POSITIONS.items():
        for _, slot in mechanism.slots(form):
            now = state.q[0, slot]
            simpler: list[Sequence[float] | Array] = [*before(tuple(now), simplest)]
            if form in ("angle", "distance") and tuple(now) not in simplest:
                simpler += [rounded(now, digits) for digits in DIGITS]
            yield from ((mechanism, replace(state, q=_changed(state.q, slot, position))) for position in simpler)
    for name in ("v", "a", "f"):
        column = getattr(state, name)
        for digits in DIGITS:
            short = rounded(column, digits)
            for k in np.flatnonzero(short != column).tolist():
                yield mechanism, _replaced(state, name, _changed(column, k, short.flat[k]))


def rounded(x: Array, digits: int) -> Array:
    """Each number with so many significant digits."""
    return np.vectorize(lambda x: float(f"{x:.{digits - 1}e}"), otypes=[float])(x)


def _changed(column: Array, part: int | slice, numbers: float | Sequence[float] | Array) -> Array:
    """``column``, with other numbers in a part of it, counted as if it were flat."""
    changed = column.copy()
    changed.reshape(-1)[part] = numbers
    return changed


def _replaced(state: States, name: str, column: Array) -> States:
    changes: dict[str, Any] = {name: column}
    return replace(state, **changes)


SIMPLER: tuple[Moves, ...] = (
    simpler_joints,
    simpler_rates,
    simpler_compensation,
    simpler_inertias,
    simpler_placements,
    simpler_gravity,
    simpler_positions,
)
"""Those that gain most come first."""
