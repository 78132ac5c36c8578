"""What the three formulations share: kinematics, and all quantities as consequences of the joints' forces.

Arrays are batch-first. A fault replaces a method of one object, or a number of its model. Everything is analytic in q, v and a,
so that the derivatives are exact by a complex step (Squire & Trapp 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from score.library.model import Array, Link, Model
from score.library.vectors import back, cross, dot, from_quaternion, rodrigues, skew, times, turned_quaternion


def complex_step(x: Array) -> float:
    """The step for numbers of this type: its square vanishes beside one, and its products with other numbers do not vanish."""
    return float(np.finfo(x.dtype).tiny) ** 0.5


@dataclass
class Motion:
    """One link's motion, in its own frame; R and p from its frame to its parent's."""

    R: Array
    p: Array
    w: Array
    u: Array
    """The velocity of the origin."""
    dw: Array
    du: Array
    """The acceleration of the origin, as a point."""


class Dynamics:
    """Quantities of one model. Formulations define :meth:`forces` and :meth:`inertia_matrix`."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.outside: dict[str, Callable[..., Array]] = {}
        """Functions that callers get instead of the methods of these names."""

    # Steps of the kinematics.

    def sine(self, angle: Array) -> Array:
        return np.sin(angle)

    def cosine(self, angle: Array) -> Array:
        return np.cos(angle)

    def rotation(self, link: Link, q: Array) -> Array:
        """(batch, 3, 3): from the link's frame to the joint's."""
        if link.form == "distance":
            return np.broadcast_to(np.eye(3), (len(q), 3, 3))
        if link.form in ("ball", "free"):
            return from_quaternion(q[:, -4:])
        c, s = (q[:, 0], q[:, 1]) if link.form == "circle" else (self.cosine(q[:, -1]), self.sine(q[:, -1]))
        return rodrigues(link.turn[:, 0], c, s)

    def shift(self, link: Link, q: Array) -> Array:
        """(batch, 3): the link's origin in the joint's frame."""
        if link.form == "free":
            return q[:, :3]
        if link.form == "planar":
            return q[:, :2] @ link.slide[:, 1:].T
        return q[:, :1] * link.slide[:, 0] if link.form in ("angle", "distance") else np.zeros((len(q), 3))

    def placement(self, link: Link, q: Array) -> tuple[Array, Array]:
        """R and p from the link's frame to its parent's."""
        own = q[:, link.q]
        return link.R @ self.rotation(link, own), link.p + self.shift(link, own) @ link.R.T

    def joined(self, R0: Array, p0: Array, R: Array, p: Array) -> tuple[Array, Array]:
        """R and p of a link in the root's frame, from those of its parent there and its own in the parent's."""
        return R0 @ R, p0 + times(R0, p)

    def poses(self, q: Array) -> list[tuple[Array, Array]]:
        """R and p from every link's frame to the root's."""
        found: list[tuple[Array, Array]] = []
        for link in self.model.links:
            R, p = self.placement(link, q)
            found.append(self.joined(*found[link.parent], R, p) if link.parent >= 0 else (R, p))
        return found

    def centripetal(self, w: Array, r: Array) -> Array:
        return cross(w, cross(w, r))

    def tangential(self, dw: Array, r: Array) -> Array:
        return cross(dw, r)

    def coriolis(self, w: Array, u: Array) -> Array:
        """Of a point that moves with u in a frame that turns with w."""
        return 2 * cross(w, u)

    def turning_axis(self, w: Array, wj: Array) -> Array:
        """The rate of the joint's angular velocity because the parent turns."""
        return cross(w, wj)

    def origin_acceleration(self, k: Motion, R: Array, p: Array) -> Array:
        """Of a link's origin as a point that is fixed to its parent, whose motion is k."""
        return back(R, k.du + self.tangential(k.dw, p) + self.centripetal(k.w, p))

    def motions(self, q: Array, v: Array, a: Array, base: Array | None = None) -> list[Motion]:
        """Every link's motion; ``base`` (3,) is the acceleration of the root."""
        zero = np.zeros((len(q), 3))
        root = Motion(zero, zero, zero, zero, zero, zero + (0 if base is None else base))
        found: list[Motion] = []
        for link in self.model.links:
            k = found[link.parent] if link.parent >= 0 else root
            R, p = self.placement(link, q)
            wj, uj = v[:, link.v] @ link.turn.T, v[:, link.v] @ link.slide.T
            w0 = back(R, k.w)
            w = w0 + wj
            dw = back(R, k.dw) + a[:, link.v] @ link.turn.T + self.turning_axis(w0, wj)
            u = back(R, k.u + cross(k.w, p)) + uj
            du = self.origin_acceleration(k, R, p) + self.coriolis(w0, uj) + a[:, link.v] @ link.slide.T + cross(wj, uj)
            found.append(Motion(R, p, w, u, dw, du))
        return found

    # Steps of the dynamics.

    def turned_inertia(self, link: Link, R: Array) -> Array:
        """The rotational inertia about the centre of mass, along the root's axes."""
        return R @ link.inertia @ np.swapaxes(R, 1, 2)

    def gyroscopic(self, link: Link, w: Array) -> Array:
        return cross(w, w @ link.inertia.T)

    def forces(self, q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        """τ (batch, nv) of the bodies alone, without armature and damping; f (batch, bodies, 6) acts on the bodies."""
        raise NotImplementedError

    def inertia_matrix(self, q: Array) -> Array:
        """M (batch, nv, nv) of the bodies alone, without armature: by unit accelerations."""
        n = self.model.nv
        units = np.tile(np.eye(n), (len(q), 1))
        rows = self.forces(np.repeat(q, n, axis=0), 0 * units, units, np.zeros(3))
        return np.swapaxes(rows.reshape(len(q), n, n), 1, 2)

    def rotor_forces(self, a: Array) -> Array:
        return self.model.per_coordinate("armature") * a

    def friction_forces(self, v: Array) -> Array:
        return self.model.per_coordinate("damping") * v

    def torque(self, q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        return self.forces(q, v, a, gravity, f) + self.rotor_forces(a) + self.friction_forces(v)

    def solve(self, M: Array, x: Array) -> Array:
        """M⁻¹ x, for x (batch, nv, …)."""
        vector = x.ndim == 2
        y = np.linalg.solve(M, x[..., None] if vector else x)
        return y[..., 0] if vector else y

    # Quantities.

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.torque(q, v, a, self.model.gravity)

    def inverse_dynamics_with_forces(self, q: Array, v: Array, a: Array, f: Array) -> Array:
        return self.torque(q, v, a, self.model.gravity, f)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.torque(q, v, np.zeros_like(v), self.model.gravity)

    def gravity(self, q: Array) -> Array:
        zero = np.zeros((len(q), self.model.nv))
        return self.torque(q, zero, zero, self.model.gravity)

    def mass_matrix(self, q: Array) -> Array:
        return self.inertia_matrix(q) + np.diag(self.model.per_coordinate("armature"))

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        return self.solve(self.mass_matrix(q), tau - self.nonlinear_effects(q, v))

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        total = 0.5 * (v * v) @ self.model.per_coordinate("armature")
        for link, m in zip(self.model.links, self.motions(q, v, 0 * v), strict=True):
            c = m.u + cross(m.w, link.com + 0 * m.w)
            total = total + 0.5 * (link.mass * dot(c, c) + dot(m.w, m.w @ link.inertia.T))
        return total

    def potential_energy(self, q: Array) -> Array:
        poses = zip(self.model.links, self.poses(q), strict=True)
        return -sum(link.mass * (p + R @ link.com) @ self.model.gravity for link, (R, p) in poses)

    def placements(self, q: Array) -> Array:
        poses = self.poses(q)
        return self._bodies([np.concatenate([R, p[..., None]], axis=-1) for R, p in poses])

    def velocities_local(self, q: Array, v: Array) -> Array:
        return self._bodies([np.hstack([m.w, m.u]) for m in self.motions(q, v, 0 * v)])

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        return self._turned(q, self.velocities_local(q, v))

    def velocities_world(self, q: Array, v: Array) -> Array:
        return self._at_root(q, self.velocities_aligned(q, v))

    def accelerations_local(self, q: Array, v: Array, a: Array) -> Array:
        return self._bodies([np.hstack([m.dw, m.du - cross(m.w, m.u)]) for m in self.motions(q, v, a)])

    def accelerations_aligned(self, q: Array, v: Array, a: Array) -> Array:
        return self._turned(q, self.accelerations_local(q, v, a))

    def accelerations_world(self, q: Array, v: Array, a: Array) -> Array:
        return self._at_root(q, self.accelerations_aligned(q, v, a))

    def classical_accelerations(self, q: Array, v: Array, a: Array) -> Array:
        return self._turned(q, self._bodies([np.hstack([m.dw, m.du]) for m in self.motions(q, v, a)]))

    def drifts_local(self, q: Array, v: Array) -> Array:
        return self.accelerations_local(q, v, 0 * v)

    def drifts_world(self, q: Array, v: Array) -> Array:
        return self.accelerations_world(q, v, 0 * v)

    def drifts_aligned(self, q: Array, v: Array) -> Array:
        return self.classical_accelerations(q, v, 0 * v)

    def jacobian(self, poses: list[tuple[Array, Array]], i: int, point: Array) -> Array:
        """(batch, 6, nv): [ω; v] of the point (batch, 3) of link i, along the root's axes."""
        J = np.zeros((len(point), 6, self.model.nv), dtype=point.dtype)
        for k in self.model.path(i):
            link, (R, p) = self.model.links[k], poses[k]
            turn, slide = R @ link.turn, R @ link.slide
            J[:, :3, link.v] = turn
            J[:, 3:, link.v] = slide + np.swapaxes(cross(np.swapaxes(turn, 1, 2), (point - p)[:, None, :]), 1, 2)
        return J

    def jacobians_aligned(self, q: Array) -> Array:
        poses = self.poses(q)
        return self._bodies([self.jacobian(poses, i, poses[i][1]) for i in range(len(poses))])

    def jacobians_local(self, q: Array) -> Array:
        J, R = self.jacobians_aligned(q), np.swapaxes(self.placements(q)[..., :3], -1, -2)
        return np.concatenate([R @ J[..., :3, :], R @ J[..., 3:, :]], axis=-2)

    def jacobians_world(self, q: Array) -> Array:
        poses = self.poses(q)
        return self._bodies([self.jacobian(poses, i, np.zeros_like(poses[i][1])) for i in range(len(poses))])

    def center_of_mass(self, q: Array) -> Array:
        poses = zip(self.model.links, self.poses(q), strict=True)
        return sum(link.mass * (p + R @ link.com) for link, (R, p) in poses) / sum(link.mass for link in self.model.links)

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        poses, c, k, l = self.poses(q), self.center_of_mass(q), 0.0, 0.0
        for link, (R, p), m in zip(self.model.links, poses, self.motions(q, v, 0 * v), strict=True):
            own = link.mass * times(R, m.u + cross(m.w, link.com + 0 * m.w))
            l = l + own
            k = k + times(R, m.w @ link.inertia.T) + cross(p + R @ link.com - c, own)
        return np.hstack([k, l])

    def centroidal_momentum_matrix(self, q: Array) -> Array:
        n = self.model.nv
        rows = self.centroidal_momentum(np.repeat(q, n, axis=0), np.tile(np.eye(n), (len(q), 1)))
        return np.swapaxes(rows.reshape(len(q), n, 6), 1, 2)

    def unit_gyroscopic(self, w: Array, E: Array) -> Array:
        """ω × E ω, of the regressor."""
        return cross(w, w @ E)

    def joint_torque_regressor(self, q: Array, v: Array, a: Array) -> Array:
        """Column by column: the forces with one inertial parameter of one body and no other."""
        poses, motions, columns = self.poses(q), self.motions(q, v, a, -self.model.gravity), []
        for i, link in enumerate(self.model.links):
            if not link.is_body:
                continue
            m, (R, _) = motions[i], poses[i]
            J = self.jacobian(poses, i, poses[i][1])
            J = np.concatenate([np.swapaxes(R, 1, 2) @ J[:, :3], np.swapaxes(R, 1, 2) @ J[:, 3:]], axis=1)
            lever = skew(m.dw) + skew(m.w) @ skew(m.w)
            wrenches = [np.hstack([0 * m.du, m.du])]
            wrenches += [np.hstack([cross(unit + 0 * m.du, m.du), lever @ unit]) for unit in np.eye(3)]
            for r, s in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)):
                E = np.zeros((3, 3))
                E[r, s] = E[s, r] = 1
                wrenches.append(np.hstack([m.dw @ E + self.unit_gyroscopic(m.w, E), 0 * m.du]))
            columns += [(np.swapaxes(J, 1, 2) @ wrench[..., None])[..., 0] for wrench in wrenches]
        return np.stack(columns, axis=-1)

    # Derivatives.

    def stepped(self, q: Array, k: int, h: complex) -> Array:
        """q ⊕ h along the k-th component of v."""
        q = q.astype(complex)
        link = next(link for link in self.model.links if link.v.start <= k < link.v.stop)
        own, j = q[:, link.q].copy(), k - link.v.start
        if link.form == "circle":
            own = own + h * np.stack([-own[:, 1], own[:, 0]], axis=1)
        elif link.form in ("ball", "free") and j < 3:
            own[:, -4:] = turned_quaternion(own[:, -4:], h / 2 * np.eye(3)[j])
        elif link.form == "free":
            own[:, :3] += h * self.rotation(link, own)[:, :, j - 3]
        elif link.form == "planar" and j:
            own[:, :2] += h * (self.rotation(link, own) @ link.slide[:, j]) @ link.slide[:, 1:]
        else:
            own[:, -1] += h
        q[:, link.q] = own
        return q

    def inverse_dynamics_dq(self, q: Array, v: Array, a: Array) -> Array:
        n, h = self.model.nv, complex_step(q)
        steps = np.concatenate([self.stepped(q, k, h * 1j) for k in range(n)])
        rows = self.torque(steps, np.tile(v, (n, 1)), np.tile(a, (n, 1)), self.model.gravity).imag / h
        return np.moveaxis(rows.reshape(n, len(q), n), 0, 2)

    def inverse_dynamics_dv(self, q: Array, v: Array) -> Array:
        n, h = self.model.nv, complex_step(v)
        steps = np.repeat(v, n, axis=0) + h * 1j * np.tile(np.eye(n), (len(v), 1))
        rows = self.torque(np.repeat(q, n, axis=0), steps, 0 * steps.real, self.model.gravity).imag / h
        return np.swapaxes(rows.reshape(len(v), n, n), 1, 2)

    def forward_dynamics_dq(self, q: Array, v: Array, tau: Array) -> Array:
        a = self.forward_dynamics(q, v, tau)
        return -self.solve(self.mass_matrix(q), self.inverse_dynamics_dq(q, v, a))

    def forward_dynamics_dv(self, q: Array, v: Array) -> Array:
        return -self.solve(self.mass_matrix(q), self.inverse_dynamics_dv(q, v))

    def forward_dynamics_dtau(self, q: Array) -> Array:
        M = self.mass_matrix(q)
        return self.solve(M, np.broadcast_to(np.eye(self.model.nv), M.shape))

    # How answers are put together.

    def _bodies(self, values: list[Array]) -> Array:
        chosen = [value for link, value in zip(self.model.links, values, strict=True) if link.is_body]
        return np.stack(chosen, axis=1)

    def _turned(self, q: Array, x: Array) -> Array:
        """Motions of all bodies (batch, bodies, 6), from the bodies' axes to the root's."""
        R = self.placements(q)[..., :3]
        return np.concatenate([times(R, x[..., :3]), times(R, x[..., 3:])], axis=-1)

    def _at_root(self, q: Array, x: Array) -> Array:
        """Motions of all bodies along the root's axes, from the bodies' origins to the root's."""
        p = self.placements(q)[..., 3]
        return np.concatenate([x[..., :3], x[..., 3:] - cross(x[..., :3], p)], axis=-1)
