"""Terms that are along the wrong axes, or about the wrong point.

The symbols are those of :mod:`cross_check.explain.faults.classical_terms`: E turns from the parent's axes to the body's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cross_check.explain.faults.classical_terms import BACK, BY_UNIT_ACCELERATIONS, INERTIAL_FORCE, cross, more_acceleration
from cross_check.explain.faults.fault import Edit, Fault, everywhere
from cross_check.explain.faults.scaled import MOMENTUM_RATE, SECOND_LOOP

ω, α, r = "v[i][:3]", "a[i][:3]", "X[i].r"
ω_parent, α_parent = "(0 * v[i] if λ < 0 else v[λ])[:3]", "(0 * v[i] if λ < 0 else a[λ])[:3]"
ṗ_parent, s_parent = "(0 * v[i] if λ < 0 else v[λ])[3:]", "(-model.gravity + 0 * v[i] if λ < 0 else a[λ])[3:]"


def with_mass_matrix(fault: Fault, in_mass_matrix: bool) -> Iterator[Fault]:
    """The fault, and the same with an M that has it."""
    yield fault
    if in_mass_matrix:
        yield replace(fault, edits=(*fault.edits, *BY_UNIT_ACCELERATIONS))


def added_moment(change: str) -> tuple[Edit, ...]:
    """A moment is added to the force on every body, once all velocities and accelerations are known. P0 is the body's origin from
    the root's, along the body's axes."""
    loop = f"""P0 = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        P0.append(mul(X[i].E, X[i].r + (0 if λ < 0 else P0[λ])))
        f[i] = f[i] + np.pad({change}, ((0, 3), (0, 0)))
    {SECOND_LOOP}"""
    return (Edit("rnea", SECOND_LOOP, loop),)


CENTRIPETAL, TANGENTIAL = cross(ω_parent, cross(ω_parent, r)), cross(α_parent, r)
OF_PARENT = f"({s_parent} + {cross(ω_parent, ṗ_parent)})"

LINEAR = (
    ("ω × (ω × r), the centripetal acceleration of a joint,", CENTRIPETAL, False),
    ("α × r, the tangential acceleration of a joint,", TANGENTIAL, True),
    ("ω × (ω × r) + α × r, the acceleration of a joint from its parent's origin,", f"({CENTRIPETAL} + {TANGENTIAL})", True),
    ("p̈ of the parent's origin", OF_PARENT, True),
    ("p̈ of the joint", f"({OF_PARENT} + {CENTRIPETAL} + {TANGENTIAL})", True),
)
"""Accelerations along the parent's axes, and whether they contribute to M."""

ANGULAR = (("α of the parent", α_parent, True),)

TURNS = (
    ("is not turned to the body's axes", "{x}"),
    ("is turned by Rᵀ instead of R", "mul(X[i].E.swapaxes(0, 1), {x})"),
)

FORCE = "f.append(mul(link.I, a[i]) + crf(v[i], mul(link.I, v[i])))"
OUTBOARD_FORCE = "f[i][3:]"


def _added(place: str, change: str) -> tuple[Edit, ...]:
    pad = "((3, 0), (0, 0))" if place == "linear" else "((0, 3), (0, 0))"
    return more_acceleration(f"np.pad({change}, {pad})")


def _accelerations() -> Iterator[tuple[Fault, bool]]:
    for place, terms in (("linear", LINEAR), ("angular", ANGULAR)):
        for name, term, in_mass_matrix in terms:
            for words, turned in TURNS:
                change = f"({turned.format(x=term)} - mul(X[i].E, {term}))"
                yield Fault(f"{name} {words}", "rotated placements", _added(place, change)), in_mass_matrix


def _moments() -> Iterator[Fault]:
    turned = f"mul(X[i].E.swapaxes(0, 1), {OUTBOARD_FORCE})"
    for words, force in (
        ("is taken with the force along the body's axes, not along the parent's", OUTBOARD_FORCE),
        ("is taken with the force turned by R instead of Rᵀ", f"mul(X[i].E, {OUTBOARD_FORCE})"),
    ):
        off = f"np.pad({cross(r, f'{force} - {turned}')}, ((0, 3), (0, 0)))"
        name = f"r × f, the moment of the force of an outboard body, {words}"
        yield Fault(name, "outboard joints", (Edit("rnea", BACK, f"({BACK} + {off})"),))
    for words, point in (
        ("the origin of its joint", "link.XT.r"),
        ("the origin of its joint, along its own axes", "mul(X[i].E, link.XT.r)"),
    ):
        off = f"np.pad({cross(f'{point} - link.com', INERTIAL_FORCE)}, ((0, 3), (0, 0)))"
        name = f"c × F, the moment of the body's own force, takes {words}, instead of its centre of mass c"
        yield Fault(name, "centre of mass", (Edit("rnea", FORCE, f"{FORCE[:-1]} + {off})"),))
    crossed = everywhere(MOMENTUM_RATE, "crm(v[i], mul(link.I, v[i]))", "rnea", "aba")
    yield Fault("v ×* I v is computed as v × I v, the product for motions", "gyroscopic", crossed)
    product = "mul(S[i].swapaxes(0, 1), f[i])"
    halves = "(mul(S[i].swapaxes(0, 1), np.roll(f[i], 3, axis=0) if link.joint.kind == 'prismatic' else f[i]))"
    name = "the force of a prismatic joint is the moment along its axis"
    yield Fault(name, "prismatic joints", (Edit("rnea", product, halves),), kinds=("prismatic",))
    # The inertia about the root's origin, along the body's axes, without m (|x|² 1 − x xᵀ), x the centre of mass.
    x = "(P0[i] + link.com)"

    def steiner(y: str) -> str:
        return f"-link.mass * {cross(x, cross(y, x))}"

    off = f"({steiner(α)} + {cross(ω, steiner(ω))})"
    name = "the parallel-axis term of inertias about the root's origin is left out"
    yield Fault(name, "rotational inertia", added_moment(off))


def _faults() -> Iterator[Fault]:
    for fault, in_mass_matrix in (*_accelerations(), *((fault, True) for fault in _moments())):
        yield from with_mass_matrix(fault, in_mass_matrix)


OF_AXES: tuple[Fault, ...] = tuple(_faults())
