"""Terms that an engine leaves out of one quantity, or counts with the wrong sign: what is missing, by quantity.

An engine that takes every joint's axes as fixed in the joint's body computes, for all screws s of a joint alike, with the
velocity v of its body and the velocity v_λ and the acceleration a_λ of its parent body (docs/notes/derivatives.md, eq. 24):

    ṡ = v × s,        Ψ̇ = v_λ × s,        Ψ̈ = a_λ × s + v_λ × Ψ̇

This is wrong only for joints with several angles, in which each axis moves with the angles before it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from cross_check.explain.faults.fault import Edit
from cross_check.explain.faults.terms.factors import FIXED_AXES
from cross_check.explain.faults.terms.joint_forces import FORCE, with_damping
from cross_check.explain.findings.finding import lacking, missing, with_edits
from implementations.field import Tensor
from implementations.spatial_algebra.centroidal_derivatives import moving_center, weightless
from implementations.spatial_algebra.derivatives import forward_pass
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.motion_derivatives import OF_BODIES, OF_FRAMES
from mechanisms.quantities import FRAMES, by_quantity

CONCERNED = (
    *(f"{dynamics}_dynamics_{by}" for dynamics in ("inverse", "forward") for by in ("dq", "dv")),
    "coriolis_matrix",
    *("gravity_dq", "static_forces_dq"),
    *("centroidal_momentum_dq", "centroidal_momentum_rate_dq", "centroidal_momentum_rate_dv"),
    *by_quantity({**OF_BODIES, **OF_FRAMES}),
)
"""The quantities of trees that lack terms."""

missing_terms = partial(missing, FIXED_AXES.edits)
"""The missing terms (…, batch) of a quantity, by its name, for a model and its state."""

with_fixed_axes = with_edits(CONCERNED, *FIXED_AXES.edits)
"""Derivatives and C without these terms."""


EULER = ("euler-xyz", "euler-yxz", "euler-zyx")
"""The joints that the adapter gives RBDL as one joint whose axes move in the body. It makes a chain of euler-zxy."""


def _of_moving_center(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Both faults of Pinocchio's rate of the centroidal momentum matrix (6, nv, batch).

    Pinocchio takes the velocity of the centre of mass from another call, and it is zero where there was none. So the answer
    lacks −ċ × l in the angular rows of every column (docs/findings/pinocchio-centroidal-map-rate.md). For joints whose axes move
    in the body it lacks Iᶜ Δṡ, too (docs/findings/pinocchio-jacobian-time-variation-subspace.md).
    """
    moved = moving_center(model, forward_pass(weightless(model), q, qd, 0 * qd))
    return missing_terms("centroidal_momentum_matrix_rate", model, q, qd) - np.concatenate((moved, 0 * moved))


about_still_center = lacking({"centroidal_momentum_matrix_rate": _of_moving_center})
"""Pinocchio's Ȧ without the missing terms."""

IS_ALIGNED = '(link.joint.kind not in ("revolute", "helical") or sorted(link.joint.axis) == [0, 0, 1])'

without_unaligned_armature = with_edits(["kinetic_energy"], Edit("energy", "link.armature", f"{IS_ALIGNED} * link.armature"))
"""Pinocchio's T, without the ½ armature q̇² of revolute and helical joints about any axis but +x, +y and +z."""

with_reversed_damping = with_edits(
    ("inverse_dynamics", "inverse_dynamics_with_forces"), Edit("rnea", FORCE, with_damping("-qd[link.v]"))
)
"""biorbd's inverse dynamics, which subtracts damping · v instead of adding it."""

with_reversed_potential = with_edits(["potential_energy"], Edit("energy", "V = V - ", "V = V + "))
"""JaxSim's potential energy, m gᵀ c."""

without_subspace_rates = with_edits((f"drifts_{frame}" for frame in FRAMES), Edit("kinematics", "if link.compound", "if False"))
"""Pinocchio's J̇ v without Ṡ q̇, for joints whose axes move in the body's frame."""

AT_ROOT = f"λ < 0 and link.joint.kind in {EULER!r}"

without_first_velocity_products = with_edits(
    ["nonlinear_effects"], Edit("rnea", "if link.compound", f"if link.compound and not ({AT_ROOT})")
)
"""h without the forces of the accelerations c_J of joints at the root, which RBDL's ``NonlinearEffects`` leaves out."""

RATES, IS_BASE = "(joint.ds, joint.s / 2) for joint in joints", 'link.joint.kind == "free" and link.v.start == 0'
OF_TURNING = f"(joint.ds * (not ({IS_BASE})), joint.s / 2) for link, joint in zip(model.links, joints, strict=True)"

without_turning_base = with_edits(["coriolis_matrix"], Edit("derivatives", RATES, OF_TURNING))
"""iDynTree's Coriolis matrix, without what is due to axes of the base that turn with it.

For bodies i with Jacobians J, C = Σ Jᵀ (I J̇ + B J), where the columns of J̇ are the rates of screws that move with their bodies
(docs/conventions.md). The screws of a free base are the unit motions along its own axes, and their rates are v₀ ×. iDynTree takes
them as zero.
"""
