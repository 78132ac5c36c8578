"""Faults in the terms of the equations of motion: gravity, velocities, inertia, armature, damping, geometry, the tree."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Edit, Fault, everywhere
from cross_check.explain.faults.scaled import Term, scaled
from cross_check.explain.faults.spatial_terms import (
    ARMATURE_OF_ABA,
    ARMATURE_OF_ENERGY,
    COMPOSITE,
    MOMENTUM_RATE,
    OFF_DIAGONAL,
    VELOCITY_OF_PARENT,
    VELOCITY_PRODUCT,
)
from cross_check.explain.faults.units import in_units
from cross_check.explain.formulations.formulas import multiplied
from implementations.conventions.rates import along_joint, linear_first
from mechanisms import Mechanism

RATE = "crf(v[i], mul(link.I, v[i]))"
# ω × I_c ω, with I_c the inertia about the centre of mass: I_o − (m c×)(m c×)ᵀ / m.
ABOUT_COM = "(link.I[:3, :3] - mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)))"
GYROSCOPIC = f"np.pad(crm(v[i], np.pad(mul({ABOUT_COM}, v[i][:3]), ((0, 3), (0, 0))))[:3], ((0, 3), (0, 0)))"
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


def _called(name: str, term: Term, factor: float = 0) -> Fault:
    """The term multiplied by a factor, by another name."""
    return replace(scaled(term, factor), name=name)


def _of_forces(fault: Fault) -> Fault:
    """The fault of code whose regressor is right."""
    return replace(fault, edits=tuple(edit for edit in fault.edits if edit.module != "joint_torque_regressor"))


NO_ARMATURE = Fault("armature is ignored", "armature", mechanism=wm.scaled("armature", 0))
NO_DAMPING = Fault("damping is ignored", "damping", mechanism=wm.scaled("damping", 0))

TERMS = (
    # Gravity
    Fault("gravity is left out", "gravity", mechanism=wm.gravity((0, 0, 0))),
    in_units("gravity has the wrong sign", "gravity", gravity="-1"),
    in_units("gravity is 9.80665 instead of 9.81", "gravity", gravity="980665/981000"),
    Fault("gravity always points along −z", "gravity in any direction", mechanism=wm.usual_gravity),
    Fault("gravity along x is ignored", "gravity in any direction", mechanism=wm.gravity((0, 1, 1))),
    Fault("gravity along y is ignored", "gravity in any direction", mechanism=wm.gravity((1, 0, 1))),
    # Velocities
    *(_called(f"Coriolis and centrifugal terms {multiplied(k, True)}", VELOCITY_PRODUCT, k) for k in (0, -1, 0.5)),
    _of_forces(scaled(VELOCITY_OF_PARENT, 0)),
    *(_of_forces(scaled(MOMENTUM_RATE, k)) for k in (0, -1)),
    *(
        Fault(f"ω × I ω {multiplied(k)}", "gyroscopic", everywhere(RATE, f"{RATE} + ({k - 1}) * {GYROSCOPIC}", "rnea", "aba"))
        for k in (0, -1)
    ),
    # Inertia
    Fault("rotational inertia is ignored", "rotational inertia", mechanism=wm.moments((0,) * 6)),
    in_units("Iyy and Izz are exchanged", "rotational inertia", order=(0, 2, 1, 3, 4, 5)),
    Fault("products of inertia are left out", "products of inertia", mechanism=wm.moments((1, 1, 1, 0, 0, 0))),
    in_units("Ixy has the wrong sign", "products of inertia", moments=("1", "1", "1", "-1", "1", "1")),
    in_units("Ixz has the wrong sign", "products of inertia", moments=("1", "1", "1", "1", "-1", "1")),
    in_units("Iyz has the wrong sign", "products of inertia", moments=("1", "1", "1", "1", "1", "-1")),
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
    _called("off-diagonal blocks of M are zero", OFF_DIAGONAL),
    Fault("one triangle of M is empty", "mass matrix", (Edit("crba", "H[rows, link.v].swapaxes(0, 1)", "0"),)),
    _called("M does not contain the outboard bodies", COMPOSITE),
    # Armature and damping
    NO_ARMATURE,
    Fault("armature counts twice", "armature", mechanism=wm.scaled("armature", 2)),
    Fault("armature of another joint is taken", "armature of each joint", mechanism=wm.shifted("armature")),
    Fault("armature of slides is ignored", "armature of slides", mechanism=wm.scaled("armature", 0, wm.SLIDES)),
    Fault("armature is ignored on a free base", "armature on a free base", mechanism=wm.on_free_base("armature")),
    replace(_called("armature is missing in forward dynamics", ARMATURE_OF_ABA), needs=has_armature),
    replace(_called("armature is missing in the kinetic energy", ARMATURE_OF_ENERGY), needs=has_armature),
    NO_DAMPING,
    Fault(
        "damping has the wrong sign",
        "damping",
        (Edit("model", "constant(field, [joint.damping]", "constant(field, [-joint.damping]"),),
        needs=has_damping,
    ),
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
        "gravity acts only outboard of the root's first joint",
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
    Fault("the linear velocity comes first", "free base", state=ws.velocity_by(partial(linear_first, "free")), kinds=("free",)),
    Fault(
        "the linear velocity is read in the parent's axes",
        "free base",
        state=ws.velocity_by(partial(along_joint, "free", False, True)),
        kinds=("free",),
    ),
    Fault(
        "ω of a free joint is read in the parent's axes",
        "free base",
        state=ws.velocity_by(partial(along_joint, "free", True, False)),
        kinds=("free",),
    ),
    Fault("the acceleration is taken for the classical one", "free base", state=ws.classical_acceleration, kinds=("free",)),
    # Size
    Fault("coordinates beyond the 32nd stand still", "more than 32 coordinates", state=ws.only_first(32)),
    Fault("coordinates beyond the 64th stand still", "more than 64 coordinates", state=ws.only_first(64)),
)
