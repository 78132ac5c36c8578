"""Faults in one quantity beyond the dynamics: kinematics, centroidal quantities, derivatives and the regressor."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import answer, has_damping, links
from score.entry import fault
from score.library.model import Array
from score.library.root_frame import RootFrame
from score.library.vectors import cross, times
from score.words import ABSENT, COM, GRAVITY, SIGN

STANFORD, TREE, SATELLITE = "stanford-arm", "wall-arms", "satellite"


@fault("term convention", "acobian", COM, term="acobian|mass", offers=("jacobians_aligned", "velocities_aligned", "placements"))
def jacobians_of_centers(code: Any) -> None:
    """Aligned Jacobians are those of the centres of mass."""

    def moved(J: Array, q: Array) -> Array:
        P = code.placements(q)
        c = np.stack([P[:, k, :, :3] @ link.com for k, link in enumerate(code.model.bodies)], axis=1)
        w = np.swapaxes(J[..., :3, :], -1, -2)
        linear = J[..., 3:, :] + np.swapaxes(cross(w, c[:, :, None, :] + 0 * w), -1, -2)
        return np.concatenate([J[..., :3, :], linear], axis=-2)

    answer(code, "jacobians_aligned", moved)


@fault(
    "term",
    "acobian|axis",
    r"zero|own|last|column|left out|ignor|lack|missing|joint",
    term="acobian",
    offers=("jacobians_local", "velocities_local"),
    mechanism=STANFORD,
)
def own_joint_left_out(code: Any) -> None:
    """The Jacobian of a body lacks the column of its own joint."""

    def without(J: Array, q: Array) -> Array:
        J = J.copy()
        for link in code.model.bodies:
            J[:, link.index, :, link.v] = 0
        return J

    answer(code, "jacobians_local", without)


@fault(
    "term",
    "drift|J̇",
    rf"{ABSENT}|zero",
    term="drift|velocity|oriolis|bias",
    offers=("drifts_local", "jacobians_local", "velocities_local"),
    mechanism=TREE,
)
def drifts_are_zero(code: Any) -> None:
    """J̇ v is zero."""
    answer(code, "drifts_local", lambda x, q, v: 0 * x)


@fault(
    "term convention",
    "acceleration",
    rf"classical|spatial|ω × |{ABSENT}",
    term="acceler|velocity",
    offers=("classical_accelerations", "velocities_aligned"),
)
def classical_without_product(code: Any) -> None:
    """Classical accelerations are spatial ones: ω × v is left out."""
    code.outside["classical_accelerations"] = code.accelerations_aligned


@fault(
    "term",
    COM,
    r"weigh|average|mean|mass|unweighted",
    term="mass",
    offers=("center_of_mass", "placements", "mass_matrix"),
    mechanism=STANFORD,
)
def unweighted_center(code: Any) -> None:
    """The centre of mass of the mechanism is the plain mean of the bodies'."""

    def center_of_mass(q: Array) -> Array:
        poses = [pose for link, pose in zip(code.model.links, code.poses(q), strict=True) if link.is_body]
        return np.mean([p + R @ link.com for link, (R, p) in zip(code.model.bodies, poses, strict=True)], axis=0)

    code.center_of_mass = center_of_mass


@fault(
    "term",
    "momentum|rotation|inertia|spin",
    rf"{ABSENT}|rotat|inertia|spin|point",
    term="momentum|inertia|centroidal",
    offers=("centroidal_momentum", "center_of_mass", "kinetic_energy"),
)
def momentum_without_spin(code: Any) -> None:
    """The angular momentum has no Iω of the bodies."""

    def without(h: Array, q: Array, v: Array) -> Array:
        for link, (R, _), m in zip(code.model.links, code.poses(q), code.motions(q, v, 0 * v), strict=True):
            h = h - np.hstack([times(R, m.w @ link.inertia.T), 0 * m.w])
        return h

    answer(code, "centroidal_momentum", without)


@fault(
    "term",
    "damping",
    ABSENT,
    term="damping|derivative",
    where=has_damping,
    offers=("inverse_dynamics", "inverse_dynamics_dv"),
    mechanism=STANFORD,
)
def derivative_without_damping(code: Any) -> None:
    """∂τ/∂v has no damping."""
    D = code.model.per_coordinate("damping")
    answer(code, "inverse_dynamics_dv", lambda X, q, v: X - np.diag(D))


