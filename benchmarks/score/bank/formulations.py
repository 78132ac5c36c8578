"""Correct code in other formulations: the same quantities by other formulas."""

from __future__ import annotations

from typing import Any

import numpy as np

from score.changes import answer
from score.entry import DYNAMICS, FLYING, PUMA, SATELLITE, SPATIAL, STANFORD, TREE, USUAL, disguise
from score.library.dynamics import Dynamics, Motion, complex_step
from score.library.model import Array, Link
from score.library.root_frame import ArticulatedBodies, RootFrame, motion_cross
from score.library.three_vectors import JacobianSums, NewtonEuler
from score.library.vectors import back, cross, dot, skew, times

FORMULATIONS: dict[str, type[Dynamics]] = {
    "Newton-Euler": NewtonEuler,
    "root frame": RootFrame,
    "Jacobian sums": JacobianSums,
    "articulated bodies": ArticulatedBodies,
}


def _plain(name: str, of: type[Dynamics], mechanism: str) -> None:
    def unchanged(code: Any) -> None:
        pass

    unchanged.__name__, unchanged.__doc__ = f"{name} on {mechanism}", f"{name}, all quantities"
    disguise(mechanism, of)(unchanged)


for _name, _of in FORMULATIONS.items():
    for _mechanism in (STANFORD, TREE, SATELLITE, "screw-jack", "gyroscope"):
        _plain(_name, _of, _mechanism)


@disguise(STANFORD)
def sum_of_three(code: Any) -> None:
    """Inverse dynamics is the sum of three: by accelerations, by velocities, by gravity."""
    g, none = code.model.gravity, np.zeros(3)
    code.inverse_dynamics = lambda q, v, a: (
        code.torque(q, 0 * v, a, none) + code.torque(q, v, 0 * a, none) + code.torque(q, 0 * v, 0 * a, g)
    )


@disguise(TREE)
def mass_matrix_times_acceleration(code: Any) -> None:
    """Inverse dynamics is M a + h."""
    code.inverse_dynamics = lambda q, v, a: times(code.mass_matrix(q), a) + code.nonlinear_effects(q, v)


@disguise(SATELLITE, of=RootFrame)
def coriolis_matrix_times_velocity(code: Any) -> None:
    """Nonlinear effects are C v + g + D v."""
    D = code.model.per_coordinate("damping")
    code.nonlinear_effects = lambda q, v: times(code.coriolis_matrix(q, v), v) + code.gravity(q) + D * v


def less_weights(code: Any, q: Array, gravity: Array, tau: Array | float = 0.0) -> Any:
    """τ − Σ m Jᵀ g: gravity acts as a force on every body."""
    poses = code.poses(q)
    for i, link in enumerate(code.model.links):
        J = code.jacobian(poses, i, poses[i][1] + poses[i][0] @ link.com)[:, 3:]
        tau = tau - link.mass * np.swapaxes(J, 1, 2) @ gravity
    return tau


@disguise(PUMA)
def gravity_by_jacobians(code: Any) -> None:
    """Gravity is −Σ m Jᵀ g."""
    code.gravity = lambda q: less_weights(code, q, code.model.gravity)


