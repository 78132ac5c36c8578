"""The table of all quantities, group after group."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

from mechanisms.numbers.units import Unit
from mechanisms.quantities.quantity import (
    BY_VALUE,
    FRAMES,
    MOMENTUM,
    MOTION,
    PLACEMENT,
    POSITIONS,
    VECTOR,
    Axis,
    ByConstrainedMotion,
    ByCoriolis,
    ByDelassus,
    ByForces,
    ByPosition,
    BySolution,
    Group,
    Judgement,
    Problem,
    Quantity,
)

NUMBER, METRE = Unit(0, 0, 0), Unit(0, 1, 0)
VELOCITY, ACCELERATION = Unit(0, 0, -1), Unit(0, 0, -2)
INERTIA, FORCE, MOMENTUM_BY_VELOCITY = Unit(1, 2, 0), Unit(1, 2, -2), Unit(1, 1, 0)
IMPULSE, TORQUE_BY_INERTIA = Unit(1, 2, -1), Unit(0, 2, -2)
"""Units of components that belong to angles and to a body's mass (:attr:`Quantity.unit`): so that of a force is N m."""

Q, QV, QVA, QVT = ("q",), ("q", "v"), ("q", "v", "a"), ("q", "v", "tau")
COORDINATES: tuple[Axis, ...] = ("nv",)
MATRIX: tuple[Axis, ...] = ("nv", "nv")
POSE: tuple[Axis, ...] = (VECTOR, PLACEMENT)
DIRECTIONS: tuple[Axis, ...] = ("directions",)

_DECLARED: dict[str, Quantity] = {}
"""By name, in the order of declaration."""


def _quantity(
    name: str,
    symbol: str,
    meaning: str,
    arguments: tuple[str, ...],
    axes: tuple[Axis, ...],
    unit: Unit,
    title: str = "",
    **others: Any,
) -> None:
    """Declare a quantity, with further fields. Its title is its name unless another is given."""
    _DECLARED[name] = Quantity(name, title or name.replace("_", " "), symbol, meaning, arguments, axes, unit=unit, **others)


_kinematic = partial(_quantity, group="kinematics")
_centroidal = partial(_quantity, group="centroidal", needs_mass=True)
_constrained = partial(_quantity, group="constraints")


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
                " ".join(filter(None, (frame, (title or name.replace("_", " ")) + words))),
                group=group,
                frame=frame,
                base=base and f"{prefix}{base}{suffix}",
            )


