"""Spatial vectors [ω; v] and [n; f] in the root's frame, about the root's origin (Featherstone 2008, chapter 5)."""

from __future__ import annotations

import numpy as np

from score.library.dynamics import Dynamics, Motion
from score.library.model import Array, Link
from score.library.vectors import back, cross, skew, times


def motion_cross(V: Array, S: Array) -> Array:
    """V × S, of motions (…, 6)."""
    return np.concatenate([cross(V[..., :3], S[..., :3]), cross(V[..., :3], S[..., 3:]) + cross(V[..., 3:], S[..., :3])], axis=-1)


def force_cross(V: Array, F: Array) -> Array:
    """V ×* F, of a motion and a force."""
    return np.concatenate([cross(V[..., :3], F[..., :3]) + cross(V[..., 3:], F[..., 3:]), cross(V[..., :3], F[..., 3:])], axis=-1)


def blocks(I: Array, h: Array, mass: float) -> Array:
    """The spatial inertia (…, 6, 6) of a body: its inertia and its first moment [m c]× (…, 3, 3) about one point, its mass."""
    return np.concatenate([np.concatenate([I, h], axis=-1), np.concatenate([-h, mass * (np.eye(3) + 0 * h)], axis=-1)], axis=-2)


class RootFrame(Dynamics):
    """All vectors in one frame: nothing is transformed from link to link."""

    def screws(self, q: Array) -> list[Array]:
        """For every link (batch, n, 6): its joint's motions."""
        found = []
        for link, (R, p) in zip(self.model.links, self.poses(q), strict=True):
            turn, slide = np.swapaxes(R @ link.turn, 1, 2), np.swapaxes(R @ link.slide, 1, 2)
            found.append(np.concatenate([turn, slide + cross(p[:, None], turn)], axis=-1))
        return found

    def spatial_inertia(self, link: Link, R: Array, p: Array) -> Array:
        """(batch, 6, 6), about the root's origin."""
        c = skew(p + R @ link.com)
        I = self.turned_inertia(link, R) + self.parallel_axes(link, c)
        return blocks(I, link.mass * c, link.mass)

    def parallel_axes(self, link: Link, c: Array) -> Array:
        """The inertia of a point mass at the centre of mass, by [c]× (Huygens and Steiner)."""
        return -link.mass * c @ c

    def inertias(self, q: Array) -> list[Array]:
        return [self.spatial_inertia(link, R, p) for link, (R, p) in zip(self.model.links, self.poses(q), strict=True)]

    def spatial_motions(self, q: Array, v: Array, a: Array, base: Array) -> tuple[list[Array], list[Array]]:
        """The velocity and the spatial acceleration of every link."""
        root, rest = np.zeros((len(q), 6)) + np.concatenate([np.zeros(3), base]), np.zeros((len(q), 6))
        V: list[Array] = []
        A: list[Array] = []
        for link, S in zip(self.model.links, self.screws(q), strict=True):
            V0, A0 = (V[link.parent], A[link.parent]) if link.parent >= 0 else (rest, root)
            own = np.einsum("bnk,bn->bk", S, v[:, link.v])
            V.append(V0 + own)
            A.append(A0 + np.einsum("bnk,bn->bk", S, a[:, link.v]) + self.screw_rate(V0, own))
        return V, A

    def screw_rate(self, V: Array, own: Array) -> Array:
        """Ṡ v: a joint's screws move with the link that carries them."""
        return motion_cross(V, own)

    def momentum_rate(self, I: Array, V: Array) -> Array:
        """V ×* I V."""
        return force_cross(V, times(I, V))

    def forces(self, q: Array, v: Array, a: Array, gravity: Array, f: Array | None = None) -> Array:
        V, A = self.spatial_motions(q, v, a, -gravity)
        F = [times(I, A[i]) + self.momentum_rate(I, V[i]) for i, I in enumerate(self.inertias(q))]
        if f is not None:
            for i, (link, (R, p)) in enumerate(zip(self.model.links, self.poses(q), strict=True)):
                if link.is_body:
                    force = times(R, f[:, link.index, 3:])
                    F[i] = F[i] - np.hstack([times(R, f[:, link.index, :3]) + cross(p, force), force])
        tau = np.zeros(v.shape, dtype=np.result_type(q, v, a))
        screws = self.screws(q)
        for i in reversed(range(len(F))):
            link = self.model.links[i]
            tau[:, link.v] = np.einsum("bnk,bk->bn", screws[i], F[i])
            if link.parent >= 0:
                F[link.parent] = F[link.parent] + F[i]
        return tau

    def carried(self, i: int) -> bool:
        """Whether the composite of link i is a part of its parent's."""
        return True

    def composites(self, q: Array) -> list[Array]:
        """The inertias of the links with all that they carry."""
        found = self.inertias(q)
        for i in reversed(range(len(found))):
            if (k := self.model.links[i].parent) >= 0 and self.carried(i):
                found[k] = found[k] + found[i]
        return found

    def inertia_matrix(self, q: Array) -> Array:
        """The composite-rigid-body algorithm (Walker & Orin 1982)."""
        M, screws = np.zeros((len(q), self.model.nv, self.model.nv), dtype=q.dtype), self.screws(q)
        for i, I in enumerate(self.composites(q)):
            F, rows = screws[i] @ I, self.model.links[i].v
            for k in self.model.path(i):
                columns = self.model.links[k].v
                M[:, rows, columns] = F @ np.swapaxes(screws[k], 1, 2)
                M[:, columns, rows] = np.swapaxes(M[:, rows, columns], 1, 2)
        return M

    def motions(self, q: Array, v: Array, a: Array, base: Array | None = None) -> list[Motion]:
        V, A = self.spatial_motions(q, v, a, np.zeros(3) if base is None else base)
        found = []
        for link, (R, p), X, Y in zip(self.model.links, self.poses(q), V, A, strict=True):
            w, u, dw, du = X[:, :3], X[:, 3:] + cross(X[:, :3], p), Y[:, :3], Y[:, 3:] + cross(Y[:, :3], p)
            own = self.placement(link, q)
            found.append(Motion(*own, back(R, w), back(R, u), back(R, dw), back(R, du + cross(w, u))))
        return found

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        """C = Σ Jᵀ (I J̇ + B J), with B = ½ (V ×* I − I V× + [I V ×̄*])."""
        V, _ = self.spatial_motions(q, v, 0 * v, np.zeros(3))
        screws, C, n = self.screws(q), 0.0, self.model.nv
        for i, I in enumerate(self.inertias(q)):
            J, dJ = np.zeros((len(q), 6, n)), np.zeros((len(q), 6, n))
            for k in self.model.path(i):
                rows = self.model.links[k].v
                J[:, :, rows] = np.swapaxes(screws[k], 1, 2)
                dJ[:, :, rows] = np.swapaxes(motion_cross(V[k][:, None], screws[k]), 1, 2)
            units = np.broadcast_to(np.eye(6), (len(q), 6, 6))
            X = V[i][:, None]
            crossed = np.swapaxes(force_cross(X, np.swapaxes(I, 1, 2)), 1, 2) - I @ np.swapaxes(motion_cross(X, units), 1, 2)
            B = (crossed + np.swapaxes(force_cross(units, times(I, V[i])[:, None]), 1, 2)) / 2
            C = C + np.swapaxes(J, 1, 2) @ (I @ dJ + B @ J)
        return C


