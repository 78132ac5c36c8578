"""Every quantity that an implementation may compute: the one table that engines, error scale, proofs and reports read.

A quantity is a function of a mechanism's state. An implementation offers it as a method of this name, on batches
(:mod:`implementations.protocol`); docs/conventions.md has the conventions. ``dalembert quantities`` prints this table.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, Literal, cast, get_args

from mechanisms.constraint import WELD
from mechanisms.errors import Unsupported
from mechanisms.mechanism import Mechanism
from mechanisms.units import Unit

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

BY_NAME: tuple[Group, ...] = ("frames", "motion-derivatives", "statics", "energy-regressors", "centroidal", "integration")
"""The groups that are compared only if they are named, or "all": they are large, or few mechanisms or engines have them."""

MOST_NUMBERS = 2**15
"""An answer with more numbers at one state is not compared: a hundred states of it, and its truth, would fill the memory."""

Axis = Literal["nq", "nv", "state", "bodies", "frames", "parameters", "directions", "equations"] | tuple[str, ...]
"""An axis of one state's answer: as long as q, as long as v, an entry for every coordinate's q and then for every component of v,
an entry for every body, an entry for every frame that is fixed to a body or to the root, an entry for every inertial parameter of
every body, an entry for every constrained direction, one for every component of v and then for every constrained direction, or
these entries."""

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

    negated: str | None


@dataclass(frozen=True)
class ByCoriolis:
    """A matrix C is judged by C + Cᵀ = Ṁ and C v = h − g − D v, which leave it some freedom: there is no one true C."""


@dataclass(frozen=True)
class ByConstrainedMotion:
    """An answer is judged by the equations M x = b + Jᵀ μ, J x = c that it solves. They exist where M is regular.

    ``problem`` says what x is: the acceleration, the velocity after an impact with this ``restitution``, the accelerations
    under unit forces, or the derivatives of the acceleration along motions of the state, or of v alone, that the constraints
    allow. The ``answer`` is x, the forces of the constraints or their multipliers.
    """

    problem: Literal["acceleration", "impact", "unit forces", "by state", "by velocity"]
    answer: Literal["motion", "forces", "multipliers"] = "motion"
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

    ``arguments`` are columns of :class:`cross_check.comparison.sampling.States`; ``axes`` give the shape of one state's answer.
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
    :mod:`mechanisms.component_units` says what other entries add."""
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
        return tuple(q.shape[-1:]) if self.axes == ("nq",) else self.dimensions(mechanism)

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
    if axis == "state":
        return [f"{of} of {name}" for of in "qv" for name in mechanism.coordinates]
    if axis == "directions":
        return mechanism.constrained_directions
    if axis == "equations":
        return (*mechanism.coordinates, *mechanism.constrained_directions)
    names = [body.name for body in mechanism.bodies]
    return names if axis == "bodies" else [f"{name}.{parameter}" for name in names for parameter in PARAMETERS]


NUMBER, METRE = Unit(0, 0, 0), Unit(0, 1, 0)
VELOCITY, ACCELERATION = Unit(0, 0, -1), Unit(0, 0, -2)
INERTIA, FORCE, MOMENTUM_BY_VELOCITY = Unit(1, 2, 0), Unit(1, 2, -2), Unit(1, 1, 0)

Q, QV, QVA, QVT = ("q",), ("q", "v"), ("q", "v", "a"), ("q", "v", "tau")
COORDINATES: tuple[Axis, ...] = ("nv",)
MATRIX: tuple[Axis, ...] = ("nv", "nv")

_DECLARED: dict[str, Quantity] = {}
"""By name, in the order of declaration."""


def _quantity(
    name: str,
    symbol: str,
    meaning: str,
    arguments: tuple[str, ...],
    axes: tuple[Axis, ...],
    unit: Unit,
    *,
    title: str = "",
    **others: Any,
) -> None:
    """Declare a quantity, with further fields. Its title is its name unless another is given."""
    _DECLARED[name] = Quantity(name, title or name.replace("_", " "), symbol, meaning, arguments, axes, unit=unit, **others)


