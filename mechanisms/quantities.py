"""Every quantity that an implementation may compute: the one table that engines, error scale, proofs and reports read.

A quantity is a function of a mechanism's state. An implementation offers it as a method of this name, on batches
(:mod:`implementations.protocol`); docs/conventions.md has the conventions. ``dalembert quantities`` prints this table.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, Literal

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
    judged: Judgement = ByValue()
    frame: str | None = None
    """The frame of a body's motion, for a quantity that comes once in each of :data:`FRAMES`."""
    unit: Unit = field(kw_only=True)
    """The unit of a component whose axes have entries of angles, of angular motions, and of a body's mass;
    :mod:`mechanisms.component_units` says what other entries add."""
    needs_mass: bool = False
    """Whether it is about the centre of mass, which a mechanism without mass does not have."""

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


def _in_every_frame(
    name: str,
    title: str,
    symbol: str,
    meaning: str,
    arguments: tuple[str, ...],
    axes: tuple[Axis, ...] = (),
    group: Group = "kinematics",
    of: Axis = "bodies",
    *,
    unit: Unit,
) -> Iterator[Quantity]:
    """A quantity of the motion of every body, or of every frame, once for each of :data:`FRAMES`."""
    for frame in FRAMES:
        yield Quantity(
            f"{name}_{frame}",
            f"{frame} {title}",
            f"{symbol} {frame}",
            meaning,
            arguments,
            (of, MOTION, *axes),
            group,
            frame=frame,
            unit=unit,
        )


_of_every_frame = partial(_in_every_frame, group="frames", of="frames")


def _derivatives(
    name: str, title: str, symbol: str, meaning: str, arguments: tuple[str, ...], axes: tuple[Axis, ...] = ("nv",), *, unit: Unit
) -> Iterator[Quantity]:
    """A derivative of every body's motion, once for each of :data:`FRAMES`."""
    return _in_every_frame(name, title, symbol, meaning, arguments, axes, "motion-derivatives", unit=unit)


def _centroidal(
    name: str, title: str, symbol: str, meaning: str, arguments: tuple[str, ...], *axes: Axis, unit: Unit
) -> Quantity:
    """A quantity of the motion of the centre of mass, or about it, along the root's axes."""
    return Quantity(name, title, symbol, meaning, arguments, axes, "centroidal", needs_mass=True, unit=unit)


def _integration() -> Iterator[Quantity]:
    """Positions q ⊕ dv and velocities to ⊖ q, and how they change with the motions of their arguments."""
    step, both = ("q", "dv"), ("q", "to")
    position: tuple[Axis, ...] = ("nq",)
    yield Quantity(
        "integrate",
        "integrated position",
        "q ⊕ dv",
        "q ⊕ dv, reached from q in unit time at the constant velocity dv",
        step,
        position,
        "integration",
        ByPosition(),
        unit=Unit(0, 0, 0),
    )
    yield Quantity(
        "integrate_dq",
        "integrated position by q",
        "∂(q ⊕ dv)/∂q",
        "the motion of q ⊕ dv for every motion of q, with dv fixed",
        step,
        _MATRIX,
        "integration",
        unit=Unit(0, 0, 0),
    )
    yield Quantity(
        "integrate_dv",
        "integrated position by dv",
        "∂(q ⊕ dv)/∂dv",
        "the motion of q ⊕ dv for every change of dv",
        step,
        _MATRIX,
        "integration",
        unit=Unit(0, 0, 0),
    )
    yield Quantity(
        "difference",
        "difference of positions",
        "to ⊖ q",
        "to ⊖ q, the smallest constant velocity that leads from q to `to` in unit time",
        both,
        ("nv",),
        "integration",
        unit=Unit(0, 0, 0),
    )
    yield Quantity(
        "difference_dq",
        "difference of positions by q",
        "∂(to ⊖ q)/∂q",
        "the change of to ⊖ q for every motion of q",
        both,
        _MATRIX,
        "integration",
        unit=Unit(0, 0, 0),
    )
    yield Quantity(
        "difference_dto",
        "difference of positions by to",
        "∂(to ⊖ q)/∂to",
        "the change of to ⊖ q for every motion of `to`",
        both,
        _MATRIX,
        "integration",
        unit=Unit(0, 0, 0),
    )


_Q, _QV, _QVA, _QVT = ("q",), ("q", "v"), ("q", "v", "a"), ("q", "v", "tau")
_MATRIX: tuple[Axis, ...] = ("nv", "nv")

QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity(
            "inverse_dynamics",
            "inverse dynamics",
            "τ",
            "τ = M a + h, with armature and damping",
            _QVA,
            ("nv",),
            unit=Unit(1, 2, -2),
        ),
        Quantity(
            "mass_matrix",
            "mass matrix",
            "M",
            "M, with armature on its diagonal, both triangles filled",
            _Q,
            _MATRIX,
            unit=Unit(1, 2, 0),
        ),
        Quantity(
            "forward_dynamics",
            "forward dynamics",
            "q̈",
            "a with M a + h = τ",
            _QVT,
            ("nv",),
            judged=ByForces(),
            unit=Unit(0, 0, -2),
        ),
        Quantity("nonlinear_effects", "nonlinear effects", "h", "h = C v + g + damping · v", _QV, ("nv",), unit=Unit(1, 2, -2)),
        Quantity("gravity", "gravity", "g", "g, the forces that hold the mechanism still", _Q, ("nv",), unit=Unit(1, 2, -2)),
        Quantity("kinetic_energy", "kinetic energy", "T", "T = ½ vᵀ M v, armature included", _QV, (), unit=Unit(1, 2, -2)),
        Quantity(
            "potential_energy", "potential energy", "V", "V = −Σ m gᵀ c, zero at the root's origin", _Q, (), unit=Unit(1, 2, -2)
        ),
        Quantity(
            "placements",
            "placements",
            "[R p]",
            "[R p] from each body's frame to the root's",
            _Q,
            ("bodies", VECTOR, PLACEMENT),
            "kinematics",
            unit=Unit(0, 0, 0),
        ),
        *_in_every_frame("jacobians", "Jacobians", "J", "J of every body", _Q, ("nv",), unit=Unit(0, 0, 0)),
        *_in_every_frame("velocities", "velocities", "V", "V = J v of every body, [ω; v]", _QV, unit=Unit(0, 0, -1)),
        *_in_every_frame(
            "accelerations",
            "spatial accelerations",
            "V̇",
            "the spatial acceleration of every body, without gravity",
            _QVA,
            unit=Unit(0, 0, -2),
        ),
        Quantity(
            "classical_accelerations",
            "classical accelerations",
            "p̈",
            "[ω̇; p̈] of every body's origin, along the root's axes",
            _QVA,
            ("bodies", MOTION),
            "kinematics",
            unit=Unit(0, 0, -2),
        ),
        *_in_every_frame("drifts", "Jacobian drifts", "J̇v", "J̇ v of every body", _QV, unit=Unit(0, 0, -2)),
        Quantity(
            "center_of_mass",
            "centre of mass",
            "c",
            "the centre of mass, in the root's frame",
            _Q,
            (VECTOR,),
            "kinematics",
            needs_mass=True,
            unit=Unit(0, 1, 0),
        ),
        Quantity(
            "centroidal_momentum",
            "centroidal momentum",
            "h_G",
            "[k; l]: angular momentum about the centre of mass, and momentum, along the root's axes",
            _QV,
            (MOMENTUM,),
            "kinematics",
            needs_mass=True,
            unit=Unit(1, 1, -1),
        ),
        Quantity(
            "centroidal_momentum_matrix",
            "centroidal momentum matrix",
            "A_G",
            "A with [k; l] = A v",
            _Q,
            (MOMENTUM, "nv"),
            "kinematics",
            needs_mass=True,
            unit=Unit(1, 1, 0),
        ),
        # It is in the group kinematics because it needs the kinematics of the bodies on which the forces act.
        Quantity(
            "inverse_dynamics_with_forces",
            "inverse dynamics with external forces",
            "τ(f)",
            "τ = M a + h − Σ JᵀF; the forces F = [n; f] act on the bodies, each in its body's local frame",
            (*_QVA, "f"),
            ("nv",),
            "kinematics",
            unit=Unit(1, 2, -2),
        ),
        Quantity(
            "inverse_dynamics_dq",
            "inverse dynamics by q",
            "∂τ/∂q",
            "[i, k] = ∂τᵢ/∂qₖ along v, with v and a fixed",
            _QVA,
            _MATRIX,
            "derivatives",
            unit=Unit(1, 2, -2),
        ),
        Quantity(
            "inverse_dynamics_dv",
            "inverse dynamics by v",
            "∂τ/∂v",
            "∂τ/∂v, damping included",
            _QV,
            _MATRIX,
            "derivatives",
            unit=Unit(1, 2, -1),
        ),
        Quantity(
            "forward_dynamics_dq",
            "forward dynamics by q",
            "∂q̈/∂q",
            "∂q̈/∂q along v, with v and τ fixed",
            _QVT,
            _MATRIX,
            "derivatives",
            BySolution("inverse_dynamics_dq"),
            unit=Unit(0, 0, -2),
        ),
        Quantity(
            "forward_dynamics_dv",
            "forward dynamics by v",
            "∂q̈/∂v",
            "∂q̈/∂v, damping included",
            _QV,
            _MATRIX,
            "derivatives",
            BySolution("inverse_dynamics_dv"),
            unit=Unit(0, 0, -1),
        ),
        Quantity(
            "forward_dynamics_dtau",
            "forward dynamics by τ",
            "M⁻¹",
            "∂q̈/∂τ = M⁻¹",
            _Q,
            _MATRIX,
            "derivatives",
            BySolution(None),
            unit=Unit(-1, -2, 0),
        ),
        Quantity(
            "coriolis_matrix",
            "Coriolis matrix",
            "C",
            "C with C v = h − g − damping · v and C + Cᵀ = Ṁ",
            _QV,
            _MATRIX,
            "derivatives",
            ByCoriolis(),
            unit=Unit(1, 2, -1),
        ),
        Quantity(
            "joint_torque_regressor",
            "joint-torque regressor",
            "Y",
            "Y with τ = Y π + armature · a + damping · v; π are ten inertial parameters per body",
            _QVA,
            ("nv", "parameters"),
            "regressors",
            unit=Unit(0, 2, -2),
        ),
        Quantity(
            "frame_placements",
            "placements of frames",
            "[R p] of frames",
            "[R p] from the frames that are fixed to bodies or to the root, to the root's frame",
            _Q,
            ("frames", VECTOR, PLACEMENT),
            "frames",
            unit=Unit(0, 0, 0),
        ),
        *_of_every_frame(
            "frame_jacobians", "Jacobians of frames", "J of frames", "J of every frame", _Q, ("nv",), unit=Unit(0, 0, 0)
        ),
        *_of_every_frame(
            "frame_velocities", "velocities of frames", "V of frames", "V = J v of every frame, [ω; v]", _QV, unit=Unit(0, 0, -1)
        ),
        *_of_every_frame(
            "frame_accelerations",
            "spatial accelerations of frames",
            "V̇ of frames",
            "the spatial acceleration of every frame, without gravity",
            _QVA,
            unit=Unit(0, 0, -2),
        ),
        Quantity(
            "frame_classical_accelerations",
            "classical accelerations of frames",
            "p̈ of frames",
            "[ω̇; p̈] of every frame's origin, along the root's axes",
            _QVA,
            ("frames", MOTION),
            "frames",
            unit=Unit(0, 0, -2),
        ),
        *_of_every_frame(
            "frame_velocities_dq",
            "velocities of frames by q",
            "∂V/∂q of frames",
            "∂V/∂q of every frame along v, with v fixed",
            _QV,
            ("nv",),
            unit=Unit(0, 0, -1),
        ),
        *_of_every_frame(
            "frame_accelerations_dq",
            "spatial accelerations of frames by q",
            "∂V̇/∂q of frames",
            "∂V̇/∂q of every frame along v, with v and a fixed",
            _QVA,
            ("nv",),
            unit=Unit(0, 0, -2),
        ),
        *_of_every_frame(
            "frame_accelerations_dv",
            "spatial accelerations of frames by v",
            "∂V̇/∂v of frames",
            "∂V̇/∂v of every frame",
            _QV,
            ("nv",),
            unit=Unit(0, 0, -1),
        ),
        *_of_every_frame(
            "frame_jacobians_dq",
            "kinematic Hessians of frames",
            "∂J/∂q of frames",
            "[…, j, k] = ∂Jⱼ/∂qₖ of every frame",
            _Q,
            ("nv", "nv"),
            unit=Unit(0, 0, 0),
        ),
        *_derivatives(
            "velocities_dq", "velocities by q", "∂V/∂q", "∂V/∂q of every body along v, with v fixed", _QV, unit=Unit(0, 0, -1)
        ),
        *_derivatives(
            "accelerations_dq",
            "spatial accelerations by q",
            "∂V̇/∂q",
            "∂V̇/∂q of every body along v, with v and a fixed",
            _QVA,
            unit=Unit(0, 0, -2),
        ),
        *_derivatives("accelerations_dv", "spatial accelerations by v", "∂V̇/∂v", "∂V̇/∂v of every body", _QV, unit=Unit(0, 0, -1)),
        Quantity(
            "classical_accelerations_dq",
            "classical accelerations by q",
            "∂p̈/∂q",
            "∂[ω̇; p̈]/∂q of every body along v, with v and a fixed",
            _QVA,
            ("bodies", MOTION, "nv"),
            "motion-derivatives",
            unit=Unit(0, 0, -2),
        ),
        Quantity(
            "classical_accelerations_dv",
            "classical accelerations by v",
            "∂p̈/∂v",
            "∂[ω̇; p̈]/∂v of every body",
            _QV,
            ("bodies", MOTION, "nv"),
            "motion-derivatives",
            unit=Unit(0, 0, -1),
        ),
        *_derivatives(
            "jacobians_dq",
            "kinematic Hessians",
            "∂J/∂q",
            "[…, j, k] = ∂Jⱼ/∂qₖ of every body",
            _Q,
            ("nv", "nv"),
            unit=Unit(0, 0, 0),
        ),
        Quantity("gravity_dq", "gravity by q", "∂g/∂q", "[i, k] = ∂gᵢ/∂qₖ along v", _Q, _MATRIX, "statics", unit=Unit(1, 2, -2)),
        Quantity(
            "static_forces_dq",
            "static forces by q",
            "∂τₛ/∂q",
            "τₛ = g − Σ JᵀF by q; the forces F = [n; f] are held fixed in the bodies' local frames",
            ("q", "f"),
            _MATRIX,
            "statics",
            unit=Unit(1, 2, -2),
        ),
        Quantity(
            "kinetic_energy_regressor",
            "kinetic-energy regressor",
            "Y_T",
            "Y with T = Y π + ½ Σ armature · v²",
            _QV,
            ("parameters",),
            "energy-regressors",
            unit=Unit(0, 2, -2),
        ),
        Quantity(
            "potential_energy_regressor",
            "potential-energy regressor",
            "Y_V",
            "Y with V = Y π",
            _Q,
            ("parameters",),
            "energy-regressors",
            unit=Unit(0, 2, -2),
        ),
        _centroidal(
            "center_of_mass_velocity", "velocity of the centre of mass", "ċ", "ċ, the rate of c", _QV, VECTOR, unit=Unit(0, 1, -1)
        ),
        _centroidal(
            "center_of_mass_acceleration",
            "acceleration of the centre of mass",
            "c̈",
            "c̈, without gravity",
            _QVA,
            VECTOR,
            unit=Unit(0, 1, -2),
        ),
        _centroidal(
            "center_of_mass_jacobian",
            "Jacobian of the centre of mass",
            "J_c",
            "J with ċ = J v",
            _Q,
            VECTOR,
            "nv",
            unit=Unit(0, 1, 0),
        ),
        _centroidal(
            "centroidal_momentum_rate",
            "rate of the centroidal momentum",
            "ḣ_G",
            "ḣ = A a + Ȧ v, the rate of [k; l]",
            _QVA,
            MOMENTUM,
            unit=Unit(1, 1, -2),
        ),
        _centroidal(
            "centroidal_momentum_matrix_rate",
            "rate of the centroidal momentum matrix",
            "Ȧ_G",
            "Ȧ, the rate of A along v",
            _QV,
            MOMENTUM,
            "nv",
            unit=Unit(1, 1, -1),
        ),
        _centroidal(
            "centroidal_momentum_dq",
            "centroidal momentum by q",
            "∂h_G/∂q",
            "∂[k; l]/∂q along v, with v fixed",
            _QV,
            MOMENTUM,
            "nv",
            unit=Unit(1, 1, -1),
        ),
        _centroidal(
            "centroidal_momentum_rate_dq",
            "rate of the centroidal momentum by q",
            "∂ḣ_G/∂q",
            "∂ḣ/∂q along v, with v and a fixed; ∂ḣ/∂a is A",
            _QVA,
            MOMENTUM,
            "nv",
            unit=Unit(1, 1, -2),
        ),
        _centroidal(
            "centroidal_momentum_rate_dv",
            "rate of the centroidal momentum by v",
            "∂ḣ_G/∂v",
            "∂ḣ/∂v; it is the same for every a",
            _QV,
            MOMENTUM,
            "nv",
            unit=Unit(1, 1, -1),
        ),
        *_integration(),
    )
}
"""By name."""

GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(name for name, quantity in QUANTITIES.items() if quantity.group == group)
    for group in dict.fromkeys(quantity.group for quantity in QUANTITIES.values())
}
"""The names of every group's quantities."""

INTEGRATION = GROUPS["integration"]
"""The quantities that contain exponentials and logarithms of motions. No recorded program computes them, and none is proven."""

USUAL = tuple(name for name, quantity in QUANTITIES.items() if quantity.group not in BY_NAME)
"""The names of the quantities that are compared if none is named."""


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
