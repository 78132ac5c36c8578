"""What an implementation may compute, and what is compared: the one table that says so.

Every method of :class:`implementations.protocol.Dynamics` is here, with its arguments and the shape of one state's answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from mechanisms.errors import Unsupported
from mechanisms.mechanism import Mechanism

Group = Literal["dynamics", "kinematics", "derivatives"]

Axis = Literal["nv", "bodies"] | tuple[str, ...]
"""An axis of one state's answer: as long as v, one entry for every body, or with these entries."""

VECTOR = ("x", "y", "z")
PLACEMENT = ("x axis", "y axis", "z axis", "origin")
MOTION = ("wx", "wy", "wz", "vx", "vy", "vz")
MOMENTUM = ("kx", "ky", "kz", "lx", "ly", "lz")

FRAMES = {
    "local": "of the body's point at its origin, along the body's axes",
    "world": "of the body's point at the root's origin, along the root's axes",
    "aligned": "of the body's point at its origin, along the root's axes",
}
"""What a body's motion [ω; v] may be expressed in; v is the velocity of that point. docs/conventions.md has the formulas."""

INVERTING = ("forward_dynamics", "forward_dynamics_dq", "forward_dynamics_dv", "forward_dynamics_dtau")
"""Quantities that exist only where M is regular."""

IMPLICIT = (*INVERTING, "coriolis_matrix")
"""Quantities that are told by an equation that they solve, and held against that."""

CENTROIDAL = ("center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix")
"""Quantities about the centre of mass."""


@dataclass(frozen=True)
class Quantity:
    """One function of a mechanism's state; ``arguments`` are columns of :class:`cross_check.comparison.sampling.States`."""

    name: str
    title: str
    symbol: str
    arguments: tuple[str, ...]
    axes: tuple[Axis, ...]
    group: Group = "dynamics"

    @property
    def inputs(self) -> str:
        """A letter for every argument: "q" for one of shape (batch, nq), "v" for (batch, nv), "f" for (batch, bodies, 6)."""
        return "".join(name if name in "qf" else "v" for name in self.arguments)

    def component(self, mechanism: Mechanism, at: Sequence[int]) -> str:
        """The name of one component of an answer, by its indices."""
        names = {"nv": mechanism.coordinates, "bodies": [body.name for body in mechanism.bodies]}
        parts = (names[axis][i] if isinstance(axis, str) else axis[i] for axis, i in zip(self.axes, at, strict=True))
        return ", ".join(parts)

    def dimensions(self, mechanism: Mechanism) -> tuple[int, ...]:
        """The shape of one state's answer."""
        lengths = {"nv": mechanism.nv, "bodies": len(mechanism.bodies)}
        return tuple(lengths[axis] if isinstance(axis, str) else len(axis) for axis in self.axes)

    def is_defined(self, mechanism: Mechanism) -> bool:
        """Whether the mechanism has such a thing, singular configurations aside."""
        return self.name not in CENTROIDAL or any(body.inertia.mass != 0 for body in mechanism.bodies)

    def require_defined(self, mechanism: Mechanism) -> None:
        """Raise :class:`Unsupported` where the mechanism has no such thing."""
        if not self.is_defined(mechanism):
            raise Unsupported("no body that moves has mass, so there is no centre of mass")


def in_frames(name: str, title: str, symbol: str, arguments: tuple[str, ...], axes: tuple[Axis, ...]) -> Iterator[Quantity]:
    """A quantity of every body's motion, once for each of :data:`FRAMES`."""
    axes = ("bodies", MOTION, *axes)
    for frame in FRAMES:
        yield Quantity(f"{name}_{frame}", f"{frame} {title}", f"{symbol} {frame}", arguments, axes, "kinematics")


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        Quantity("inverse_dynamics", "inverse dynamics", "τ", ("q", "v", "a"), ("nv",)),
        Quantity("mass_matrix", "mass matrix", "M", ("q",), ("nv", "nv")),
        Quantity("forward_dynamics", "forward dynamics", "q̈", ("q", "v", "tau"), ("nv",)),
        Quantity("nonlinear_effects", "nonlinear effects", "h", ("q", "v"), ("nv",)),
        Quantity("gravity", "gravity", "g", ("q",), ("nv",)),
        Quantity("kinetic_energy", "kinetic energy", "T", ("q", "v"), ()),
        Quantity("potential_energy", "potential energy", "V", ("q",), ()),
        Quantity("placements", "placements", "[R p]", ("q",), ("bodies", VECTOR, PLACEMENT), "kinematics"),
        *in_frames("jacobians", "Jacobians", "J", ("q",), ("nv",)),
        *in_frames("velocities", "velocities", "V", ("q", "v"), ()),
        *in_frames("accelerations", "spatial accelerations", "V̇", ("q", "v", "a"), ()),
        Quantity("classical_accelerations", "classical accelerations", "p̈", ("q", "v", "a"), ("bodies", MOTION), "kinematics"),
        *in_frames("drifts", "Jacobian drifts", "J̇v", ("q", "v"), ()),
        Quantity("center_of_mass", "centre of mass", "c", ("q",), (VECTOR,), "kinematics"),
        Quantity("centroidal_momentum", "centroidal momentum", "h_G", ("q", "v"), (MOMENTUM,), "kinematics"),
        Quantity("centroidal_momentum_matrix", "centroidal momentum matrix", "A_G", ("q",), (MOMENTUM, "nv"), "kinematics"),
        Quantity("inverse_dynamics_with_forces", "with external forces", "τ(f)", ("q", "v", "a", "f"), ("nv",), "kinematics"),
        Quantity("inverse_dynamics_dq", "inverse dynamics by q", "∂τ/∂q", ("q", "v", "a"), ("nv", "nv"), "derivatives"),
        Quantity("inverse_dynamics_dv", "inverse dynamics by v", "∂τ/∂v", ("q", "v"), ("nv", "nv"), "derivatives"),
        Quantity("forward_dynamics_dq", "forward dynamics by q", "∂q̈/∂q", ("q", "v", "tau"), ("nv", "nv"), "derivatives"),
        Quantity("forward_dynamics_dv", "forward dynamics by v", "∂q̈/∂v", ("q", "v"), ("nv", "nv"), "derivatives"),
        Quantity("forward_dynamics_dtau", "forward dynamics by τ", "M⁻¹", ("q",), ("nv", "nv"), "derivatives"),
        Quantity("coriolis_matrix", "Coriolis matrix", "C", ("q", "v"), ("nv", "nv"), "derivatives"),
    )
}
"""By name."""

GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(name for name, quantity in QUANTITIES.items() if quantity.group == group)
    for group in dict.fromkeys(quantity.group for quantity in QUANTITIES.values())
}
"""The names of every group's quantities."""


def expanded(words: Iterable[str]) -> tuple[str, ...]:
    """Names of quantities, each once: those of a group for its name, of all for "all"; other words stand for themselves."""
    groups = {**GROUPS, "all": tuple(QUANTITIES)}
    return tuple(dict.fromkeys(name for word in words for name in groups.get(word, (word,))))
