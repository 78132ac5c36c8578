"""Terms of the reference's own algorithms, in spatial vectors (Featherstone 2008, Tables 5.1, 6.2, 7.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cross_check.explain.faults.fault import Term, everywhere
from mechanisms.joint_kinds import JOINT_KINDS, MOVING

COMPOUND = tuple(kind for kind in MOVING if JOINT_KINDS[kind].compound)

CORIOLIS = "Coriolis and centrifugal"

MASS_MATRIX = "mass matrix"
OUTBOARD = "outboard joints"

REGRESSOR = "joint_torque_regressor"
FORCES = f"rnea {REGRESSOR}"
MOTIONS = f"rnea aba {REGRESSOR} kinematics"
"""Modules that have the same terms."""

FORCE = "mul(S[i].swapaxes(0, 1), f[i]) + link.armature * qdd[link.v] + joint_force(model, link, q, qd)"
OF_UNIT = "crf(v[i], mul(I, v[i]))"
OF_LINKS = "Ic = [link.I"
# I_o − I_c of a body.
PARALLEL_AXIS = (
    "np.pad(mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)), ((0, 3), (0, 3), (0, 0)))"
)


def _term(name: str, group: str, text: str, modules: str, wrong: str = "K * ({})", **traits: Any) -> Term:
    """What this text computes in these modules, and what it is with a factor K."""
    return Term(name, group, everywhere(text, wrong.format(text), *modules.split()), **traits)


def _and(term: Term, text: str, modules: str, wrong: str = "K * ({})") -> Term:
    """The term at further places."""
    return replace(term, places=(*term.places, *_term("", "", text, modules, wrong).places))


VELOCITY_PRODUCT = _term("v × S q̇ (the Coriolis acceleration)", CORIOLIS, "crm(v[i], vJ)", MOTIONS)
MOMENTUM_RATE = _and(_term("v ×* I v", "gyroscopic", "crf(v[i], mul(link.I, v[i]))", "rnea aba"), OF_UNIT, REGRESSOR)
VELOCITY_OF_PARENT = _term(
    "the velocity of the parent", CORIOLIS, "X[i] @ v[λ]", f"rnea aba energy {REGRESSOR}", is_inner=True, is_affine=False
)
ARMATURE_OF_ABA = _term("the armature on the diagonal", "armature", "link.armature", "aba")
ARMATURE_OF_ENERGY = _term("½ armature q̇²", "armature", "link.armature", "energy")
COMPOSITE = _term("the composite inertia of the outboard bodies, in M,", MASS_MATRIX, "X[i].carry(Ic[i])", "crba", is_inner=True)
OFF_DIAGONAL = _term("M off the diagonal of the joints", MASS_MATRIX, "mul(S[j].swapaxes(0, 1), F)", "crba", is_inner=True)

SPATIAL_TERMS = (
    VELOCITY_PRODUCT,
    _term(
        "the velocity product S̊ q̇ of joints with several angles",
        CORIOLIS,
        "velocity_product(S[i], qd[link.v])",
        MOTIONS,
        kinds=COMPOUND,
    ),
    MOMENTUM_RATE,
    # Mass and first moments stand in the last three columns.
    _term(
        "ω × I ω, the gyroscopic moment, in the regressor,",
        "gyroscopic",
        OF_UNIT,
        REGRESSOR,
        "(1 if np.any(I[:, 3:]) else K) * {}",
    ),
    _term("I a", "inertia", "mul(link.I, a[i])", "rnea"),
    _term("S q̈", "acceleration", "mul(S[i], qdd[link.v])", f"{FORCES} kinematics"),
    _term("the acceleration of the parent", "acceleration", "a[λ]", FORCES, is_inner=True),
    _term("gravity", "gravity", "-model.gravity", "rnea"),
    VELOCITY_OF_PARENT,
    _term("the force of an outboard body", OUTBOARD, "X[i].T @ f[i]", "rnea", is_inner=True),
    _term("the force on the body", "external forces", "fx[i]", "rnea"),
    _term("the force τ", "forces of joints", FORCE, "rnea"),
    ARMATURE_OF_ABA,
    ARMATURE_OF_ENERGY,
    _term("the armature on the diagonal of M", "armature", "link.armature[k - link.v.start]", "crba"),
    COMPOSITE,
    OFF_DIAGONAL,
    _term("the parallel-axis term in M", MASS_MATRIX, OF_LINKS, "crba", f"{{}} + (K - 1) * {PARALLEL_AXIS}"),
    _term(
        "I^a c, the force for the bias acceleration, on the parent's articulated body",
        CORIOLIS,
        "mul(Ia, c[i])",
        "aba",
        is_inner=True,
    ),
    _term(
        "c, the bias acceleration, in the last pass of the articulated-body algorithm",
        CORIOLIS,
        "else a[λ]) + c[i])",
        "aba",
        "else a[λ]) + K * c[i])",
        link="model.links[i]",
    ),
    _term(
        "the force of the joint, U D⁻¹ u, on the parent's articulated body", OUTBOARD, "mul(U[i], Du[i])", "aba", is_inner=True
    ),
    _term("U D⁻¹ Uᵀ in the articulated inertia", OUTBOARD, 'np.einsum("ij...,jk...->ik...", U[i], UD[i])', "aba", is_inner=True),
    _and(
        _term(
            "the momentum of the body, in centroidal momentum,",
            "centroidal momentum",
            "X0[i].T @ mul(link.I, v[i])",
            "centroidal",
            is_whole=True,
        ),
        *(OF_LINKS, "centroidal", "Ic = [K * link.I"),
    ),
    _term("the kinetic energy of the body", "energies", "mul(link.I, v[i])", "energy", is_whole=True),
    _term("the potential energy of the body", "energies", "(g * (link.mass * c))", "energy", is_whole=True),
)
