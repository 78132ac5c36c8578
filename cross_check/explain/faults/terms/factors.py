"""Terms that are left out, have the wrong sign, count twice or are halved, and those that are computed otherwise.

Faults of derivatives are those of code that differentiates its dynamics wrongly, and computes the dynamics rightly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from cross_check.explain.faults.answers.dynamics import OF_DYNAMICS
from cross_check.explain.faults.answers.kinematics_and_matrices import OF_KINEMATICS, OF_MATRICES
from cross_check.explain.faults.coordinates.special_states import POSITIVE_COSINE, READ_AS_ANGLE
from cross_check.explain.faults.edits import COMPOUND, SPATIAL_TERMS, faults_of
from cross_check.explain.faults.fault import BY_UNIT_ACCELERATIONS, Edit, Fault, Term, joints_of, scaled
from cross_check.explain.faults.terms.joint_forces import OF_JOINT_FORCES
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.bodies import Bodies
from cross_check.explain.slips.instead import bodies_of
from cross_check.explain.slips.types import Addend, addends_of
from mechanisms import Mechanism
from mechanisms.joint_kinds import Kind

GROUPS = "coordinate_groups(link)"

COLUMNS = "s, ds, dΨ, ddΨ = (np.concatenate(part, axis=1) for part in zip(*columns, strict=True))"

FIXED = """
        if link.joint.kind in {kinds!r}:
            vλ, aλ = (0 * model.gravity, -model.gravity) if λ < 0 else (joints[λ].v, joints[λ].a)
            ds, dΨ, ddΨ = crm(v, s), crm(vλ, s), crm(aλ, s) + crm(vλ, crm(vλ, s))"""
"""docs/notes/derivatives.md, eq. 24: the derivatives of screws that are fixed in the joint's body."""


def _fixed_axes(words: str, kinds: tuple[Kind, ...]) -> Fault:
    return Fault(
        f"the derivatives take the axes of {words} as fixed in the joint's body, although each angle moves the axes after it",
        "derivatives",
        (
            Edit("derivatives", COLUMNS, COLUMNS + FIXED.format(kinds=kinds)),
            Edit("derivatives", "int(link.compound)", f"int(link.compound and link.joint.kind not in {kinds!r})"),
            Edit("motion_derivatives", GROUPS, f"([slice(link.joint.nv)] if link.joint.kind in {kinds!r} else {GROUPS})"),
        ),
        kinds=kinds,
    )


FIXED_AXES = _fixed_axes("joints with several angles", COMPOUND)


DERIVATIVES: tuple[Fault, ...] = (
    FIXED_AXES,
    *(_fixed_axes(f"{kind} joints", (kind,)) for kind in COMPOUND),
    *faults_of("derivatives"),
)


X_FROM_ROOT = "(o[i] + c_0[i])"


def _of_point(y: str) -> str:
    return f"m.masses[i] * cross({X_FROM_ROOT}, cross({y}, {X_FROM_ROOT}))"


ABOUT_ROOT = Fault(
    "the parallel-axis term of inertias about the root's origin is left out",
    "rotational inertia",
    (Edit("root_frame", "I_0[i] @ α[i]", f"I_0[i] @ α[i] - {_of_point('α[i]')} - cross(ω[i], {_of_point('ω[i]')})"),),
)
"""Without m (|x|² 1 − x xᵀ), x the centre of mass from the root's origin: no formulation has inertias about this origin."""

OTHERWISE: tuple[Fault, ...] = (
    ABOUT_ROOT,
    replace(ABOUT_ROOT, edits=(*ABOUT_ROOT.edits, *BY_UNIT_ACCELERATIONS)),
    Fault(
        "the part of ω × I ω from products of inertia is left out",
        "gyroscopic",
        (Edit("newton_euler", "cross(ω[i], m.inertias[i] @ ω[i])", "cross(ω[i], (m.inertias[i] * m.one) @ ω[i])"),),
    ),
    *OF_JOINT_FORCES,
    *OF_DYNAMICS,
    *OF_KINEMATICS,
    *OF_MATRICES,
    READ_AS_ANGLE,
    POSITIVE_COSINE,
)
"""Terms and quantities that are computed in another way than by a factor."""

FACTORS = (0, -1, 2, 0.5)


@cache
def terms() -> tuple[Term, ...]:
    """The terms of the reference's algorithms, and the addends of formulations that have all that inverse dynamics has.

    In spatial vectors, the terms are those of the reference.
    """
    found: list[Addend] = []
    inverse_dynamics = [name for name, formulation in FORMULATIONS.items() if formulation.stands_for == "rnea"]
    for module in (one for one in inverse_dynamics if bodies_of(one) is Bodies):
        known = {addend.comment for addend in found}
        found += (addend for addend in addends_of(module) if addend.comment not in known)
    return (*SPATIAL_TERMS.values(), *map(_term, found))


def _term(addend: Addend) -> Term:
    place = Edit(addend.module, "", "K * ", at=addend.start)
    in_mass_matrix, is_of_joint = addend.in_mass_matrix, addend.is_of_body
    return Term(addend.name, addend.group, (place,), in_mass_matrix=in_mass_matrix, is_of_joint=is_of_joint, link="m.links[i]")


def usual(mechanism: Mechanism) -> Iterator[Fault]:
    """Every term with the usual factors, everywhere; at single joints where no factor can be fitted.

    Then those that are computed otherwise. Terms that contribute to M come again, with an M that has the same fault.
    """
    for term in terms():
        joints = joints_of(term, mechanism)
        faults = [scaled(term, factor) for factor in FACTORS if not term.is_whole and (joints or not term.is_of_joint)]
        yield from faults
        if term.in_mass_matrix:
            yield from (replace(fault, edits=(*fault.edits, *BY_UNIT_ACCELERATIONS)) for fault in faults)
        if not term.is_affine and len(joints) > 1:
            yield from (scaled(term, factor, (joint,)) for joint in joints for factor in (0, -1))
    yield from (fault for fault in OTHERWISE if fault.changes(mechanism))