def _motion(
    name: str,
    symbol: str,
    meaning: str,
    arguments: tuple[str, ...],
    unit: Unit,
    *axes: Axis,
    title: str = "",
    base: str | None = None,
    coordinates: Iterable[str | None] = FRAMES,
    of_frames: bool = True,
) -> None:
    """Declare a quantity of every body's motion in each of the frames ``coordinates``, and the same of every fixed frame."""
    of: dict[str, tuple[Axis, str, Group]] = {"": ("bodies", "", "kinematics"), "frame_": ("frames", " of frames", "frames")}
    for prefix in of if of_frames else ("",):
        axis, words, group = of[prefix]
        for frame in coordinates:
            suffix = f"_{frame}" if frame else ""
            _quantity(
                f"{prefix}{name}{suffix}",
                " ".join(filter(None, (symbol + words, frame))),
                meaning.replace("body", "frame") if prefix else meaning,
                arguments,
                (axis, MOTION, *axes),
                unit,
                title=" ".join(filter(None, (frame, (title or name.replace("_", " ")) + words))),
                group=group,
                frame=frame,
                base=base and f"{prefix}{base}{suffix}",
            )


def _derivative(
    family: str,
    by: str,
    meaning: str,
    group: Group,
    *,
    title: Callable[[str], str] | None = None,
    symbol: str = "",
    judged: Judgement = BY_VALUE,
) -> None:
    """Declare the derivative of a family of quantities by q, by another argument, or by x = (q, v).

    ``title`` makes another title of that of the family, and ``symbol`` is another symbol.
    """
    letter, words = {"tau": ("τ", "τ"), "x": ("x", "the state")}.get(by, (by, by))
    per = {"v": VELOCITY, "tau": FORCE}.get(by, NUMBER)
    for one in [one for one in _DECLARED.values() if one.family == family]:
        what, *where = one.symbol.split(" ", 1)
        _quantity(
            f"{family}_d{by.removeprefix('d')}" + (f"_{one.frame}" if one.frame else ""),
            symbol or " ".join([f"∂{what}/∂{letter}", *where]),
            meaning,
            {"v": QV, "tau": Q}.get(by, one.arguments),
            # A position moves with as many components as a velocity has.
            (*("nv" if axis == "nq" else axis for axis in one.axes), "state" if by == "x" else "nv"),
            Unit(*(exponent - below for exponent, below in zip(one.unit, per, strict=True))),
            title=title(one.title) if title else f"{one.title} by {words}",
            group=group,
            judged=judged,
            frame=one.frame,
            needs_mass=one.needs_mass,
            base=one.name,
            by=by,
        )


def _derivatives(family: str, by: str, meaning: str, **others: Any) -> None:
    """Declare a derivative of every body's motion, and the same of every fixed frame."""
    _derivative(family, by, meaning, "motion-derivatives", **others)
    _derivative(f"frame_{family}", by, meaning.replace("body", "frame"), "frames", **others)


def _rate(base: str, name: str, symbol: str, meaning: str, arguments: tuple[str, ...], title: str) -> None:
    """Declare the derivative by time of a quantity that is about the centre of mass."""
    one = _DECLARED[base]
    unit, about = one.unit._replace(s=one.unit.s - 1), {"group": "centroidal", "needs_mass": True}
    _quantity(name, symbol, meaning, arguments, one.axes, unit, title=title, base=base, **about)


_quantity("inverse_dynamics", "τ", "τ = M a + h, with armature and damping", QVA, COORDINATES, FORCE)
_quantity("mass_matrix", "M", "M, with armature on its diagonal, both triangles filled", Q, MATRIX, INERTIA)
_quantity("forward_dynamics", "q̈", "a with M a + h = τ", QVT, COORDINATES, ACCELERATION, judged=ByForces())
_quantity("nonlinear_effects", "h", "h = C v + g + damping · v", QV, COORDINATES, FORCE)
_quantity("gravity", "g", "g, the forces that hold the mechanism still", Q, COORDINATES, FORCE, base="potential_energy", by="q")
_quantity("kinetic_energy", "T", "T = ½ vᵀ M v, armature included", QV, (), FORCE)
_quantity("potential_energy", "V", "V = −Σ m gᵀ c, zero at the root's origin", Q, (), FORCE)