class ArticulatedBodies(RootFrame):
    """Forward dynamics by the articulated-body algorithm (Featherstone 1983), in the root's frame."""

    def joint_inertia(self, link: Link, D: Array) -> Array:
        """What the joint's force accelerates: D = SᵀI S, with the rotor."""
        return D + np.diag(self.model.per_coordinate("armature")[link.v])

    def carried_bias(self, Ia: Array, c: Array) -> Array:
        """The force that a child's bias acceleration needs."""
        return times(Ia, c)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        links, screws = self.model.links, self.screws(q)
        V, _ = self.spatial_motions(q, v, 0 * v, np.zeros(3))
        I = self.inertias(q)
        P = [self.momentum_rate(I[i], V[i]) for i in range(len(links))]
        tau = tau - self.friction_forces(v)
        rest = np.zeros((len(q), 6))
        bias, kept = [], [None] * len(links)
        for link, S in zip(links, screws, strict=True):
            bias.append(self.screw_rate(V[link.parent] if link.parent >= 0 else rest, np.einsum("bnk,bn->bk", S, v[:, link.v])))
        for i in reversed(range(len(links))):
            link, S = links[i], screws[i]
            U = S @ I[i]
            D = self.joint_inertia(link, U @ np.swapaxes(S, 1, 2))
            u = tau[:, link.v] - np.einsum("bnk,bk->bn", S, P[i])
            kept[i] = (U, D, u)
            if link.parent >= 0:
                Ia = I[i] - np.swapaxes(U, 1, 2) @ np.linalg.solve(D, U)
                pa = P[i] + self.carried_bias(Ia, bias[i]) + np.einsum("bnk,bn->bk", U, np.linalg.solve(D, u[..., None])[..., 0])
                I[link.parent], P[link.parent] = I[link.parent] + Ia, P[link.parent] + pa
        root, A = np.zeros((len(q), 6)) + np.concatenate([np.zeros(3), -self.model.gravity]), []
        a = np.zeros_like(v)
        for i, link in enumerate(links):
            U, D, u = kept[i]
            A0 = (A[link.parent] if link.parent >= 0 else root) + bias[i]
            a[:, link.v] = np.linalg.solve(D, (u - np.einsum("bnk,bk->bn", U, A0))[..., None])[..., 0]
            A.append(A0 + np.einsum("bnk,bn->bk", screws[i], a[:, link.v]))
        return a
