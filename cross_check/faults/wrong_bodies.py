"""Terms that take a number of another body, and inertias that are not turned into the frame in which they are used.

The symbols are those of :mod:`cross_check.faults.classical_terms`. E_0 is the rotation from the root's axes to the body's. An
inertia J_w along the root's axes, instead of R I Rᵀ, is the inertia E_0 J_w E_0ᵀ along the body's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cross_check.faults.classical_terms import ACCELERATION, BY_UNIT_ACCELERATIONS
from cross_check.faults.fault import Edit, Fault
from cross_check.faults.scaled import ABOUT_COM
from mechanisms import Mechanism

E0 = "E0[i].swapaxes(0, 1)"


def _product(*matrices: str) -> str:
    """The product of matrices (3, 3, batch)."""
    first, *others = matrices
    for other in others:
        first = f"np.einsum('ij...,jk...->ik...', {first}, {other})"
    return first


def _cross(x: str, y: str) -> str:
    return f"np.cross(({x}) + 0 * ({y}), ({y}) + 0 * ({x}), axis=0)"


def _moment(change: str) -> tuple[Edit, ...]:
    """A moment is added to the force on every body, once all velocities and accelerations are known."""
    loop = f"""E0 = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        E0.append(X[i].E if λ < 0 else {_product("X[i].E", "E0[λ]")})
        f[i] = f[i] + np.pad({change}, ((0, 3), (0, 0)))
    τ = []"""
    return (Edit("rnea", "τ = []", loop),)


def _acceleration(change: str) -> tuple[Edit, ...]:
    """An acceleration of the body's origin, along its own axes, is added."""
    wrong = f"mul(S[i], qdd[link.v]) + crm(v[i], vJ) + np.pad({change}, ((3, 0), (0, 0))))"
    return (Edit("rnea", ACCELERATION, wrong),)


OWN = ABOUT_COM
ω, α = "v[i][:3]", "a[i][:3]"


def _gyroscopic(inertia: str, first: str, second: str) -> str:
    return _cross(first, f"mul({inertia}, {second})")


def _instead(inertia: str = OWN, first: str = ω, second: str = ω) -> tuple[Edit, ...]:
    """ω × I ω with another inertia, or other velocities."""
    return _moment(f"({_gyroscopic(inertia, first, second)} - {_gyroscopic(OWN, ω, ω)})")


def _of(index: str) -> str:
    """The inertia about the centre of mass of another body."""
    return ABOUT_COM.replace("link.", f"model.links[{index}].")


TURNED_PARENT = "(0 * v[i][:3] if λ < 0 else mul(X[i].E, v[λ][:3]))"
RAW_PARENT = "(0 * v[i][:3] if λ < 0 else v[λ][:3])"
NEXT = "min(i + 1, len(v) - 1)"

GYROSCOPIC = (
    ("ω × I ω takes ω of the parent, along the body's axes", _instead(first=TURNED_PARENT, second=TURNED_PARENT)),
    ("ω × I ω takes ω of the parent, along the parent's axes", _instead(first=RAW_PARENT, second=RAW_PARENT)),
    ("the first ω of ω × I ω is that of the parent", _instead(first=TURNED_PARENT)),
    ("the second ω of ω × I ω is that of the parent", _instead(second=TURNED_PARENT)),
    ("ω × I ω takes ω of the next body", _instead(first=f"v[{NEXT}][:3]", second=f"v[{NEXT}][:3]")),
    ("ω × I ω takes the inertia of the parent", _instead(f"({_of('λ')} * (λ >= 0))")),
    ("ω × I ω takes the inertia of the body before", _instead(_of("i - 1"))),
    ("ω × I ω takes the inertia of the next body", _instead(_of(NEXT))),
)

# The acceleration of the body before its own is stored.
OWN_α = "(X[i] @ (-model.gravity if λ < 0 else a[λ]) + mul(S[i], qdd[link.v]) + crm(v[i], vJ))[:3]"
r, r_in_body = "X[i].r", "mul(X[i].E, X[i].r)"
PARENTS_ω, PARENTS_α = "(0 * v[i] if λ < 0 else v[λ])[:3]", "(0 * v[i] if λ < 0 else a[λ])[:3]"


def _twice(first: str, second: str) -> str:
    return _cross(first, _cross(first, second))


