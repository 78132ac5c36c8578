"""Positions that mean no rotation: quaternions of length zero."""

from __future__ import annotations

import numpy as np

from mechanisms import Mechanism
from oracle.errors import OracleError
from oracle.fields import Array


def require_rotations(mechanism: Mechanism, q: Array) -> None:
    """Raise :class:`OracleError` if a quaternion in q (batch, nq) has the length zero, or in a finite field a square of zero."""
    for joint, slot in mechanism.slots("quaternion"):
        e = q[:, slot]
        try:
            is_regular = np.all((e * e).sum(1) != 0)
        except TypeError:  # a random function or a recorded value cannot be compared with zero; neither is zero
            continue
        if not is_regular:
            raise OracleError(f"a quaternion of joint {joint.name!r} is zero; give any other")
