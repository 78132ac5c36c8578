"""Which inertial parameters the code under test gives to each body: read from its own answers.

A body alone on a free joint has the mass matrix M = I, its spatial inertia, at any position:

    M = [[I_o, m c×], [m c×ᵀ, m 1]]                             (Featherstone 2008, eq. 2.63)

So one question per body tells mass, centre of mass and rotational inertia as the code has read them. Code without free joints is
asked about the body on three slides and three turns, which has the same M at position zero, in another order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from cross_check.exchange.results.plain_text import listing
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer
from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.families import MOMENTS, with_numbers
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Body, Inertia, Joint, Mechanism, Placement
from mechanisms.states import neutral

SAME = 1e-9
"""Parameters that differ by less, relative to the largest of their kind, are the same."""


def misread_bodies(laboratory: Laboratory, mechanism: Mechanism) -> Iterator[Fault]:
    """The fault that the code reads other inertias than the mechanism has, if it does and can be asked."""
    wrong: dict[str, Inertia] = {}
    changes: dict[tuple[str, str], list[str]] = {}
    for body in mechanism.bodies:
        try:
            read = inertia_of(laboratory, mechanism, body)
        except NoAnswer:
            return
        different = list(differences(body.inertia, read)) if read else []
        if read and different:
            wrong[body.name] = read
            for one in different:
                changes.setdefault(one, []).append(body.name)
    if not wrong:
        return

    def misread(m: Mechanism) -> Mechanism:
        return wm.with_bodies(m, lambda i, b: replace(b, inertia=wrong[b.name]) if b.name in wrong else b)

    everywhere = {body.name for body in mechanism.bodies if not body.inertia.is_massless} == set(wrong)
    sentences = [f"{what} of {_names(names, everywhere)} {change}" for (what, change), names in changes.items()]
    said = "; ".join(sentences[:3]) + (f"; and {len(sentences) - 3} more" if len(sentences) > 3 else "")
    yield Fault(said, _group(changes), mechanism=misread, where=() if everywhere and len(wrong) > 1 else tuple(wrong))


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
        return laboratory.ask(single, "mass_matrix", neutral(single)[None])[0]
    single = on_slides_and_turns(mechanism, body)
    q, still, unit = np.zeros((7, 6)), np.zeros((7, 6)), np.vstack([np.zeros(6), np.eye(6)])
    try:
        M = laboratory.ask(single, "mass_matrix", q[:1])[0]
    except NoAnswer:
        τ = laboratory.ask(single, "inverse_dynamics", q, still, unit)
        M = (τ[1:] - τ[0]).T
    return np.roll(M, 3, axis=(0, 1))


def _knows_free_joints(laboratory: Laboratory, mechanism: Mechanism) -> bool:
    """Whether the code answers about the first body alone. This is asked once: some code ends at joints that it does not know."""
    first = alone(mechanism, mechanism.bodies[0])
    try:
        laboratory.ask(first, "mass_matrix", neutral(first)[None])
    except NoAnswer:
        return False
    return True


def parameters_of(M: Array) -> tuple[float, Array, Array]:
    """m, m c (3,) and the inertia about the origin (3, 3), from the mass matrix (6, 6) of a body alone."""
    return float(M[5, 5]), np.array([M[2, 4], M[0, 5], M[1, 3]]), M[:3, :3]


def inertia_with(m: float, mc: Array, about_origin: Array) -> Inertia:
    """The inertia with these parameters, which may be impossible."""
    c = mc / m if m else np.zeros(3)
    about_com = about_origin - m * ((c @ c) * np.eye(3) - np.outer(c, c))
    return with_numbers(
        Inertia.massless(),
        mass=Fraction(m),
        com=tuple(Fraction(float(x)) for x in c),
        about_com=tuple(Fraction(float(about_com[i, j])) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))),
    )


def inertia_of(laboratory: Laboratory, mechanism: Mechanism, body: Body) -> Inertia | None:
    """The inertia that the code gives to the body; None if its mass matrix is that of no body. Raises :class:`NoAnswer`."""
    M = mass_matrix_of(laboratory, mechanism, body)
    m, mc, about_origin = parameters_of(M)
    x = np.array([[0, -mc[2], mc[1]], [mc[2], 0, -mc[0]], [-mc[1], mc[0], 0]])
    whole = np.block([[about_origin, x], [x.T, m * np.eye(3)]])
    return inertia_with(m, mc, about_origin) if np.abs(M - whole).max() <= SAME * np.abs(M).max() else None


def differences(right: Inertia, wrong: Inertia) -> Iterator[tuple[str, str]]:
    """What differs, parameter by parameter: the subject and the predicate of a sentence."""
    if change := _change(float(right.mass), float(wrong.mass), abs(float(right.mass)), "kg"):
        yield "the mass", change
    for names, one, other, unit in (
        (tuple(f"{x} of the centre of mass" for x in "xyz"), right.com, wrong.com, "m"),
        (MOMENTS, right.about_com, wrong.about_com, "kg m²"),
    ):
        scale = max(abs(float(x)) for x in (*one, *other))
        pairs = [(name, float(a), float(b)) for name, a, b in zip(names, one, other, strict=True)]
        different = [(name, a, b) for name, a, b in pairs if abs(a - b) > SAME * scale]
        if len(different) == 2 and _swapped(different, scale):
            yield f"{different[0][0]} and {different[1][0]}", "are exchanged"
            continue
        for name, a, b in different:
            if change := _change(a, b, scale, unit):
                yield name, change


def _swapped(pairs: Sequence[tuple[str, float, float]], scale: float) -> bool:
    (_, a, b), (_, c, d) = pairs
    return abs(a - d) <= SAME * scale and abs(b - c) <= SAME * scale


def _change(right: float, wrong: float, scale: float, unit: str) -> str:
    if abs(right - wrong) <= SAME * scale:
        return ""
    if abs(right + wrong) <= SAME * scale:
        return "has the opposite sign"
    if abs(wrong) <= SAME * scale:
        return "is ignored"
    if right and abs((k := wrong / right) - float(f"{k:.3g}")) < 1e-9 * abs(k):
        return f"is multiplied by {k:.3g}"
    return f"is {wrong:.6g} {unit} instead of {right:.6g} {unit}"


def _names(names: Sequence[str], everywhere: bool) -> str:
    return "every body" if everywhere and len(names) > 1 else listing(list(names)) if len(names) < 5 else f"{len(names)} bodies"


def _group(changes: dict[tuple[str, str], list[str]]) -> str:
    first = next(iter(changes))[0]
    if "centre of mass" in first:
        return "centre of mass"
    if "mass" in first:
        return "mass"
    return "products of inertia" if first.startswith(MOMENTS[3:]) else "rotational inertia"
