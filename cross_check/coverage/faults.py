"""Faults that dynamics code has, as data: variants of the reference in which exactly one thing is wrong.

Every name completes the sentence "The code is wrong in this: …". Groups are the terms of the equations of motion; a group that
ends in "joints" concerns one kind of joint.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.coverage import wrong_mechanisms as wm
from cross_check.coverage import wrong_states as ws
from cross_check.coverage.mutants import Edit, Fault
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind
from mechanisms.quantities import QUANTITIES

COMPOUND: tuple[Kind, ...] = tuple(
    kind for kind in MOVING if JOINT_KINDS[kind].compound and sum(x.turns for x in JOINT_KINDS[kind].coordinates) > 1
)
"""Kinds whose motions do not commute. With at most one turn, their order and the turning of axes make no difference."""

BALLS: tuple[Kind, ...] = ("spherical", "free")

VELOCITY_PRODUCT = "+ crm(v[i], vJ)"
ACCELERATION = "mul(S[i], qdd[link.v]) + crm(v[i], vJ)"
MOMENTUM_RATE = "crf(v[i], mul(link.I, v[i]))"
# ω × I_c ω, with I_c the inertia about the centre of mass: I_o − (m c×)(m c×)ᵀ / m.
ABOUT_COM = "(link.I[:3, :3] - mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)))"
GYROSCOPIC = f"np.pad(crm(v[i], np.pad(mul({ABOUT_COM}, v[i][:3]), ((0, 3), (0, 0))))[:3], ((0, 3), (0, 0)))"

COMPOUND_TEST = "if link.compound:"
IN_FORCES = "link.armature * qdd[link.v] + link.damping * qd[link.v]"
ONE_CHILD = "(λ not in model.parents[i + 1 :])"


def has_armature(m: Mechanism) -> bool:
    return any(body.joint.armature != 0 for body in m.bodies)


def has_damping(m: Mechanism) -> bool:
    return any(body.joint.damping != 0 for body in m.bodies)


def branches(m: Mechanism) -> bool:
    inner = [λ for λ in m.parents if λ >= 0]
    return len(set(inner)) < len(inner)


def has_several_roots(m: Mechanism) -> bool:
    return m.parents.count(-1) > 1


def has_massless_link(m: Mechanism) -> bool:
    return any(body.inertia.mass == 0 and λ >= 0 for body, λ in zip(m.bodies, m.parents, strict=True))


def carries(kind: Kind, m: Mechanism) -> bool:
    """Whether another joint is behind a joint of this kind."""
    return any(λ >= 0 and m.bodies[λ].joint.kind == kind for λ in m.parents)


def everywhere(right: str, wrong: str, *modules: str) -> tuple[Edit, ...]:
    return tuple(Edit(module, right, wrong) for module in modules)


TERMS = (
    # Gravity
    Fault("gravity is left out", "gravity", mechanism=wm.gravity((0, 0, 0))),
    Fault("gravity has the wrong sign", "gravity", mechanism=wm.gravity((-1, -1, -1))),
    Fault("gravity is 9.80665 instead of 9.81", "gravity", mechanism=wm.gravity(("0.99966",) * 3)),
    Fault("gravity always points along −z", "gravity in any direction", mechanism=wm.usual_gravity),
    Fault("gravity along x is ignored", "gravity in any direction", mechanism=wm.gravity((0, 1, 1))),
    Fault("gravity along y is ignored", "gravity in any direction", mechanism=wm.gravity((1, 0, 1))),
    # Velocities
    Fault(
        "Coriolis and centrifugal terms are left out",
        "Coriolis and centrifugal",
        (
            *everywhere(
                "+ mul(S[i], qdd[link.v]) " + VELOCITY_PRODUCT, "+ mul(S[i], qdd[link.v])", "rnea", "joint_torque_regressor"
            ),
            Edit("aba", "c.append(crm(v[i], vJ))", "c.append(0 * vJ)"),
            Edit("kinematics", ACCELERATION, "mul(S[i], qdd[link.v])"),
        ),
    ),
    Fault(
        "Coriolis and centrifugal terms have the wrong sign",
        "Coriolis and centrifugal",
        (
            *everywhere(ACCELERATION, "mul(S[i], qdd[link.v]) - crm(v[i], vJ)", "rnea", "joint_torque_regressor", "kinematics"),
            Edit("aba", "c.append(crm(v[i], vJ))", "c.append(-crm(v[i], vJ))"),
        ),
    ),
    Fault(
        "Coriolis and centrifugal terms are halved",
        "Coriolis and centrifugal",
        (
            *everywhere(
                ACCELERATION, "mul(S[i], qdd[link.v]) + crm(v[i], vJ) / 2", "rnea", "joint_torque_regressor", "kinematics"
            ),
            Edit("aba", "c.append(crm(v[i], vJ))", "c.append(crm(v[i], vJ) / 2)"),
        ),
    ),
    Fault(
        "the velocity of the parent is left out",
        "Coriolis and centrifugal",
        everywhere("v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)", "v.append(vJ + 0 * X[i].r[:1])", "rnea", "aba", "energy"),
    ),
    Fault("v ×* I v is left out", "gyroscopic", everywhere(MOMENTUM_RATE, "0 * v[i]", "rnea", "aba")),
    Fault("v ×* I v has the wrong sign", "gyroscopic", everywhere(MOMENTUM_RATE, "-" + MOMENTUM_RATE, "rnea", "aba")),
    Fault("ω × I ω is left out", "gyroscopic", everywhere(MOMENTUM_RATE, f"{MOMENTUM_RATE} - {GYROSCOPIC}", "rnea", "aba")),
    Fault(
        "ω × I ω has the wrong sign",
        "gyroscopic",
        everywhere(MOMENTUM_RATE, f"{MOMENTUM_RATE} - 2 * {GYROSCOPIC}", "rnea", "aba"),
    ),
    # Inertia
    Fault("rotational inertia is ignored", "rotational inertia", mechanism=wm.moments((0,) * 6)),
    Fault("Iyy and Izz are exchanged", "rotational inertia", mechanism=wm.inertia(wm.permuted_moments)),
    Fault("products of inertia are left out", "products of inertia", mechanism=wm.moments((1, 1, 1, 0, 0, 0))),
    Fault("Ixy has the wrong sign", "products of inertia", mechanism=wm.moments((1, 1, 1, -1, 1, 1))),
    Fault("Ixz has the wrong sign", "products of inertia", mechanism=wm.moments((1, 1, 1, 1, -1, 1))),
    Fault("Iyz has the wrong sign", "products of inertia", mechanism=wm.moments((1, 1, 1, 1, 1, -1))),
    Fault("the centre of mass is ignored", "centre of mass", mechanism=wm.center_of_mass((0, 0, 0))),
    Fault("the centre of mass along x is ignored", "centre of mass", mechanism=wm.center_of_mass((0, 1, 1))),
    Fault("the centre of mass along y is ignored", "centre of mass", mechanism=wm.center_of_mass((1, 0, 1))),
    Fault("the centre of mass along z is ignored", "centre of mass", mechanism=wm.center_of_mass((1, 1, 0))),
    Fault("the centre of mass is read in the parent's axes", "centre of mass", mechanism=wm.center_of_mass_in_parent_frame),
    Fault(
        "the inertia about the centre of mass is taken for that about the origin",
        "centre of mass",
        (Edit("model", "inertia.about((o, o, o))", "inertia.matrix"),),
    ),
    Fault(
        "off-diagonal blocks of M are zero",
        "mass matrix",
        (Edit("crba", "mul(S[j].swapaxes(0, 1), F)", "0 * mul(S[j].swapaxes(0, 1), F)"),),
    ),
    Fault("one triangle of M is empty", "mass matrix", (Edit("crba", "H[rows, link.v].swapaxes(0, 1)", "0"),)),
    Fault("M does not contain the bodies behind", "mass matrix", (Edit("crba", "Ic[λ] + X[i].carry(Ic[i])", "Ic[λ]"),)),
    # Armature and damping
    Fault("armature is ignored", "armature", mechanism=wm.scaled("armature", 0)),
    Fault("armature counts twice", "armature", mechanism=wm.scaled("armature", 2)),
    Fault("armature of another joint is taken", "armature of each joint", mechanism=wm.shifted("armature")),
    Fault("armature of slides is ignored", "armature of slides", mechanism=wm.scaled("armature", 0, wm.SLIDES)),
    Fault("armature is ignored on a free base", "armature on a free base", mechanism=wm.on_free_base("armature")),
    Fault(
        "armature is missing in forward dynamics",
        "armature",
        (Edit("aba", "[..., None] * link.armature", "[..., None] * 0"),),
        needs=has_armature,
    ),
    Fault(
        "armature is missing in the kinetic energy",
        "armature",
        (Edit("energy", " + (link.armature * qd[link.v] * qd[link.v]).sum(axis=0)", ""),),
        needs=has_armature,
    ),
    Fault("damping is ignored", "damping", mechanism=wm.scaled("damping", 0)),
    Fault("damping has the wrong sign", "damping", mechanism=wm.scaled("damping", -1)),
    Fault("damping grows with v²", "damping", (Edit("rnea", IN_FORCES, IN_FORCES + " * abs(qd[link.v])"),), needs=has_damping),
    Fault("damping of another joint is taken", "damping of each joint", mechanism=wm.shifted("damping")),
    Fault("damping of slides is ignored", "damping of slides", mechanism=wm.scaled("damping", 0, wm.SLIDES)),
    Fault("damping is ignored on a free base", "damping on a free base", mechanism=wm.on_free_base("damping")),
    Fault(
        "damping is missing in forward dynamics", "damping", (Edit("aba", "link.damping * qd[link.v]", "0"),), needs=has_damping
    ),
    # Geometry
    Fault("placements are not rotated", "rotated placements", mechanism=wm.placement(wm.unrotated)),
    Fault("rotations of placements are transposed", "rotated placements", mechanism=wm.placement(wm.transposed)),
    Fault(
        "translations of placements are read along the rotated axes",
        "rotated placements",
        mechanism=wm.placement(wm.translated_along_child),
    ),
    Fault("placements are not translated", "placements", mechanism=wm.placement(wm.untranslated)),
    Fault("placements on the root are ignored", "placements on the root", mechanism=wm.placement(wm.none, roots_only=True)),
    Fault("axes are snapped to x, y or z", "skew axes", mechanism=wm.joint(wm.snapped_axis)),
    Fault("axes are read in the parent's frame", "skew axes", mechanism=wm.joint(wm.axis_in_parent_frame)),
    Fault("forces are transformed by X instead of X*", "rotated placements", (Edit("rnea", "X[i].T @ f[i]", "X[i] @ f[i]"),)),
    # The tree
    Fault(
        "of several children only one is counted",
        "branching",
        (Edit("rnea", "X[i].T @ f[i]", f"X[i].T @ f[i] * {ONE_CHILD}"),),
        needs=branches,
    ),
    Fault(
        "of several children only one is counted in M",
        "branching",
        (Edit("crba", "X[i].carry(Ic[i])", f"X[i].carry(Ic[i]) * {ONE_CHILD}"),),
        needs=branches,
    ),
    Fault(
        "of several children only one is counted in forward dynamics",
        "branching",
        (Edit("aba", "X[i].carry(Ia)", f"X[i].carry(Ia) * {ONE_CHILD}"),),
        needs=branches,
    ),
    Fault("every body hangs on the one before", "branching", mechanism=wm.hung(lambda m, i: i - 1)),
    Fault("there is only one root", "several roots", mechanism=wm.hung(lambda m, i: max(m.parents[i], min(i, 1) - 1))),
    Fault(
        "gravity acts only behind the first joint of the root",
        "several roots",
        (Edit("rnea", "-model.gravity if", "-model.gravity * (i == 0) if"),),
        needs=has_several_roots,
    ),
    Fault(
        "what hangs on a body without mass is lost",
        "bodies without mass",
        (Edit("rnea", "X[i].T @ f[i]", "X[i].T @ f[i] * (link.mass != 0 or λ < 0)"),),
        needs=has_massless_link,
    ),
    # A free base
    Fault(
        "gravity does not act on a free base",
        "free base",
        (Edit("rnea", "-model.gravity if", '-model.gravity * (link.joint.kind != "free") if'),),
        kinds=("free",),
    ),
    Fault("the linear velocity comes first", "free base", state=ws.velocity("free", ws.swapped_halves), kinds=("free",)),
    Fault(
        "the linear velocity is read in the parent's axes",
        "free base",
        state=ws.velocity("free", ws.spatial_translation),
        kinds=("free",),
    ),
    Fault(
        "ω of a free joint is read in the parent's axes",
        "free base",
        state=ws.velocity("free", ws.spatial_rotation),
        kinds=("free",),
    ),
    Fault("the acceleration is taken for the classical one", "free base", state=ws.classical_acceleration, kinds=("free",)),
    # Size
    Fault("coordinates beyond the 32nd stand still", "more than 32 coordinates", state=ws.only_first(32)),
    Fault("coordinates beyond the 64th stand still", "more than 64 coordinates", state=ws.only_first(64)),
)

JOINTS = (
    *(
        Fault(f"the position of a {k} joint has the wrong sign", f"{k} joints", state=ws.reversed_position(k), kinds=(k,))
        for k in MOVING
    ),
    *(
        Fault(f"the velocity of a {k} joint has the wrong sign", f"{k} joints", state=ws.velocity(k, lambda v, q: -v), kinds=(k,))
        for k in MOVING
    ),
    *(
        Fault(
            f"the axes of a {k} joint stay where they are at zero",
            f"{k} joints",
            (Edit("jcalc", "*(Xk @ s for s in S)", f"*(s if link.joint.kind == {k!r} else Xk @ s for s in S)"),),
            kinds=(k,),
        )
        for k in COMPOUND
    ),
    *(
        Fault(
            f"the motions of a {k} joint are made in reverse order",
            f"{k} joints",
            (Edit("jcalc", "X, S = Xk.after(X)", f"X, S = X.after(Xk) if link.joint.kind == {k!r} else Xk.after(X)"),),
            kinds=(k,),
        )
        for k in COMPOUND
    ),
    *(
        Fault(
            f"the velocity product of a {k} joint is left out",
            f"{k} joints",
            everywhere(COMPOUND_TEST, f"if link.compound and link.joint.kind != {k!r}:", "rnea", "aba", "kinematics"),
            kinds=(k,),
        )
        for k in COMPOUND
    ),
    *(
        Fault(
            f"forces from behind a {k} joint are lost",
            "joints behind others",
            (Edit("rnea", "X[i].T @ f[i]", f"X[i].T @ f[i] * (λ < 0 or model.links[λ].joint.kind != {k!r})"),),
            needs=partial(carries, k),
        )
        for k in MOVING
    ),
    Fault(
        "the components of a planar joint's velocity are rotated",
        "planar joints",
        state=ws.velocity("planar", ws.spatial_slide),
        kinds=("planar",),
    ),
    Fault(
        "ω of a spherical joint is read in the parent's axes",
        "spherical joints",
        state=ws.velocity("spherical", ws.spatial_rotation),
        kinds=("spherical",),
    ),
    Fault("cosine and sine are exchanged", "continuous joints", state=ws.in_slots("circle", np.fliplr), kinds=("continuous",)),
    Fault(
        "the pitch has the wrong sign in the position",
        "helical joints",
        (Edit("jcalc", "link.S[3:, k] * field.angle(x)", "-link.S[3:, k] * field.angle(x)"),),
        kinds=("helical",),
    ),
    Fault("the pitch is ignored", "helical joints", mechanism=wm.scaled("pitch", 0), kinds=("helical",)),
    Fault(
        "the pitch is taken per turn",
        "helical joints",
        mechanism=wm.scaled("pitch", Fraction(1 / (2 * np.pi))),
        kinds=("helical",),
    ),
    Fault(
        "the second axis is ignored",
        "universal joints",
        mechanism=wm.joint(wm.default_second_axis, ("universal",)),
        kinds=("universal",),
    ),
    Fault(
        "the second axis is made perpendicular",
        "axes not at right angles",
        mechanism=wm.joint(wm.right_angled_second_axis, ("universal",)),
        kinds=("universal",),
    ),
    Fault(
        "quaternions are read with w first", "quaternions", state=ws.in_slots("quaternion", ws.quaternion_w_first), kinds=BALLS
    ),
    Fault("the sign of w is lost", "quaternions", state=ws.in_slots("quaternion", ws.positive_w), kinds=BALLS),
)

STATES = (
    # Turns
    Fault(
        "small turns of quaternions lose half of their digits",
        "small turns",
        state=ws.in_slots("quaternion", ws.from_arccosine),
        kinds=BALLS,
    ),
    Fault(
        "turns of quaternions below 10⁻³ are none",
        "small turns",
        state=ws.in_slots("quaternion", ws.no_small_turn(1e-3)),
        kinds=BALLS,
    ),
    Fault(
        "turns of quaternions below 10⁻⁵ are none",
        "small turns",
        state=ws.in_slots("quaternion", ws.no_small_turn(1e-5)),
        kinds=BALLS,
    ),
    Fault("half turns of quaternions are none", "half turns", state=ws.in_slots("quaternion", ws.no_half_turn), kinds=BALLS),
    # Thresholds and limits
    Fault("angles below 10⁻³ are zero", "thresholds", state=ws.in_slots("angle", ws.below(1e-3))),
    Fault("angles below 10⁻⁶ are zero", "thresholds", state=ws.in_slots("angle", ws.below(1e-6))),
    Fault("velocities below 10⁻³ are zero", "thresholds", state=ws.column("v", ws.below(1e-3))),
    Fault("velocities below 10⁻⁶ are zero", "thresholds", state=ws.column("v", ws.below(1e-6))),
    Fault("accelerations below 10⁻³ are zero", "thresholds", state=ws.column("a", ws.below(1e-3))),
    Fault("accelerations below 10⁻⁶ are zero", "thresholds", state=ws.column("a", ws.below(1e-6))),
    Fault("angles are clipped to ±π", "limits", state=ws.in_slots("angle", ws.clipped(np.pi))),
    Fault("angles are clipped to ±200", "limits", state=ws.in_slots("angle", ws.clipped(200))),
    Fault("distances are clipped to ±40", "limits", state=ws.in_slots("distance", ws.clipped(40))),
    Fault("velocities are clipped to ±10", "limits", state=ws.column("v", ws.clipped(10))),
    Fault("velocities are clipped to ±500", "limits", state=ws.column("v", ws.clipped(500))),
    Fault("accelerations are clipped to ±10", "limits", state=ws.column("a", ws.clipped(10))),
    Fault("accelerations are clipped to ±500", "limits", state=ws.column("a", ws.clipped(500))),
    Fault("positions are rounded to single precision", "precision", state=ws.column("q", ws.single)),
    Fault("velocities are rounded to single precision", "precision", state=ws.column("v", ws.single)),
    # Special states
    Fault(
        "where one velocity of several is zero, all are",
        "zeros among velocities",
        state=ws.where("v", ws.one_velocity_is_zero),
    ),
    Fault(
        "where one velocity of several moves, none does",
        "zeros among velocities",
        state=ws.where("v", ws.one_velocity_moves),
    ),
    Fault("where v is zero, a is ignored", "rest", state=ws.where("a", ws.at_rest)),
    Fault(
        "where a is zero, v is ignored",
        "rest",
        state=ws.where("va", ws.unaccelerated),
    ),
    Fault("velocities are kept while q stays the same", "cached states", state=ws.kept("v", None)),
    Fault("accelerations are kept while q stays the same", "cached states", state=ws.kept("a", None)),
    Fault("q is kept while it stays the same to six decimals", "cached states", state=ws.kept("q", 6)),
)

OTHERS = (
    Fault("forces on bodies have the wrong sign", "external forces", state=ws.column("f", lambda f: -f)),
    Fault("moments on bodies are ignored", "external forces", state=ws.column("f", lambda f: f * [0, 0, 0, 1, 1, 1])),
    Fault(
        "only the last body feels its force",
        "external forces",
        state=ws.column("f", lambda f: f * (np.arange(f.shape[1]) == f.shape[1] - 1)[:, None]),
    ),
    Fault(
        "potential energy ignores the centre of mass",
        "energies",
        (Edit("energy", "X0.r + mul(X0.E.swapaxes(0, 1), link.com)", "X0.r"),),
    ),
    Fault(
        "the momentum is about the root's origin",
        "centroidal momentum",
        (Edit("centroidal", "h[:3] - cross(c, h[3:])", "h[:3]"),),
    ),
    Fault(
        "ω × v is missing in classical accelerations",
        "kinematics",
        (Edit("kinematics", "ai[3:] + cross(vi[:3], vi[3:])", "ai[3:]"),),
    ),
    Fault(
        "aligned Jacobians are those of the root's origin",
        "kinematics",
        (Edit("kinematics", "Ji[3:] + cross(Ji[:3], X.r[:, None])", "Ji[3:]"),),
    ),
    Fault(
        "the gravity of ∂τ/∂q is missing",
        "derivatives",
        (Edit("derivatives", "(0 * model.gravity, -model.gravity)", "(0 * model.gravity, 0 * model.gravity)"),),
    ),
    Fault(
        "the term s × F of ∂τ/∂q is missing", "derivatives", (Edit("derivatives", "dτ[rows, link.v] + term", "dτ[rows, link.v]"),)
    ),
    Fault("B is missing in ∂τ/∂v and C", "derivatives", (Edit("derivatives", "+ mul(B2[outer], n)", ""),)),
    Fault(
        "C is half of ∂h/∂v",
        "derivatives",
        (Edit("derivatives", "(joint.ds, joint.s / 2)", "((joint.dΨ + joint.ds) / 2, joint.s / 2)"),),
        kinds=("spherical", "planar", "free"),
    ),
    *(
        Fault(f"{quantity.title} is off by a billionth", "each quantity", answer=(name, lambda x: x * (1 + 1e-9)))
        for name, quantity in QUANTITIES.items()
    ),
)

FAULTS = (*TERMS, *JOINTS, *STATES, *OTHERS)
