"""The numbers of a mechanism as links, which a fault may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechanisms import Mechanism

Array = np.ndarray[Any, np.dtype[Any]]

FORMS = {"continuous": "circle", "spherical": "ball", "planar": "planar", "free": "free"}
"""Joints that are one link for any number of velocities; any other joint is one link for each of its motions."""


@dataclass
class Link:
    """One moving frame. A joint that makes several motions is several links, of which the last one has the body's mass."""

    body: str
    joint: str
    kind: str
    form: str
    """How q moves it: "angle", "circle", "distance", "ball", "planar" or "free"."""
    parent: int
    index: int
    """Of the body in the mechanism; its joint has the same index."""
    q: slice
    v: slice
    turn: Array
    """(3, n): the angular velocity in the link's frame, for every component of v."""
    slide: Array
    """(3, n): the velocity of the link's origin."""
    R: Array
    """(3, 3): the joint's axes in the parent's frame."""
    p: Array
    """(3,): the joint's origin in the parent's frame (m)."""
    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    armature: float = 0.0
    damping: float = 0.0
    is_body: bool = True
    """Whether it is the last link of its joint."""


Where = tuple[str, ...] | Callable[[Link], bool]
"""The names of bodies or joints, or what the links that are meant have in common."""


class Model:
    """The links of a mechanism, parents first, and gravity (3,)."""

    def __init__(self, mechanism: Mechanism) -> None:
        data = mechanism.arrays
        self.name, self.nq, self.nv = mechanism.name, mechanism.nq, mechanism.nv
        self.gravity: Array = np.array(data.gravity)
        self.links: list[Link] = []
        last = {-1: -1}
        for i, body in enumerate(mechanism.bodies):
            first, whole = last[data.parents[i]], (mechanism.q_slices[i], mechanism.v_slices[i])
            screws = data.screws[whole[1]]
            parts = [whole] if data.kinds[i] in FORMS else list(zip(_each(whole[0]), _each(whole[1]), strict=True))
            for q, v in parts:
                S = screws[v.start - whole[1].start : v.stop - whole[1].start].T
                sliding = not S[:3].any() and S.shape[1] == 1
                form = FORMS.get(data.kinds[i]) or ("distance" if sliding else "angle")
                at_joint = q.start == whole[0].start
                R, p = (data.rotations[i], data.translations[i]) if at_joint else (np.eye(3), np.zeros(3))
                self.links.append(
                    Link(
                        body.name, body.joint.name, data.kinds[i], form, first, i, q, v,
                        S[:3].copy(), S[3:].copy(), np.array(R), np.array(p), is_body=False,
                    )
                )  # fmt: skip
                first = len(self.links) - 1
            end = self.links[-1]
            end.mass, end.com, end.inertia = float(data.masses[i]), np.array(data.coms[i]), np.array(data.inertias[i])
            end.armature, end.damping, end.is_body = float(data.armature[i]), float(data.damping[i]), True
            last[i] = first

    @property
    def bodies(self) -> list[Link]:
        """The links that are bodies, in the mechanism's order."""
        return [link for link in self.links if link.is_body]

    def chosen(self, where: Where) -> list[Link]:
        """The links that have something in common, or the last links of the bodies or joints of these names."""
        if callable(where):
            return [link for link in self.links if where(link)]
        return [link for link in self.bodies if {link.body, link.joint} & set(where)]

    def path(self, i: int) -> list[int]:
        """The numbers of link ``i`` and of all links between it and the root, outermost first."""
        found = []
        while i >= 0:
            found.append(i)
            i = self.links[i].parent
        return found

    def per_coordinate(self, what: str) -> Array:
        """Armature or damping of every component of v (nv,)."""
        values = np.zeros(self.nv)
        for link in self.bodies:
            values[link.v] = getattr(link, what)
        return values


def _each(whole: slice) -> list[slice]:
    return [slice(k, k + 1) for k in range(whole.start, whole.stop)]