@fault("term", GRAVITY, ABSENT, term="gravity|derivative", offers=("inverse_dynamics", "inverse_dynamics_dq", "gravity"))
def derivative_without_gravity(code: Any) -> None:
    """∂τ/∂q has no gravity."""
    right = code.inverse_dynamics_dq

    def by_q(q: Array, v: Array, a: Array) -> Array:
        g = code.model.gravity
        code.model.gravity = np.zeros(3)
        X = right(q, v, a)
        code.model.gravity = g
        return X

    code.inverse_dynamics_dq = by_q


@fault(
    "term",
    "derivative|∂|forward|acceleration",
    r"τ|acceler|M\b|a = 0|left out|without|ignor|mass",
    term="derivative|forward|acceler|inertia",
    offers=("forward_dynamics", "forward_dynamics_dq", "inverse_dynamics_dq", "mass_matrix"),
    mechanism="spatial-3r",
)
def forward_derivative_at_rest(code: Any) -> None:
    """∂q̈/∂q is taken at the acceleration zero: ∂M/∂q q̈ is left out."""
    code.forward_dynamics_dq = lambda q, v, tau: -np.linalg.solve(code.mass_matrix(q), code.inverse_dynamics_dq(q, v, 0 * v))


@fault(
    "term convention",
    "derivative|∂|M⁻¹|inverse|forward",
    SIGN,
    term="derivative|forward|M⁻¹|mass",
    offers=("forward_dynamics_dtau", "mass_matrix"),
    mechanism=STANFORD,
)
def inverse_mass_matrix_sign(code: Any) -> None:
    """∂q̈/∂τ has the wrong sign."""
    answer(code, "forward_dynamics_dtau", lambda X, q: -X)


@fault(
    "term",
    "oriolis|C\\b",
    r"hal[fv]|factor|twice|double|2",
    term="oriolis",
    of=RootFrame,
    mechanism=STANFORD,
    offers=("coriolis_matrix", "nonlinear_effects", "gravity", "mass_matrix"),
)
def coriolis_matrix_half(code: Any) -> None:
    """The Coriolis matrix is half as large as it must be."""
    answer(code, "coriolis_matrix", lambda C, q, v: C / 2)


@fault(
    "term",
    GRAVITY,
    rf"{ABSENT}",
    term="gravity|regressor",
    offers=("joint_torque_regressor", "inverse_dynamics", "gravity"),
    mechanism=STANFORD,
)
def regressor_without_gravity(code: Any) -> None:
    """The regressor has no gravity."""
    right = code.joint_torque_regressor

    def regressor(q: Array, v: Array, a: Array) -> Array:
        g = code.model.gravity
        code.model.gravity = np.zeros(3)
        Y = right(q, v, a)
        code.model.gravity = g
        return Y

    code.joint_torque_regressor = regressor


@fault(
    "term",
    "gyroscopic|ω × I ?ω|product|regressor|inertia",
    ABSENT,
    term="regressor|gyroscopic|inertia|velocity",
    offers=("joint_torque_regressor", "inverse_dynamics"),
)
def regressor_without_gyroscopic(code: Any) -> None:
    """The regressor's columns of inertia have no ω × Iω."""
    code.unit_gyroscopic = lambda w, E: 0 * w


@fault(
    "term convention",
    "potential|energy|V\\b|gravity",
    r"z|height|vertical|component|direction|along",
    term="potential|energ|gravity",
    mechanism=TREE,
)
def potential_energy_by_height(code: Any) -> None:
    """The potential energy is m |g| z, whatever the direction of gravity."""
    size = np.linalg.norm(code.model.gravity)

    def potential_energy(q: Array) -> Array:
        poses = zip(code.model.links, code.poses(q), strict=True)
        return sum(link.mass * size * (p + R @ link.com)[:, 2] for link, (R, p) in poses)

    code.potential_energy = potential_energy


@fault(
    "term",
    "velocit|motion|ω",
    rf"{ABSENT}|parent|linear|×|aligned",
    term="velocit|kinematic",
    offers=("velocities_world", "velocities_local", "velocities_aligned"),
    mechanism=SATELLITE,
)
def world_velocity_without_lever(code: Any) -> None:
    """World velocities are those of the bodies' origins: p × ω is left out."""
    code.outside["velocities_world"] = code.velocities_aligned


@fault(
    "term",
    "base|root|momentum|mass|first|body",
    r"first|base|root|last|body|left out|ignor|lack|without|missing",
    term="momentum|centroidal|mass",
    where="hub",
    unnamed="root|first",
    offers=("centroidal_momentum_matrix", "centroidal_momentum", "mass_matrix"),
    mechanism=SATELLITE,
)
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