_POSE: tuple[Axis, ...] = (VECTOR, PLACEMENT)
_quantity("placements", "[R p]", "[R p] from each body's frame to the root's", Q, ("bodies", *_POSE), NUMBER, group="kinematics")
_quantity(
    "frame_placements",
    "[R p] of frames",
    "[R p] from the frames that are fixed to bodies or to the root, to the root's frame",
    Q,
    ("frames", *_POSE),
    NUMBER,
    title="placements of frames",
    group="frames",
)
_motion("jacobians", "J", "J of every body", Q, NUMBER, "nv", title="Jacobians", base="")
_motion("velocities", "V", "V = J v of every body, [ω; v]", QV, VELOCITY)
_motion(
    "accelerations",
    "V̇",
    "the spatial acceleration of every body, without gravity",
    QVA,
    ACCELERATION,
    title="spatial accelerations",
    base="velocities",
)
_motion(
    "classical_accelerations",
    "p̈",
    "[ω̇; p̈] of every body's origin, along the root's axes",
    QVA,
    ACCELERATION,
    base="velocities_aligned",
    coordinates=(None,),
)
_motion("drifts", "J̇v", "J̇ v of every body", QV, ACCELERATION, title="Jacobian drifts", base="velocities", of_frames=False)

_MASS: dict[str, Any] = {"group": "kinematics", "needs_mass": True}
_quantity("center_of_mass", "c", "the centre of mass, in the root's frame", Q, (VECTOR,), METRE, title="centre of mass", **_MASS)
_quantity(
    "centroidal_momentum",
    "h_G",
    "[k; l]: angular momentum about the centre of mass, and momentum, along the root's axes",
    QV,
    (MOMENTUM,),
    Unit(1, 1, -1),
    **_MASS,
)
_quantity("centroidal_momentum_matrix", "A_G", "A with [k; l] = A v", Q, (MOMENTUM, "nv"), MOMENTUM_BY_VELOCITY, **_MASS)
# It is in the group kinematics because it needs the kinematics of the bodies on which the forces act.
_quantity(
    "inverse_dynamics_with_forces",
    "τ(f)",
    "τ = M a + h − Σ JᵀF; the forces F = [n; f] act on the bodies, each in its body's local frame",
    (*QVA, "f"),
    COORDINATES,
    FORCE,
    title="inverse dynamics with external forces",
    group="kinematics",
)

_derivative("inverse_dynamics", "q", "[i, k] = ∂τᵢ/∂qₖ along v, with v and a fixed", "derivatives")
_derivative("inverse_dynamics", "v", "∂τ/∂v, damping included", "derivatives")
_derivative("forward_dynamics", "q", "∂q̈/∂q along v, with v and τ fixed", "derivatives", judged=BySolution("inverse_dynamics_dq"))
_derivative("forward_dynamics", "v", "∂q̈/∂v, damping included", "derivatives", judged=BySolution("inverse_dynamics_dv"))
_derivative("forward_dynamics", "tau", "∂q̈/∂τ = M⁻¹", "derivatives", symbol="M⁻¹", judged=BySolution(None))
_quantity(
    "coriolis_matrix",
    "C",
    "C with C v = h − g − damping · v and C + Cᵀ = Ṁ",
    QV,
    MATRIX,
    Unit(1, 2, -1),
    title="Coriolis matrix",
    group="derivatives",
    judged=ByCoriolis(),
    base="mass_matrix",
)
_quantity(
    "joint_torque_regressor",
    "Y",
    "Y with τ = Y π + armature · a + damping · v; π are ten inertial parameters per body",
    QVA,
    ("nv", "parameters"),
    Unit(0, 2, -2),
    title="joint-torque regressor",
    group="regressors",
)

_derivatives("velocities", "q", "∂V/∂q of every body along v, with v fixed")
_derivatives("accelerations", "q", "∂V̇/∂q of every body along v, with v and a fixed")
_derivatives("accelerations", "v", "∂V̇/∂v of every body")
_derivative("classical_accelerations", "q", "∂[ω̇; p̈]/∂q of every body along v, with v and a fixed", "motion-derivatives")
_derivative("classical_accelerations", "v", "∂[ω̇; p̈]/∂v of every body", "motion-derivatives")
_derivatives(
    "jacobians", "q", "[…, j, k] = ∂Jⱼ/∂qₖ of every body", title=lambda title: title.replace("Jacobians", "kinematic Hessians")
)

