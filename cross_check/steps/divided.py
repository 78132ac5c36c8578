"""In how many equal steps a code divides its step: its error is the n-th part of that of one step, to the power of the order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cross_check.steps.moves import Chart
from cross_check.steps.residual import Equations
from cross_check.steps.schemes import SCHEMES, Scheme
from cross_check.steps.taken import Step

MOST_PARTS = 100

EXACT = replace(SCHEMES[-1], parts=8)
"""What is taken for the motion itself."""


def how_many_parts(equations: Equations, scheme: Scheme, chart: Chart, step: Step) -> Iterator[int]:
    """The numbers of parts that come into question for this scheme."""
    with np.errstate(all="ignore"):
        exact = equations.followed(EXACT, chart, step).v
        once, twice = ((equations.followed(replace(scheme, parts=n), chart, step).v - exact).ravel() for n in (1, 2))
        order = -np.log2(twice @ once / (once @ once))
        share = (step.next_v - exact).ravel() @ once / (once @ once)
        n = share ** (-1 / order)
    if np.isfinite(n) and n < MOST_PARTS:
        yield from (k for k in range(round(float(n)) - 1, round(float(n)) + 2) if k > 1)
