"""The equations of motion as people write them. A wrong code is sought among the single edits of these sources."""

from __future__ import annotations

from dataclasses import dataclass

from mechanisms.quantities import FRAMES

OF_FORCES = ("gravity", "nonlinear_effects", "inverse_dynamics", "inverse_dynamics_with_forces")

ANSWERS = {"rnea": OF_FORCES, "crba": ("mass_matrix",), "aba": ("forward_dynamics",), "energy": ("kinetic_energy",)}
"""By module of the reference: the quantities that it answers."""


@dataclass(frozen=True)
class Formulation:
    """One formulation, which is a module of this folder, and a function of the same name."""

    stands_for: str
    """The module of the reference in whose place it can stand."""
    computes: tuple[str, ...] = ()
    """The quantities that code has from it which has no other equations; none if it says too little for that."""

    largest: int = 16
    """So many bodies a mechanism may have: sums over several joints take long for many."""

    @property
    def takes(self) -> int:
        """How many of q, v, and accelerations or forces it takes."""
        return {"crba": 1, "energy": 2}.get(self.stands_for, 3)


MATRIX = ("mass_matrix", "kinetic_energy")
DYNAMICS = (*MATRIX, "inverse_dynamics", "nonlinear_effects", "gravity", "forward_dynamics")
POSES = ("placements", "center_of_mass", "potential_energy")
MOTIONS = tuple(f"{family}_{frame}" for family in ("jacobians", "velocities") for frame in FRAMES)

FORMULATIONS = {
    "as_filed": Formulation("rnea", (*DYNAMICS, *POSES)),
    "rodrigues": Formulation("rnea", (*DYNAMICS, *POSES)),
    "elements": Formulation("rnea", (*DYNAMICS, *POSES)),
    "newton_euler": Formulation("rnea"),
    "root_frame": Formulation("rnea", (*DYNAMICS, *POSES)),
    "homogeneous": Formulation("rnea", (*DYNAMICS, *POSES, "velocities_local")),
    "christoffel": Formulation("rnea", (*DYNAMICS, *POSES, "coriolis_matrix", *MOTIONS), 8),
    "uicker": Formulation("rnea", (*DYNAMICS, *POSES), 4),
    "spatial": Formulation("rnea"),
    "jacobian_sums": Formulation("crba", MATRIX),
    "traces": Formulation("crba", largest=4),
    "lumped": Formulation("crba"),
    "composite": Formulation("crba"),
    "articulated": Formulation("aba"),
    "kinetic": Formulation("energy", ("kinetic_energy",)),
}
"""By module."""