_derivative("gravity", "q", "[i, k] = ∂gᵢ/∂qₖ along v", "statics")
_quantity(
    "static_forces_dq",
    "∂τₛ/∂q",
    "τₛ = g − Σ JᵀF by q; the forces F = [n; f] are held fixed in the bodies' local frames",
    ("q", "f"),
    MATRIX,
    FORCE,
    title="static forces by q",
    group="statics",
    base="",
    by="q",
)

_REGRESSOR: dict[str, Any] = {"axes": ("parameters",), "unit": Unit(0, 2, -2), "group": "energy-regressors"}
_quantity(
    "kinetic_energy_regressor", "Y_T", "Y with T = Y π + ½ Σ armature · v²", QV, title="kinetic-energy regressor", **_REGRESSOR
)
_quantity("potential_energy_regressor", "Y_V", "Y with V = Y π", Q, title="potential-energy regressor", **_REGRESSOR)

_rate("center_of_mass", "center_of_mass_velocity", "ċ", "ċ, the rate of c", QV, "velocity of the centre of mass")
_rate(
    "center_of_mass_velocity", "center_of_mass_acceleration", "c̈", "c̈, without gravity", QVA, "acceleration of the centre of mass"
)
_quantity(
    "center_of_mass_jacobian",
    "J_c",
    "J with ċ = J v",
    Q,
    (VECTOR, "nv"),
    METRE,
    title="Jacobian of the centre of mass",
    group="centroidal",
    needs_mass=True,
    base="center_of_mass",
    by="q",
)
_rate(
    "centroidal_momentum",
    "centroidal_momentum_rate",
    "ḣ_G",
    "ḣ = A a + Ȧ v, the rate of [k; l]",
    QVA,
    "rate of the centroidal momentum",
)
_rate(
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_rate",
    "Ȧ_G",
    "Ȧ, the rate of A along v",
    QV,
    "rate of the centroidal momentum matrix",
)
_derivative("centroidal_momentum", "q", "∂[k; l]/∂q along v, with v fixed", "centroidal")
_derivative("centroidal_momentum_rate", "q", "∂ḣ/∂q along v, with v and a fixed; ∂ḣ/∂a is A", "centroidal")
_derivative("centroidal_momentum_rate", "v", "∂ḣ/∂v; it is the same for every a", "centroidal")

_quantity(
    "integrate",
    "q ⊕ dv",
    "q ⊕ dv, reached from q in unit time at the constant velocity dv",
    ("q", "dv"),
    ("nq",),
    NUMBER,
    title="integrated position",
    group="integration",
    judged=ByPosition(),
)
_derivative("integrate", "q", "the motion of q ⊕ dv for every motion of q, with dv fixed", "integration", symbol="∂(q ⊕ dv)/∂q")
_derivative("integrate", "dv", "the motion of q ⊕ dv for every change of dv", "integration", symbol="∂(q ⊕ dv)/∂dv")
_quantity(
    "difference",
    "to ⊖ q",
    "to ⊖ q, the smallest constant velocity that leads from q to `to` in unit time",
    POSITIONS,
    COORDINATES,
    NUMBER,
    title="difference of positions",
    group="integration",
)
_derivative("difference", "q", "the change of to ⊖ q for every motion of q", "integration", symbol="∂(to ⊖ q)/∂q")
_derivative("difference", "to", "the change of to ⊖ q for every motion of `to`", "integration", symbol="∂(to ⊖ q)/∂to")

# With the constraint Jacobian J, one row for every constrained direction, and the drift J̇ v:
#
#     M a + h = τ + Jᵀ λ,        J a + J̇ v = 0                the motion that the constraints allow
#     M (v⁺ − v⁻) = Jᵀ Λ,        J v⁺ = −r J v⁻               an impact with the restitution r
#
# These quantities are compared at states that satisfy the constraints: the frames coincide, and J v = 0. Only v⁻ may be any
# velocity. docs/conventions.md has the signs, docs/loops.md says how states are found and how redundant constraints are judged.

RESTITUTIONS = {"plastic": Fraction(0), "half": Fraction(1, 2), "elastic": Fraction(1)}
"""The restitution r of impacts, by the word at the end of a quantity's name."""

