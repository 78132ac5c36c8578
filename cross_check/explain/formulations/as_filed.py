"""Placements and inertias from a file's numbers (URDF: roll, pitch and yaw, and six moments of inertia).

All else is as in :mod:`cross_check.explain.formulations.root_frame`.
"""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Filed, Result, stacked
from cross_check.explain.formulations.root_frame import root_frame


def as_filed(m: Filed, v: Any, a: Any) -> Result:
    """The forces (nv of the joint, …) of every joint, for its velocity and acceleration, and the placements of the bodies."""
    R_T, I_c = m.unknown(2)
    for i in range(len(m.parents)):
        (c_r, c_p, c_y), (s_r, s_p, s_y), nil, e = m.cosines_of_rpy[i], m.sines_of_rpy[i], m.nought, m.unit
        X = stacked([e, nil, nil], [nil, c_r, -s_r], [nil, s_r, c_r])  # the turn by the roll
        Y = stacked([c_p, nil, s_p], [nil, e, nil], [-s_p, nil, c_p])  # the turn by the pitch
        Z = stacked([c_y, -s_y, nil], [s_y, c_y, nil], [nil, nil, e])  # the turn by the yaw
        R_T[i] = Z @ Y @ X  # the rotation of a placement
        yx = m.xy(i)  # row y, column x of the inertia
        zx = m.xz(i)  # row z, column x of the inertia
        zy = m.yz(i)  # row z, column y of the inertia
        xy = m.xy(i)  # row x, column y of the inertia
        xz = m.xz(i)  # row x, column z of the inertia
        yz = m.yz(i)  # row y, column z of the inertia
        xx = m.xx(i)  # row x, column x of the inertia
        yy = m.yy(i)  # row y, column y of the inertia
        zz = m.zz(i)  # row z, column z of the inertia
        I_c[i] = stacked([xx, xy, xz], [yx, yy, yz], [zx, zy, zz])
    return root_frame(m.filed(R_T, I_c), v, a)
