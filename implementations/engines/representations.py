"""Engines with three representations of velocities, body-fixed, inertial and mixed, each of which is one of our frames.

The representation is that of all motions, the base's too: quantities along v differ, and the adapter converts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from implementations.protocol import Array
from mechanisms.quantities import ALL_QUANTITIES

BASES = {"local": "body", "world": "spatial", "aligned": "mixed"}
"""By our frame: the velocity that a free base has (:data:`implementations.conventions.declared.VALUES`)."""


class InEveryRepresentation:
    """One mechanism in such an engine; see :class:`implementations.protocol.Dynamics`.

    ``made(frame, velocity of the base)`` gives the quantities in one representation. Those that have no frame come from that of
    the frame ``default``; those along the root's axes from the mixed one.
    """

    def __init__(self, made: Callable[[str, str], Any], default: str) -> None:
        self._in_frame, self._default = {frame: made(frame, base) for frame, base in BASES.items()}, default

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        declared = ALL_QUANTITIES.get(quantity)
        if declared is None:
            raise AttributeError(quantity)
        along_root = declared.needs_mass or quantity.endswith("classical_accelerations")
        # Forces act on bodies along their own axes.
        default = "local" if "f" in declared.arguments else self._default
        frame = "aligned" if along_root else declared.frame or default
        asked: Callable[..., Array] = getattr(self._in_frame[frame], quantity)
        return asked
