"""How grave wrong answers are, by the relative size of their errors: what is grossly wrong comes before what is nearly right."""

from __future__ import annotations

import math
from collections.abc import Iterable

from cross_check.results.objects import BAR, INFINITE

EPSILON = 2.0**-52

GROSS = 1e-3
"""An error of this part of the size of what was summed is gross; nothing is graver."""

STEP = 3
"""Decades from one class to the next."""


def severity(errors: Iterable[float | None]) -> int:
    """The class of the largest error (ε-units): 0 if it is gross, −1 for each step below. What failed has no number, and is 0."""
    sizes = [INFINITE if error is None else error for error in errors]
    relative = EPSILON * max([BAR, *sizes])
    return min(0, math.floor(math.log10(relative / GROSS) / STEP))
