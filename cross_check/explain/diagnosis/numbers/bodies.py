"""Which inertial parameters the code under test gives to each body: read from its own answers.

A body alone on a free joint has the mass matrix M = I, its spatial inertia, at any position:

    M = [[I_o, m c×], [m c×ᵀ, m 1]]                             (Featherstone 2008, eq. 2.63)

So one question per body tells mass, centre of mass and rotational inertia as the code has read them. Code without free joints is
asked about the body on three slides and three turns, which has the same M at position zero, in another order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np

from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer
from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import OF_INERTIA, changed_at, other_value
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Body, Inertia, Joint, Mechanism, Placement
from mechanisms.plain_text import listing
from mechanisms.states import neutral

SAME = 1e-9
"""Parameters that differ by less, relative to the largest of their kind, are the same."""

MOST_SAID = 3
"""So many parameters are named in a sentence."""

PAIRS = tuple(combinations_with_replacement(range(3), 2))
"""The entries of a symmetric matrix: xx, xy, xz, yy, yz, zz."""


def misread_bodies(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Fault]:
    """The fault that the code reads other inertias than the mechanism has, if it does and can be asked."""
    wrong: dict[str, Inertia] = {}
    changes: dict[tuple[str, str, str], list[str]] = {}
    for body in mechanism.bodies:
        try:
            read = inertia_of(laboratory, mechanism, body)
        except NoAnswer:
            return
        if read and (different := list(differences(body, read, laboratory.precision.near(SAME)))):
            wrong[body.name] = read
            for one in different:
                changes.setdefault(one, []).append(body.name)
    if not wrong:
        return
    everywhere = {body.name for body in mechanism.bodies if not body.inertia.is_massless} == set(wrong)
    said = in_short([f"{what} of {_names(names, everywhere)} {change}" for (what, change, _), names in changes.items()])
    misread = wm.every(lambda b: replace(b, inertia=wrong[b.name]), lambda b: b.name in wrong)
    _, _, group = next(iter(changes))
    yield Fault(said, group, mechanism=misread, where=() if everywhere and len(wrong) > 1 else tuple(wrong))


def in_short(sentences: Sequence[str]) -> str:
    """The first of several sentences."""
    rest = f"; and {len(sentences) - MOST_SAID} more" if len(sentences) > MOST_SAID else ""
    return "; ".join(sentences[:MOST_SAID]) + rest


SLIDES_AND_TURNS = ("slide x", "slide y", "slide z", "turn x", "turn y", "turn z")


def alone(mechanism: Mechanism, body: Body) -> Mechanism:
    """The body alone on a free joint, which has the placement of its own joint: code may read its inertia with that."""
    joint = Joint(body.joint.name, "free", placement=body.joint.placement)
    bodies = (replace(body, parent=mechanism.root, joint=joint),)
    return replace(mechanism, name=f"{body.name} alone on a free joint", bodies=bodies, frames=(), physical=False)


def on_slides_and_turns(mechanism: Mechanism, body: Body) -> Mechanism:
    """The body alone on three slides, then three turns. The last one is its own joint; the first has the joint's placement."""
    bodies: list[Body] = []
    for k, name in enumerate(SLIDES_AND_TURNS):
        axis = tuple(int(j == k % 3) for j in range(3))
        placement = body.joint.placement if k == 0 else Placement()
        joint = Joint(name if k < 5 else body.joint.name, "prismatic" if k < 3 else "revolute", axis, placement)
        own = Body(name, bodies[-1].name if bodies else mechanism.root, joint, Inertia.massless())
        bodies.append(replace(own, name=body.name, inertia=body.inertia) if k == 5 else own)
    name = f"{body.name} alone on slides and turns"
    return replace(mechanism, name=name, bodies=tuple(bodies), frames=(), physical=False)


def mass_matrix_of(laboratory: Laboratory, mechanism: Mechanism, body: Body) -> Array:
    """M (6, 6) of the body alone, turns first. Raises :class:`NoAnswer`."""
    if _knows_free_joints(laboratory, mechanism):
        single = alone(mechanism, body)
        return mass_matrix(laboratory, single, "mass_matrix", neutral(single)[None])
    single, q = on_slides_and_turns(mechanism, body), np.zeros((1, 6))
    try:
        M = mass_matrix(laboratory, single, "mass_matrix", q)
    except NoAnswer:
        # Differences of forces that contain none of gravity lose no digits.
        M = mass_matrix(laboratory, replace(single, gravity=(0, 0, 0)), "inverse_dynamics", q)
    return np.roll(M, 3, axis=(0, 1))


