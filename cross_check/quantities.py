"""What is compared: seven quantities, what each takes, and how an error in it is measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mechanisms import Mechanism

Shape = Literal["vector", "matrix", "scalar"]


@dataclass(frozen=True)
class Quantity:
    """One function of a mechanism's state; ``arguments`` are columns of :class:`cross_check.states.States`."""

    name: str
    title: str
    symbol: str
    arguments: tuple[str, ...]
    shape: Shape

    def dimensions(self, mechanism: Mechanism) -> tuple[int, ...]:
        """The shape of one state's result."""
        n = mechanism.nv
        return {"vector": (n,), "matrix": (n, n), "scalar": ()}[self.shape]


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity("inverse_dynamics", "inverse dynamics", "τ", ("q", "v", "a"), "vector"),
        Quantity("mass_matrix", "mass matrix", "M", ("q",), "matrix"),
        Quantity("forward_dynamics", "forward dynamics", "q̈", ("q", "v", "tau"), "vector"),
        Quantity("nonlinear_effects", "nonlinear effects", "h", ("q", "v"), "vector"),
        Quantity("gravity", "gravity", "g", ("q",), "vector"),
        Quantity("kinetic_energy", "kinetic energy", "T", ("q", "v"), "scalar"),
        Quantity("potential_energy", "potential energy", "V", ("q",), "scalar"),
    )
}
