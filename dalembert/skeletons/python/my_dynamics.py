"""Dynamics of trees of revolute and prismatic joints, by the recursive Newton-Euler algorithm in the bodies' frames.

This is an example: replace it by your code.
"""

import numpy as np


class Tree:
    """Bodies, parents first. Joint frames sit in the parents' frames; a body's frame is its joint's where q is zero."""

    def __init__(self, gravity):
        self.gravity, self.bodies = gravity, []

    def add(self, parent, turns, axis, placement, inertia, armature, damping):
        """Add a body and its joint, which turns about its axis or slides along it.

        ``parent`` is an index, -1 for the root. ``placement`` is (rotation, translation) from the joint's frame to the parent's;
        ``inertia`` is (mass, centre of mass, inertia about the centre of mass) in the body's frame.
        """
        self.bodies.append((parent, turns, axis, *placement, *inertia, armature, damping))


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def cross(x, y):
    """What numpy.cross computes, faster for two vectors."""
    return np.array([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]])


def inverse_dynamics(tree, q, v, a):
    """The joints' forces; w, dw, acc are a body's angular velocity, its rate, and its origin's acceleration less gravity."""
    R, p, w, dw, acc, f, n, tau = ([None] * len(q) for _ in range(8))
    for i, (k, is_turning, axis, R0, p0, mass, com, inertia, _, _) in enumerate(tree.bodies):
        turns, slides = (axis, 0 * axis) if is_turning else (0 * axis, axis)
        R[i] = R0 @ rotation(turns, q[i])
        p[i] = p0 + R0 @ slides * q[i]
        w0, dw0, acc0 = (w[k], dw[k], acc[k]) if k >= 0 else (np.zeros(3), np.zeros(3), -tree.gravity)
        w1 = R[i].T @ w0
        w[i] = w1 + turns * v[i]
        dw[i] = R[i].T @ dw0 + turns * a[i] + cross(w1, turns * v[i])
        acc[i] = R[i].T @ (acc0 + cross(dw0, p[i]) + cross(w0, cross(w0, p[i])))
        acc[i] = acc[i] + slides * a[i] + 2 * cross(w1, slides * v[i])
        f[i] = mass * (acc[i] + cross(dw[i], com) + cross(w[i], cross(w[i], com)))
        n[i] = inertia @ dw[i] + cross(w[i], inertia @ w[i]) + cross(com, f[i])
    for i in reversed(range(len(q))):
        k, is_turning, axis, *_, armature, damping = tree.bodies[i]
        tau[i] = axis @ (n[i] if is_turning else f[i]) + armature * a[i] + damping * v[i]
        if k >= 0:
            f[k] = f[k] + R[i] @ f[i]
            n[k] = n[k] + R[i] @ n[i] + cross(p[i], R[i] @ f[i])
    return np.array(tau)


def mass_matrix(tree, q):
    """Its columns are the forces for unit accelerations, without gravity."""
    weightless = Tree(0 * tree.gravity)
    weightless.bodies = tree.bodies
    return np.array([inverse_dynamics(weightless, q, 0 * q, unit) for unit in np.eye(len(q))]).T