def _derivative(
    family: str,
    by: str,
    meaning: str,
    group: Group = "derivatives",
    *,
    title: Callable[[str], str] | None = None,
    symbol: str = "",
    judged: Judgement = BY_VALUE,
) -> None:
    """Declare the derivative of a family of quantities by one argument, or by the state x = (q, v).

    ``title`` makes the derivative's title of the family's. ``symbol`` replaces the symbol that follows from the family's.
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
            title(one.title) if title else f"{one.title} by {words}",
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
    """Declare the derivative by time of the quantity ``base``, which is about the centre of mass."""
    one = _DECLARED[base]
    _centroidal(name, symbol, meaning, arguments, one.axes, one.unit._replace(s=one.unit.s - 1), title, base=base)


_quantity("inverse_dynamics", "τ", "τ = M a + h, with armature, damping and springs", QVA, COORDINATES, FORCE)
_quantity("mass_matrix", "M", "M, with armature on its diagonal, both triangles filled", Q, MATRIX, INERTIA)
_quantity("forward_dynamics", "q̈", "a with M a + h = τ", QVT, COORDINATES, ACCELERATION, judged=ByForces())
_quantity("nonlinear_effects", "h", "h = C v + g + damping · v", QV, COORDINATES, FORCE)
_quantity(
    "gravity",
    "g",
    "g = ∂V/∂q, the forces that hold the mechanism still, springs among them",
    Q,
    COORDINATES,
    FORCE,
    base="potential_energy",
    by="q",
)
_quantity("kinetic_energy", "T", "T = ½ vᵀ M v, armature included", QV, (), FORCE)
_quantity(
    "potential_energy", "V", "V = −Σ m gᵀ c + ½ Σ stiffness · (q − rest)², the first zero at the root's origin", Q, (), FORCE
)

_kinematic("placements", "[R p]", "[R p] from each body's frame to the root's", Q, ("bodies", *POSE), NUMBER)
_of_frames = "[R p] from the frames that are fixed to bodies or to the root, to the root's frame"
_quantity("frame_placements", "[R p] of frames", _of_frames, Q, ("frames", *POSE), NUMBER, "placements of frames", group="frames")
_motion("jacobians", "J", "J of every body", Q, NUMBER, "nv", title="Jacobians", base="")
_motion("velocities", "V", "V = J v of every body, [ω; v]", QV, VELOCITY)
_spatial = "the spatial acceleration of every body, without gravity"
_motion("accelerations", "V̇", _spatial, QVA, ACCELERATION, title="spatial accelerations", base="velocities")
_classical = "[ω̇; p̈] of every body's origin, along the root's axes"
_motion("classical_accelerations", "p̈", _classical, QVA, ACCELERATION, base="velocities_aligned", coordinates=(None,))
_motion("drifts", "J̇v", "J̇ v of every body", QV, ACCELERATION, title="Jacobian drifts", base="velocities", of_frames=False)

_of_mass = partial(_kinematic, needs_mass=True)
_of_mass("center_of_mass", "c", "the centre of mass, in the root's frame", Q, (VECTOR,), METRE, "centre of mass")
_momentum = "[k; l]: angular momentum about the centre of mass, and momentum, along the root's axes"
_of_mass("centroidal_momentum", "h_G", _momentum, QV, (MOMENTUM,), MOMENTUM_BY_VELOCITY._replace(s=-1))
_of_mass("centroidal_momentum_matrix", "A_G", "A with [k; l] = A v", Q, (MOMENTUM, "nv"), MOMENTUM_BY_VELOCITY)
# It is in the group kinematics because it needs the kinematics of the bodies on which the forces act.
_kinematic(
    "inverse_dynamics_with_forces",
    "τ(f)",
    "τ = M a + h − Σ JᵀF; the forces F = [n; f] act on the bodies, each in its body's local frame",
    (*QVA, "f"),
    COORDINATES,
    FORCE,
    "inverse dynamics with external forces",
)

_derivative("inverse_dynamics", "q", "[i, k] = ∂τᵢ/∂qₖ along v, with v and a fixed")
_derivative("inverse_dynamics", "v", "∂τ/∂v, damping included")
_derivative("forward_dynamics", "q", "∂q̈/∂q along v, with v and τ fixed", judged=BySolution("inverse_dynamics_dq"))
_derivative("forward_dynamics", "v", "∂q̈/∂v, damping included", judged=BySolution("inverse_dynamics_dv"))
_derivative("forward_dynamics", "tau", "∂q̈/∂τ = M⁻¹", symbol="M⁻¹", judged=BySolution(None))
_coriolis = partial(_quantity, group="derivatives", judged=ByCoriolis(), base="mass_matrix")
_coriolis(
    "coriolis_matrix",
    "C",
    "C with C v = h − g − damping · v − friction · sign(v) and C + Cᵀ = Ṁ",
    QV,
    MATRIX,
    IMPULSE,
    "Coriolis matrix",
)
_quantity(
    "joint_torque_regressor",
    "Y",
    "Y with τ = Y π + armature · a + the forces of joints; π are ten inertial parameters per body",
    QVA,
    ("nv", "parameters"),
    TORQUE_BY_INERTIA,
    "joint-torque regressor",
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
_static = "τₛ = g − Σ JᵀF by q; the forces F = [n; f] are held fixed in the bodies' local frames"
_static_by_q = partial(_quantity, group="statics", base="", by="q")
_static_by_q("static_forces_dq", "∂τₛ/∂q", _static, ("q", "f"), MATRIX, FORCE, "static forces by q")

_energetic = partial(_quantity, axes=("parameters",), unit=TORQUE_BY_INERTIA, group="energy-regressors")
_energetic("kinetic_energy_regressor", "Y_T", "Y with T = Y π + ½ Σ armature · v²", QV, title="kinetic-energy regressor")
_energetic(
    "potential_energy_regressor", "Y_V", "Y with V = Y π + ½ Σ stiffness · (q − rest)²", Q, title="potential-energy regressor"
)

_rate("center_of_mass", "center_of_mass_velocity", "ċ", "ċ, the rate of c", QV, "velocity of the centre of mass")
_rate(
    "center_of_mass_velocity", "center_of_mass_acceleration", "c̈", "c̈, without gravity", QVA, "acceleration of the centre of mass"
)
_center_by_q = partial(_centroidal, base="center_of_mass", by="q")
_center_by_q("center_of_mass_jacobian", "J_c", "J with ċ = J v", Q, (VECTOR, "nv"), METRE, "Jacobian of the centre of mass")
for _base, _symbol, _meaning, _arguments in (
    ("centroidal_momentum", "ḣ_G", "ḣ = A a + Ȧ v, the rate of [k; l]", QVA),
    ("centroidal_momentum_matrix", "Ȧ_G", "Ȧ, the rate of A along v", QV),
):
    _rate(_base, f"{_base}_rate", _symbol, _meaning, _arguments, f"rate of the {_DECLARED[_base].title}")
_derivative("centroidal_momentum", "q", "∂[k; l]/∂q along v, with v fixed", "centroidal")
_derivative("centroidal_momentum_rate", "q", "∂ḣ/∂q along v, with v and a fixed; ∂ḣ/∂a is A", "centroidal")
_derivative("centroidal_momentum_rate", "v", "∂ḣ/∂v; it is the same for every a", "centroidal")

_integrated = partial(_quantity, group="integration")
_reached = "q ⊕ dv, reached from q in unit time at the constant velocity dv"
_integrated("integrate", "q ⊕ dv", _reached, ("q", "dv"), ("nq",), NUMBER, "integrated position", judged=ByPosition())
_derivative("integrate", "q", "the motion of q ⊕ dv for every motion of q, with dv fixed", "integration", symbol="∂(q ⊕ dv)/∂q")
_derivative("integrate", "dv", "the motion of q ⊕ dv for every change of dv", "integration", symbol="∂(q ⊕ dv)/∂dv")
_smallest = "to ⊖ q, the smallest constant velocity that leads from q to `to` in unit time"
_integrated("difference", "to ⊖ q", _smallest, POSITIONS, COORDINATES, NUMBER, "difference of positions")
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

_rows = "J; J v is the velocity of every second frame relative to the first, along the first one's axes"
_constrained("constraint_jacobian", "J", _rows, Q, ("directions", "nv"), NUMBER, "constraint Jacobian", base="")
_constrained("constraint_drift", "J̇v", "J̇ v, so that J a + J̇ v = 0", QV, DIRECTIONS, ACCELERATION, base="")

_moved = "a with M a + h = τ + Jᵀλ and J a + J̇ v = 0"
_by_motion = partial(ByConstrainedMotion, "acceleration")
_constrained("constrained_acceleration", "q̈", _moved, QVT, COORDINATES, ACCELERATION, judged=_by_motion("motion"))
_unique = "Jᵀλ = M a + h − τ, unique even where λ is not"
_constrained("constraint_forces", "Jᵀλ", _unique, QVT, COORDINATES, FORCE, judged=_by_motion("forces"))
_any = "λ, the force [n; f] on the second body of every constraint; any one that gives Jᵀλ"
_constrained("constraint_multipliers", "λ", _any, QVT, DIRECTIONS, FORCE, "multipliers", judged=_by_motion("multipliers"))


def _solution(name: str, by: str, problem: Problem, meaning: str) -> None:
    """Declare the derivative of constrained motion, which is judged by the equations of this ``problem``."""
    judged = replace(cast(ByConstrainedMotion, _DECLARED[name].judged), problem=problem)
    _derivative(name, by, meaning, "constraints", judged=judged)


_block = "∂a/∂τ, the upper left block of the inverse of [[M, Jᵀ], [J, 0]] where that exists"
_solution("constrained_acceleration", "tau", "unit forces", _block)
_solution("constraint_multipliers", "tau", "unit forces", "∂λ/∂τ; any one that gives Jᵀ ∂λ/∂τ")
# Derivatives by the state x = (q, v) and by v have a column for every component of q and v. Away from the constraint they depend
# on how it is written. So they are compared along the motions of the state that the constraints allow (docs/notes/constraints.md,
# eqs. 10–12).
for _name, _letter, _where in (
    ("constrained_acceleration", "a", ""),
    ("constraint_forces", "Jᵀλ", ""),
    ("constraint_multipliers", "λ", ", where λ is unique"),
):
    _along = f"along v, with τ fixed; compared along motions of (q, v) that the constraints allow{_where}"
    _solution(_name, "x", "by state", f"[∂{_letter}/∂q ∂{_letter}/∂v] {_along}")
    _solution(_name, "v", "by velocity", f"∂{_letter}/∂v, damping included; compared along changes of v with J δv = 0")
_square: tuple[Axis, ...] = ("directions", "directions")
_constrained("delassus_matrix", "JM⁻¹Jᵀ", "J M⁻¹ Jᵀ", Q, _square, Unit(-1, -2, 0), "Delassus matrix", judged=ByDelassus())
for _word, _r in RESTITUTIONS.items():
    _of_impact = partial(_constrained, arguments=("q", "v_minus"), axes=COORDINATES)
    _of_impact(
        f"impact_velocity_{_word}",
        f"v⁺ r={_r}",
        f"v⁺ with M (v⁺ − v⁻) = JᵀΛ and J v⁺ = −r J v⁻, r = {_r}",
        unit=VELOCITY,
        title=f"velocity after an impact with r = {_r}",
        judged=ByConstrainedMotion("impact", "motion", _r),
    )
    _of_impact(
        f"impact_forces_{_word}",
        f"JᵀΛ r={_r}",
        f"JᵀΛ = M (v⁺ − v⁻) of that impact, r = {_r}",
        unit=IMPULSE,
        title=f"generalised impulse with r = {_r}",
        judged=ByConstrainedMotion("impact", "forces", _r),
    )

DECLARED = dict(_DECLARED)
"""Every quantity that an implementation may offer, by name, in the order of declaration."""

_derivative("constraint_jacobian", "q", "∂J/∂q along v", "constraints", title=lambda title: "J by q")
_derivative("constraint_drift", "q", "∂(J̇ v)/∂q along v", "constraints", title=lambda title: "drift by q", symbol="∂(J̇v)/∂q")
_derivative("constraint_drift", "v", "∂(J̇ v)/∂v", "constraints", title=lambda title: "drift by v", symbol="∂(J̇v)/∂v")

CONSTRAINT_DERIVATIVES = {name: quantity for name, quantity in _DECLARED.items() if name not in DECLARED}
"""What derivatives of constrained motion are made from, by name. No implementation offers them."""
