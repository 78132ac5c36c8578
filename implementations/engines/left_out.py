"""Armature and damping, which many engines leave out, added to their answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.conventions.converted import Converted
from implementations.engines.declared import declared
from implementations.protocol import Array, Dynamics, Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.quantities.steps import is_step

INVERSE = ("inverse_dynamics", "inverse_dynamics_with_forces")


def in_our_coordinates(engine: str, mechanism: Mechanism, dynamics: Any, order: Sequence[int] | None = None) -> Dynamics:
    """What an engine answers, by its conventions that engines.toml declares, with what it leaves out.

    ``order`` is that of :class:`implementations.conventions.converted.Converted`.
    """
    return completed(engine, mechanism, Converted(dynamics, mechanism, declared(engine).conventions, order))


def completed(engine: str, mechanism: Mechanism, dynamics: Any) -> Dynamics:
    """``dynamics`` in our coordinates, with the armature and the damping that the engine leaves out."""
    about = declared(engine)
    return Completed(dynamics, mechanism, about.title, about.damped) if about.leaves_out else dynamics


class Completed:
    """``dynamics`` in our coordinates, which lacks armature and damping, with both.

    ``armature`` and ``damping`` (nv,) are those of the mechanism, unless they are given. ``damped`` are the quantities in which
    the engine has damping itself. Armature cannot be added where the engine has solved for accelerations: such questions are
    refused if what ``lacks`` armature is named.
    """

    def __init__(
        self,
        dynamics: Any,
        mechanism: Mechanism,
        lacks: str = "",
        damped: Collection[str] = (),
        armature: Array | None = None,
        damping: Array | None = None,
    ) -> None:
        data = mechanism.arrays
        self._dynamics, self._lacks, self._damped = dynamics, lacks, damped
        self._armature = data.per_coordinate(data.armature) if armature is None else armature
        self._damping = data.per_coordinate(data.damping) if damping is None else damping
        self._geared = next((body.joint.name for body in mechanism.bodies if lacks and body.joint.armature != 0), None)

    def __dir__(self) -> list[str]:
        return dir(self._dynamics)

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if quantity.startswith("_"):
            raise AttributeError(quantity)
        return partial(self._stepped if is_step(quantity) else self._answer, quantity, getattr(self._dynamics, quantity))

    def _stepped(self, quantity: str, ask: Callable[..., Array], *arguments: Array) -> Array:
        """A step is the engine's alone; nothing can be added to it."""
        if self._armature.any():
            raise Unsupported("the engine's steps have no armature, which a joint has")
        return ask(*arguments)

    def _answer(self, quantity: str, ask: Callable[..., Array], *arguments: Array) -> Array:
        declared = ALL_QUANTITIES[quantity]
        if declared.needs_regular_mass_matrix and self._geared is not None:
            raise Unsupported(
                f"{self._lacks} has no armature, which joint {self._geared!r} has; compare inverse dynamics instead"
            )
        given = dict(zip(declared.arguments, arguments, strict=True))
        damping = 0 * self._damping if quantity in self._damped else self._damping
        if "tau" in given:
            given["tau"] = given["tau"] - damping * given["v"]
        answer = ask(*given.values())
        if quantity in (*INVERSE, "nonlinear_effects"):
            return answer + self._armature * given.get("a", 0) + damping * given["v"]
        if quantity == "mass_matrix":
            return answer + np.diag(self._armature)
        if quantity == "inverse_dynamics_dv":
            return answer + np.diag(damping)
        if quantity == "forward_dynamics_dv":
            return answer - self._dynamics.forward_dynamics_dtau(given["q"]) * damping
        if quantity == "kinetic_energy":
            return answer + (self._armature * given["v"] * given["v"]).sum(1) / 2
        return answer
