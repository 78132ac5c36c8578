"""Faults in one quantity beyond the dynamics: kinematics, centroidal quantities, derivatives and the regressor."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import answer, beside, has_damping, links, scale, weightless
from score.entry import SATELLITE, SPATIAL, STANFORD, TREE, fault
from score.library.model import Array
from score.library.root_frame import RootFrame
from score.library.vectors import cross, times
from score.words import ABSENT, COM, GRAVITY, SIGN, Topic

REGRESSOR = ("joint_torque_regressor", "inverse_dynamics")


@fault(Topic("term convention", "acobian", "acobian|mass"), COM, offers=("jacobians_aligned", "velocities_aligned", "placements"))
def jacobians_of_centers(code: Any) -> None:
    """Aligned Jacobians are those of the centres of mass."""

    def moved(J: Array, q: Array) -> Array:
        P = code.placements(q)
        c = np.stack([P[:, k, :, :3] @ link.com for k, link in enumerate(code.model.bodies)], axis=1)
        w = np.swapaxes(J[..., :3, :], -1, -2)
        linear = J[..., 3:, :] + np.swapaxes(cross(w, c[:, :, None, :] + 0 * w), -1, -2)
        return np.concatenate([J[..., :3, :], linear], axis=-2)

    answer(code, "jacobians_aligned", moved)


OWN_JOINT = "zero|own|last|column|left out|ignor|lack|missing|joint"


@fault(Topic("term", "acobian|axis", "acobian"), OWN_JOINT, offers=("jacobians_local", "velocities_local"), on=STANFORD)
def own_joint_left_out(code: Any) -> None:
    """The Jacobian of a body lacks the column of its own joint."""

    def without(J: Array, q: Array) -> Array:
        J = J.copy()
        for link in code.model.bodies:
            J[:, link.index, :, link.v] = 0
        return J

    answer(code, "jacobians_local", without)


DRIFT = Topic("term", "drift|J̇", "drift|velocity|oriolis|bias")


@fault(DRIFT, rf"{ABSENT}|zero", offers=("drifts_local", "jacobians_local", "velocities_local"), on=TREE)
def drifts_are_zero(code: Any) -> None:
    """J̇ v is zero."""
    scale(code, "drifts_local", 0)


CLASSICAL = Topic("term convention", "acceleration", "acceler|velocity")


@fault(CLASSICAL, rf"classical|spatial|ω × |{ABSENT}", offers=("classical_accelerations", "velocities_aligned"))
def classical_without_product(code: Any) -> None:
    """Classical accelerations are spatial ones: ω × v is left out."""
    code.outside["classical_accelerations"] = code.accelerations_aligned


WEIGHTS = r"weigh|average|mean|mass|unweighted"


@fault(Topic("term", COM, "mass"), WEIGHTS, offers=("center_of_mass", "placements", "mass_matrix"), on=STANFORD)
def unweighted_center(code: Any) -> None:
    """The centre of mass of the mechanism is the plain mean of the bodies'."""

    def center_of_mass(q: Array) -> Array:
        poses = [pose for link, pose in zip(code.model.links, code.poses(q), strict=True) if link.is_body]
        return np.mean([p + R @ link.com for link, (R, p) in zip(code.model.bodies, poses, strict=True)], axis=0)

    code.center_of_mass = center_of_mass


SPIN = Topic("term", "momentum|rotation|inertia|spin", "momentum|inertia|centroidal")
MOMENTA = ("centroidal_momentum", "center_of_mass", "kinetic_energy")


@fault(SPIN, rf"{ABSENT}|rotat|inertia|spin|point", offers=MOMENTA)
def momentum_without_spin(code: Any) -> None:
    """The angular momentum has no Iω of the bodies."""

    def without(h: Array, q: Array, v: Array) -> Array:
        for link, (R, _), m in zip(code.model.links, code.poses(q), code.motions(q, v, 0 * v), strict=True):
            h = h - np.hstack([times(R, m.w @ link.inertia.T), 0 * m.w])
        return h

    answer(code, "centroidal_momentum", without)


DAMPED = Topic("term", "damping", "damping|derivative")


@fault(DAMPED, ABSENT, where=has_damping, offers=("inverse_dynamics", "inverse_dynamics_dv"), on=STANFORD)
def derivative_without_damping(code: Any) -> None:
    """∂τ/∂v has no damping."""
    D = code.model.per_coordinate("damping")
    answer(code, "inverse_dynamics_dv", lambda X, q, v: X - np.diag(D))


HEAVY = Topic("term", GRAVITY, "gravity|derivative")


@fault(HEAVY, ABSENT, offers=("inverse_dynamics", "inverse_dynamics_dq", "gravity"))
def derivative_without_gravity(code: Any) -> None:
    """∂τ/∂q has no gravity."""
    code.inverse_dynamics_dq = beside(code, weightless).inverse_dynamics_dq


