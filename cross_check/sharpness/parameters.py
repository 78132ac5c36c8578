"""The numbers of a mechanism that its dynamics depends on, and the size of each: what an error of one of them is relative to.

They are the numbers of a file: a mass, a centre of mass and an inertia about it. Correct code may keep them in any frame and
about any point of the body, and rounds them there. So the size of a vector or of a matrix is that of the whole, not of one
entry: m for a mass m, √(tr I / m) for a centre of mass, and tr I for an entry of the inertia, where I is about the body's
origin; one radian for a turn of a joint's frame or of its axis, and for a displacement of the joint its distance from its
parent's origin, or the mechanism's own length if that is larger; |g| for gravity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cross_check.memory import Array
from mechanisms import Mechanism

AXES = "xyz"


@dataclass(frozen=True)
class Sizes:
    """The sizes of the numbers of a mechanism, float64: all (bodies,) but that of gravity."""

    mass: Array
    """m (kg)."""
    center: Array
    """√(tr I / m) (m); zero without mass."""
    inertia: Array
    """tr I about the body's origin (kg m²)."""
    place: Array
    """m."""
    gravity: float
    """m/s²."""

    @staticmethod
    def of(mechanism: Mechanism) -> Sizes:
        data = mechanism.arrays
        m, c = np.abs(data.masses), np.linalg.norm(data.coms, axis=1)
        inertia = np.abs(np.trace(data.inertias, axis1=1, axis2=2)) + 2 * m * c**2
        own = np.linalg.norm(data.translations, axis=1)
        carried = own[[λ >= 0 for λ in data.parents]]
        length = max(carried.max(initial=0.0), c.max(initial=0.0))
        gravity = float(np.linalg.norm(data.gravity))
        center = np.sqrt(np.divide(inertia, m, out=np.zeros_like(m), where=m > 0))
        return Sizes(m, center, inertia, np.maximum(own, length), gravity)


def inertial(body: str) -> list[str]:
    """The names of the ten numbers of a body's inertia: mass, centre of mass, and the inertia about it."""
    centers = [f"the centre of mass of {body} along {axis}" for axis in AXES]
    entries = [f"the inertia I{entry} of {body}" for entry in ("xx", "yy", "zz", "xy", "xz", "yz")]
    return [f"the mass of {body}", *centers, *entries]


def geometric(joint: str) -> list[str]:
    """The names of the six numbers of a joint's placement: its turn and its displacement."""
    return [*(f"the orientation of {joint} about {a}" for a in AXES), *(f"the origin of {joint} along {a}" for a in AXES)]