CENTRIPETAL_OF_BODY = f"({_twice(ω, r_in_body)} - mul(X[i].E, {_twice(PARENTS_ω, r)}))"
TANGENTIAL_OF_BODY = f"({_cross(OWN_α, r_in_body)} - mul(X[i].E, {_cross(PARENTS_α, r)}))"

OF_ORIGINS = (
    ("ω × (ω × r), the centripetal acceleration of a joint, takes ω behind the joint", CENTRIPETAL_OF_BODY, False),
    ("α × r, the tangential acceleration of a joint, takes α behind the joint", TANGENTIAL_OF_BODY, True),
    (
        "ω × (ω × r) and α × r, the acceleration of a joint, take ω and α behind the joint",
        f"({CENTRIPETAL_OF_BODY} + {TANGENTIAL_OF_BODY})",
        True,
    ),
)

TURNED_α = "(0 * v[i][:3] if λ < 0 else mul(X[i].E, a[λ][:3]))"
CENTRIPETAL_OF_PARENT = f"({_twice(TURNED_PARENT, 'link.com')} - {_twice(ω, 'link.com')})"
TANGENTIAL_OF_PARENT = f"({_cross(TURNED_α, 'link.com')} - {_cross(α, 'link.com')})"

OF_CENTERS = (
    ("ω × (ω × c), the centripetal acceleration of the centre of mass, takes ω of the parent", CENTRIPETAL_OF_PARENT, False),
    ("α × c, the tangential acceleration of the centre of mass, takes α of the parent", TANGENTIAL_OF_PARENT, True),
    (
        "ω × (ω × c) and α × c, the acceleration of the centre of mass, take ω and α of the parent",
        f"({CENTRIPETAL_OF_PARENT} + {TANGENTIAL_OF_PARENT})",
        True,
    ),
)

UNTURNED = (
    ("inertias are multiplied by R, and not by Rᵀ after it", _product(OWN, E0)),
    ("inertias are taken along the root's axes without being turned", _product("E0[i]", OWN, E0)),
    ("inertias along the root's axes are Rᵀ I R instead of R I Rᵀ", _product("E0[i]", "E0[i]", OWN, E0, E0)),
)


def _at_center(acceleration: str) -> tuple[Edit, ...]:
    """The acceleration of the centre of mass is changed: the force there, and its moment about the origin."""
    force = f"link.mass * {acceleration}"
    loop = f"""for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        F = {force}
        f[i] = f[i] + np.concatenate(({_cross("link.com", "F")}, F))
    τ = []"""
    return (Edit("rnea", "τ = []", loop),)


def _faults() -> Iterator[Fault]:
    for name, edits in GYROSCOPIC:
        yield Fault(name, "gyroscopic", edits)
    for name, change, in_mass_matrix in OF_ORIGINS:
        yield from _with_mass_matrix(Fault(name, "Coriolis and centrifugal", _acceleration(change)), in_mass_matrix)
    for name, change, in_mass_matrix in OF_CENTERS:
        yield from _with_mass_matrix(Fault(name, "Coriolis and centrifugal", _at_center(change)), in_mass_matrix)
    for name, inertia in UNTURNED:
        off = f"({inertia} - {OWN})"
        moment = f"(mul({off}, {α}) + {_gyroscopic(off, ω, ω)})"
        yield from _with_mass_matrix(Fault(name, "rotational inertia", _moment(moment)), True)
    for name, factor in (
        ("the inertia of the first body, in M, does not contain the bodies behind", "(λ > 0)"),
        ("the inertia of the last body is left out in M", "(i < len(model.links) - 1)"),
    ):
        edit = Edit("crba", "X[i].carry(Ic[i])", f"X[i].carry(Ic[i]) * {factor}")
        yield Fault(name, "mass matrix", (edit,), needs=_has_chain)


def _with_mass_matrix(fault: Fault, in_mass_matrix: bool) -> Iterator[Fault]:
    """The fault, and the same with an M that has it."""
    yield fault
    if in_mass_matrix:
        yield replace(fault, edits=(*fault.edits, *BY_UNIT_ACCELERATIONS))


def _has_chain(m: Mechanism) -> bool:
    return any(parent >= 0 for parent in m.parents)


OF_OTHER_BODIES: tuple[Fault, ...] = tuple(_faults())
