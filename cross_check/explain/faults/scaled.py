"""Terms of the recursions, multiplied by a factor: at every joint, or at some.

A factor of 0 leaves the term out, −1 gives it the wrong sign, 2 counts it twice. Answers are affine in the factor, but for the
propagation of velocities. Terms and symbols are those of the reference (Featherstone 2008, Tables 5.1, 6.2, 7.1).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from cross_check.explain.faults.fault import JOINTS, Edit, Fault
from cross_check.explain.faults.joint_traits import in_words, joints_with
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind

COMPOUND: tuple[Kind, ...] = tuple(kind for kind in MOVING if JOINT_KINDS[kind].compound)

ACCELERATION = "mul(S[i], qdd[link.v]) + crm(v[i], vJ)"
FORCE = "mul(S[i].swapaxes(0, 1), f[i]) + link.armature * qdd[link.v] + link.damping * qd[link.v]"
PRODUCT = "velocity_product(S[i], qd[link.v])"
SECOND_LOOP = "τ: list[Tensor] = []"
MOMENTUM_RATE = "crf(v[i], mul(link.I, v[i]))"
OF_UNIT = "crf(v[i], mul(I, v[i]))"
# ω × I_c ω, with I_c the inertia about the centre of mass: I_o − (m c×)(m c×)ᵀ / m.
ABOUT_COM = "(link.I[:3, :3] - mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)))"
GYROSCOPIC = f"np.pad(crm(v[i], np.pad(mul({ABOUT_COM}, v[i][:3]), ((0, 3), (0, 0))))[:3], ((0, 3), (0, 0)))"
# I_o − I_c.
PARALLEL_AXIS = (
    "np.pad(mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)), ((0, 3), (0, 3), (0, 0)))"
)

UNITS = (("π/180", math.pi / 180), ("180/π", 180 / math.pi))
"""Factors that are known by other words than their digits."""


@dataclass(frozen=True)
class Place:
    """Where a term stands: a module of the reference, the right text, and the wrong text, in which K is the factor.

    ``link`` is what the code calls the joint's link there.
    """

    module: str
    right: str
    wrong: str
    link: str = "link"

    def edit(self, factor: str, trait: str = "") -> Edit:
        """The wrong text with this ``factor``, which may depend on ``link``."""
        k = re.sub(r"\blink\b", lambda match: self.link, factor)
        return Edit(self.module, self.right, self.wrong.replace("K", k, 1), trait)


@dataclass(frozen=True)
class Term:
    """A term that code can get wrong. ``name`` is the subject of a sentence."""

    name: str
    group: str
    places: tuple[Place, ...]
    kinds: tuple[Kind, ...] = ()
    """The kinds of joints that have it; all if none are named."""
    is_inner: bool = False
    """Whether joints on the root lack it."""
    is_affine: bool = True
    """Whether answers are affine in the factor, so that one that has no name can be fitted."""
    in_mass_matrix: bool = False
    """Whether it contributes to M, if M is computed from inverse dynamics."""
    is_whole: bool = False
    """Whether it is all of a quantity, so that a factor everywhere is one of the quantity, and says less than other faults."""


def _at(right: str, wrong: str, *modules: str, link: str = "link") -> tuple[Place, ...]:
    return tuple(Place(module, right, wrong, link) for module in modules)


OF_BODY = "model.links[i]"


SPATIAL_TERMS = (
    Term(
        "v × S q̇ (the Coriolis acceleration)",
        "Coriolis and centrifugal",
        (
            *_at(ACCELERATION, "mul(S[i], qdd[link.v]) + K * crm(v[i], vJ)", "rnea", "joint_torque_regressor", "kinematics"),
            *_at("c.append(crm(v[i], vJ))", "c.append(K * crm(v[i], vJ))", "aba"),
        ),
    ),
    Term(
        "the velocity product S̊ q̇ of joints with several angles",
        "Coriolis and centrifugal",
        _at(PRODUCT, "K * " + PRODUCT, "rnea", "aba", "joint_torque_regressor", "kinematics"),
        COMPOUND,
    ),
    Term(
        "v ×* I v",
        "gyroscopic",
        (*_at(MOMENTUM_RATE, "K * " + MOMENTUM_RATE, "rnea", "aba"), *_at(OF_UNIT, "K * " + OF_UNIT, "joint_torque_regressor")),
    ),
    Term(
        "ω × I ω (the gyroscopic moment)",
        "gyroscopic",
        (
            *_at(MOMENTUM_RATE, f"({MOMENTUM_RATE} + (K - 1) * {GYROSCOPIC})", "rnea", "aba"),
            # Mass and first moments stand in the last three columns. The right text stays, so that several joints can be edited.
            *_at(OF_UNIT, f"(1 if np.any(I[:, 3:]) else K) * {OF_UNIT}", "joint_torque_regressor"),
        ),
    ),
    Term("I a", "inertia", _at("f.append(mul(link.I, a[i])", "f.append(K * mul(link.I, a[i])", "rnea")),
    Term(
        "S q̈",
        "acceleration",
        _at(ACCELERATION, "K * mul(S[i], qdd[link.v]) + crm(v[i], vJ)", "rnea", "joint_torque_regressor", "kinematics"),
    ),
    Term(
        "the acceleration of the parent",
        "acceleration",
        _at("(-model.gravity if λ < 0 else a[λ])", "(-model.gravity if λ < 0 else K * a[λ])", "rnea", "joint_torque_regressor"),
        is_inner=True,
    ),
    Term(
        "gravity",
        "gravity",
        _at("(-model.gravity if λ < 0 else a[λ])", "(-model.gravity * K if λ < 0 else a[λ])", "rnea"),
    ),
    Term(
        "the velocity of the parent",
        "Coriolis and centrifugal",
        _at("X[i] @ v[λ] + vJ)", "K * (X[i] @ v[λ]) + vJ)", "rnea", "aba", "energy", "joint_torque_regressor"),
        is_inner=True,
        is_affine=False,
    ),
    Term("the force of an outboard body", "outboard joints", _at("X[i].T @ f[i]", "K * (X[i].T @ f[i])", "rnea"), is_inner=True),
    Term("the force on the body", "external forces", _at("f[i] - fx[i]", "f[i] - K * fx[i]", "rnea")),
    Term("armature · q̈", "armature", _at("link.armature * qdd[link.v]", "K * link.armature * qdd[link.v]", "rnea")),
    Term(
        "the armature on the diagonal", "armature", _at("[..., None] * link.armature", "[..., None] * link.armature * K", "aba")
    ),
    Term("½ armature q̇²", "armature", _at("(link.armature * qd[link.v]", "(K * link.armature * qd[link.v]", "energy")),
    Term(
        "the armature on the diagonal of M",
        "armature",
        _at("link.armature[k - link.v.start]", "K * link.armature[k - link.v.start]", "crba"),
    ),
    Term(
        "the composite inertia of the outboard bodies, in M,",
        "mass matrix",
        _at("X[i].carry(Ic[i])", "K * X[i].carry(Ic[i])", "crba"),
        is_inner=True,
    ),
    Term(
        "M off the diagonal of the joints",
        "mass matrix",
        _at("mul(S[j].swapaxes(0, 1), F)", "K * mul(S[j].swapaxes(0, 1), F)", "crba"),
        is_inner=True,
    ),
    Term(
        "the parallel-axis term in M",
        "mass matrix",
        _at("[link.I for link in model.links]", f"[link.I + (K - 1) * {PARALLEL_AXIS} for link in model.links]", "crba"),
    ),
    Term(
        "I^a c, the force for the bias acceleration, on the parent's articulated body",
        "Coriolis and centrifugal",
        _at("mul(Ia, c[i])", "K * mul(Ia, c[i])", "aba"),
        is_inner=True,
    ),
    Term(
        "c, the bias acceleration, in the last pass of the articulated-body algorithm",
        "Coriolis and centrifugal",
        _at("else a[λ]) + c[i])", "else a[λ]) + K * c[i])", "aba", link=OF_BODY),
    ),
    Term(
        "the force of the joint, U D⁻¹ u, on the parent's articulated body",
        "outboard joints",
        _at("mul(U[i], Du[i])", "K * mul(U[i], Du[i])", "aba"),
        is_inner=True,
    ),
    Term(
        "U D⁻¹ Uᵀ in the articulated inertia",
        "outboard joints",
        _at("IA[i] - np.einsum(", "IA[i] - K * np.einsum(", "aba"),
        is_inner=True,
    ),
    Term(
        "the momentum of the body, in centroidal momentum,",
        "centroidal momentum",
        (
            *_at("X0[i].T @ mul(link.I, v[i])", "K * (X0[i].T @ mul(link.I, v[i]))", "centroidal"),
            *_at("Ic = [link.I for", "Ic = [K * link.I for", "centroidal"),
        ),
        is_whole=True,
    ),
    Term(
        "the kinetic energy of the body",
        "energies",
        _at("mul(link.I, v[i])", "K * mul(link.I, v[i])", "energy"),
        is_whole=True,
    ),
    Term("the potential energy of the body", "energies", _at("V - (g *", "V - K * (g *", "energy"), is_whole=True),
    Term("damping · q̇", "damping", _at("link.damping * qd[link.v]", "K * link.damping * qd[link.v]", "rnea", "aba")),
    Term("the force τ", "forces of joints", _at(f"τ.append({FORCE})", f"τ.append(K * ({FORCE}))", "rnea")),
)


def scaled(term: Term, factor: float, joints: tuple[str, ...] = ()) -> Fault:
    """The term multiplied by ``factor`` at the joints with these names; at all joints if none are named."""
    # A name is text from a file: only its literal gets into code.
    k = f"({factor!r} if link.joint.name in {joints!r} else 1)" if joints else f"({factor!r})"
    edits = tuple(place.edit(k) for place in term.places)
    return Fault(sentence(term, factor, joints), term.group, edits, kinds=term.kinds, where=joints)


def scaled_where(term: Term, factor: float, trait: str) -> Fault:
    """The term multiplied by ``factor`` at the joints with a trait (:mod:`cross_check.explain.faults.joint_traits`) of any
    mechanism."""
    k = f"({factor!r} if link.joint.name in {JOINTS} else 1)"
    edits = tuple(place.edit(k, trait) for place in term.places)
    said = f"{sentence(term, factor, ())} at {in_words(trait)}"
    needs = lambda m: bool(joints_with(trait, m))  # noqa: E731
    return Fault(said, term.group, edits, kinds=term.kinds, needs=needs, has_trait=True)


def sentence(term: Term, factor: float, joints: tuple[str, ...]) -> str:
    """What is wrong, as the end of a sentence that begins with "The code is wrong in this:"."""
    at = f" at joint {joints[0]}" if len(joints) == 1 else f" at joints {', '.join(joints)}" if joints else ""
    wrong = {0: "is left out", -1: "has the wrong sign", 2: "counts twice", 0.5: "is halved"}
    unit = next((f" ({words})" for words, known in UNITS if abs(factor / known - 1) < 1e-9), "")
    return f"{term.name} {wrong.get(factor, f'is multiplied by {factor_words(factor)}{unit}')}{at}"


def factor_words(k: float) -> str:
    """A factor with six digits; one that hardly differs from one by its difference."""
    return f"{k:.6g}" if abs(k - 1) > 1e-5 else f"1 {'−' if k < 1 else '+'} {abs(k - 1):.3g}"


def joints_of(term: Term, mechanism: Mechanism) -> tuple[str, ...]:
    """The names of the joints that have the term."""
    return tuple(
        body.joint.name
        for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True)
        if (not term.kinds or body.joint.kind in term.kinds) and (parent >= 0 or not term.is_inner)
    )
