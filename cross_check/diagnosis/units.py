"""The physical units of a quantity's components, where all components have the same one."""

from __future__ import annotations

from mechanisms import Mechanism

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


def unit_of(mechanism: Mechanism, quantity: str) -> str:
    """The unit of all components, such as "N m"; empty if they have several, or none has a unit."""
    turns = {coordinate.turns for body in mechanism.bodies for coordinate in body.joint.description.coordinates}
    if quantity in ANY or len(turns) > 1:
        return ANY.get(quantity, "")
    return (TURNING if turns == {True} else SLIDING).get(quantity, "")
