"""Numbers of the state that code limits, cuts off or takes without their signs: hypotheses for one threshold.

Where answers are right up to a threshold and wrong beyond it, these say what may happen beyond it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Mechanism

Change = Callable[[Array], Array]

LIMITS = "limits"
"""The group of these faults."""


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

    def state(m: Mechanism, given: ws.State) -> ws.State:
        changed = {column: x.copy() if column in columns else x for column, x in given.items()}
        for body, q, v in zip(m.bodies, m.q_slices, m.v_slices, strict=True):
            for column in given.keys() & {*columns} if body.joint.name == name else ():
                own = q if column == "q" else v
                changed[column][:, own] = change(changed[column][:, own])
        return changed

    return Fault(clause, group, state=state, needs=has_joint, where=(name,))


IGNORED = tuple(
    Fault(f"{words} are taken for zero", "rest", state=ws.column(column, np.zeros_like))
    for column, words in (("v", "velocities"), ("a", "accelerations"))
)
"""What code may do with a column where a condition on it holds."""