@disguise(TREE)
def gravity_as_a_force(code: Any) -> None:
    """Gravity acts on every body as a force instead of accelerating the root."""
    right = code.forces

    def forces(q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        return less_weights(code, q, gravity, right(q, v, a, np.zeros(3), f))

    code.forces = forces


@disguise(STANFORD)
def energy_of_the_mass_matrix(code: Any) -> None:
    """The kinetic energy is ½ vᵀ M v."""
    code.kinetic_energy = lambda q, v: dot(v, times(code.mass_matrix(q), v)) / 2


@disguise(FLYING, of=RootFrame)
def energy_of_spatial_momentum(code: Any) -> None:
    """The kinetic energy is ½ Σ Vᵀ I V."""

    def kinetic_energy(q: Array, v: Array) -> Array:
        V, _ = code.spatial_motions(q, v, 0 * v, np.zeros(3))
        moving = sum(dot(x, times(I, x)) for x, I in zip(V, code.inertias(q), strict=True))
        return (moving + (v * v) @ code.model.per_coordinate("armature")) / 2

    code.kinetic_energy = kinetic_energy


@disguise(STANFORD)
def energy_of_generalised_momentum(code: Any) -> None:
    """The kinetic energy is ½ v · p, with the momentum p by inverse dynamics at rest."""
    none = np.zeros(3)
    code.kinetic_energy = lambda q, v: dot(v, code.torque(q, 0 * v, v, none)) / 2


@disguise(TREE)
def potential_of_the_total_mass(code: Any) -> None:
    """The potential energy is that of the total mass at the centre of mass."""
    code.potential_energy = lambda q: -sum(link.mass for link in code.model.links) * code.center_of_mass(q) @ code.model.gravity


@disguise(STANFORD)
def jacobians_by_unit_velocities(code: Any) -> None:
    """Columns of Jacobians are velocities for unit v."""

    def columns(name: str) -> Any:
        velocities = getattr(code, f"velocities_{name}")

        def jacobians(q: Array) -> Array:
            zero = np.zeros((len(q), code.model.nv))
            return np.stack([velocities(q, zero + unit) for unit in np.eye(code.model.nv)], axis=-1)

        return jacobians

    for name in ("local", "world", "aligned"):
        setattr(code, f"jacobians_{name}", columns(name))


@disguise(SATELLITE)
def velocities_by_jacobians(code: Any) -> None:
    """Velocities are J v."""
    for name in ("local", "world", "aligned"):
        J = getattr(code, f"jacobians_{name}")
        setattr(code, f"velocities_{name}", lambda q, v, J=J: (J(q) @ v[:, None, :, None])[..., 0])


@disguise(SPATIAL)
def drifts_by_complex_step(code: Any) -> None:
    """J̇ v is a complex-step derivative of J along the motion."""

    def drift(q: Array, v: Array) -> Array:
        h = complex_step(q)
        dJ = code.jacobians_aligned(q + h * 1j * v).imag / h
        return (dJ @ v[:, None, :, None])[..., 0]

    code.drifts_aligned = drift


@disguise("ur5")
def homogeneous_matrices(code: Any) -> None:
    """Placements are products of 4×4 matrices, body by body."""

    def homogeneous(R: Array, p: Array) -> Array:
        T = np.zeros((len(R), 4, 4), dtype=R.dtype)
        T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = R, p, 1
        return T

    def joined(R0: Array, p0: Array, R: Array, p: Array) -> tuple[Array, Array]:
        T = homogeneous(R0, p0) @ homogeneous(R, p)
        return T[:, :3, :3], T[:, :3, 3]

    code.joined = joined


@disguise(TREE)
def from_the_leaf(code: Any) -> None:
    """Placements are multiplied from the body to the root."""

    def poses(q: Array) -> list[tuple[Array, Array]]:
        found = []
        for i in range(len(code.model.links)):
            R, p = np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
            for k in code.model.path(i):
                S, r = code.placement(code.model.links[k], q)
                R, p = S @ R, r + times(S, p)
            found.append((R, p))
        return found

    code.poses = poses


@disguise(SATELLITE)
def gyroscopic_in_root_axes(code: Any) -> None:
    """ω × Iω is computed along the root's axes."""
    right, R0 = code.forces, {}

    def forces(q: Array, *others: Any) -> Array:
        R0.update({id(link): R for link, (R, _) in zip(code.model.links, code.poses(q), strict=True)})
        return right(q, *others)

    def gyroscopic(link: Link, w: Array) -> Array:
        R = R0[id(link)]
        w0 = times(R, w)
        return back(R, cross(w0, times(R @ link.inertia @ np.swapaxes(R, 1, 2), w0)))

    code.forces, code.gyroscopic = forces, gyroscopic


@disguise(STANFORD)
def products_as_matrices(code: Any) -> None:
    """Cross products are products with skew matrices."""
    code.gyroscopic = lambda link, w: times(skew(w) @ link.inertia, w)
    code.centripetal = lambda w, r: times(skew(w) @ skew(w), r + 0 * w)
    code.coriolis = lambda w, u: -times(2 * skew(u), w)


@disguise(PUMA)
def centripetal_by_projection(code: Any) -> None:
    """ω × (ω × r) is ω (ω · r) − r |ω|²."""
    code.centripetal = lambda w, r: w * dot(w, r + 0 * w)[:, None] - r * dot(w, w)[:, None]


@disguise(TREE, of=RootFrame)
def two_halves(code: Any) -> None:
    """Every body is two equal masses, off its centre of mass to both sides, and the inertia that is left."""
    right, d = code.spatial_inertia, np.array([0.02, -0.01, 0.03])

    def spatial_inertia(link: Link, R: Array, p: Array) -> Array:
        mass, com, inertia = link.mass, link.com, link.inertia
        total = 0.0
        for side in (1, -1):
            link.mass, link.com, link.inertia = mass / 2, com + side * d, (inertia + mass * skew(d) @ skew(d)) / 2
            total = total + right(link, R, p)
        link.mass, link.com, link.inertia = mass, com, inertia
        return total

    code.spatial_inertia = spatial_inertia


@disguise("scara")
def parallel_axes_by_components(code: Any) -> None:
    """The body's moment is taken about its origin, with the parallel axes in the inertia."""

    def body_moment(link: Link, m: Motion) -> Array:
        c = skew(link.com)
        I = link.inertia - link.mass * c @ c
        about_origin = m.dw @ I.T + cross(m.w, m.w @ I.T) + link.mass * cross(link.com + 0 * m.w, m.du)
        return about_origin - cross(link.com + 0 * m.w, code.body_force(link, m))

    code.body_moment = body_moment


@disguise(STANFORD, of=JacobianSums)
def one_large_product(code: Any) -> None:
    """M is one product of the stacked Jacobians with a block-diagonal matrix."""

    def inertia_matrix(q: Array) -> Array:
        poses, stacked, weighted = code.poses(q), [], []
        for i, link in enumerate(code.model.links):
            R, p = poses[i]
            J = code.jacobian(poses, i, p + R @ link.com)
            stacked.append(J)
            weighted.append(np.concatenate([code.turned_inertia(link, R) @ J[:, :3], link.mass * J[:, 3:]], axis=1))
        return np.swapaxes(np.concatenate(stacked, axis=1), 1, 2) @ np.concatenate(weighted, axis=1)

    code.inertia_matrix = inertia_matrix


@disguise(SATELLITE, of=JacobianSums)
def jacobians_in_body_axes(code: Any) -> None:
    """M is summed with Jacobians along the bodies' axes."""

    def inertia_matrix(q: Array) -> Array:
        poses, M = code.poses(q), 0.0
        for i, link in enumerate(code.model.links):
            R, p = poses[i]
            J = code.jacobian(poses, i, p + R @ link.com)
            Jw, Jv = np.swapaxes(R, 1, 2) @ J[:, :3], np.swapaxes(R, 1, 2) @ J[:, 3:]
            M = M + np.swapaxes(Jw, 1, 2) @ link.inertia @ Jw + np.swapaxes(Jv, 1, 2) @ (link.mass * Jv)
        return M

    code.inertia_matrix = inertia_matrix


@disguise(PUMA)
def symmetrised(code: Any) -> None:
    """M is the mean of itself and its transpose."""
    answer(code, "mass_matrix", lambda M, q: (M + np.swapaxes(M, 1, 2)) / 2)


@disguise(STANFORD)
def mirrored_triangle(code: Any) -> None:
    """M's lower triangle is a copy of the upper one."""
    answer(code, "mass_matrix", lambda M, q: np.triu(M) + np.swapaxes(np.triu(M, 1), 1, 2))


@disguise(SPATIAL)
def inverse_dynamics_by_regressor(code: Any) -> None:
    """Inverse dynamics is Y π, with armature and damping."""

    def inverse_dynamics(q: Array, v: Array, a: Array) -> Array:
        pi = []
        for link in code.model.bodies:
            c = skew(link.com)
            I = link.inertia - link.mass * c @ c
            pi += [link.mass, *(link.mass * link.com), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        return code.joint_torque_regressor(q, v, a) @ np.array(pi) + code.rotor_forces(a) + code.friction_forces(v)

    code.inverse_dynamics = inverse_dynamics


@disguise(FLYING, of=RootFrame)
def spatial_rate_by_parts(code: Any) -> None:
    """V ×* I V is written with 3-vectors."""

    def momentum_rate(I: Array, V: Array) -> Array:
        h = times(I, V)
        return np.hstack([cross(V[:, :3], h[:, :3]) - cross(h[:, 3:], V[:, 3:]), -cross(h[:, 3:], V[:, :3])])

    code.momentum_rate = momentum_rate
    code.screw_rate = lambda V, own: -motion_cross(own, V)


def _solver(name: str, sentence: str, mechanism: str, solve: Any, tolerated: str = "") -> None:
    def change(code: Any) -> None:
        right = code.solve
        code.solve = lambda M, x: solve(M, x) if x.ndim == 3 else solve(M, x[..., None])[..., 0]
        code.right = right

    change.__name__, change.__doc__ = name, sentence
    disguise(mechanism, NewtonEuler, (*USUAL, "forward_dynamics_dtau", "forward_dynamics_dv"), tolerated=tolerated)(change)


def _cholesky(M: Array, x: Array) -> Array:
    L = np.linalg.cholesky(M)
    return np.linalg.solve(np.swapaxes(L, 1, 2), np.linalg.solve(L, x))


def _qr(M: Array, x: Array) -> Array:
    Q, R = np.linalg.qr(M)
    return np.linalg.solve(R, np.swapaxes(Q, 1, 2) @ x)


def _eigen(M: Array, x: Array) -> Array:
    values, Q = np.linalg.eigh(M)
    return Q @ ((np.swapaxes(Q, 1, 2) @ x) / values[..., None])


def _scaled(M: Array, x: Array) -> Array:
    d = 1 / np.sqrt(np.diagonal(M, axis1=1, axis2=2))
    return d[..., None] * np.linalg.solve(M * d[:, :, None] * d[:, None, :], d[..., None] * x)


def _refined(M: Array, x: Array) -> Array:
    y = np.linalg.solve(M, x)
    return y + np.linalg.solve(M, x - M @ y)


_EXPLICIT = r"explicit inverse|inverse|condition|rounding"
_solver("solved_by_Cholesky", "M is factored by Cholesky", STANFORD, _cholesky, _EXPLICIT)
_solver("solved_by_QR", "M is factored by QR", TREE, _qr, _EXPLICIT)
_solver("solved_by_eigenvalues", "M is factored by its eigenvectors", PUMA, _eigen, _EXPLICIT)
_solver("solved_after_scaling", "M is scaled to a unit diagonal before it is factored", SATELLITE, _scaled)
_solver("solved_with_refinement", "The solution is refined once", FLYING, _refined)
_solver("explicit_inverse", "M⁻¹ is computed and multiplied", STANFORD, lambda M, x: np.linalg.inv(M) @ x, _EXPLICIT)


@disguise(STANFORD, offers=(*DYNAMICS, "forward_dynamics_dtau"))
def inverse_by_unit_forces(code: Any) -> None:
    """M⁻¹ is put together from unit forces."""

    def columns(q: Array) -> Array:
        M = code.mass_matrix(q)
        return np.stack(
            [np.linalg.solve(M, np.broadcast_to(e[:, None], (len(q), len(e), 1)))[..., 0] for e in np.eye(code.model.nv)], axis=-1
        )

    code.forward_dynamics_dtau = columns
