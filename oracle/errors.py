"""What the oracle refuses, and its one error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mechanisms import Mechanism

Array = np.ndarray[Any, Any]


class OracleError(ValueError):
    """The oracle cannot derive or evaluate something. The message is one sentence: what is wrong, and the remedy."""


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


def require_shapes(mechanism: Mechanism, arguments: Sequence[Array]) -> None:
    """Raise :class:`OracleError` unless ``arguments`` are states of ``mechanism``, batch first: q, v and a, or the first of them,
    and forces f, which alone have an entry for every body."""
    columns = [("q", (mechanism.nq,)), ("v", (mechanism.nv,)), ("a", (mechanism.nv,))]
    for k, x in enumerate(arguments):
        name, shape = columns[k] if x.ndim < 3 and k < len(columns) else ("f", (len(mechanism.bodies), 6))
        batch = len(arguments[0]) if arguments[0].ndim == 2 and name != "q" else "batch"
        if x.shape[1:] != shape or not x.ndim or batch not in ("batch", len(x)):
            raise OracleError(f"{name} has shape {x.shape}; give ({batch}, {', '.join(map(str, shape))})")
