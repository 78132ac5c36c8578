"""Terms that take a number of another body, and inertias that are not turned into the frame in which they are used.

The symbols are those of :mod:`cross_check.explain.faults.classical_terms`. E_0 is the rotation from the root's axes to the
body's. An inertia J_w along the root's axes, instead of R I Rᵀ, is the inertia E_0 J_w E_0ᵀ along the body's.
"""

from __future__ import annotations

from collections.abc import Iterator

from cross_check.explain.faults.classical_terms import cross
from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.scaled import ABOUT_COM, SECOND_LOOP
from cross_check.explain.faults.wrong_axes import with_mass_matrix
from mechanisms import Mechanism

E0 = "E0[i].swapaxes(0, 1)"


def _product(*matrices: str) -> str:
    """The product of matrices (3, 3, batch)."""
    first, *others = matrices
    for other in others:
        first = f"np.einsum('ij...,jk...->ik...', {first}, {other})"
    return first


def _moment(change: str) -> tuple[Edit, ...]:
    """A moment is added to the force on every body, once all velocities and accelerations are known."""
    loop = f"""E0 = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        E0.append(X[i].E if λ < 0 else {_product("X[i].E", "E0[λ]")})
        f[i] = f[i] + np.pad({change}, ((0, 3), (0, 0)))
    {SECOND_LOOP}"""
    return (Edit("rnea", SECOND_LOOP, loop),)


OWN = ABOUT_COM
ω, α = "v[i][:3]", "a[i][:3]"


def _gyroscopic(inertia: str, first: str, second: str) -> str:
    return cross(first, f"mul({inertia}, {second})")


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
    *(
        (f"of ω × I ω only the {axis} component is kept", _moment(f"np.array({others})[:, None] * -{_gyroscopic(OWN, ω, ω)}"))
        for axis, others in (("x", [0, 1, 1]), ("y", [1, 0, 1]), ("z", [1, 1, 0]))
    ),
)

UNTURNED = (
    ("inertias are multiplied by R, and not by Rᵀ after it", _product(OWN, E0)),
    ("inertias are taken along the root's axes without being turned", _product("E0[i]", OWN, E0)),
    ("inertias along the root's axes are Rᵀ I R instead of R I Rᵀ", _product("E0[i]", "E0[i]", OWN, E0, E0)),
)


def _faults() -> Iterator[Fault]:
    for name, edits in GYROSCOPIC:
        yield Fault(name, "gyroscopic", edits)
    for name, inertia in UNTURNED:
        off = f"({inertia} - {OWN})"
        moment = f"(mul({off}, {α}) + {_gyroscopic(off, ω, ω)})"
        yield from with_mass_matrix(Fault(name, "rotational inertia", _moment(moment)), True)
    for name, factor in (
        ("the inertia of the first body, in M, does not contain the outboard bodies", "(λ > 0)"),
        ("the inertia of the last body is left out in M", "(i < len(model.links) - 1)"),
    ):
        edit = Edit("crba", "X[i].carry(Ic[i])", f"X[i].carry(Ic[i]) * {factor}")
        yield Fault(name, "mass matrix", (edit,), needs=_has_chain)


def _has_chain(m: Mechanism) -> bool:
    return any(parent >= 0 for parent in m.parents)


OF_OTHER_BODIES: tuple[Fault, ...] = tuple(_faults())
