"""Faults that show at some states only: thresholds, limits, special positions, caches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.joint_coordinates import BALLS
from cross_check.memory import Array

WITHOUT_SMALL = (("10⁻³", 1e-3), ("10⁻⁵", 1e-5), ("10⁻⁶", 1e-6))
"""Sizes below which numbers are taken for zero."""


def _turns(words: str, group: str, change: Callable[[Array], Array]) -> Fault:
    return Fault(words, group, state=ws.in_slots("quaternion", change), kinds=BALLS)


def _numbers(what: str, words: str, group: str, change: Callable[[Array], Array]) -> Fault:
    return Fault(f"{what} are {words}", group, state=ws.NUMBERS[what](change))


def clipped(what: str, limit: float, words: str = "") -> Fault:
    """Numbers of a sort (:data:`cross_check.explain.faults.wrong_states.NUMBERS`) are at most as large as the limit."""
    return _numbers(what, f"clipped to ±{words or limit}", "limits", ws.clipped(limit))


STATES = (
    # Turns
    _turns("small turns of quaternions lose half of their digits", "small turns", ws.from_arccosine),
    *(
        _turns(f"turns of quaternions below {size} are none", "small turns", ws.no_small_turn(smallest))
        for size, smallest in WITHOUT_SMALL[:2]
    ),
    _turns("half turns of quaternions are none", "half turns", ws.no_half_turn),
    # Thresholds and limits
    *(
        replace(_numbers(what, "zero", "thresholds", ws.below(smallest)), name=f"{what} below {size} are zero")
        for what in ("angles", "velocities", "accelerations")
        for size, smallest in WITHOUT_SMALL[::2]
    ),
    clipped("angles", np.pi, "π"),
    *(
        clipped(what, limit)
        for what, limits in {"angles": [200], "distances": [40], "velocities": [10, 500], "accelerations": [10, 500]}.items()
        for limit in limits
    ),
    *(_numbers(what, "rounded to single precision", "precision", ws.single) for what in ("positions", "velocities")),
    # Special states
    *(
        Fault(words, "zeros among velocities", state=ws.where("v", rows))
        for words, rows in (
            ("where one velocity of several is zero, all are", ws.one_velocity_is_zero),
            ("where one velocity of several moves, none does", ws.one_velocity_moves),
        )
    ),
    Fault("where v is zero, a is ignored", "rest", state=ws.where("a", ws.at_rest)),
    Fault("where a is zero, v is ignored", "rest", state=ws.where("va", ws.unaccelerated)),
    *(
        Fault(f"{words} kept while {while_}", "cached states", state=ws.kept(column, decimals))
        for words, while_, column, decimals in (
            ("velocities are", "q stays the same", "v", None),
            ("accelerations are", "q stays the same", "a", None),
            ("q is", "it stays the same to six decimals", "q", 6),
        )
    ),
)


def _circles(words: str, change: Callable[[Array], Array]) -> Fault:
    return Fault(words, "continuous joints", state=ws.in_slots("circle", change), kinds=("continuous",))


READ_AS_ANGLE = _circles(
    "the cosine of a continuous joint, q[0], is read as its angle", lambda x: np.column_stack([np.cos(x[:, 0]), np.sin(x[:, 0])])
)
POSITIVE_COSINE = _circles(
    "the cosine of a continuous joint has lost its sign", lambda x: np.column_stack([np.abs(x[:, 0]), x[:, 1]])
)
