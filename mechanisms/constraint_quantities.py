"""The quantities of a mechanism with constraints, beside those of its tree (:mod:`mechanisms.quantities`).

With the constraint Jacobian J, one row for every constrained direction, and the drift J̇ v:

    M a + h = τ + Jᵀ λ,        J a + J̇ v = 0                the motion that the constraints allow
    M (v⁺ − v⁻) = Jᵀ Λ,        J v⁺ = −r J v⁻               an impact with the restitution r

They are compared at states that satisfy the constraints: the frames coincide, and J v = 0. Only v⁻ may be any velocity.
docs/conventions.md has the signs, docs/loops.md says how states are found and how redundant constraints are judged.

Derivatives by the state x = (q, v) and by v have a column for every component of q and v. Away from the constraint they depend on
how it is written. So they are compared along the motions of the state that the constraints allow (docs/notes/constraints.md,
eqs. 10–12).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Literal

from mechanisms.mechanism import Mechanism
from mechanisms.quantities import GROUPS, QUANTITIES, USUAL, Axis, ByConstrainedMotion, ByDelassus, ByValue, Judgement, Quantity
from mechanisms.units import Unit

RESTITUTIONS = {"plastic": Fraction(0), "half": Fraction(1, 2), "elastic": Fraction(1)}
"""The restitution r of impacts, by the word at the end of a quantity's name."""


BY_VALUE = ByValue()


def _quantity(
    name: str,
    title: str,
    symbol: str,
    meaning: str,
    arguments: str,
    axes: tuple[Axis, ...],
    judged: Judgement = BY_VALUE,
    *,
    unit: Unit,
) -> Quantity:
    return Quantity(name, title, symbol, meaning, tuple(arguments.split()), axes, "constraints", judged, unit=unit)


def _impacts() -> Iterable[Quantity]:
    for word, r in RESTITUTIONS.items():
        yield _quantity(
            f"impact_velocity_{word}",
            f"velocity after an impact with r = {r}",
            f"v⁺ r={r}",
            f"v⁺ with M (v⁺ − v⁻) = JᵀΛ and J v⁺ = −r J v⁻, r = {r}",
            "q v_minus",
            ("nv",),
            ByConstrainedMotion("impact", "motion", r),
            unit=Unit(0, 0, -1),
        )
        yield _quantity(
            f"impact_forces_{word}",
            f"generalised impulse with r = {r}",
            f"JᵀΛ r={r}",
            f"JᵀΛ = M (v⁺ − v⁻) of that impact, r = {r}",
            "q v_minus",
            ("nv",),
            ByConstrainedMotion("impact", "forces", r),
            unit=Unit(1, 2, -1),
        )


def _by_state() -> Iterable[Quantity]:
    """Of a, Jᵀλ and λ."""
    answers: tuple[tuple[str, str, str, Axis, Literal["motion", "forces", "multipliers"], Unit], ...] = (
        ("constrained_acceleration", "constrained acceleration", "q̈", "nv", "motion", Unit(0, 0, -2)),
        ("constraint_forces", "constraint forces", "Jᵀλ", "nv", "forces", Unit(1, 2, -2)),
        ("constraint_multipliers", "multipliers", "λ", "directions", "multipliers", Unit(1, 2, -2)),
    )
    for name, title, symbol, axis, answer, unit in answers:
        f = "a" if answer == "motion" else symbol
        where = ", where λ is unique" if answer == "multipliers" else ""
        yield _quantity(
            f"{name}_dx",
            f"{title} by the state",
            f"∂{symbol}/∂x",
            f"[∂{f}/∂q ∂{f}/∂v] along v, with τ fixed; compared along motions of (q, v) that the constraints allow{where}",
            "q v tau",
            (axis, "state"),
            ByConstrainedMotion("by state", answer),
            unit=unit,
        )
        yield _quantity(
            f"{name}_dv",
            f"{title} by v",
            f"∂{symbol}/∂v",
            f"∂{f}/∂v, damping included; compared along changes of v with J δv = 0",
            "q v",
            (axis, "nv"),
            ByConstrainedMotion("by velocity", answer),
            unit=unit._replace(s=unit.s + 1),
        )


