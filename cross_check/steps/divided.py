"""In how many equal steps a code divides its step: its error is the n-th part of that of one step, to the power of the order."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from cross_check.steps.moves import Chart
from cross_check.steps.residual import Equations
from cross_check.steps.schemes import SCHEMES, Scheme
from cross_check.steps.taken import Step

MOST_PARTS = 100

TRIED = 2

EXACT = replace(SCHEMES[-1], parts=4)
"""What is taken for the motion itself."""


def how_many_parts(equations: Equations, scheme: Scheme, chart: Chart, step: Step) -> list[int]:
    """The numbers of parts that come into question for this scheme: those that most states say.

    At some states the step is so long that the error is no power of h, at others so short that roundings are larger.
    """
    with np.errstate(all="ignore"):
        exact = equations.followed(EXACT, chart, step, with_sizes=False).v
        once, twice = (equations.followed(replace(scheme, parts=n), chart, step, with_sizes=False).v - exact for n in (1, 2))
        size = (once * once).sum(axis=1)
        order = -np.log2((twice * once).sum(axis=1) / size)
        found = (((step.next_v - exact) * once).sum(axis=1) / size) ** (-1 / order)
    counted = Counter(round(float(n)) for n in found if np.isfinite(n) and 1.5 <= n <= MOST_PARTS)
    return [n for n, _ in counted.most_common(TRIED)]