_DIRECTIONS: tuple[Axis, ...] = ("directions",)
_CONSTRAINED: dict[str, Any] = {"group": "constraints"}
_quantity(
    "constraint_jacobian",
    "J",
    "J; J v is the velocity of every second frame relative to the first, along the first one's axes",
    Q,
    ("directions", "nv"),
    NUMBER,
    title="constraint Jacobian",
    base="",
    **_CONSTRAINED,
)
_quantity("constraint_drift", "J̇v", "J̇ v, so that J a + J̇ v = 0", QV, _DIRECTIONS, ACCELERATION, base="", **_CONSTRAINED)
_quantity(
    "constrained_acceleration",
    "q̈",
    "a with M a + h = τ + Jᵀλ and J a + J̇ v = 0",
    QVT,
    COORDINATES,
    ACCELERATION,
    judged=ByConstrainedMotion("acceleration"),
    **_CONSTRAINED,
)
_quantity(
    "constraint_forces",
    "Jᵀλ",
    "Jᵀλ = M a + h − τ, unique even where λ is not",
    QVT,
    COORDINATES,
    FORCE,
    judged=ByConstrainedMotion("acceleration", "forces"),
    **_CONSTRAINED,
)
_quantity(
    "constraint_multipliers",
    "λ",
    "λ, the force [n; f] on the second body of every constraint; any one that gives Jᵀλ",
    QVT,
    _DIRECTIONS,
    FORCE,
    title="multipliers",
    judged=ByConstrainedMotion("acceleration", "multipliers"),
    **_CONSTRAINED,
)
_derivative(
    "constrained_acceleration",
    "tau",
    "∂a/∂τ, the upper left block of the inverse of [[M, Jᵀ], [J, 0]] where that exists",
    "constraints",
    judged=ByConstrainedMotion("unit forces"),
)
_derivative(
    "constraint_multipliers",
    "tau",
    "∂λ/∂τ; any one that gives Jᵀ ∂λ/∂τ",
    "constraints",
    judged=ByConstrainedMotion("unit forces", "multipliers"),
)
# Derivatives by the state x = (q, v) and by v have a column for every component of q and v. Away from the constraint they depend
# on how it is written. So they are compared along the motions of the state that the constraints allow (docs/notes/constraints.md,
# eqs. 10–12).
for _name, _letter, _where in (
    ("constrained_acceleration", "a", ""),
    ("constraint_forces", "Jᵀλ", ""),
    ("constraint_multipliers", "λ", ", where λ is unique"),
):
    _answer = cast(ByConstrainedMotion, _DECLARED[_name].judged).answer
    _derivative(
        _name,
        "x",
        f"[∂{_letter}/∂q ∂{_letter}/∂v] along v, with τ fixed; "
        f"compared along motions of (q, v) that the constraints allow{_where}",
        "constraints",
        judged=ByConstrainedMotion("by state", _answer),
    )
    _derivative(
        _name,
        "v",
        f"∂{_letter}/∂v, damping included; compared along changes of v with J δv = 0",
        "constraints",
        judged=ByConstrainedMotion("by velocity", _answer),
    )
_quantity(
    "delassus_matrix",
    "JM⁻¹Jᵀ",
    "J M⁻¹ Jᵀ",
    Q,
    ("directions", "directions"),
    Unit(-1, -2, 0),
    title="Delassus matrix",
    judged=ByDelassus(),
    **_CONSTRAINED,
)
for _word, _r in RESTITUTIONS.items():
    _quantity(
        f"impact_velocity_{_word}",
        f"v⁺ r={_r}",
        f"v⁺ with M (v⁺ − v⁻) = JᵀΛ and J v⁺ = −r J v⁻, r = {_r}",
        ("q", "v_minus"),
        COORDINATES,
        VELOCITY,
        title=f"velocity after an impact with r = {_r}",
        judged=ByConstrainedMotion("impact", "motion", _r),
        **_CONSTRAINED,
    )
    _quantity(
        f"impact_forces_{_word}",
        f"JᵀΛ r={_r}",
        f"JᵀΛ = M (v⁺ − v⁻) of that impact, r = {_r}",
        ("q", "v_minus"),
        COORDINATES,
        Unit(1, 2, -1),
        title=f"generalised impulse with r = {_r}",
        judged=ByConstrainedMotion("impact", "forces", _r),
        **_CONSTRAINED,
    )

