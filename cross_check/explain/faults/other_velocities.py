"""Positions and velocities that code has for chains of turns, for joints with three angles, and for planar and spherical joints.

Positions q have any leading axes. Wrappers for users contain the text of these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.other_coordinates import Coordinates
from implementations.conventions.rates import along_parent, classical_slide, rotation
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Kind

EULER: tuple[Kind, ...] = tuple(kind for kind, joint in JOINT_KINDS.items() if joint.singular_angle is not None)


def sums(mechanism: Any) -> Any:
    """The matrix (nv, nv) that adds up angles along chains of joints with one angle each."""
    A = np.eye(mechanism.nv)
    for i, parent in enumerate(mechanism.parents):
        kinds = [mechanism.bodies[k].joint.kind for k in (i, parent)]
        if parent >= 0 and kinds == ["revolute", "revolute"]:
            A[mechanism.v_slices[i]] += A[mechanism.v_slices[parent]]
    return A


def added(power: int, mechanism: Any, q: Any) -> Any:
    """q with the angles of chains added up, or, at power −1, their differences."""
    q, A = np.array(q, dtype=float), np.linalg.matrix_power(sums(mechanism), power)
    one = [
        (a, b) for a, b in zip(mechanism.q_slices, mechanism.v_slices, strict=True) if a.stop - a.start == b.stop - b.start == 1
    ]
    at, along = [a.start for a, _ in one], [b.start for _, b in one]
    q[..., at] = q[..., at] @ A[np.ix_(along, along)].T
    return q


def rates_of_sums(power: int, mechanism: Any, q: Any) -> Any:
    return np.linalg.matrix_power(sums(mechanism), power)


def exchanged(mechanism: Any, q: Any) -> Any:
    """q with the first and the third angle of every joint with three angles exchanged."""
    q = np.array(q, dtype=float)
    for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind.startswith("euler"):
            q[..., own] = q[..., own][..., ::-1]
    return q


def exchanged_rates(mechanism: Any, q: Any) -> Any:
    T = np.eye(mechanism.nv)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.kind.startswith("euler"):
            T[own] = T[own][::-1]
    return T


def has_chain(m: Mechanism) -> bool:
    return bool(np.any(sums(m) != np.eye(m.nv)))


def _faults() -> Iterator[Fault]:
    for clause, power in (
        ("angles are absolute, those along a chain of revolute joints added up", -1),
        ("angles along a chain of revolute joints are added up before they are used", 1),
    ):
        alone = Coordinates(
            f"{clause} (q alone)",
            "absolute angles",
            position=partial(added, power),
            position_back=partial(added, -power),
            kinds=("revolute",),
            needs=has_chain,
            helpers=(sums,),
        )
        yield from replace(alone, clause=f"{clause} (q, v, a and τ)", rates=(partial(rates_of_sums, power),)).faults()
        yield from alone.faults()
    euler = Coordinates(
        "the first and the third angle of a joint with three angles are exchanged (q, v, a and τ)",
        "order of angles",
        (exchanged_rates,),
        position=exchanged,
        position_back=exchanged,
        kinds=EULER,
    )
    yield from euler.faults()
    helpers = (rotation,)
    ways: tuple[tuple[Kind, Callable[..., Any] | None, str], ...] = (
        ("spherical", None, "ω of a spherical joint is along the axes of the joint's frame"),
        ("planar", None, "the velocity of a planar joint is along the axes of the joint's frame"),
        (
            "planar",
            classical_slide,
            "the velocity of a planar joint is along the axes of the joint's frame, the acceleration is its rate",
        ),
    )
    for kind, bias, words in ways:
        rates = (partial(along_parent, kind),)
        along = Coordinates(words, f"{kind} joints", rates, True, bias, kinds=(kind,), helpers=helpers)
        yield from along.faults()
        # Code that computes M from accelerations, and turns velocities alone, has an M that is not symmetric.
        yield next(replace(along, clause=f"{words}, forces are along the body's", forces=False).faults())


OTHER_VELOCITIES: tuple[Fault, ...] = tuple(_faults())

READ_AS_ANGLE = Fault(
    "the cosine of a continuous joint, q[0], is read as its angle",
    "continuous joints",
    state=ws.in_slots("circle", lambda x: np.column_stack([np.cos(x[:, 0]), np.sin(x[:, 0])])),
    kinds=("continuous",),
)

POSITIVE_COSINE = Fault(
    "the cosine of a continuous joint has lost its sign",
    "continuous joints",
    state=ws.in_slots("circle", lambda x: np.column_stack([np.abs(x[:, 0]), x[:, 1]])),
    kinds=("continuous",),
)
