"""Faults in the terms of the equations of motion: gravity, velocities, inertia, armature, damping, geometry, the tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Fault, slip
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
from mechanisms.joint_kinds import Kind


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


GRAVITY = "-model.gravity"


def _called(name: str, term: Term, factor: float = 0) -> Fault:
    """The term multiplied by a factor, by another name."""
    return replace(scaled(term, factor), name=name)


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

XYZ = ((0, 1, 1), (1, 0, 1), (1, 1, 0))
"""Factors of vectors that lose one component."""


def _terms() -> Iterator[Fault]:
    yield from (*_of_gravity(), *_of_velocities(), *_of_inertia())
    yield from _of_joints("armature", Fault("armature counts twice", "armature", mechanism=wm.scaled("armature", 2)))
    yield _called("armature is missing in forward dynamics", ARMATURE_OF_ABA)
    yield _called("armature is missing in the kinetic energy", ARMATURE_OF_ENERGY)
    right, wrong = "constant(field, [joint.damping]", "constant(field, [-joint.damping]"
    forces = "link.armature * qdd[link.v] + link.damping * qd[link.v]"
    yield from _of_joints(
        "damping",
        slip("damping has the wrong sign", "damping", right, wrong, "model"),
        slip("damping grows with v²", "damping", forces, f"{forces} * abs(qd[link.v])", "rnea"),
    )
    yield slip("damping is missing in forward dynamics", "damping", "link.damping * qd[link.v]", "0", "aba")
    yield from (*_of_geometry(), *_of_tree(), *_of_free_base())
    for most, words in ((32, "32nd"), (64, "64th")):
        clause = f"coordinates beyond the {words} stand still"
        yield Fault(clause, f"more than {most} coordinates", state=ws.only_first(most))


def _of_gravity() -> Iterator[Fault]:
    yield Fault("gravity is left out", "gravity", mechanism=wm.gravity((0, 0, 0)))
    yield in_units("gravity has the wrong sign", "gravity", gravity="-1")
    yield in_units("gravity is 9.80665 instead of 9.81", "gravity", gravity="980665/981000")
    yield Fault("gravity always points along −z", "gravity in any direction", mechanism=wm.usual_gravity)
    for axis, factors in zip("xy", XYZ, strict=False):
        yield Fault(f"gravity along {axis} is ignored", "gravity in any direction", mechanism=wm.gravity(factors))


def _of_velocities() -> Iterator[Fault]:
    for k in (0, -1, 0.5):
        yield _called(f"Coriolis and centrifugal terms {multiplied(k, True)}", VELOCITY_PRODUCT, k)
    yield _of_forces(scaled(VELOCITY_OF_PARENT, 0))
    yield from (_of_forces(scaled(MOMENTUM_RATE, k)) for k in (0, -1))
    rate = "crf(v[i], mul(link.I, v[i]))"
    # ω × I_c ω, with I_c the inertia about the centre of mass: I_o − (m c×)(m c×)ᵀ / m.
    inertia = "(link.I[:3, :3] - mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)))"
    moment = f"np.pad(crm(v[i], np.pad(mul({inertia}, v[i][:3]), ((0, 3), (0, 0))))[:3], ((0, 3), (0, 0)))"
    for k in (0, -1):
        yield slip(f"ω × I ω {multiplied(k)}", "gyroscopic", rate, f"{rate} + ({k - 1}) * {moment}", "rnea", "aba")


def _of_inertia() -> Iterator[Fault]:
    yield Fault("rotational inertia is ignored", "rotational inertia", mechanism=wm.moments((0,) * 6))
    yield in_units("Iyy and Izz are exchanged", "rotational inertia", order=(0, 2, 1, 3, 4, 5))
    yield Fault("products of inertia are left out", "products of inertia", mechanism=wm.moments((1, 1, 1, 0, 0, 0)))
    for k, product in enumerate(("Ixy", "Ixz", "Iyz"), 3):
        signs = tuple("-1" if i == k else "1" for i in range(6))
        yield in_units(f"{product} has the wrong sign", "products of inertia", moments=signs)
    yield Fault("the centre of mass is ignored", "centre of mass", mechanism=wm.center_of_mass((0, 0, 0)))
    for axis, factors in zip("xyz", XYZ, strict=True):
        yield Fault(f"the centre of mass along {axis} is ignored", "centre of mass", mechanism=wm.center_of_mass(factors))
    words = "the centre of mass is read in the parent's axes"
    yield Fault(words, "centre of mass", mechanism=wm.center_of_mass_in_parent_frame)
    words = "the inertia about the centre of mass is taken for that about the origin"
    yield slip(words, "centre of mass", "inertia.about((o, o, o))", "inertia.matrix", "model")
    yield _called("off-diagonal blocks of M are zero", OFF_DIAGONAL)
    yield slip("one triangle of M is empty", "mass matrix", "H[rows, link.v].swapaxes(0, 1)", "0", "crba")
    yield _called("M does not contain the outboard bodies", COMPOSITE)


def _of_joints(what: str, *others: Fault) -> Iterator[Fault]:
    """Faults with the armature or the damping of joints."""
    yield from (NO_ARMATURE if what == "armature" else NO_DAMPING, *others)
    yield Fault(f"{what} of another joint is taken", f"{what} of each joint", mechanism=wm.shifted(what))
    yield Fault(f"{what} of slides is ignored", f"{what} of slides", mechanism=wm.scaled(what, 0, wm.SLIDES))
    yield Fault(f"{what} is ignored on a free base", f"{what} on a free base", mechanism=wm.on_free_base(what))


def _of_geometry() -> Iterator[Fault]:
    for words, change in (
        ("placements are not rotated", wm.unrotated),
        ("rotations of placements are transposed", wm.transposed),
        ("translations of placements are read along the rotated axes", wm.translated_along_child),
    ):
        yield Fault(words, "rotated placements", mechanism=wm.placement(change))
    yield Fault("placements are not translated", "placements", mechanism=wm.placement(wm.untranslated))
    words = "placements on the root are ignored"
    yield Fault(words, "placements on the root", mechanism=wm.placement(wm.none, roots_only=True))
    yield Fault("axes are snapped to x, y or z", "skew axes", mechanism=wm.joint(wm.snapped_axis))
    yield Fault("axes are read in the parent's frame", "skew axes", mechanism=wm.joint(wm.axis_in_parent_frame))
    words = "forces are transformed by X instead of X*"
    yield slip(words, "rotated placements", "X[i].T @ f[i]", "X[i] @ f[i]", "rnea")


def _of_tree() -> Iterator[Fault]:
    for where, module, passed in (
        ("", "rnea", "X[i].T @ f[i]"),
        (" in M", "crba", "X[i].carry(Ic[i])"),
        (" in forward dynamics", "aba", "X[i].carry(Ia)"),
    ):
        words = f"of several children only one is counted{where}"
        yield slip(words, "branching", passed, f"{passed} * (λ not in model.parents[i + 1 :])", module)
    yield Fault("every body hangs on the one before", "branching", mechanism=wm.hung(lambda m, i: i - 1))
    first = wm.hung(lambda m, i: max(m.parents[i], min(i, 1) - 1))
    yield Fault("there is only one root", "several roots", mechanism=first)
    for words, group, right, condition in (
        ("gravity acts only outboard of the root's first joint", "several roots", GRAVITY, "i == 0"),
        ("what hangs on a body without mass is lost", "bodies without mass", "X[i].T @ f[i]", "link.mass != 0 or λ < 0"),
    ):
        yield slip(words, group, right, f"{right} * ({condition})", "rnea")


def _of_free_base() -> Iterator[Fault]:
    kinds: tuple[Kind, ...] = ("free",)
    not_free = f'{GRAVITY} * (link.joint.kind != "free")'
    yield slip("gravity does not act on a free base", "free base", GRAVITY, not_free, "rnea", kinds=kinds)
    for words, change in (
        ("the linear velocity comes first", partial(linear_first, "free")),
        ("the linear velocity is read in the parent's axes", partial(along_joint, "free", False, True)),
        ("ω of a free joint is read in the parent's axes", partial(along_joint, "free", True, False)),
    ):
        yield Fault(words, "free base", state=ws.velocity_by(change), kinds=kinds)
    yield Fault("the acceleration is taken for the classical one", "free base", state=ws.classical_acceleration, kinds=kinds)


TERMS = tuple(replace(one, needs=NEEDS[one.group]) if one.edits and one.group in NEEDS else one for one in _terms())