_GROUPS = get_args(Group)

ALL_QUANTITIES = dict(sorted(_DECLARED.items(), key=lambda item: _GROUPS.index(item[1].group)))
"""Every quantity that an implementation may offer, by name, group after group."""

CONSTRAINT_QUANTITIES = {name: quantity for name, quantity in ALL_QUANTITIES.items() if quantity.group == "constraints"}
"""The quantities of a mechanism with constraints, beside those of its tree."""

QUANTITIES = {name: quantity for name, quantity in ALL_QUANTITIES.items() if name not in CONSTRAINT_QUANTITIES}
"""The quantities that every mechanism has."""

_derivative("constraint_jacobian", "q", "∂J/∂q along v", "constraints", title=lambda title: "J by q")
_derivative("constraint_drift", "q", "∂(J̇ v)/∂q along v", "constraints", title=lambda title: "drift by q", symbol="∂(J̇v)/∂q")
_derivative("constraint_drift", "v", "∂(J̇ v)/∂v", "constraints", title=lambda title: "drift by v", symbol="∂(J̇v)/∂v")

CONSTRAINT_DERIVATIVES = {name: quantity for name, quantity in _DECLARED.items() if name not in ALL_QUANTITIES}
"""What derivatives of constrained motion are made from, by name. No implementation offers them."""

ALL_GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(name for name, quantity in ALL_QUANTITIES.items() if quantity.group == group) for group in _GROUPS
}
"""The names of every group's quantities."""

GROUPS = {group: names for group, names in ALL_GROUPS.items() if group != "constraints"}
"""The same, without the quantities of constraints."""

ALL_USUAL = tuple(name for name, quantity in ALL_QUANTITIES.items() if quantity.group not in BY_NAME)
"""The names of the quantities that are compared if none is named."""

USUAL = tuple(name for name in ALL_USUAL if name in QUANTITIES)
"""The same, without the quantities of constraints."""

INTEGRATION = GROUPS["integration"]
"""The quantities that contain exponentials and logarithms of motions. No recorded program computes them, and none is proven."""


def quantities_of(mechanism: Mechanism, names: Iterable[str]) -> tuple[str, ...]:
    """The names of quantities that this mechanism has: without constraints it has no quantities of constraints."""
    return tuple(name for name in names if name in QUANTITIES or mechanism.constraints)


def base_of(quantity: Quantity) -> Quantity | None:
    """What the quantity is a derivative of, component by component; None if it is no derivative."""
    return ALL_QUANTITIES.get(quantity.base or "")


def expand_groups(words: Iterable[str], groups: Mapping[str, tuple[str, ...]] = GROUPS) -> tuple[str, ...]:
    """Names of quantities, each once. The name of a group gives its quantities, "usual" gives those of all groups but
    :data:`BY_NAME`, "all" gives all. A word that names no group is kept unchanged."""
    usual = chain.from_iterable(names for group, names in groups.items() if group not in BY_NAME)
    known = {**groups, "usual": tuple(usual), "all": tuple(chain.from_iterable(groups.values()))}
    return tuple(dict.fromkeys(name for word in words for name in known.get(word, (word,))))


def unknown_quantity(name: str, groups: Mapping[str, tuple[str, ...]] = GROUPS) -> str:
    """The sentence that refuses ``name``, with the nearest name in ``groups`` if one is near."""
    near = difflib.get_close_matches(name, chain.from_iterable(groups.values()), n=1, cutoff=0.75)
    if near:
        return f"there is no quantity {name!r}; did you mean {near[0]!r}? `dalembert quantities` lists all"
    return f"there is no quantity {name!r}; use all, {', '.join(groups)}, usual or a name that `dalembert quantities` lists"


def by_quantity(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Functions by the names of quantities.

    ``functions`` has one entry per family. The result has one entry per quantity, in the table's order. A function of a family
    that comes in several frames takes the frame as its argument ``frame``.
    """
    table = (quantity for quantity in QUANTITIES.values() if quantity.family in functions)
    return {
        quantity.name: partial(functions[quantity.family], frame=quantity.frame) if quantity.frame else functions[quantity.family]
        for quantity in table
    }
