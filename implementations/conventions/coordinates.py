"""Code with other coordinates: what it reads, and what it answers.

Where our velocity is v = T(q) v', and our acceleration a = T a' + b, code with the velocity v' has

    τ' = Tᵀ τ,   M' = Tᵀ M T,   h' = Tᵀ (h + M b),   q̈' = T⁻¹ (q̈ − b),   J' = J T,   J̇'v' = J̇ v + J b

J may be that of bodies or of constraints. Their multipliers λ and J M⁻¹ Jᵀ are the same in all coordinates.
Arrays have any leading axes: T is (…, nv, nv), b is (…, nv). Wrappers for users contain the text of this module's functions,
which therefore need NumPy alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

FORCES = (
    "inverse_dynamics",
    "inverse_dynamics_with_forces",
    "nonlinear_effects",
    "gravity",
    "mass_matrix",
    "inverse_dynamics_dq",
    "inverse_dynamics_dv",
    "coriolis_matrix",
    "joint_torque_regressor",
    "gravity_dq",
    "static_forces_dq",
    "constraint_forces",
    "impact_forces_plastic",
    "impact_forces_half",
    "impact_forces_elastic",
)
"""The quantities whose rows are components of τ."""

ACCELERATIONS = (
    "forward_dynamics",
    "forward_dynamics_dq",
    "forward_dynamics_dv",
    "forward_dynamics_dtau",
    "constrained_acceleration",
    "constrained_acceleration_dtau",
    "impact_velocity_plastic",
    "impact_velocity_half",
    "impact_velocity_elastic",
)
"""The quantities whose rows are components of q̈, or of v."""

JACOBIANS = ("jacobians_local", "jacobians_world", "jacobians_aligned")

COLUMNS = (
    *JACOBIANS,
    "frame_jacobians_local",
    "frame_jacobians_world",
    "frame_jacobians_aligned",
    "mass_matrix",
    "inverse_dynamics_dq",
    "inverse_dynamics_dv",
    "forward_dynamics_dq",
    "forward_dynamics_dv",
    "coriolis_matrix",
    "centroidal_momentum_matrix",
    "gravity_dq",
    "static_forces_dq",
    "center_of_mass_jacobian",
    "centroidal_momentum_matrix_rate",
    "centroidal_momentum_dq",
    "centroidal_momentum_rate_dq",
    "centroidal_momentum_rate_dv",
    "constraint_jacobian",
)
"""The quantities whose columns are components of v."""

DRIFTS = {
    "nonlinear_effects": "mass_matrix",
    "drifts_local": "jacobians_local",
    "drifts_world": "jacobians_world",
    "drifts_aligned": "jacobians_aligned",
    "constraint_drift": "constraint_jacobian",
}
"""Quantities at a = 0, and the factor of a in each."""

TABLES = ("FORCES", "ACCELERATIONS", "JACOBIANS", "COLUMNS", "DRIFTS")
"""The names of the tables above, which the functions below need."""


def read(state: dict[str, Any], T: Any, b: Any, forces: bool = True) -> dict[str, Any]:
    """The state as code with v' reads it. Unless ``forces``, it has our τ."""
    new = dict(state)
    for name in ("v", "a", "v_minus"):
        if name in state:
            new[name] = (T @ state[name][..., None])[..., 0]
    if "a" in state:
        new["a"] = new["a"] + b
    if "tau" in state and forces:
        new["tau"] = np.linalg.solve(np.swapaxes(T, -1, -2), state["tau"][..., None])[..., 0]
    return new


def answered(name: str, x: Any, T: Any, b: Any, forces: bool, ask: Callable[[str], Any]) -> Any:
    """The answer of code with v', where x is that of code with v; ``ask`` gives another quantity of the latter."""
    if name in DRIFTS and np.any(b):
        J = ask(DRIFTS[name])
        x = x + (J @ (b[..., None] if np.ndim(J) == np.ndim(T) else b[..., None, :, None]))[..., 0]
    if name in ("forward_dynamics", "constrained_acceleration"):
        x = x - b
    if name in COLUMNS:
        x = x @ (T[..., None, :, :] if "jacobians" in name else T)
    if name in ("forward_dynamics_dtau", "constrained_acceleration_dtau") and forces:
        x = x @ np.linalg.inv(np.swapaxes(T, -1, -2))
    if name in (FORCES if forces else ()) or name in ACCELERATIONS:
        L = np.swapaxes(T, -1, -2) if name in FORCES else np.linalg.inv(T)
        x = L @ x if np.ndim(x) == np.ndim(T) else (L @ x[..., None])[..., 0]
    return x
