"""One quantity: a function of a mechanism's state, the axes of its answer, and how an answer is judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from mechanisms.constraint import WELD
from mechanisms.errors import Unsupported
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.units import Unit

Group = Literal[
    "dynamics",
    "kinematics",
    "derivatives",
    "regressors",
    "frames",
    "motion-derivatives",
    "statics",
    "energy-regressors",
    "centroidal",
    "integration",
    "constraints",
]

MOST_NUMBERS = 2**15
"""An answer with more numbers at one state is not compared: a hundred states of it, and its truth, would fill the memory."""

Axis = Literal["nq", "nv", "state", "next", "bodies", "frames", "parameters", "directions", "equations"] | tuple[str, ...]
"""An axis of one state's answer: as long as q, as long as v, an entry for every coordinate's q and then for every component of v,
as long as q and v together, an entry for every body, an entry for every frame that is fixed to a body or to the root, one for
every inertial parameter of every body, an entry for every constrained direction, one for every component of v and then for every
constrained direction, or these entries."""

POSITIONS = ("q", "to")
"""The arguments that are positions (batch, nq)."""

VELOCITIES = ("v", "dv")
"""The arguments that are velocities (batch, nv)."""

VECTOR = ("x", "y", "z")
PLACEMENT = ("x axis", "y axis", "z axis", "origin")
MOTION = WELD
MOMENTUM = ("kx", "ky", "kz", "lx", "ly", "lz")

PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""The inertial parameters π of a body: mass (kg), mass times centre of mass (kg m), and the entries of the inertia matrix
about the body's origin (kg m²), all in the body's frame. Ixy is the entry of the matrix, −∫ x y dm."""

FRAMES = {
    "local": "of the body's point at its origin, along the body's axes",
    "world": "of the body's point at the root's origin, along the root's axes",
    "aligned": "of the body's point at its origin, along the root's axes",
}
"""The frames of a body's motion [ω; v]; v is the velocity of that point. docs/conventions.md has the formulas. The motion of a
frame that is fixed to a body has the same three, with this frame's origin and axes for the body's."""


@dataclass(frozen=True)
class ByValue:
    """An answer is judged by its distance from the true value."""


@dataclass(frozen=True)
class ByPosition(ByValue):
    """A position is judged by its distance from the true one. A quaternion and its negative are the same position, and so are
    angles of a planar joint that differ by 2π."""


@dataclass(frozen=True)
class ByForces:
    """An acceleration a is judged by the forces that it needs: M a + h = τ. It exists where M is regular."""


@dataclass(frozen=True)
class BySolution:
    """A matrix X is judged by the equation M X = −F that it solves. It exists where M is regular.

    ``negated`` is the name of F in M X = −F; None means M X = 1.
    """

    negated: str | None = None


@dataclass(frozen=True)
class ByCoriolis:
    """A matrix C is judged by C + Cᵀ = Ṁ and C v = h − g − D v, which leave it some freedom: there is no one true C."""


Problem = Literal["acceleration", "impact", "unit forces", "by state", "by velocity"]

Answer = Literal["motion", "forces", "multipliers"]


@dataclass(frozen=True)
class ByConstrainedMotion:
    """An answer is judged by the equations M x = b + Jᵀ μ, J x = c that it solves. They exist where M is regular.

    ``problem`` says what x is: the acceleration, the velocity after an impact with this ``restitution``, the accelerations
    under unit forces, or the derivatives of the acceleration along motions of the state, or of v alone, that the constraints
    allow. The ``answer`` is x, the forces of the constraints or their multipliers.
    """

    problem: Problem
    answer: Answer = "motion"
    restitution: Fraction = Fraction(0)


@dataclass(frozen=True)
class ByDelassus:
    """J M⁻¹ Jᵀ is judged by its distance from the true value; M⁻¹ may be as wrong as solving with M is. It exists where M is
    regular."""


BY_VALUE = ByValue()

Judgement = ByValue | ByForces | BySolution | ByCoriolis | ByConstrainedMotion | ByDelassus
"""How an answer is judged: by value, or by the residual of the equation that defines it."""


