"""Terms of the reference's own algorithms, in spatial vectors (Featherstone 2008, Tables 5.1, 6.2, 7.1)."""

from __future__ import annotations

from cross_check.explain.faults.scaled import Place, Term
from mechanisms.joint_kinds import JOINT_KINDS, MOVING

COMPOUND = tuple(kind for kind in MOVING if JOINT_KINDS[kind].compound)

CORIOLIS = "Coriolis and centrifugal"

# I_o − I_c of a body.
PARALLEL_AXIS = (
    "np.pad(mul(link.I[:3, 3:], link.I[:3, 3:].swapaxes(0, 1)) / (link.mass + (link.mass == 0)), ((0, 3), (0, 3), (0, 0)))"
)


def _times(text: str, *modules: str) -> tuple[Place, ...]:
    """A factor of what this text computes."""
    return tuple(Place(module, text, f"K * ({text})") for module in modules)


FORCE = "mul(S[i].swapaxes(0, 1), f[i]) + link.armature * qdd[link.v] + link.damping * qd[link.v]"

OF_UNIT = "crf(v[i], mul(I, v[i]))"

COMPOSITE_INERTIA = "Ic = [link.I for link in model.links]"

VELOCITY_PRODUCT = Term(
    "v × S q̇ (the Coriolis acceleration)",
    CORIOLIS,
    _times("crm(v[i], vJ)", "rnea", "aba", "joint_torque_regressor", "kinematics"),
)
MOMENTUM_RATE = Term(
    "v ×* I v",
    "gyroscopic",
    (*_times("crf(v[i], mul(link.I, v[i]))", "rnea", "aba"), *_times(OF_UNIT, "joint_torque_regressor")),
)
VELOCITY_OF_PARENT = Term(
    "the velocity of the parent",
    CORIOLIS,
    _times("X[i] @ v[λ]", "rnea", "aba", "energy", "joint_torque_regressor"),
    is_inner=True,
    is_affine=False,
)
ARMATURE_OF_ABA = Term("the armature on the diagonal", "armature", _times("link.armature", "aba"))
ARMATURE_OF_ENERGY = Term("½ armature q̇²", "armature", _times("link.armature", "energy"))
COMPOSITE = Term(
    "the composite inertia of the outboard bodies, in M,", "mass matrix", _times("X[i].carry(Ic[i])", "crba"), is_inner=True
)
OFF_DIAGONAL = Term(
    "M off the diagonal of the joints", "mass matrix", _times("mul(S[j].swapaxes(0, 1), F)", "crba"), is_inner=True
)

SPATIAL_TERMS = (
    VELOCITY_PRODUCT,
    Term(
        "the velocity product S̊ q̇ of joints with several angles",
        CORIOLIS,
        _times("velocity_product(S[i], qd[link.v])", "rnea", "aba", "joint_torque_regressor", "kinematics"),
        COMPOUND,
    ),
    MOMENTUM_RATE,
    Term(
        "ω × I ω, the gyroscopic moment, in the regressor,",
        "gyroscopic",
        # Mass and first moments stand in the last three columns.
        (Place("joint_torque_regressor", OF_UNIT, f"(1 if np.any(I[:, 3:]) else K) * {OF_UNIT}"),),
    ),
    Term("I a", "inertia", _times("mul(link.I, a[i])", "rnea")),
    Term("S q̈", "acceleration", _times("mul(S[i], qdd[link.v])", "rnea", "joint_torque_regressor", "kinematics")),
    Term("the acceleration of the parent", "acceleration", _times("a[λ]", "rnea", "joint_torque_regressor"), is_inner=True),
    Term("gravity", "gravity", _times("-model.gravity", "rnea")),
    VELOCITY_OF_PARENT,
    Term("the force of an outboard body", "outboard joints", _times("X[i].T @ f[i]", "rnea"), is_inner=True),
    Term("the force on the body", "external forces", _times("fx[i]", "rnea")),
    Term("the force τ", "forces of joints", (Place("rnea", f"τ.append({FORCE})", f"τ.append(K * ({FORCE}))"),)),
    ARMATURE_OF_ABA,
    ARMATURE_OF_ENERGY,
    Term("the armature on the diagonal of M", "armature", _times("link.armature[k - link.v.start]", "crba")),
    COMPOSITE,
    OFF_DIAGONAL,
    Term(
        "the parallel-axis term in M",
        "mass matrix",
        (Place("crba", COMPOSITE_INERTIA, f"Ic = [link.I + (K - 1) * {PARALLEL_AXIS} for link in model.links]"),),
    ),
    Term(
        "I^a c, the force for the bias acceleration, on the parent's articulated body",
        CORIOLIS,
        _times("mul(Ia, c[i])", "aba"),
        is_inner=True,
    ),
    Term(
        "c, the bias acceleration, in the last pass of the articulated-body algorithm",
        CORIOLIS,
        (Place("aba", "else a[λ]) + c[i])", "else a[λ]) + K * c[i])", "model.links[i]"),),
    ),
    Term(
        "the force of the joint, U D⁻¹ u, on the parent's articulated body",
        "outboard joints",
        _times("mul(U[i], Du[i])", "aba"),
        is_inner=True,
    ),
    Term(
        "U D⁻¹ Uᵀ in the articulated inertia",
        "outboard joints",
        _times('np.einsum("ij...,jk...->ik...", U[i], UD[i])', "aba"),
        is_inner=True,
    ),
    Term(
        "the momentum of the body, in centroidal momentum,",
        "centroidal momentum",
        (
            *_times("X0[i].T @ mul(link.I, v[i])", "centroidal"),
            Place("centroidal", COMPOSITE_INERTIA, COMPOSITE_INERTIA.replace("[link.I", "[K * link.I")),
        ),
        is_whole=True,
    ),
    Term("the kinetic energy of the body", "energies", _times("mul(link.I, v[i])", "energy"), is_whole=True),
    Term("the potential energy of the body", "energies", _times("(g * (link.mass * c))", "energy"), is_whole=True),
)
