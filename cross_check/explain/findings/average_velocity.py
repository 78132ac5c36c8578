"""How many digits iDynTree's Jacobian of the centre of mass loses.

iDynTree takes the average velocity of the robot for it: the inverse of the robot's inertia times its momentum
(docs/findings/idyntree-com-jacobian-digits.md has the derivation). With the momentum [h; p] per unit velocity and the inertia
of the robot at the base's origin, its centre of mass at c from there, and its least moment of inertia λ about c,

    ṗ_c = p/m − c × ω + ω × c,        ω = I_c⁻¹ (h − c × p)

The last two terms of the first equation cancel, but not their roundings: ΔJ = MARGIN · ε · d (|h| + 2 d |p|) / λ, with the sizes
of |h| about c and of |p|, and the distance d ≥ |c| of the furthest body.
"""

from __future__ import annotations

import numpy as np

from cross_check.explain.findings.finding import Functions
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from implementations.protocol import Array
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism

MARGIN = 32.0
"""How many roundings of the largest term add up: the inverse and the product have six terms of six factors. Errors of up to 24 of
them were seen."""


def digits_of_inverse(mechanism: Mechanism) -> Functions:
    """The bound on J_c (batch, 3, nv), and on c̈ = J_c a + J̇_c v."""
    right, scale, arrays = REFERENCE.load(mechanism), ErrorScale(mechanism), mechanism.arrays

    def jacobian(q: Array) -> Array:
        c, T = right.center_of_mass(q), right.placements(q)
        R, centers = T[..., :3], T[..., 3] + np.einsum("bnij,nj->bni", T[..., :3], arrays.coms)
        d = centers - c[:, None]
        cross = (d * d).sum(-1)[..., None, None] * np.eye(3) - d[..., :, None] * d[..., None, :]
        I = (R @ arrays.inertias @ R.swapaxes(-1, -2) + arrays.masses[:, None, None] * cross).sum(axis=1)
        least = np.linalg.eigvalsh(I)[:, 0]
        base = T[:, 0, :, 3] if mechanism.bodies[0].joint.kind == "free" else 0 * c
        spread = np.linalg.norm(centers - base[:, None], axis=2).max(axis=1)
        # The roundings of large angles are no part of this fault.
        turned = q.copy()
        for _, slot in mechanism.slots("angle"):
            turned[:, slot] = np.remainder(q[:, slot] + np.pi, 2 * np.pi) - np.pi
        size = scale.size("centroidal_momentum_matrix", turned)
        far = np.maximum(np.linalg.norm(c - base, axis=1), spread)[:, None]
        h, p = (np.abs(size[:, rows]).max(axis=1) for rows in (slice(3), slice(3, 6)))
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = MARGIN * EPSILON * far * (h + 2 * far * p) / np.maximum(least, 0)[:, None]
        return np.broadcast_to(np.where(far > 0, lost, 0)[:, None], (len(q), 3, mechanism.nv))

    def acceleration(q: Array, v: Array, a: Array) -> Array:
        return (jacobian(q) @ np.abs(a)[..., None])[..., 0]

    return {"center_of_mass_jacobian": jacobian, "center_of_mass_acceleration": acceleration}
