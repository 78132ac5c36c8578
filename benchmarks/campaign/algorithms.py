"""Other algorithms for the same quantities: in the root's frame, along its axes, by Jacobians, by articulated bodies."""

import numpy as np
from score.library.vectors import cross, skew, times

from campaign.library import Library
from campaign.links import Array
from campaign.textbook import along


class Algorithms(Library):
    """The library with a choice of algorithms, each of which is right."""

    rnea_by, mass_by, solve_by = "links", "composite", "solve"

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.by(q, v, a)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.by(q, v, 0 * v)

    def gravity(self, q: Array) -> Array:
        rest = np.zeros((len(q), self.data.nv), q.dtype)
        return self.by(q, rest, rest)

    def by(self, q: Array, v: Array, a: Array) -> Array:
        """Inverse dynamics by the chosen algorithm."""
        if self.rnea_by == "mass matrix":
            h = self.rnea(q, v, 0 * a)
            return times(self.mass_matrix(q), a) + h
        return {"links": self.rnea, "root": self.about_root, "aligned": self.aligned}[self.rnea_by](q, v, a)

    def about_root(self, q: Array, v: Array, a: Array) -> Array:
        """Spatial vectors [ω; v] of the point at the root's origin, along the root's axes."""
        L, root = self.links, self.in_root(self.poses(q, "root"))
        V, A, F, S = [], [], [], []
        g = np.concatenate((np.zeros(3), -self.gravity_vector))
        for i, (R, p) in enumerate(root):
            w = L.Sw[i] @ R.swapaxes(-1, -2)
            u = L.Sv[i] @ R.swapaxes(-1, -2) + cross(p[:, None, :], w)
            S.append(np.concatenate((w, u), -1))
            j = L.parent[i]
            V0, A0 = (V[j], A[j]) if j >= 0 else (np.zeros((len(q), 6)), np.broadcast_to(g, (len(q), 6)))
            own = along(v[:, L.v[i]], S[i])
            V.append(V0 + own)
            w, u = V[i][:, :3], V[i][:, 3:]
            turned = np.concatenate((cross(w, own[:, :3]), cross(w, own[:, 3:]) + cross(u, own[:, :3])), -1)
            A.append(A0 + along(a[:, L.v[i]], S[i]) + turned)
            c, m, I = p + times(R, L.com[i]), L.mass[i], R @ L.inertia[i] @ R.swapaxes(-1, -2)

            def weighed(x: Array, c: Array = c, m: Array = m, I: Array = I) -> Array:
                f = m * (x[:, 3:] + cross(x[:, :3], c))
                return np.concatenate((times(I, x[:, :3]) + cross(c, f), f), -1)

            P = weighed(V[i])
            F.append(weighed(A[i]) + np.concatenate((cross(w, P[:, :3]) + cross(u, P[:, 3:]), cross(w, P[:, 3:])), -1))
        tau = np.zeros((len(q), self.data.nv), q.dtype)
        for i in reversed(range(self.n)):
            k = L.v[i]
            tau[:, k] = times(S[i], F[i]) + L.armature[i] * a[:, k] + L.damping[i] * v[:, k]
            if L.parent[i] >= 0:
                F[L.parent[i]] = F[L.parent[i]] + F[i]
        return tau

    def aligned(self, q: Array, v: Array, a: Array) -> Array:
        """3-vectors along the root's axes; x is the acceleration of a link's origin, less gravity."""
        L, root, zero = self.links, self.in_root(self.poses(q, "root")), np.zeros((len(q), 3))
        out, f, n, axes = [], [], [], []
        for i, (R, p) in enumerate(root):
            j, E = L.parent[i], R.swapaxes(-1, -2)
            w0, dw0, u0, x0, p0 = out[j] if j >= 0 else (zero, zero, zero, zero - self.gravity_vector, zero)
            Sw, Sv = L.Sw[i] @ E, L.Sv[i] @ E
            axes.append((Sw, Sv))
            r, own, rel = p - p0, along(v[:, L.v[i]], Sw), along(v[:, L.v[i]], Sv)
            w, u = w0 + own, u0 + cross(w0, p - p0) + rel
            dw = dw0 + along(a[:, L.v[i]], Sw) + cross(w0, own)
            x = x0 + cross(dw0, r) + cross(w0, u - u0) + along(a[:, L.v[i]], Sv) + cross(w, rel)
            out.append((w, dw, u, x, p))
            c, I = times(R, L.com[i]), R @ L.inertia[i] @ E
            f.append(L.mass[i] * (x + cross(dw, c) + cross(w, cross(w, c))))
            n.append(times(I, dw) + cross(w, times(I, w)) + cross(c, f[i]))
        tau = np.zeros((len(q), self.data.nv), q.dtype)
        for i in reversed(range(self.n)):
            k, j = L.v[i], L.parent[i]
            tau[:, k] = times(axes[i][0], n[i]) + times(axes[i][1], f[i]) + L.armature[i] * a[:, k] + L.damping[i] * v[:, k]
            if j >= 0:
                f[j], n[j] = f[j] + f[i], n[j] + n[i] + cross(root[i][1] - root[j][1], f[i])
        return tau

    def mass_matrix(self, q: Array) -> Array:
        nv = self.data.nv
        if self.mass_by == "columns":
            rest, g = np.zeros((len(q), nv), q.dtype), self.gravity_vector
            try:
                self.gravity_vector = 0 * g
                return np.stack([self.by(q, rest, rest + row) for row in np.eye(nv)], -1)
            finally:
                self.gravity_vector = g
        if self.mass_by == "composite":
            return super().mass_matrix(q)
        M = np.zeros((len(q), nv, nv), q.dtype)
        for i, J in enumerate(self.jacobians(self.poses(q, "mass matrix"))):
            L, at_c = self.links, J[:, 3:] - skew(self.links.com[i]) @ J[:, :3]
            M = M + J[:, :3].swapaxes(1, 2) @ (L.inertia[i] @ J[:, :3]) + L.mass[i] * (at_c.swapaxes(1, 2) @ at_c)
            k = np.arange(nv)[L.v[i]]
            M[:, k, k] += L.armature[i]
        return M

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        if self.solve_by == "articulated":
            return self.articulated(q, v, tau)
        M, b = self.mass_matrix(q), tau - self.nonlinear_effects(q, v)
        if self.solve_by == "cholesky":
            C = np.linalg.cholesky(M)
            return times(np.linalg.inv(C).swapaxes(1, 2), times(np.linalg.inv(C), b))
        return _ldl(M, b) if self.solve_by == "ldl" else np.linalg.solve(M, b[..., None])[..., 0]

    def articulated(self, q: Array, v: Array, tau: Array) -> Array:
        """Articulated bodies, in the links' frames."""
        L, poses, nq = self.links, self.poses(q, "articulated"), len(q)
        X, IA, pA, c = [], [], [], []
        for i, ((R, p), (w, u)) in enumerate(zip(poses, self.velocities(poses, v), strict=True)):
            E = R.swapaxes(1, 2)
            X.append(np.block([[E, np.zeros_like(E)], [-E @ skew(p), E]]))
            sw, sv = along(v[:, L.v[i]], L.Sw[i]), along(v[:, L.v[i]], L.Sv[i])
            c.append(np.concatenate((cross(w, sw), cross(w, sv) + cross(u, sw)), -1))
            C, m = skew(L.com[i]), L.mass[i]
            I = np.block([[L.inertia[i] + m * C @ C.T, m * C], [-m * C, m * np.eye(3)]])
            P = times(I, np.concatenate((w, u), -1))
            IA.append(np.broadcast_to(I, (nq, 6, 6)))
            pA.append(np.concatenate((cross(w, P[:, :3]) + cross(u, P[:, 3:]), cross(w, P[:, 3:])), -1))
        U, D, t = [None] * self.n, [None] * self.n, [None] * self.n
        for i in reversed(range(self.n)):
            S, k = np.concatenate((L.Sw[i], L.Sv[i]), -1), L.v[i]
            Ia, pa = IA[i], pA[i]
            U[i] = Ia @ S.T
            D[i] = np.linalg.inv(S @ U[i] + np.diag(L.armature[i]))
            t[i] = tau[:, k] - L.damping[i] * v[:, k] - times(S, pa)
            Ia = Ia - U[i] @ D[i] @ U[i].swapaxes(1, 2)
            pa = pa + times(Ia, c[i]) + times(U[i], times(D[i], t[i]))
            if (j := L.parent[i]) >= 0:
                one = X[i].swapaxes(1, 2) @ Ia @ X[i]
                IA[j], pA[j] = IA[j] + (one + one.swapaxes(1, 2)) / 2, pA[j] + times(X[i].swapaxes(1, 2), pa)
        a, out = [], np.zeros((nq, self.data.nv))
        for i in range(self.n):
            g = np.concatenate((np.zeros(3), -self.gravity_vector))
            A = times(X[i], a[L.parent[i]] if L.parent[i] >= 0 else np.broadcast_to(g, (nq, 6))) + c[i]
            out[:, L.v[i]] = times(D[i], t[i] - times(U[i].swapaxes(1, 2), A))
            a.append(A + along(out[:, L.v[i]], np.concatenate((L.Sw[i], L.Sv[i]), -1)))
        return out


def _ldl(M: Array, b: Array) -> Array:
    """M⁻¹ b by LDLᵀ, in the numbers' own precision."""
    M, x, n = M.copy(), b.copy(), M.shape[-1]
    for k in range(n):
        for i in range(k + 1, n):
            factor = M[:, i, k] / M[:, k, k]
            M[:, i, k:] -= factor[:, None] * M[:, k, k:]
            x[:, i] -= factor * x[:, k]
    for k in reversed(range(n)):
        x[:, k] = (x[:, k] - (M[:, k, k + 1 :] * x[:, k + 1 :]).sum(-1)) / M[:, k, k]
    return x
