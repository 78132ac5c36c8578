"""Dynamics over batches of states, from the textbooks: Newton–Euler, composite bodies, energies, in the links' own frames.

Each term passes through :meth:`Textbook.at`, which returns it as it is. A wrong code changes it there.
"""

from typing import Any

import numpy as np
from score.library.vectors import cross, rodrigues, skew, times

from campaign.links import Array, Links, Numbers, links_of


def along(x: Array, S: Array) -> Array:
    """Σ x_k S_k, for x (batch, k) and S (k, 3) or (batch, k, 3)."""
    return (x[..., None, :] @ S)[..., 0, :]


def of_quaternion(x: Array) -> Array:
    """The rotation by the quaternion x y z w, of any length."""
    u, w = x[..., :3], x[..., 3, None, None]
    K, n = skew(u), (x * x).sum(-1)[..., None, None]
    return np.eye(3) + 2 * (w * K + K @ K) / n


class Textbook:
    """All quantities of one mechanism; arguments and answers are batches."""

    def __init__(self, data: Numbers):
        self.data = data
        self.links: Links = links_of(data)
        self.n = len(self.links.parent)
        self.gravity_vector = data.arrays["gravity"]

    def at(self, site: str, i: int, value: Array, column: str = "") -> Array:
        """The term `value` of link i at `site`; `column` names where other links have the same datum."""
        return value

    def use(self, column: str, where: str, i: int) -> Array:
        """A datum of link i, as the step `where` uses it."""
        return self.at(f"{column} in {where}", i, getattr(self.links, column)[i], column)

    def poses(self, q: Array, where: str) -> list[tuple[Array, Array]]:
        """R and p of each link in its parent."""
        L, out = self.links, []
        for i in range(self.n):
            x = self.at("position", i, q[:, L.q[i]])
            if L.kind[i] == "weld":
                R0, p0 = L.rotation[i], L.translation[i]
                out.append((np.broadcast_to(R0, (len(q), 3, 3)), np.broadcast_to(p0, (len(q), 3))))
                continue
            turn, slide = self.use("turn", where, i), self.use("slide", where, i)
            if L.kind[i] == "screw":
                R = rodrigues(turn[..., 0, :], self.at("cosine", i, np.cos(x[:, 0])), self.at("sine", i, np.sin(x[:, 0])))
                R = R if L.turn[i].any() else np.broadcast_to(np.eye(3), R.shape)
                p = x * slide[..., 0, :]
            elif L.kind[i] == "circle":
                R, p = rodrigues(turn[..., 0, :], x[:, 0], x[:, 1]), 0 * x[:, :1] * slide[..., 0, :]
            elif L.kind[i] == "plane":
                R = rodrigues(turn[..., 0, :], self.at("cosine", i, np.cos(x[:, 2])), self.at("sine", i, np.sin(x[:, 2])))
                p = along(x[:, :2], slide[..., 1:, :])
            else:
                R = of_quaternion(x[:, -4:])
                p = x[:, :3] if L.kind[i] == "free" else 0 * x[:, :3]
            R0, p0 = self.use("rotation", where, i), self.use("translation", where, i)
            p = self.at("placed slide", i, times(R0, p)) + p0
            R = self.at("rotation of a pose", i, R0 @ R)
            out.append((R @ L.after_R[i], p + times(R, L.after_p[i])))
        return out

    def velocities(self, poses: Any, v: Array) -> list[tuple[Array, Array]]:
        """ω and v of each link's origin, in its frame."""
        L, t, out = self.links, self.at, []
        for i, (R, p) in enumerate(poses):
            w0, u0 = out[L.parent[i]] if L.parent[i] >= 0 else (np.zeros((len(v), 3)), np.zeros((len(v), 3)))
            E, x = R.swapaxes(-1, -2), v[:, L.v[i]]
            w = t("ω of the parent", i, times(E, w0)) + t("S q̇, angular", i, along(x, self.use("Sw", "velocities", i)))
            u = t("v of the parent", i, times(E, u0)) + t("ω × p", i, times(E, cross(w0, p)))
            out.append((w, u + t("S q̇, linear", i, along(x, self.use("Sv", "velocities", i)))))
        return out

    def rnea(self, q: Array, v: Array, a: Array, where: str = "inverse dynamics") -> Array:
        """Recursive Newton–Euler; d is the spatial acceleration less gravity."""
        L, t, poses = self.links, self.at, self.poses(q, where)
        speeds, rates, f, n = self.velocities(poses, v), [], [], []
        g = np.broadcast_to(-t("gravity", -1, self.gravity_vector, "gravity"), (len(q), 3))
        for i, (R, p) in enumerate(poses):
            E, (w, u) = R.swapaxes(-1, -2), speeds[i]
            dw0, du0 = rates[L.parent[i]] if L.parent[i] >= 0 else (np.zeros((len(q), 3)), g)
            Sw, Sv = self.use("Sw", where, i), self.use("Sv", where, i)
            sw, sv, x = along(v[:, L.v[i]], Sw), along(v[:, L.v[i]], Sv), a[:, L.v[i]]
            dw = t("ω̇ of the parent", i, times(E, dw0)) + t("S q̈, angular", i, along(x, Sw)) + t("ω × S q̇", i, cross(w, sw))
            du = (
                t("v̇ of the parent", i, times(E, du0))
                + t("ω̇ × p", i, times(E, cross(dw0, p)))
                + t("S q̈, linear", i, along(x, Sv))
            )
            du = du + t("ω × S q̇, linear", i, cross(w, sv)) + t("v × S q̇", i, cross(u, sw))
            rates.append((dw, du))
            m, c, I = (self.use(name, where, i) for name in ("mass", "com", "inertia"))
            acc = du + t("ω̇ × c", i, cross(dw, c)) + t("ω × v", i, cross(w, u)) + t("ω × (ω × c)", i, cross(w, cross(w, c)))
            f.append(t("m a", i, m[..., None] * acc))
            n.append(t("I ω̇", i, times(I, dw)) + t("ω × I ω", i, cross(w, times(I, w))) + t("c × f", i, cross(c, f[i])))
        tau = np.zeros((len(q), self.data.nv), f[0].dtype)
        for i in reversed(range(self.n)):
            Sw, Sv, (R, p), k = self.use("Sw", "forces", i), self.use("Sv", "forces", i), poses[i], L.v[i]
            tau[:, k] = t("S · n", i, times(Sw, n[i]))
            tau[:, k] += t("S · f", i, times(Sv, f[i]))
            tau[:, k] += t("armature · q̈", i, a[:, k] * self.use("armature", where, i))
            tau[:, k] += t("damping · q̇", i, v[:, k] * self.use("damping", where, i))
            if (j := L.parent[i]) >= 0:
                F = t("force to the parent", i, times(R, f[i]))
                f[j] = f[j] + F
                n[j] = n[j] + t("moment to the parent", i, times(R, n[i])) + t("p × f", i, cross(p, F))
        return tau