CONSTRAINT_QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        _quantity(
            "constraint_jacobian",
            "constraint Jacobian",
            "J",
            "J; J v is the velocity of every second frame relative to the first, along the first one's axes",
            "q",
            ("directions", "nv"),
            unit=Unit(0, 0, 0),
        ),
        _quantity(
            "constraint_drift",
            "constraint drift",
            "J̇v",
            "J̇ v, so that J a + J̇ v = 0",
            "q v",
            ("directions",),
            unit=Unit(0, 0, -2),
        ),
        _quantity(
            "constrained_acceleration",
            "constrained acceleration",
            "q̈",
            "a with M a + h = τ + Jᵀλ and J a + J̇ v = 0",
            "q v tau",
            ("nv",),
            ByConstrainedMotion("acceleration"),
            unit=Unit(0, 0, -2),
        ),
        _quantity(
            "constraint_forces",
            "constraint forces",
            "Jᵀλ",
            "Jᵀλ = M a + h − τ, unique even where λ is not",
            "q v tau",
            ("nv",),
            ByConstrainedMotion("acceleration", "forces"),
            unit=Unit(1, 2, -2),
        ),
        _quantity(
            "constraint_multipliers",
            "multipliers",
            "λ",
            "λ, the force [n; f] on the second body of every constraint; any one that gives Jᵀλ",
            "q v tau",
            ("directions",),
            ByConstrainedMotion("acceleration", "multipliers"),
            unit=Unit(1, 2, -2),
        ),
        _quantity(
            "constrained_acceleration_dtau",
            "constrained acceleration by τ",
            "∂q̈/∂τ",
            "∂a/∂τ, the upper left block of the inverse of [[M, Jᵀ], [J, 0]] where that exists",
            "q",
            ("nv", "nv"),
            ByConstrainedMotion("unit forces"),
            unit=Unit(-1, -2, 0),
        ),
        _quantity(
            "constraint_multipliers_dtau",
            "multipliers by τ",
            "∂λ/∂τ",
            "∂λ/∂τ; any one that gives Jᵀ ∂λ/∂τ",
            "q",
            ("directions", "nv"),
            ByConstrainedMotion("unit forces", "multipliers"),
            unit=Unit(0, 0, 0),
        ),
        *_by_state(),
        _quantity(
            "delassus_matrix",
            "Delassus matrix",
            "JM⁻¹Jᵀ",
            "J M⁻¹ Jᵀ",
            "q",
            ("directions", "directions"),
            ByDelassus(),
            unit=Unit(-1, -2, 0),
        ),
        *_impacts(),
    )
}
"""By name."""

CONSTRAINT_DERIVATIVES = {
    quantity.name: quantity
    for quantity in (
        _quantity(
            "constraint_jacobian_dq", "J by q", "∂J/∂q", "∂J/∂q along v", "q", ("directions", "nv", "nv"), unit=Unit(0, 0, 0)
        ),
        _quantity(
            "constraint_drift_dq", "drift by q", "∂(J̇v)/∂q", "∂(J̇ v)/∂q along v", "q v", ("directions", "nv"), unit=Unit(0, 0, -2)
        ),
        _quantity("constraint_drift_dv", "drift by v", "∂(J̇v)/∂v", "∂(J̇ v)/∂v", "q v", ("directions", "nv"), unit=Unit(0, 0, -1)),
    )
}
"""What derivatives of constrained motion are made from, by name. No implementation offers them."""

ALL_QUANTITIES = {**QUANTITIES, **CONSTRAINT_QUANTITIES}
"""Every quantity that an implementation may offer, by name."""

ALL_USUAL = (*USUAL, *CONSTRAINT_QUANTITIES)
"""The names of the quantities that are compared if none is named."""

ALL_GROUPS: dict[str, tuple[str, ...]] = {**GROUPS, "constraints": tuple(CONSTRAINT_QUANTITIES)}
"""The names of every group's quantities."""


def quantities_of(mechanism: Mechanism, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that are about this mechanism: a mechanism without constraints has none of their quantities."""
    return tuple(name for name in names if name in QUANTITIES or mechanism.constraints)
