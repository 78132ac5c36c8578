"""Terms of accelerations that take ω, α or the centre of mass of another body, or along other axes.

The symbols are those of :mod:`cross_check.explain.faults.classical_terms`. Code that works outwards has the ω and α of the parent
and of the body at hand, each along the axes of either.
"""

from __future__ import annotations

from collections.abc import Iterator

from cross_check.explain.faults.classical_terms import INERTIAL_FORCE, cross, more_acceleration
from cross_check.explain.faults.fault import Edit, Fault
from cross_check.explain.faults.scaled import SECOND_LOOP
from cross_check.explain.faults.wrong_axes import added_moment, r, with_mass_matrix, α, α_parent, ω, ω_parent

# The acceleration of the body before its own is stored.
OWN_α = "(X[i] @ (-model.gravity if λ < 0 else a[λ]) + mul(S[i], qdd[link.v]) + crm(v[i], vJ))[:3]"
c = "link.com"
NEXT = "min(i + 1, len(v) - 1)"


def to_parent(x: str) -> str:
    return f"mul(X[i].E.swapaxes(0, 1), {x})"


def to_body(x: str) -> str:
    return f"mul(X[i].E, {x})"


OUTBOARD = (
    ("{} outboard of the joint", to_parent(ω), to_parent(OWN_α)),
    ("{} outboard of the joint, along the body's axes", ω, OWN_α),
)
"""What a joint's origin may be taken to turn with: words, ω and α. Right are those of the parent, along its axes."""

BEFORE = (
    ("{} of the parent", to_body(ω_parent), to_body(α_parent)),
    ("{} of the parent, along the parent's axes", ω_parent, α_parent),
)
"""What a centre of mass may be taken to turn with. Right are ω and α of the body."""

OTHERS = (
    ("the parent", "(model.links[λ].com * (λ >= 0))"),
    ("the body before", "model.links[i - 1].com"),
    ("the next body", f"model.links[{NEXT}].com"),
)
"""Bodies of which the centre of mass may be taken."""


def twice(first: str, second: str, x: str) -> str:
    return cross(first, cross(second, x))


def of_point(change: str) -> tuple[Edit, ...]:
    """An acceleration (3, batch) of the body's origin, along the parent's axes, is added."""
    return more_acceleration(f"np.pad({to_body(change)}, ((3, 0), (0, 0)))")


def of_center(change: str) -> tuple[Edit, ...]:
    """An acceleration of the centre of mass is added, once all velocities and accelerations are known."""
    loop = f"""for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        F = link.mass * ({change})
        f[i] = f[i] + np.concatenate(({cross(c, "F")}, F))
    {SECOND_LOOP}"""
    return (Edit("rnea", SECOND_LOOP, loop),)


def _wrong_turns(
    what: str, x: str, right: tuple[str, str], ways: tuple[tuple[str, str, str], ...]
) -> Iterator[tuple[str, str, bool]]:
    """For centripetal and tangential acceleration of a point x: what is wrong, the change, and whether it contributes to M."""
    w, dw = right
    centripetal, point = f"ω × (ω × {x}), the centripetal acceleration of {what},", r if x == "r" else c
    for words, other, other_rate in ways:
        that, all_of_it = words.format("that"), f"({twice(other, other, point)} - {twice(w, w, point)})"
        rate = f"({cross(other_rate, point)} - {cross(dw, point)})"
        yield f"{centripetal} takes {words.format('ω')}", all_of_it, False
        yield f"the first ω of {centripetal} is {that}", f"({twice(other, w, point)} - {twice(w, w, point)})", False
        yield f"the second ω of {centripetal} is {that}", f"({twice(w, other, point)} - {twice(w, w, point)})", False
        yield f"α × {x}, the tangential acceleration of {what}, takes {words.format('α')}", rate, True
        both = f"ω × (ω × {x}) + α × {x}, the acceleration of {what}, takes"
        yield f"{both} {words.format('ω and α')}", f"({all_of_it} + {rate})", True


def _of_sliding(place: str, change: str) -> tuple[Edit, ...]:
    """An acceleration along the body's axes is added: a linear or an angular one."""
    pad = "((3, 0), (0, 0))" if place == "linear" else "((0, 3), (0, 0))"
    return more_acceleration(f"np.pad({change}, {pad})")


def _faults() -> Iterator[Fault]:
    group = "Coriolis and centrifugal"
    raw, right = ω_parent, to_body(ω_parent)
    for name, place, factor, rate in (
        ("2 ω × u, the Coriolis acceleration of a sliding joint, takes ω", "linear", 2, "vJ[3:]"),
        ("ω × S q̇, the rate of the joint's axis, takes ω", "angular", 1, "vJ[:3]"),
    ):
        change = f"{factor} * ({cross(raw, rate)} - {cross(right, rate)})"
        yield Fault(f"{name} of the parent along the parent's axes", group, _of_sliding(place, change))
    for name, change, in_mass_matrix in _wrong_turns("a joint", "r", (ω_parent, α_parent), OUTBOARD):
        yield from with_mass_matrix(Fault(name, group, of_point(change)), in_mass_matrix)
    for name, change, in_mass_matrix in _wrong_turns("the centre of mass", "c", (ω, α), BEFORE):
        yield from with_mass_matrix(Fault(name, group, of_center(change)), in_mass_matrix)
    for words, other in OTHERS:
        centripetal = f"({twice(ω, ω, other)} - {twice(ω, ω, c)})"
        tangential = f"({cross(α, other)} - {cross(α, c)})"
        for name, change, in_mass_matrix in (
            ("ω × (ω × c), the centripetal acceleration of the centre of mass,", centripetal, False),
            ("α × c, the tangential acceleration of the centre of mass,", tangential, True),
            ("ω × (ω × c) + α × c, the acceleration of the centre of mass,", f"({centripetal} + {tangential})", True),
        ):
            fault = Fault(f"{name} takes the centre of mass of {words}", group, of_center(change))
            yield from with_mass_matrix(fault, in_mass_matrix)
        name = f"c × F, the moment of the body's own force, takes the centre of mass of {words}"
        change = cross(f"{other} - {c}", INERTIAL_FORCE)
        yield from with_mass_matrix(Fault(name, "centre of mass", added_moment(change)), True)


OF_RATES: tuple[Fault, ...] = tuple(_faults())
