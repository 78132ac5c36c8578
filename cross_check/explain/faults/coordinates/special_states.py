"""Faults that show at some states only: thresholds, limits, special positions, caches.

Where answers are right up to a threshold and wrong beyond it, :func:`limits` says what may happen beyond it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.coordinates.joints import BALLS
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Mechanism

Change = Callable[[Array], Array]

LIMITS = "limits"
"""The group of faults with limits."""


def _turns(words: str, group: str, change: Change) -> Fault:
    return Fault(words, group, state=ws.in_slots("quaternion", change), kinds=BALLS)


def _circles(words: str, change: Change) -> Fault:
    return Fault(words, "continuous joints", state=ws.in_slots("circle", change), kinds=("continuous",))


def _numbers(what: str, words: str, group: str, change: Change) -> Fault:
    """All numbers of a sort (:data:`cross_check.explain.faults.changes.states.NUMBERS`) are changed."""
    return Fault(f"{what} {words}", group, state=ws.NUMBERS[what](change))


def clipped(what: str, limit: float, words: str = "") -> Fault:
    """Numbers of a sort are at most as large as the limit."""
    return _numbers(what, f"are clipped to ±{words or limit}", LIMITS, ws.clipped(limit))


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


def limits(m: Mechanism, threshold: float) -> Iterator[Fault]:
    """All coordinates of a kind changed beyond the threshold (in SI units) or below it, then those of one joint alone."""
    ways = list(_ways(threshold))
    for words in ("angles", "distances", "velocities", "accelerations"):
        for way, change in ways:
            yield Fault(f"{words} are {way}", LIMITS, state=ws.NUMBERS[words](change))
    for body in m.bodies:
        joint = body.joint
        if joint.nq == joint.nv == 1:
            for words, column in ((joint.slots[0].form, "q"), ("velocity", "v"), ("acceleration", "a")):
                for way, change in ways:
                    yield at_joint(f"the {words} of {joint.name} is {way}", LIMITS, joint.name, column, change)


def _ways(threshold: float) -> Iterator[tuple[str, Change]]:
    """What becomes of numbers, in words that complete "the angle is …"."""
    t, size = f"{threshold:.6g}".replace("-", "−"), abs(threshold)
    if threshold:
        yield f"clipped to ±{size:.6g}", lambda x: np.clip(x, -size, size)
        yield f"zero where it is below {size:.6g}", lambda x: np.where(np.abs(x) < size, 0, x)
        yield f"zero where it is above {size:.6g}", lambda x: np.where(np.abs(x) > size, 0, x)
    else:
        yield "taken without its sign", np.abs
    yield f"at least {t}", lambda x: np.maximum(x, threshold)
    yield f"at most {t}", lambda x: np.minimum(x, threshold)


def at_joint(clause: str, group: str, name: str, columns: str, change: Change) -> Fault:
    """Some of q, v and a are changed at the joint with this name."""

    def has_joint(m: Mechanism) -> bool:
        return any(body.joint.name == name for body in m.bodies)

    return Fault(clause, group, state=ws.at_joints((name,), columns, change), needs=has_joint, where=(name,))


IGNORED = tuple(
    Fault(f"{words} are taken for zero", "rest", state=ws.column(column, np.zeros_like))
    for column, words in (("v", "velocities"), ("a", "accelerations"))
)
"""What code may do with a column where a condition on it holds."""
