"""What a quantity is a derivative of: the quantity of which differences approximate it."""

from __future__ import annotations

from mechanisms.quantities import QUANTITIES, Quantity

BY_POSITION = {"gravity": "potential_energy", "center_of_mass_jacobian": "center_of_mass"}
"""Families of quantities that are derivatives of others by q, beside those whose names say so."""

BY_TIME = {
    "drifts": "velocities",
    "accelerations": "velocities",
    "classical_accelerations": "velocities_aligned",
    "frame_accelerations": "frame_velocities",
    "frame_classical_accelerations": "frame_velocities_aligned",
    "center_of_mass_velocity": "center_of_mass",
    "center_of_mass_acceleration": "center_of_mass_velocity",
    "centroidal_momentum_rate": "centroidal_momentum",
    "centroidal_momentum_matrix_rate": "centroidal_momentum_matrix",
}
"""Families of quantities that are derivatives of others by time, along v, and along a where they take it.

Aligned accelerations have ω × v besides."""

OTHER_BASES = {**BY_POSITION, **BY_TIME, "coriolis_matrix": "mass_matrix"}

OF_OTHER_SHAPES = ("jacobians", "frame_jacobians", "static_forces_dq", "constraint_jacobian", "constraint_drift")
"""Families of derivatives whose components do not correspond to those of a quantity."""


def base_of(quantity: Quantity) -> Quantity | None:
    """What the quantity is a derivative of, component by component; None if it is none."""
    family, _, _ = quantity.family.rpartition("_d") if by_of(quantity) else ("", "", "")
    family = OTHER_BASES.get(quantity.family, "") or family
    return QUANTITIES.get(f"{family}_{quantity.frame}" if quantity.frame else family)


def by_of(quantity: Quantity) -> str:
    """The argument by which it is a derivative; empty if it is none, or one by time."""
    _, _, by = quantity.family.rpartition("_d")
    return by if by in ("q", "v", "tau", "to") else "q" if quantity.family in BY_POSITION else ""


def is_derivative(quantity: Quantity) -> bool:
    """Whether differences of another quantity approximate it."""
    is_named = bool(by_of(quantity)) or quantity.family.endswith("_dx")
    return is_named or base_of(quantity) is not None or quantity.family in OF_OTHER_SHAPES
