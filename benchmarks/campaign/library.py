"""The rest of a dynamics library: composite bodies, energies, kinematics, forward dynamics."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from score.library.vectors import cross, skew, times

from campaign.links import Array
from campaign.textbook import Textbook
from mechanisms.quantities import QUANTITIES, expand_groups

DYNAMICS = expand_groups(["dynamics"])
KINEMATICS = (
    "placements", "jacobians_local", "velocities_local", "velocities_aligned", "center_of_mass", "centroidal_momentum"
)  # fmt: skip
ARGUMENTS = {name: "".join(argument[0] for argument in QUANTITIES[name].arguments) for name in DYNAMICS + KINEMATICS}
"""A letter for every argument of every quantity; t is τ."""


class Library(Textbook):
    """A function for each of `ARGUMENTS`, over batches."""

    def asked(self, name: str) -> Callable[..., Array]:
        """The function that is called from outside."""
        return getattr(self, name)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        return self.rnea(q, v, a)

    def nonlinear_effects(self, q: Array, v: Array) -> Array:
        return self.rnea(q, v, np.zeros_like(v), "nonlinear effects")

    def gravity(self, q: Array) -> Array:
        rest = np.zeros((len(q), self.data.nv), q.dtype)
        return self.rnea(q, rest, rest, "gravity")

    def mass_matrix(self, q: Array) -> Array:
        """Composite rigid bodies, by 6×6 matrices on [ω; v]."""
        L, t, poses, X, composite = self.links, self.at, self.poses(q, "mass matrix"), [], []
        M = np.zeros((len(q), self.data.nv, self.data.nv), poses[0][0].dtype)
        for i, (R, p) in enumerate(poses):
            E = R.swapaxes(-1, -2)
            lever = t("E p× of a transform", i, E @ skew(p))
            X.append(np.block([[E, np.zeros_like(E)], [-lever, E]]))
            m, c, I = (self.use(name, "mass matrix", i) for name in ("mass", "com", "inertia"))
            C, m = skew(c), m[..., None, None]
            about = t("inertia about the origin", i, I + m * (C @ C.swapaxes(-1, -2)))
            parts = np.broadcast_arrays(about, m * C, m * np.eye(3))
            matrix = np.block([[parts[0], parts[1]], [-parts[1], parts[2]]])
            composite.append(np.broadcast_to(matrix, (len(q), 6, 6)))
        for i in reversed(range(self.n)):
            Sw, Sv, k = self.use("Sw", "mass matrix", i), self.use("Sv", "mass matrix", i), L.v[i]
            S = np.concatenate(np.broadcast_arrays(Sw, Sv), -1)
            F = t("Ic S", i, composite[i] @ S.swapaxes(-1, -2))
            M[:, k, k] = t("diagonal of M", i, S @ F)
            M[:, k, k] += t("armature in M", i, np.eye(S.shape[-2]) * self.use("armature", "mass matrix", i)[..., None, :])
            j = i
            while L.parent[j] >= 0:
                F, j = t("climbing force", i, X[j].swapaxes(-1, -2) @ F), L.parent[j]
                Sj = np.concatenate(np.broadcast_arrays(self.use("Sw", "mass matrix", j), self.use("Sv", "mass matrix", j)), -1)
                M[:, L.v[j], k] = t("M off the diagonal", i, Sj @ F)
                M[:, k, L.v[j]] = t("the mirrored entry of M", i, (Sj @ F).swapaxes(-1, -2))
            if (j := L.parent[i]) >= 0:
                composite[j] = composite[j] + t("composite inertia", i, X[i].swapaxes(-1, -2) @ composite[i] @ X[i])
        return M

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        h = self.at("h of forward dynamics", -1, self.nonlinear_effects(q, v))
        M = self.at("M of forward dynamics", -1, self.mass_matrix(q))
        return np.linalg.solve(M, (self.at("τ of forward dynamics", -1, tau) - h)[..., None])[..., 0]

    def kinetic_energy(self, q: Array, v: Array) -> Array:
        L, t, total = self.links, self.at, 0.0
        for i, (w, u) in enumerate(self.velocities(self.poses(q, "kinetic energy"), v)):
            m, c, I = (self.use(name, "kinetic energy", i) for name in ("mass", "com", "inertia"))
            speed = u + t("ω × c", i, cross(w, c))
            total = total + t("½ m v²", i, 0.5 * m * (speed * speed).sum(-1)) + t("½ ω I ω", i, 0.5 * (w * times(I, w)).sum(-1))
            rotor = self.use("armature", "kinetic energy", i) * v[:, L.v[i]] ** 2
            total = total + t("½ armature · q̇²", i, 0.5 * rotor.sum(-1))
        return total

    def in_root(self, poses: Any) -> list[tuple[Array, Array]]:
        """R and p of each link in the root's frame."""
        out: list[tuple[Array, Array]] = []
        for i, (R, p) in enumerate(poses):
            j = self.links.parent[i]
            R0, p0 = out[j] if j >= 0 else (np.eye(3), np.zeros(3))
            out.append((self.at("R0 R", i, R0 @ R), p0 + self.at("R0 p", i, times(R0, p))))
        return out

    def potential_energy(self, q: Array) -> Array:
        total = 0.0
        for i, (R, p) in enumerate(self.in_root(self.poses(q, "potential energy"))):
            m, c = self.use("mass", "potential energy", i), self.use("com", "potential energy", i)
            place = p + self.at("R c", i, times(R, c))
            total = total - self.at("m g · c", i, m * (place * self.at("gravity", -1, self.gravity_vector, "gravity")).sum(-1))
        return total

    def bodies(self, values: Sequence[Any]) -> list[Any]:
        """Of values for each link, those of the bodies, in their order."""
        return [values[i] for i in sorted((i for i in range(self.n) if self.links.body[i] >= 0), key=self.links.body.__getitem__)]

    def placements(self, q: Array) -> Array:
        root = self.in_root(self.poses(q, "placements"))
        return np.stack([np.concatenate((R, p[..., None]), -1) for R, p in self.bodies(root)], 1)

    def jacobians_local(self, q: Array) -> Array:
        return np.stack(self.bodies(self.jacobians(self.poses(q, "jacobians"))), 1)

    def jacobians(self, poses: Any) -> list[Array]:
        """J (batch, 6, nv) of each link, in its frame."""
        L, J = self.links, []
        for i, (R, p) in enumerate(poses):
            E, one = R.swapaxes(-1, -2), np.zeros((len(R), 6, self.data.nv), R.dtype)
            if (j := L.parent[i]) >= 0:
                one[:, :3] = self.at("J of the parent, angular", i, E @ J[j][:, :3])
                one[:, 3:] = E @ J[j][:, 3:] - self.at("J: p × ω", i, E @ skew(p) @ J[j][:, :3])
            one[:, :3, L.v[i]] = self.use("Sw", "jacobians", i).swapaxes(-1, -2)
            one[:, 3:, L.v[i]] = self.use("Sv", "jacobians", i).swapaxes(-1, -2)
            J.append(one)
        return J

    def velocities_local(self, q: Array, v: Array) -> Array:
        speeds = self.velocities(self.poses(q, "velocities"), v)
        return np.stack([np.concatenate(pair, -1) for pair in self.bodies(speeds)], 1)

    def velocities_aligned(self, q: Array, v: Array) -> Array:
        poses = self.poses(q, "velocities")
        pairs = zip(self.bodies(self.in_root(poses)), self.bodies(self.velocities(poses, v)), strict=True)
        return np.stack([np.concatenate((times(R, w), times(R, u)), -1) for (R, _), (w, u) in pairs], 1)

    def center_of_mass(self, q: Array) -> Array:
        moment, mass = 0.0, 0.0
        for i, (R, p) in enumerate(self.in_root(self.poses(q, "center of mass"))):
            m, c = self.use("mass", "center of mass", i), self.use("com", "center of mass", i)
            moment, mass = moment + m[..., None] * (p + self.at("R c", i, times(R, c))), mass + m
        return moment / mass[..., None]

    def centroidal_momentum(self, q: Array, v: Array) -> Array:
        poses, center = self.poses(q, "momentum"), self.center_of_mass(q)
        k = l = 0.0
        for i, ((R, p), (w, u)) in enumerate(zip(self.in_root(poses), self.velocities(poses, v), strict=True)):
            m, c, I = (self.use(name, "momentum", i) for name in ("mass", "com", "inertia"))
            own = self.at("m v", i, times(R, m[..., None] * (u + cross(w, c))))
            arm = self.at("c − c of all", i, p + times(R, c) - center)
            k, l = k + self.at("R I ω", i, times(R, times(I, w))) + cross(arm, own), l + own
        return np.concatenate((k, l), -1)
