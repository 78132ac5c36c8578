"""The equations of motion as people write them. A wrong code is sought among the single edits of these sources."""

from __future__ import annotations

from dataclasses import dataclass

from mechanisms.quantities import FRAMES


@dataclass(frozen=True)
class Formulation:
    """One formulation, which is a module of this folder, and a function of the same name."""

    stands_for: str
    """The module of the reference in whose place it can stand."""
    computes: tuple[str, ...] = ()
    """The quantities that code has from it which has no other equations; none if it says too little for that."""


MATRIX = ("mass_matrix", "kinetic_energy")
DYNAMICS = (*MATRIX, "inverse_dynamics", "nonlinear_effects", "gravity", "forward_dynamics")
POSES = ("placements", "center_of_mass", "potential_energy")
MOTIONS = tuple(f"{family}_{frame}" for family in ("jacobians", "velocities") for frame in FRAMES)

FORMULATIONS = {
    "newton_euler": Formulation("rnea"),
    "root_frame": Formulation("rnea", (*DYNAMICS, *POSES)),
    "homogeneous": Formulation("rnea", (*DYNAMICS, *POSES, "velocities_local")),
    "christoffel": Formulation("rnea", (*DYNAMICS, *POSES, "coriolis_matrix", *MOTIONS)),
    "jacobian_sums": Formulation("crba", MATRIX),
}
"""By module."""
