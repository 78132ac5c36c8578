"""Rigid bodies, and frames fixed to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mechanisms.geometry import Placement
from mechanisms.hashed import hashed_once
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.numbers.exact import Scalar

MASSLESS = Inertia.massless()
"""The inertia of a body unless it is given one."""


GRAVITY_COMPENSATION = "gravity compensation"
"""What a body with :attr:`Body.lifted` has."""


@hashed_once
@dataclass(frozen=True)
class Body:
    """A rigid body and the joint that ties it to its parent; ``parent`` is a body's name, or the root's.

    Gravity compensation is the force −m · g at the point c of the body, with the mass and the centre of mass of ``lifted``, whose
    rotational inertia does not count. So the potential energy is that of ``inertia`` less that of ``lifted``. MuJoCo's factor
    gravcomp lifts this part of the body's mass at its own centre; welded bodies may have different factors. A force of buoyancy
    is the same, with the mass of the displaced fluid at the centre of buoyancy.
    """

    name: str
    parent: str
    joint: Joint
    inertia: Inertia = MASSLESS
    lifted: Inertia = field(default=MASSLESS, repr=False)

    def __post_init__(self) -> None:
        if self.lifted.mass == 0:
            object.__setattr__(self, "lifted", MASSLESS)
        elif any(x != 0 for x in self.lifted.about_com):
            object.__setattr__(self, "lifted", Inertia(self.lifted.mass, self.lifted.com))

    @property
    def is_lifted(self) -> bool:
        """Whether it has gravity compensation."""
        return not self.lifted.is_massless

    def lifted_part(self) -> Scalar | None:
        """Which part of the body's own mass is lifted, at its centre of mass. None if something else is lifted."""
        m, c = self.inertia.mass, self.inertia.com
        return self.lifted.mass / m if m != 0 and (self.lifted.com == c or not self.is_lifted) else None

    def seen_from(self, placement: Placement) -> Body:
        """The body with what it carries in another frame, in which the body's frame has this placement."""
        return replace(self, inertia=self.inertia.placed(placement), lifted=self.lifted.placed(placement))

    def welded_with(self, other: Body) -> Body:
        """The body with what another one carries, in one frame."""
        inertia, lifted = self.inertia + other.inertia, self.lifted + other.lifted
        return replace(self, inertia=inertia.shortened(), lifted=lifted.shortened())


@dataclass(frozen=True)
class Frame:
    """A named frame fixed to a body: what remains of a body outboard of a fixed joint.

    ``body`` is the index of the moving body that carries it, or -1 for the root.
    """

    name: str
    joint: str
    body: int
    placement: Placement