FORWARD = Topic("term", "derivative|∂|forward|acceleration", "derivative|forward|acceler|inertia")
FORWARD_OFFERS = ("forward_dynamics", "forward_dynamics_dq", "inverse_dynamics_dq", "mass_matrix")


@fault(FORWARD, r"τ|acceler|M\b|a = 0|left out|without|ignor|mass", offers=FORWARD_OFFERS, on=SPATIAL)
def forward_derivative_at_rest(code: Any) -> None:
    """∂q̈/∂q is taken at the acceleration zero: ∂M/∂q q̈ is left out."""
    code.forward_dynamics_dq = lambda q, v, tau: -np.linalg.solve(code.mass_matrix(q), code.inverse_dynamics_dq(q, v, 0 * v))


INVERSE = Topic("term convention", "derivative|∂|M⁻¹|inverse|forward", "derivative|forward|M⁻¹|mass")


@fault(INVERSE, SIGN, offers=("forward_dynamics_dtau", "mass_matrix"), on=STANFORD)
def inverse_mass_matrix_sign(code: Any) -> None:
    """∂q̈/∂τ has the wrong sign."""
    scale(code, "forward_dynamics_dtau", -1)


CORIOLIS_MATRIX = Topic("term", "oriolis|C\\b", "oriolis")
WITH_CORIOLIS = ("coriolis_matrix", "nonlinear_effects", "gravity", "mass_matrix")


@fault(CORIOLIS_MATRIX, r"hal[fv]|factor|twice|double|2", of=RootFrame, on=STANFORD, offers=WITH_CORIOLIS)
def coriolis_matrix_half(code: Any) -> None:
    """The Coriolis matrix is half as large as it must be."""
    scale(code, "coriolis_matrix", 0.5)


@fault(Topic("term", GRAVITY, "gravity|regressor"), ABSENT, offers=(*REGRESSOR, "gravity"), on=STANFORD)
def regressor_without_gravity(code: Any) -> None:
    """The regressor has no gravity."""
    code.joint_torque_regressor = beside(code, weightless).joint_torque_regressor


OF_INERTIA = Topic("term", "gyroscopic|ω × I ?ω|product|regressor|inertia", "regressor|gyroscopic|inertia|velocity")


@fault(OF_INERTIA, ABSENT, offers=REGRESSOR)
def regressor_without_gyroscopic(code: Any) -> None:
    """The regressor's columns of inertia have no ω × Iω."""
    scale(code, "unit_gyroscopic", 0)


HEIGHT = Topic("term convention", "potential|energy|V\\b|gravity", "potential|energ|gravity")


@fault(HEIGHT, r"z|height|vertical|component|direction|along", on=TREE)
def potential_energy_by_height(code: Any) -> None:
    """The potential energy is m |g| z for any direction of gravity."""
    size = np.linalg.norm(code.model.gravity)

    def potential_energy(q: Array) -> Array:
        poses = zip(code.model.links, code.poses(q), strict=True)
        return sum(link.mass * size * (p + R @ link.com)[:, 2] for link, (R, p) in poses)

    code.potential_energy = potential_energy


WORLD_VELOCITY = Topic("term", "velocit|motion|ω", "velocit|kinematic")
VELOCITIES = ("velocities_world", "velocities_local", "velocities_aligned")


@fault(WORLD_VELOCITY, rf"{ABSENT}|parent|linear|×|aligned", offers=VELOCITIES, on=SATELLITE)
def world_velocity_without_lever(code: Any) -> None:
    """World velocities are those of the bodies' origins: p × ω is left out."""
    code.outside["velocities_world"] = code.velocities_aligned


BASE = Topic("term", "base|root|momentum|mass|first|body", "momentum|centroidal|mass")
FIRST = r"first|base|root|last|body|left out|ignor|lack|without|missing"
MATRICES = ("centroidal_momentum_matrix", "centroidal_momentum", "mass_matrix")


@fault(BASE, FIRST, where="hub", unnamed="root|first", offers=MATRICES, on=SATELLITE)
def momentum_matrix_without_base(code: Any) -> None:
    """The centroidal momentum matrix leaves out the first body."""

    def without(A: Array, q: Array) -> Array:
        first, n = links(code, lambda link: link.is_body)[0], code.model.nv
        R, p = code.poses(q)[code.model.links.index(first)]
        c = p + R @ first.com
        J = code.jacobian(code.poses(q), code.model.links.index(first), c)
        k = code.turned_inertia(first, R) @ J[:, :3]
        lever = np.swapaxes(cross(np.repeat((c - code.center_of_mass(q))[:, None], n, axis=1), np.swapaxes(J[:, 3:], 1, 2)), 1, 2)
        return A - np.concatenate([k + first.mass * lever, first.mass * J[:, 3:]], axis=1)

    answer(code, "centroidal_momentum_matrix", without)
