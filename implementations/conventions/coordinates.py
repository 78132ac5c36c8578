"""Code with other coordinates: what it reads, and what it answers.

Where our velocity is v = T(q) v', and our acceleration a = T a' + b, code with the velocity v' has

    τ' = Tᵀ τ,   M' = Tᵀ M T,   h' = Tᵀ (h + M b),   q̈' = T⁻¹ (q̈ − b),   J' = J T,   J̇'v' = J̇ v + J b

J may be that of bodies or of constraints. Their multipliers λ and J M⁻¹ Jᵀ are the same in all coordinates.
Arrays have any leading axes: T is (…, nv, nv), b is (…, nv). Wrappers for users contain the text of this module's functions and
the tables that they name; so the functions need NumPy alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mechanisms.quantities import ALL_QUANTITIES, INTEGRATION, MOTION

ALONG_V = {
    name: one
    for name, one in ALL_QUANTITIES.items()
    if "nv" in one.axes
    and name not in INTEGRATION
    and not (one.by in ("q", "v", "x") and (MOTION in one.axes or one.group == "constraints"))
}
"""The quantities along coordinates; of derivatives of motions, and of constrained motion by the state, nothing is said here."""

_ROWS = [one for one in ALONG_V.values() if one.axes[0] == "nv"]

FORCES = tuple(one.name for one in _ROWS if one.unit.m == 2)
"""The quantities whose rows are components of τ. Work per angle has the unit kg m²/s², and a rate of an angle has no metre."""

ACCELERATIONS = tuple(one.name for one in _ROWS if one.unit.m != 2)
"""The quantities whose rows are components of q̈, or of v."""

_MATRICES = [one for one in ALONG_V.values() if len(one.axes) > 1 and one.axes[-1] == "nv"]

COLUMNS = tuple(one.name for one in _MATRICES if one.by != "tau")
"""The quantities whose columns are components of v."""

BY_FORCES = tuple(one.name for one in _MATRICES if one.by == "tau")
"""The quantities whose columns are components of τ."""

JACOBIANS = tuple(name for name, one in ALL_QUANTITIES.items() if one.family == "jacobians")

DRIFTS = {"nonlinear_effects": "mass_matrix"} | {
    one.name: one.name.replace("drift", "jacobian") for one in ALL_QUANTITIES.values() if "drift" in one.name and not one.by
}
"""Quantities at a = 0, and the factor of a in each."""

_BY_TIME = [one.name for one in _MATRICES if one.base and not one.by]

_BY_Q = (*_BY_TIME, *(name for name, one in ALONG_V.items() if one.by == "q" and one.is_by_angles))
"""The quantities that contain derivatives by q, which those of matrices by time do, too."""

_BY_V = tuple(name for name, one in ALONG_V.items() if one.by == "v")


def without_derivatives(varies: bool, has_bias: bool) -> tuple[str, ...]:
    """The quantities that contain derivatives of T or b, which we do not have, where T ``varies`` with q, or b is not zero."""
    return (*(_BY_Q if varies or has_bias else ()), *(_BY_V if has_bias else ()))


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
    if name in BY_FORCES and forces:
        x = x @ np.linalg.inv(np.swapaxes(T, -1, -2))
    if name in (FORCES if forces else ()) or name in ACCELERATIONS:
        L = np.swapaxes(T, -1, -2) if name in FORCES else np.linalg.inv(T)
        x = L @ x if np.ndim(x) == np.ndim(T) else (L @ x[..., None])[..., 0]
    return x
