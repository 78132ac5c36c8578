"""Terms that are left out, have the wrong sign, count twice or are halved, and those that are computed otherwise.

Faults of derivatives are those of code that differentiates its dynamics wrongly, and computes the dynamics rightly. Forces of
joints may be those that the mechanism does not have: friction, springs, constant forces; and those that it has, by another law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial

from cross_check.explain.faults.answers.dynamics import OF_DYNAMICS
from cross_check.explain.faults.answers.kinematics_and_matrices import OF_KINEMATICS, OF_MATRICES
from cross_check.explain.faults.changes.mechanisms import has_damping, has_friction
from cross_check.explain.faults.coordinates.special_states import POSITIVE_COSINE, READ_AS_ANGLE
from cross_check.explain.faults.edits import COMPOUND, SPATIAL_TERMS, faults_of
from cross_check.explain.faults.fault import BY_UNIT_ACCELERATIONS, Edit, Fault, Term, everywhere, joints_of, scaled
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.formulations.bodies import Bodies
from cross_check.explain.slips.instead import bodies_of
from cross_check.explain.slips.types import Addend, addends_of
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Kind

FORCE = "joint_force(model, link, q, qd)"
SIGN = "model.field.sign(qd[link.v])"
RETURN = "return np.concatenate(τ[::-1])"
OF_DERIVATIVE = 'diagonal(model, "damping")'


def with_damping(force: str) -> str:
    """The force of a joint whose damping is multiplied by another number than q̇."""
    return f"({FORCE} + link.damping * ({force} - qd[link.v]))"


def _friction(law: str, force: str, *of_derivative: Edit) -> Fault:
    """Friction by another law, which is damping times a force, and its derivative by v."""
    edit = Edit("rnea", FORCE, with_damping(force))
    return Fault(f"friction is damping · {law}", "damping", (edit, *of_derivative), needs=has_damping)


OF_JOINT_FORCES: tuple[Fault, ...] = (
    _friction("sign(v) instead of damping · v", "np.sign(qd[link.v])", Edit("derivatives", f"dτ + {OF_DERIVATIVE}", "dτ")),
    _friction("|v| instead of damping · v", "np.abs(qd[link.v])"),
    _friction(
        "|v| v instead of damping · v",
        "qd[link.v] * np.abs(qd[link.v])",
        Edit("derivatives", OF_DERIVATIVE, f"{OF_DERIVATIVE} * 2 * np.abs(qd)"),
    ),
)


def damped_sign(part: float) -> Fault:
    """Dry friction in proportion to the damping."""
    return _friction(f"(v + {part:.6g} · sign(v))", f"(qd[link.v] + ({part!r}) * np.sign(qd[link.v]))")


def smoothed(width: float) -> Fault:
    """Coulomb friction without its jump, as integrators like it; the ``width`` is a velocity, in the unit of each joint."""
    said = f"Coulomb friction is smoothed: friction · tanh(v / {width:.6g}) instead of friction · sign(v)"
    smooth = f"np.tanh(qd[link.v] / {width!r})" if width else SIGN
    return Fault(said, "friction", everywhere(SIGN, smooth, "joint_forces"), needs=has_friction)


def _added(group: str, said: str, edit: Callable[[str, str], Edit], joint: str, number: float) -> Fault:
    """A force or an energy with one number, of the joint with this name; of every joint with one velocity if it is empty.

    ``said`` has places for the joint and the number. ``edit`` makes the change of a condition on ``link``, and the number.
    """
    # A name is text from a file: only its literal gets into code.
    condition = f"link.joint.name == {joint!r}" if joint else "link.joint.nv == 1"
    words = said.format(f"joint {joint}" if joint else "every joint", number)
    return Fault(words, group, (edit(condition, f"({number!r})"),), where=(joint,) if joint else ())


def _force(law: str, condition: str, number: str) -> Edit:
    """A force by a law in which k is the number."""
    force = f"{law.replace('k', number, 1)} if {condition} else 0"
    return Edit("rnea", RETURN, f"τ = [τi + ({force}) for τi, link in zip(τ, reversed(model.links), strict=True)]\n    {RETURN}")


def _energy(condition: str, number: str) -> Edit:
    energy = f"V + {number} / 2 * sum((q[link.q] ** 2).sum(axis=0) for link in model.links if {condition})"
    return Edit("energy", "return V", f"return {energy}")


LAWS: tuple[tuple[str, str, Callable[[str, str], Edit]], ...] = (
    ("springs", "{} has a spring: {:.6g} · q is added to τ", partial(_force, "k * q[link.q]")),
    ("springs", "{} has a spring: ½ · {:.6g} · q² is added to the potential energy", _energy),
    ("constant forces", "{1:.6g} is added to the force of {0}", partial(_force, "k + 0 * qd[link.v]")),
    ("friction", "{} has dry friction: {:.6g} · sign(v) is added to τ", partial(_force, "k * np.sign(qd[link.v])")),
)

FITTED: tuple[tuple[str, Callable[[str, float], Fault]], ...] = tuple((law[0], partial(_added, *law)) for law in LAWS)
"""Forces of a joint with one velocity, or of all, and one number, which is zero if there is none."""


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


def _projected(kind: Kind) -> Fault:
    """Sᵀ f with the other half of f, as where a branch for joints of this kind is missing."""
    wrong = f", np.roll(f[i], 3, axis=0) if link.joint.kind == {kind!r} else f[i])"
    other = "force along" if JOINT_KINDS[kind].coordinates[0].turns else "moment about"
    name = f"the force of a {kind} joint is the {other} its axis"
    return Fault(name, f"{kind} joints", (Edit("rnea", ", f[i])", wrong),), kinds=(kind,))


OTHERWISE: tuple[Fault, ...] = (
    *(_projected(kind) for kind, has in JOINT_KINDS.items() if len(has.coordinates) == 1 and not has.takes_pitch),
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
