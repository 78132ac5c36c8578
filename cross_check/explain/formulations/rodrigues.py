"""The rotation across a joint by Rodrigues' formula, R = cos q 1 + (1 − cos q) u uᵀ + sin q u ×.

All else is as in :mod:`cross_check.explain.formulations.root_frame`.
"""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Result, SingleJoints
from cross_check.explain.formulations.root_frame import root_frame


def rodrigues(m: SingleJoints, v: Any, a: Any) -> Result:
    """The forces of every joint, for its velocity and acceleration, and the placements of the bodies."""
    (R,) = m.unknown(1)
    for i in range(len(m.parents)):
        R[i] = (  # the rotation across the joint
            m.cosines[i] * m.one  # the cosine in Rodrigues' formula
            + (1 - m.cosines[i]) * (m.S_ω[i] @ m.S_ω[i].mT)  # the versine in Rodrigues' formula
            + m.sines[i] * m.crosses[i]  # the sine in Rodrigues' formula
        )
    return root_frame(m.turned(R), v, a)
