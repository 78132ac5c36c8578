"""The physical units of a quantity's components."""

from __future__ import annotations

from collections.abc import Sequence

from mechanisms import Mechanism
from mechanisms.constraint_quantities import ALL_QUANTITIES

TURNING = {
    "mass_matrix": "kg m²",
    "forward_dynamics": "rad/s²",
    "inverse_dynamics_dq": "N m/rad",
    "inverse_dynamics_dv": "N m s/rad",
    "forward_dynamics_dq": "1/s²",
    "forward_dynamics_dv": "1/s",
    "forward_dynamics_dtau": "1/(kg m²)",
}
SLIDING = {
    "mass_matrix": "kg",
    "forward_dynamics": "m/s²",
    "inverse_dynamics_dq": "N/m",
    "inverse_dynamics_dv": "N s/m",
    "forward_dynamics_dq": "1/s²",
    "forward_dynamics_dv": "1/s",
    "forward_dynamics_dtau": "1/kg",
}
FORCES = ("inverse_dynamics", "nonlinear_effects", "gravity", "inverse_dynamics_with_forces")
TURNING |= dict.fromkeys(FORCES, "N m")
SLIDING |= dict.fromkeys(FORCES, "N")
ANY = {"kinetic_energy": "J", "potential_energy": "J", "center_of_mass": "m"}


def units_of(mechanism: Mechanism, quantity: str, count: int) -> tuple[str, ...]:
    """The unit of each of ``count`` components, such as "N m"; empty where it has none, or where it is not known."""
    turns = [screw.turns for body in mechanism.bodies for screw in body.joint.screws]
    if ALL_QUANTITIES[quantity].axes == ("nv",):
        return tuple((TURNING if turn else SLIDING).get(quantity, "") for turn in turns)
    if quantity in ANY or len(set(turns)) > 1:
        return (ANY.get(quantity, ""),) * count
    return ((TURNING if all(turns) else SLIDING).get(quantity, ""),) * count


def common(units: Sequence[str]) -> str:
    """The unit that all have; empty if they have several."""
    return units[0] if len(set(units)) == 1 else ""