def mass_matrix(laboratory: Laboratory, mechanism: Mechanism, quantity: str, q: Array) -> Array:
    """M (nv, nv) as the code has it at q (1, nq): its own, or that of inverse or forward dynamics. Raises :class:`NoAnswer`."""
    if quantity == "mass_matrix":
        return laboratory.ask(mechanism, quantity, q)[0]
    n = mechanism.nv
    ones, rest = np.vstack([np.zeros(n), np.eye(n)]), np.zeros((n + 1, n))
    answer = laboratory.ask(mechanism, quantity, np.repeat(q, n + 1, axis=0), rest, ones)
    columns = (answer[1:] - answer[0]).T
    return np.asarray(columns if quantity == "inverse_dynamics" else np.linalg.inv(columns))


def _knows_free_joints(laboratory: Laboratory, mechanism: Mechanism) -> bool:
    """Whether the code answers about the first body alone. This is asked once: some code ends at joints that it does not know."""
    first = alone(mechanism, mechanism.bodies[0])
    try:
        mass_matrix(laboratory, first, "mass_matrix", neutral(first)[None])
    except NoAnswer:
        return False
    return True


def parameters_of(M: Array) -> Array:
    """The ten parameters that the mass matrix M (6, 6) of a body alone shows: m, m c, and the inertia about the origin."""
    return np.array([M[5, 5], M[2, 4], M[0, 5], M[1, 3], *(M[j, k] for j, k in PAIRS)])


def mass_matrix_with(parameters: Array) -> Array:
    """M (6, 6) of a body alone with these ten parameters."""
    x = np.cross(np.eye(3), parameters[1:4])
    return np.block([[_about_origin(parameters), x], [x.T, parameters[0] * np.eye(3)]])


def _about_origin(parameters: Array) -> Array:
    I = np.zeros((3, 3))
    for (j, k), moment in zip(PAIRS, parameters[4:], strict=True):
        I[j, k] = I[k, j] = moment
    return I


def inertia_with(parameters: Array) -> Inertia:
    """The inertia with these ten parameters, which may be impossible."""
    m, mc = float(parameters[0]), parameters[1:4]
    c = mc / m if m else np.zeros(3)
    I = _about_origin(parameters) - m * ((c @ c) * np.eye(3) - np.outer(c, c))
    moments = tuple(float(I[j, k]) for j, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return changed_at(Inertia(0, tuple(c.tolist()), moments), "mass", m)


def inertia_of(laboratory: Laboratory, mechanism: Mechanism, body: Body) -> Inertia | None:
    """The inertia that the code gives to the body; None if its mass matrix is that of no body. Raises :class:`NoAnswer`."""
    M = mass_matrix_of(laboratory, mechanism, body)
    parameters = parameters_of(M)
    return (
        inertia_with(parameters)
        if np.abs(M - mass_matrix_with(parameters)).max() <= laboratory.precision.near(SAME) * np.abs(M).max()
        else None
    )


def differences(body: Body, read: Inertia, same: float = SAME) -> Iterator[tuple[str, str, str]]:
    """What differs from the body's inertia by more than the part ``same``, number by number: the subject and the predicate of a
    sentence, and the group."""
    for numbers in OF_INERTIA:
        right, wrong = (np.array(numbers.read(one), dtype=float) for one in (body, replace(body, inertia=read)))
        bound = same * np.abs([right, wrong]).max()
        different = np.flatnonzero(np.abs(right - wrong) > bound).tolist()
        if len(different) == 2 and (np.abs(right[different] - wrong[different[::-1]]) <= bound).all():
            yield numbers.part(*different), "are exchanged", numbers.group_of(different[0])
        else:
            for k in different:
                yield numbers.part(k), _change(float(right[k]), float(wrong[k]), bound, same, numbers.unit), numbers.group_of(k)


def _change(right: float, wrong: float, bound: float, same: float, unit: str) -> str:
    if abs(right + wrong) <= bound:
        return "has the opposite sign"
    if abs(wrong) <= bound:
        return "is ignored"
    if right and abs((k := wrong / right) - float(f"{k:.3g}")) < same * abs(k):
        return f"is multiplied by {k:.3g}"
    return other_value(right, wrong, unit)


def _names(names: Sequence[str], everywhere: bool) -> str:
    return "every body" if everywhere and len(names) > 1 else listing(list(names)) if len(names) < 5 else f"{len(names)} bodies"
