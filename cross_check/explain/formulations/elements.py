"""The rotation across a joint, element by element (Craig, *Introduction to Robotics*, eq. 2.80).

All else is as in :mod:`cross_check.explain.formulations.root_frame`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.explain.formulations.bodies import Result, SingleJoints, stacked
from cross_check.explain.formulations.root_frame import root_frame


def elements(m: SingleJoints, v: Any, a: Any) -> Result:
    """The forces of every joint, for its velocity and acceleration, and the placements of the bodies."""
    (R,) = m.unknown(1)
    for i in range(len(m.parents)):
        cq, sq = m.cosines[i], m.sines[i]  # the cosine and the sine of the joint's angle
        vq = 1 - cq  # the versine of the joint's angle
        x, y, z = np.split(m.S_ω[i], 3, axis=1)
        xx = x * x * vq + cq  # row x, column x of the joint's rotation
        xy = x * y * vq - z * sq  # row x, column y of the joint's rotation
        xz = x * z * vq + y * sq  # row x, column z of the joint's rotation
        yx = x * y * vq + z * sq  # row y, column x of the joint's rotation
        yy = y * y * vq + cq  # row y, column y of the joint's rotation
        yz = y * z * vq - x * sq  # row y, column z of the joint's rotation
        zx = x * z * vq - y * sq  # row z, column x of the joint's rotation
        zy = y * z * vq + x * sq  # row z, column y of the joint's rotation
        zz = z * z * vq + cq  # row z, column z of the joint's rotation
        R[i] = stacked([xx, xy, xz], [yx, yy, yz], [zx, zy, zz])
    return root_frame(m.turned(R), v, a)
