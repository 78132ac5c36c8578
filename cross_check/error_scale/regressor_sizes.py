"""The size of the joint-torque regressor: what a unit of every inertial parameter adds to the forces.

With R, W, V, A and a of a body (:mod:`cross_check.error_scale.lengths`), a unit of mass m, of mass times centre of mass m c and
of inertia about the body's origin need a force F and a moment N about the root's origin of the size

    m        F = a + (A + W²) R + W V        N = R F + (V + W R)²
    m c      F = A + W²                      N = R F + a + (A + W²) R + W V + 2 W (V + W R)
    I        F = 0                           N = A + W²

of which joint i transmits N + R_i F and F.
"""

from __future__ import annotations

import numpy as np

from cross_check.error_scale.lengths import Array, Lengths
from mechanisms.quantities import PARAMETERS


def joint_torque_regressor(x: Lengths, q: Array, v: Array, a: Array) -> Array:
    R, (W, V), (A, linear) = x.distances(q), x.velocities(q, v), x.accelerations(q, v, a, x.g)
    Y = np.zeros((len(q), x.mechanism.nv, len(R) * len(PARAMETERS)))
    for j, (screws, carried) in enumerate(zip(x.screws, x.beyond, strict=True)):
        for b in carried:
            turning, moving = A[b] + W[b] ** 2, V[b] + W[b] * R[b]
            force = linear[b] + turning * R[b] + W[b] * V[b]
            units = (
                *[(force, R[b] * force + moving**2)] * 1,
                *[(turning, R[b] * turning + force + 2 * W[b] * moving)] * 3,
                *[(0 * turning, turning)] * 6,
            )
            for k, (F, N) in enumerate(units, b * len(PARAMETERS)):
                for i, (turns, advance) in enumerate(screws, x.mechanism.v_slices[j].start):
                    Y[:, i, k] = turns * (N + R[j] * F) + advance * F
    return Y
