"""Rigid bodies, and frames fixed to them."""

from __future__ import annotations

from dataclasses import dataclass

from mechanisms.geometry import Placement
from mechanisms.hashed import hashed_once
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint

MASSLESS = Inertia.massless()
"""The inertia of a body unless it is given one."""


@hashed_once
@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that ties it to its parent; ``parent`` is a body's name, or the root's."""

    name: str
    parent: str
    joint: Joint
    inertia: Inertia = MASSLESS


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body: what remains of a body outboard of a fixed joint.

    ``body`` is the index of the moving body that carries it, or -1 for the root.
    """

    name: str
    joint: str
    body: int
    placement: Placement
