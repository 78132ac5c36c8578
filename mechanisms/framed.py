"""A mechanism with a frame at a general placement on every body and on the root."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mechanisms.body import Frame
from mechanisms.geometry import Placement, Rotation
from mechanisms.mechanism import Mechanism


def framed(mechanism: Mechanism) -> Mechanism:
    """``mechanism`` with one more frame on the root and on every body, each at another placement: "frame 0", "frame 1", …."""
    frames = []
    for i in range(len(mechanism.bodies) + 1):
        place = Placement(Rotation(3 + i, 1, -2, 2), (Fraction(1, 4), Fraction(-1, 3 + i), Fraction(2, 5)))
        frames.append(Frame(f"frame {i}", f"weld {i}", i - 1, place))
    return replace(mechanism, name=f"framed:{mechanism.name}", frames=(*mechanism.frames, *frames))
