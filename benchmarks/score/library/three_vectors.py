"""Formulations with 3-vectors: the recursion in the bodies' frames, and sums over the bodies with Jacobians."""

from __future__ import annotations

import numpy as np

from score.library.dynamics import Dynamics, Motion
from score.library.model import Array, Link
from score.library.vectors import cross, times


class NewtonEuler(Dynamics):
    """The recursive Newton-Euler algorithm (Luh, Walker & Paul 1980): motions from the root outwards, forces inwards."""

    def body_force(self, link: Link, m: Motion) -> Array:
        """m c̈, of a body whose origin's acceleration contains −gravity."""
        c = link.com + 0 * m.w
        return link.mass * (m.du + cross(m.dw, c) + self.centripetal(m.w, c))

    def body_moment(self, link: Link, m: Motion) -> Array:
        """The rate of the angular momentum about the centre of mass."""
        return m.dw @ link.inertia.T + self.gyroscopic(link, m.w)

    def body_lever(self, link: Link, f: Array) -> Array:
        """The moment of a body's force about its origin."""
        return cross(link.com + 0 * f, f)

    def joint_lever(self, p: Array, f: Array) -> Array:
        """The moment of a child's force about the parent's origin."""
        return cross(p, f)

    def forces(self, q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        motions, links = self.motions(q, v, a, -gravity), self.model.links
        F = [self.body_force(link, m) for link, m in zip(links, motions, strict=True)]
        N = [self.body_moment(link, m) + self.body_lever(link, x) for link, m, x in zip(links, motions, F, strict=True)]
        tau = np.zeros(v.shape, dtype=np.result_type(q, v, a))
        for i in reversed(range(len(links))):
            link = links[i]
            if f is not None and link.is_body:
                F[i], N[i] = F[i] - f[:, link.index, 3:], N[i] - f[:, link.index, :3]
            tau[:, link.v] = N[i] @ link.turn + F[i] @ link.slide
            if link.parent >= 0:
                R, p = motions[i].R, motions[i].p
                force = times(R, F[i])
                F[link.parent] = F[link.parent] + force
                N[link.parent] = N[link.parent] + times(R, N[i]) + self.joint_lever(p, force)
        return tau


class JacobianSums(Dynamics):
    """M = Σ m Jᵀ J + Jωᵀ I Jω and τ = Σ m Jᵀ (c̈ − g) + Jωᵀ (I ω̇ + ω × I ω) (Siciliano et al. 2009, section 7.1).

    J and Jω are the Jacobians of the centres of mass, along the root's axes.
    """

    def forces(self, q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        tau = np.zeros(v.shape, dtype=np.result_type(q, v, a))
        poses = self.poses(q)
        for i, (link, m) in enumerate(zip(self.model.links, self.motions(q, v, a), strict=True)):
            if not link.is_body:
                continue
            R, p = poses[i]
            c = link.com + 0 * m.w
            J = self.jacobian(poses, i, p + R @ link.com)
            force = link.mass * (times(R, m.du + self.tangential(m.dw, c) + self.centripetal(m.w, c)) - gravity)
            moment = times(R, m.dw @ link.inertia.T + self.gyroscopic(link, m.w))
            if f is not None:
                applied = f[:, link.index]
                force = force - times(R, applied[:, 3:])
                moment = moment - times(R, applied[:, :3] - cross(c, applied[:, 3:]))
            tau = tau + np.einsum("bkn,bk->bn", J, np.hstack([moment, force]))
        return tau

    def inertia_matrix(self, q: Array) -> Array:
        poses, M = self.poses(q), 0.0
        for i, link in enumerate(self.model.links):
            if link.is_body:
                R, p = poses[i]
                J = self.jacobian(poses, i, p + R @ link.com)
                I, Jw, Jv = self.turned_inertia(link, R), J[:, :3], J[:, 3:]
                M = M + link.mass * np.swapaxes(Jv, 1, 2) @ Jv + np.swapaxes(Jw, 1, 2) @ I @ Jw
        return M
