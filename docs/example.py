"""Inverse dynamics in plain NumPy, for trees of revolute and prismatic joints: recursive Newton-Euler in the bodies' frames."""

import numpy as np


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def inverse_dynamics(mechanism, q, v, a):
    """The joints' forces; w, dw, acc are a body's angular velocity, its rate, and its origin's acceleration less gravity."""
    m = mechanism.arrays
    R, p, w, dw, acc, f, n, tau = ([None] * len(q) for _ in range(8))
    for i, (kind, axis) in enumerate(zip(m.kinds, m.axes, strict=True)):
        turns, slides = axis * (kind == "revolute"), axis * (kind == "prismatic")
        R[i] = m.rotations[i] @ rotation(turns, q[i])
        p[i] = m.translations[i] + m.rotations[i] @ slides * q[i]
        k = m.parents[i]
        w0, dw0, acc0 = (w[k], dw[k], acc[k]) if k >= 0 else (np.zeros(3), np.zeros(3), -m.gravity)
        w1 = R[i].T @ w0
        w[i] = w1 + turns * v[i]
        dw[i] = R[i].T @ dw0 + turns * a[i] + np.cross(w1, turns * v[i])
        acc[i] = R[i].T @ (acc0 + np.cross(dw0, p[i]) + np.cross(w0, np.cross(w0, p[i])))
        acc[i] = acc[i] + slides * a[i] + 2 * np.cross(w1, slides * v[i])
        f[i] = m.masses[i] * (acc[i] + np.cross(dw[i], m.coms[i]) + np.cross(w[i], np.cross(w[i], m.coms[i])))
        n[i] = m.inertias[i] @ dw[i] + np.cross(w[i], m.inertias[i] @ w[i]) + np.cross(m.coms[i], f[i])
    for i in reversed(range(len(q))):
        tau[i] = m.axes[i] @ (n[i] if m.kinds[i] == "revolute" else f[i]) + m.armature[i] * a[i] + m.damping[i] * v[i]
        if (k := m.parents[i]) >= 0:
            f[k] = f[k] + R[i] @ f[i]
            n[k] = n[k] + R[i] @ n[i] + np.cross(p[i], R[i] @ f[i])
    return np.array(tau)
