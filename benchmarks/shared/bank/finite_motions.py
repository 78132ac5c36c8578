"""Faults of finite motions and of states: integrate, difference, neutral."""

from __future__ import annotations

from shared.fault import faults

FAULTS = (
    *faults(
        "motions",
        ("a quaternion rotates the wrong way", "2 * (w * once +", "2 * (-w * once +"),
        ("the product of quaternions has them in the other order", "u * x + np.cross(x, y)", "u * x + np.cross(y, x)"),
        ("the exponential of a rotation turns by twice the angle in its real part", "np.cos(theta / 2)", "np.cos(theta)"),
        ("the logarithm of a rotation takes the long way round", "np.where(w < 0, -x, x), np.abs(w)", "x, w"),
        (
            "the exponential of a twist bends the wrong way",
            "return v + half_sinc**2 / 2 * turn",
            "return v - half_sinc**2 / 2 * turn",
        ),
        ("the logarithm of a placement bends the wrong way", "return p - turn / 2", "return p + turn / 2"),
    ),
    *faults(
        "states",
        ("the neutral quaternion has its one in x", "q[slot.stop - 1] = 1", "q[slot.start] = 1"),
        ("a free joint is moved along the parent's axes", "motions.rotate(q[:, n:], along)", "along"),
        ("a cosine and a sine are turned the wrong way", "_turned(step[:, 0], q) if", "_turned(-step[:, 0], q) if"),
        (
            "the difference of angles in the plane takes the long way round",
            "np.remainder(to[:, n] - q[:, n] + np.pi, 2 * np.pi) - np.pi",
            "to[:, n] - q[:, n]",
        ),
    ),
)
