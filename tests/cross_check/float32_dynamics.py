"""Recursive Newton-Euler in float32."""

import numpy as np

F = np.float32


class Single:
    """The mechanism's arrays in float32."""

    def __init__(self, arrays):
        self._arrays = arrays

    def __getattr__(self, name):
        x = getattr(self._arrays, name)
        return x.astype(F) if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x


precision = "float32"


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], F)
    return np.eye(3, dtype=F) + np.sin(angle) * K + (F(1) - np.cos(angle)) * K @ K


def inverse_dynamics(mechanism, q, v, a):
    """The joints' forces; w, dw, acc are a body's angular velocity, its rate, and its origin's acceleration less gravity."""
    m = Single(mechanism.arrays)
    q, v, a = (np.asarray(x, F) for x in (q, v, a))
    R, p, w, dw, acc, f, n, tau = ([None] * len(q) for _ in range(8))
    for i, (kind, axis) in enumerate(zip(m.kinds, m.axes, strict=True)):
        turns, slides = axis * F(kind == "revolute"), axis * F(kind == "prismatic")
        R[i] = m.rotations[i] @ rotation(turns, q[i])
        p[i] = m.translations[i] + m.rotations[i] @ slides * q[i]
        k = m.parents[i]
        w0, dw0, acc0 = (w[k], dw[k], acc[k]) if k >= 0 else (np.zeros(3, F), np.zeros(3, F), -m.gravity)
        w1 = R[i].T @ w0
        w[i] = w1 + turns * v[i]
        dw[i] = R[i].T @ dw0 + turns * a[i] + np.cross(w1, turns * v[i])
        acc[i] = R[i].T @ (acc0 + np.cross(dw0, p[i]) + np.cross(w0, np.cross(w0, p[i])))
        acc[i] = acc[i] + slides * a[i] + F(2) * np.cross(w1, slides * v[i])
        f[i] = m.masses[i] * (acc[i] + np.cross(dw[i], m.coms[i]) + np.cross(w[i], np.cross(w[i], m.coms[i])))
        n[i] = m.inertias[i] @ dw[i] + np.cross(w[i], m.inertias[i] @ w[i]) + np.cross(m.coms[i], f[i])
    for i in reversed(range(len(q))):
        tau[i] = m.axes[i] @ (n[i] if m.kinds[i] == "revolute" else f[i]) + m.armature[i] * a[i] + m.damping[i] * v[i]
        if (k := m.parents[i]) >= 0:
            f[k] = f[k] + R[i] @ f[i]
            n[k] = n[k] + R[i] @ n[i] + np.cross(p[i], R[i] @ f[i])
    return np.array(tau)
