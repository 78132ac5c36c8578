"""The rotation across a joint, element by element (Craig, *Introduction to Robotics*, eq. 2.80).

All else is as in :mod:`cross_check.explain.formulations.root_frame`.
"""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Result, SingleJoints, stacked
from cross_check.explain.formulations.root_frame import root_frame


def elements(m: SingleJoints, v: Any, a: Any) -> Result:
    """The forces of every joint, for its velocity and acceleration, and the placements of the bodies."""
    (R,) = m.unknown(1)
    for i in range(len(m.parents)):
        c, s = m.cosines[i], m.sines[i]  # the cosine and the sine of the joint's angle
        d = 1 - c  # the versine of the joint's angle
        x, y, z = m.S_ω[i][:, 0:1], m.S_ω[i][:, 1:2], m.S_ω[i][:, 2:3]
        xx = x * x * d + c  # row x, column x of the joint's rotation
        xy = x * y * d - z * s  # row x, column y of the joint's rotation
        xz = x * z * d + y * s  # row x, column z of the joint's rotation
        yx = x * y * d + z * s  # row y, column x of the joint's rotation
        yy = y * y * d + c  # row y, column y of the joint's rotation
        yz = y * z * d - x * s  # row y, column z of the joint's rotation
        zx = x * z * d - y * s  # row z, column x of the joint's rotation
        zy = y * z * d + x * s  # row z, column y of the joint's rotation
        zz = z * z * d + c  # row z, column z of the joint's rotation
        R[i] = stacked([xx, xy, xz], [yx, yy, yz], [zx, zy, zz])
    return root_frame(m.turned(R), v, a)
