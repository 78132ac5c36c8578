"""Faults in the terms of the equations of motion: gravity, velocities, inertia, armature, damping, geometry, the tree; and those
that concern one kind of joint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.changes.mechanisms import (
    branches,
    has_armature,
    has_damping,
    has_massless_link,
    has_several_roots,
)
from cross_check.explain.faults.coordinates.joints import BALLS, W_FIRST
from cross_check.explain.faults.edits import SPATIAL_TERMS
from cross_check.explain.faults.fault import Fault, in_units, scaled, slip
from cross_check.explain.faults.terms.factors import FORCE, with_damping
from cross_check.explain.slips.formulas import multiplied
from implementations.conventions.rates import along_joint, linear_first
from mechanisms import Mechanism, Placement
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind


def _called(name: str, term: str, factor: float = 0) -> Fault:
    """The term with this name, multiplied by a factor, by another name."""
    return replace(scaled(SPATIAL_TERMS[term], factor), name=name)


def _of_forces(fault: Fault) -> Fault:
    """The fault of code whose regressor is right."""
    return replace(fault, edits=tuple(edit for edit in fault.edits if edit.module != "joint_torque_regressor"))


def _ignored(what: str) -> Fault:
    return Fault(f"{what} is ignored", what, mechanism=wm.scaled(what, 0))


NO_ARMATURE, NO_DAMPING = _ignored("armature"), _ignored("damping")

NEEDS = {
    "armature": has_armature,
    "damping": has_damping,
    "branching": branches,
    "several roots": has_several_roots,
    "bodies without mass": has_massless_link,
}
"""By group: the mechanisms on which an edit can change anything."""


def _of_joints(what: str, *first: Fault) -> tuple[Fault, ...]:
    """Faults with the armature or the damping of joints."""
    return (
        *first,
        Fault(f"{what} of another joint is taken", f"{what} of each joint", mechanism=wm.shifted(what)),
        Fault(f"{what} of slides is ignored", f"{what} of slides", mechanism=wm.scaled(what, 0, wm.SLIDES)),
        Fault(f"{what} is ignored on a free base", f"{what} on a free base", mechanism=wm.on_free_base(what)),
    )


def _without(vector: str, axes: str, group: str, change: Callable[[tuple[int, int, int]], wm.Wrong]) -> tuple[Fault, ...]:
    """The components of a vector are ignored, one in each fault."""
    factors = zip(axes, ((0, 1, 1), (1, 0, 1), (1, 1, 0)), strict=False)
    return tuple(Fault(f"{vector} along {axis} is ignored", group, mechanism=change(kept)) for axis, kept in factors)


def _placed(name: str, change: Callable[[Placement], Placement], group: str = "rotated placements", **which: bool) -> Fault:
    return Fault(name, group, mechanism=wm.placement(change, **which))


def _only_where(condition: str, name: str, group: str, text: str, module: str = "rnea", **traits: Any) -> Fault:
    """What this text computes is zero elsewhere."""
    return slip(name, group, text, f"{text} * ({condition})", module, **traits)


def _of_free_base(name: str, state: ws.Wrong) -> Fault:
    return Fault(name, "free base", state=state, kinds=("free",))


GRAVITY, PASSED = "-model.gravity", "X[i].T @ f[i]"
ONE_CHILD = "λ not in model.parents[i + 1 :]"
RATE = "crf(v[i], mul(link.I, v[i]))"
# ω × I_c ω, with I_c the inertia about the centre of mass: I_o − (m c×)(m c×)ᵀ / m.
ABOUT_COM = "(link.I[:3, :3] - mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)))"
GYROSCOPIC = f"np.pad(crm(v[i], np.pad(mul({ABOUT_COM}, v[i][:3]), ((0, 3), (0, 0))))[:3], ((0, 3), (0, 0)))"
ABOUT_ORIGIN = "the inertia about the centre of mass is taken for that about the origin"

ALL = (
    # Gravity
    Fault("gravity is left out", "gravity", mechanism=wm.gravity((0, 0, 0))),
    in_units("gravity has the wrong sign", "gravity", gravity="-1"),
    in_units("gravity is 9.80665 instead of 9.81", "gravity", gravity="980665/981000"),
    Fault("gravity always points along −z", "gravity in any direction", mechanism=wm.usual_gravity),
    *_without("gravity", "xy", "gravity in any direction", wm.gravity),
    # Velocities
    *(
        _called(f"Coriolis and centrifugal terms {multiplied(k, True)}", "v × S q̇ (the Coriolis acceleration)", k)
        for k in (0, -1, 0.5)
    ),
    _of_forces(scaled(SPATIAL_TERMS["the velocity of the parent"], 0)),
    *(_of_forces(scaled(SPATIAL_TERMS["v ×* I v"], k)) for k in (0, -1)),
    *(slip(f"ω × I ω {multiplied(k)}", "gyroscopic", RATE, f"{RATE} + ({k - 1}) * {GYROSCOPIC}", "rnea", "aba") for k in (0, -1)),
    # Inertia
    Fault("rotational inertia is ignored", "rotational inertia", mechanism=wm.moments((0,) * 6)),
    in_units("Iyy and Izz are exchanged", "rotational inertia", order=(0, 2, 1, 3, 4, 5)),
    Fault("products of inertia are left out", "products of inertia", mechanism=wm.moments((1, 1, 1, 0, 0, 0))),
    in_units("Ixy has the wrong sign", "products of inertia", moments=("1", "1", "1", "-1", "1", "1")),
    in_units("Ixz has the wrong sign", "products of inertia", moments=("1", "1", "1", "1", "-1", "1")),
    in_units("Iyz has the wrong sign", "products of inertia", moments=("1", "1", "1", "1", "1", "-1")),
    Fault("the centre of mass is ignored", "centre of mass", mechanism=wm.center_of_mass((0, 0, 0))),
    *_without("the centre of mass", "xyz", "centre of mass", wm.center_of_mass),
    Fault("the centre of mass is read in the parent's axes", "centre of mass", mechanism=wm.center_of_mass_in_parent_frame),
    slip(ABOUT_ORIGIN, "centre of mass", "inertia.about((o, o, o))", "inertia.matrix", "model"),
    _called("off-diagonal blocks of M are zero", "M off the diagonal of the joints"),
    slip("one triangle of M is empty", "mass matrix", "H[rows, link.v].swapaxes(0, 1)", "0", "crba"),
    _called("M does not contain the outboard bodies", "the composite inertia of the outboard bodies, in M,"),
    # Armature and damping
    *_of_joints("armature", NO_ARMATURE, Fault("armature counts twice", "armature", mechanism=wm.scaled("armature", 2))),
    _called("armature is missing in forward dynamics", "the armature on the diagonal"),
    _called("armature is missing in the kinetic energy", "½ armature q̇²"),
    *_of_joints(
        "damping",
        NO_DAMPING,
        slip("damping has the wrong sign", "damping", "field, [joint.damping]", "field, [-joint.damping]", "model"),
        slip("damping grows with v²", "damping", FORCE, with_damping("qd[link.v] * abs(qd[link.v])"), "rnea"),
    ),
    slip("damping is missing in forward dynamics", "damping", FORCE, with_damping("0"), "aba"),
    # Geometry
    _placed("placements are not rotated", wm.unrotated),
    _placed("rotations of placements are transposed", wm.transposed),
    _placed("translations of placements are read along the rotated axes", wm.translated_along_child),
    _placed("placements are not translated", wm.untranslated, "placements"),
    _placed("placements on the root are ignored", wm.none, "placements on the root", roots_only=True),
    Fault("axes are snapped to x, y or z", "skew axes", mechanism=wm.joint(wm.snapped_axis)),
    Fault("axes are read in the parent's frame", "skew axes", mechanism=wm.joint(wm.axis_in_parent_frame)),
    slip("forces are transformed by X instead of X*", "rotated placements", PASSED, "X[i] @ f[i]", "rnea"),
    # The tree
    _only_where(ONE_CHILD, "of several children only one is counted", "branching", PASSED),
    _only_where(ONE_CHILD, "of several children only one is counted in M", "branching", "X[i].carry(Ic[i])", "crba"),
    _only_where(ONE_CHILD, "of several children only one is counted in forward dynamics", "branching", "X[i].carry(Ia)", "aba"),
    Fault("every body hangs on the one before", "branching", mechanism=wm.hung(lambda m, i: i - 1)),
    Fault("there is only one root", "several roots", mechanism=wm.hung(lambda m, i: max(m.parents[i], min(i, 1) - 1))),
    _only_where("i == 0", "gravity acts only outboard of the root's first joint", "several roots", GRAVITY),
    _only_where("link.mass != 0 or λ < 0", "what hangs on a body without mass is lost", "bodies without mass", PASSED),
    # A free base
    _only_where('link.joint.kind != "free"', "gravity does not act on a free base", "free base", GRAVITY, kinds=("free",)),
    _of_free_base("the linear velocity comes first", ws.velocity_by(partial(linear_first, "free"))),
    _of_free_base("the linear velocity is read in the parent's axes", ws.velocity_by(partial(along_joint, "free", False, True))),
    _of_free_base("ω of a free joint is read in the parent's axes", ws.velocity_by(partial(along_joint, "free", True, False))),
    _of_free_base("the acceleration is taken for the classical one", ws.classical_acceleration),
    # Size
    Fault("coordinates beyond the 32nd stand still", "more than 32 coordinates", state=ws.only_first(32)),
    Fault("coordinates beyond the 64th stand still", "more than 64 coordinates", state=ws.only_first(64)),
)

TERMS = tuple(replace(one, needs=NEEDS[one.group]) if one.edits and one.group in NEEDS else one for one in ALL)


COMPOUND: tuple[Kind, ...] = tuple(
    kind for kind in MOVING if JOINT_KINDS[kind].compound and sum(x.turns for x in JOINT_KINDS[kind].coordinates) > 1
)
"""Kinds whose motions do not commute. With at most one turn, their order and the turning of axes make no difference."""

TESTED, AFTER = "if link.compound", "Xk.after(X)"


def carries(kind: Kind, m: Mechanism) -> bool:
    """Whether another joint is outboard of a joint of this kind."""
    return any(λ >= 0 and m.bodies[λ].joint.kind == kind for λ in m.parents)


def _of(kind: Kind) -> Iterator[Fault]:
    """What can be wrong with joints of every kind."""
    group, kinds, this = f"{kind} joints", (kind,), f"link.joint.kind == {kind!r}"
    inverse = ": its quaternion is that of the inverse rotation" if kind in BALLS else ""
    words = f"the position of a {kind} joint has the wrong sign{inverse}"
    yield Fault(words, group, state=ws.reversed_position(kind), kinds=kinds)
    words = f"the velocity of a {kind} joint has the wrong sign"
    yield Fault(words, group, state=ws.velocity_by(partial(ws.negative, kind)), kinds=kinds)
    if kind in COMPOUND:
        for words, right, wrong, modules in (
            ("the axes of a {} joint stay where they are at zero", "(Xk @ s for s", f"(s if {this} else Xk @ s for s", ["jcalc"]),
            ("the motions of a {} joint are made in reverse order", AFTER, f"X.after(Xk) if {this} else {AFTER}", ["jcalc"]),
            ("the velocity product of a {} joint is left out", TESTED, f"{TESTED} and not {this}", ["rnea", "aba", "kinematics"]),
        ):
            yield slip(words.format(kind), group, right, wrong, *modules, kinds=kinds)


def _joints() -> Iterator[Fault]:
    for kind in MOVING:
        yield from _of(kind)
    for kind in MOVING:
        words, passed = f"forces from bodies outboard of {kind} joints are lost", "X[i].T @ f[i]"
        kept = f"{passed} * (λ < 0 or model.links[λ].joint.kind != {kind!r})"
        yield slip(words, "outboard joints", passed, kept, "rnea", needs=partial(carries, kind))
    turned: tuple[tuple[Kind, str], ...] = (
        ("planar", "the components of a planar joint's velocity are rotated"),
        ("spherical", "ω of a spherical joint is read in the parent's axes"),
    )
    for kind, words in turned:
        yield Fault(words, f"{kind} joints", state=ws.velocity_by(partial(along_joint, kind, True, True)), kinds=(kind,))
    exchanged = ws.in_slots("circle", np.fliplr)
    yield Fault("cosine and sine are exchanged", "continuous joints", state=exchanged, kinds=("continuous",))
    words, advance = "the pitch has the wrong sign in the position", "link.S[3:, k] * field.angle(x)"
    yield slip(words, "helical joints", advance, f"-{advance}", "jcalc", kinds=("helical",))
    for words, factor in (("ignored", 0), ("taken per turn", Fraction(1 / (2 * np.pi)))):
        yield Fault(f"the pitch is {words}", "helical joints", mechanism=wm.scaled("pitch", factor), kinds=("helical",))
    for words, group, change in (
        ("the second axis is ignored", "universal joints", wm.default_second_axis),
        ("the second axis is made perpendicular", "axes not at right angles", wm.right_angled_second_axis),
    ):
        yield Fault(words, group, mechanism=wm.joint(change, ("universal",)), kinds=("universal",))
    yield from W_FIRST.faults()
    yield Fault("the sign of w is lost", "quaternions", state=ws.in_slots("quaternion", ws.positive_w), kinds=BALLS)


JOINTS = tuple(_joints())
