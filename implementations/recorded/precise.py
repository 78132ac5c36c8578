"""The reference in double-double: the recorded algorithms, with answers of about 31 digits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from implementations.recorded.traced import TracedDynamics, cached_dynamics
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.double_doubles import DoubleDoubles
from mechanisms import Mechanism


class PreciseDynamics:
    """One mechanism. It has a method for every quantity of the reference.

    Arguments are batch-first arrays, of float64 or of double-doubles; answers are
    :class:`~machine.double_doubles.DoubleDoubles`, NaN where a number is not finite.
    """

    def __init__(self, dynamics: TracedDynamics) -> None:
        self._dynamics = dynamics

    def __getattr__(self, quantity: str) -> Callable[..., DoubleDoubles]:
        if quantity not in ALGORITHMS:
            raise AttributeError(f"the reference has no {quantity}")
        return partial(self._answer, quantity)

    def _answer(self, quantity: str, *arguments: Any) -> DoubleDoubles:
        given = ((x.high, x.low) if isinstance(x, DoubleDoubles) else x for x in arguments)
        return DoubleDoubles(*self._dynamics.high_low(quantity, *given))


class Precise:
    """The reference, which loads mechanisms. Programs are kept for the mechanisms that were loaded last."""

    def load(self, mechanism: Mechanism) -> PreciseDynamics:
        return PreciseDynamics(cached_dynamics(mechanism))


PRECISE = Precise()
