"""Sums over the bodies with Jacobians of their centres of mass, along the root's axes (Siciliano et al. 2009, section 7.1)."""

from __future__ import annotations

import numpy as np

from score.library.dynamics import Dynamics
from score.library.model import Array
from score.library.vectors import cross, times


class JacobianSums(Dynamics):
    """M = Σ m Jᵀ J + Jωᵀ I Jω and τ = Σ m Jᵀ (c̈ − g) + Jωᵀ (I ω̇ + ω × I ω)."""

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
