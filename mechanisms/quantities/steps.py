"""A time step as a quantity. It has no one true value: each scheme has its own (:mod:`cross_check.steps`).

Code offers ``step``, or several under names of their own, such as ``step_rk4``. The force τ is held during the step h (s). The
answer has the position after the step, and then the velocity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from mechanisms.numbers.units import Unit
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.quantities.quantity import Quantity

STEP = Quantity(
    "step",
    "time step",
    "q⁺, v⁺",
    "the position and the velocity after a step of h seconds, during which τ is held",
    ("q", "v", "tau", "h"),
    ("next",),
    unit=Unit(0, 0, 0),
)

_STEP = re.compile(r"step(_[A-Za-z0-9]\w{0,40})?")


def is_step(name: str) -> bool:
    """Whether code that offers something of this name offers a time step."""
    return _STEP.fullmatch(name) is not None


def steps_among(names: Iterable[str]) -> list[str]:
    """The names of time steps."""
    return sorted(filter(is_step, names))


def quantity_named(name: str) -> Quantity:
    """Raises ``KeyError`` for a name that is neither a quantity's nor a step's."""
    return replace(STEP, name=name) if is_step(name) else ALL_QUANTITIES[name]