@dataclass(frozen=True)
class Quantity:
    """One function of a mechanism's state.

    ``arguments`` are columns of :class:`cross_check.judge.comparison.sampling.States`; ``axes`` give the shape of one state's
    answer.
    """

    name: str
    title: str
    symbol: str
    meaning: str
    arguments: tuple[str, ...]
    axes: tuple[Axis, ...]
    group: Group = "dynamics"
    judged: Judgement = BY_VALUE
    frame: str | None = None
    """The frame of a body's motion, for a quantity that comes once in each of :data:`FRAMES`."""
    unit: Unit = field(kw_only=True)
    """The unit of a component whose axes have entries of angles, of angular motions, and of a body's mass;
    :mod:`mechanisms.quantities.component_units` says what other entries add."""
    needs_mass: bool = False
    """Whether it is about the centre of mass, which a mechanism without mass does not have."""
    base: str | None = None
    """The name of the quantity that it is a derivative of, component by component. It is empty if no quantity has components that
    correspond, and None if this is no derivative."""
    by: str = ""
    """The argument by which it is a derivative, or "x" for q and v; empty for a derivative by time, along v and along a where it
    takes them."""

    @property
    def family(self) -> str:
        """The name without its frame."""
        return self.name.removesuffix(f"_{self.frame}")

    @property
    def needs_regular_mass_matrix(self) -> bool:
        """Whether it exists only where M is regular."""
        return isinstance(self.judged, ByForces | BySolution | ByConstrainedMotion | ByDelassus)

    @property
    def needs_independent_rows(self) -> bool:
        """Whether its equations have one solution only where the rows of the constraint Jacobian are independent."""
        return isinstance(self.judged, ByConstrainedMotion)

    @property
    def is_along_constraints(self) -> bool:
        """Whether it is one function only along motions of the state that the constraints allow."""
        return isinstance(self.judged, ByConstrainedMotion) and self.judged.problem in ("by state", "by velocity")

    @property
    def is_by_angles(self) -> bool:
        """Whether its last axis is one of derivatives by angles and distances, or by their rates.

        Forces and velocities are no such derivatives, although they follow from an energy and from a place.
        """
        return self.by in (*POSITIONS, *VELOCITIES) and self.base not in ("potential_energy", "center_of_mass")

    @property
    def has_value(self) -> bool:
        """Whether there is one true value, to any precision; otherwise only an equation."""
        return isinstance(self.judged, ByValue)

    @property
    def inputs(self) -> str:
        """A letter for every argument: "q" for one of shape (batch, nq), "v" for (batch, nv), "f" for (batch, bodies, 6)."""
        return "".join("q" if name in POSITIONS else "f" if name == "f" else "v" for name in self.arguments)

    def component(self, mechanism: Mechanism, indices: Sequence[int]) -> str:
        """The name of one component of what is compared."""
        return ", ".join(entries(mechanism, axis)[i] for axis, i in zip(self.compared, indices, strict=True))

    @property
    def compared(self) -> tuple[Axis, ...]:
        """The axes of what is compared: the answer, or the equations that it solves."""
        if not isinstance(self.judged, ByConstrainedMotion):
            return self.axes
        return ("equations", *self.axes[1:])

    def dimensions(self, mechanism: Mechanism) -> tuple[int, ...]:
        """The shape of one state's answer."""
        return tuple(len(entries(mechanism, axis)) for axis in self.axes)

    def dimensions_for(self, mechanism: Mechanism, q: Any) -> tuple[int, ...]:
        """The same, of code that gets the positions ``q`` (…, n): their numbers may be others than ours."""
        if self.axes in (("nq",), ("next",)):
            return (q.shape[-1] + (mechanism.nv if self.axes == ("next",) else 0),)
        return self.dimensions(mechanism)

    def is_defined(self, mechanism: Mechanism) -> bool:
        """Whether the mechanism has this quantity, singular configurations aside."""
        return not self._missing(mechanism)

    def require_defined(self, mechanism: Mechanism) -> None:
        """Raise :class:`Unsupported` where the mechanism does not have this quantity."""
        if missing := self._missing(mechanism):
            raise Unsupported(missing)

    def is_compared(self, mechanism: Mechanism) -> bool:
        """Whether the mechanism has this quantity, with no more than :data:`MOST_NUMBERS` numbers at one state."""
        return self.is_defined(mechanism) and math.prod(self.dimensions(mechanism)) <= MOST_NUMBERS

    def require_compared(self, mechanism: Mechanism) -> None:
        """Raise :class:`Unsupported` where :meth:`is_compared` is False."""
        self.require_defined(mechanism)
        if not self.is_compared(mechanism):
            numbers = math.prod(self.dimensions(mechanism))
            title = self.title.removeprefix(f"{self.frame} ")
            raise Unsupported(f"{title} have {numbers} numbers at one state; answers of {MOST_NUMBERS} at most are compared")

    def _missing(self, mechanism: Mechanism) -> str:
        if self.needs_mass and all(body.inertia.mass == 0 for body in mechanism.bodies):
            return "no body that moves has mass, so there is no centre of mass"
        if "frames" in self.axes and not mechanism.frames:
            return "it has no frame that is fixed to a body or to the root"
        return ""


def entries(mechanism: Mechanism, axis: Axis) -> Sequence[str]:
    """The names of an axis's entries."""
    if not isinstance(axis, str):
        return axis
    if axis == "nq":
        return mechanism.positions
    if axis == "nv":
        return mechanism.coordinates
    if axis == "frames":
        return [frame.name for frame in mechanism.frames]
    if axis == "next":
        return [f"{of} of {name}" for of, names in (("q", mechanism.positions), ("v", mechanism.coordinates)) for name in names]
    if axis == "state":
        return [f"{of} of {name}" for of in "qv" for name in mechanism.coordinates]
    if axis == "directions":
        return mechanism.constrained_directions
    if axis == "equations":
        return (*mechanism.coordinates, *mechanism.constrained_directions)
    names = [body.name for body in mechanism.bodies]
    return names if axis == "bodies" else [f"{name}.{parameter}" for name in names for parameter in PARAMETERS]
