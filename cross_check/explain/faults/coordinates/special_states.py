"""Faults that show at some states only: thresholds, limits, special positions, caches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.coordinates.joints import BALLS
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array


def _turns(words: str, group: str, change: Callable[[Array], Array]) -> Fault:
    return Fault(words, group, state=ws.in_slots("quaternion", change), kinds=BALLS)


def _circles(words: str, change: Callable[[Array], Array]) -> Fault:
    return Fault(words, "continuous joints", state=ws.in_slots("circle", change), kinds=("continuous",))


def _numbers(what: str, words: str, group: str, change: Callable[[Array], Array]) -> Fault:
    """All numbers of a sort (:data:`cross_check.explain.faults.changes.states.NUMBERS`) are changed."""
    return Fault(f"{what} {words}", group, state=ws.NUMBERS[what](change))


def clipped(what: str, limit: float, words: str = "") -> Fault:
    """Numbers of a sort are at most as large as the limit."""
    return _numbers(what, f"are clipped to ±{words or limit}", "limits", ws.clipped(limit))


STATES = (
    _turns("small turns of quaternions lose half of their digits", "small turns", ws.from_arccosine),
    _turns("turns of quaternions below 10⁻³ are none", "small turns", ws.no_small_turn(1e-3)),
    _turns("turns of quaternions below 10⁻⁵ are none", "small turns", ws.no_small_turn(1e-5)),
    _turns("half turns of quaternions are none", "half turns", ws.no_half_turn),
    *(
        _numbers(what, f"below {size} are zero", "thresholds", ws.below(smallest))
        for what in ("angles", "velocities", "accelerations")
        for size, smallest in (("10⁻³", 1e-3), ("10⁻⁶", 1e-6))
    ),
    clipped("angles", np.pi, "π"),
    clipped("angles", 200),
    clipped("distances", 40),
    *(clipped(what, limit) for what in ("velocities", "accelerations") for limit in (10, 500)),
    *(_numbers(what, "are rounded to single precision", "precision", ws.single) for what in ("positions", "velocities")),
    *(
        Fault(words, group, state=ws.where(names, rows))
        for words, group, names, rows in (
            ("where one velocity of several is zero, all are", "zeros among velocities", "v", ws.one_velocity_is_zero),
            ("where one velocity of several moves, none does", "zeros among velocities", "v", ws.one_velocity_moves),
            ("where v is zero, a is ignored", "rest", "a", ws.at_rest),
            ("where a is zero, v is ignored", "rest", "va", ws.unaccelerated),
        )
    ),
    Fault("velocities are kept while q stays the same", "cached states", state=ws.kept("v", None)),
    Fault("accelerations are kept while q stays the same", "cached states", state=ws.kept("a", None)),
    Fault("q is kept while it stays the same to six decimals", "cached states", state=ws.kept("q", 6)),
)

READ_AS_ANGLE = _circles(
    "the cosine of a continuous joint, q[0], is read as its angle", lambda x: np.column_stack([np.cos(x[:, 0]), np.sin(x[:, 0])])
)
POSITIVE_COSINE = _circles(
    "the cosine of a continuous joint has lost its sign", lambda x: np.column_stack([np.abs(x[:, 0]), x[:, 1]])
)
