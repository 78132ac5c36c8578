"""Why the steps of two codes part: in which points the schemes differ that they follow.

Each code satisfies the equations of its own scheme to the last digits. So two schemes that differ in one point differ by nothing
else, and that point is the whole difference.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from cross_check.exchange.recorded_data.columns import units_of
from cross_check.judge.comparison.judgements import nearest_position
from cross_check.memory import Array
from cross_check.simulations.run import Run
from cross_check.steps.alterations import Alteration
from cross_check.steps.naming import Candidate, Named
from cross_check.steps.schemes import IMPLICIT
from cross_check.steps.taken import Step
from mechanisms import Mechanism
from mechanisms.plain_text import listing
from mechanisms.quantities.quantity import entries
from mechanisms.quantities.steps import STEP

SAME = 1e-9
"""Steps are the same that differ by less than this share of what they move."""


def differences(mechanism: Mechanism, names: tuple[str, str], first: Candidate, second: Candidate) -> list[str]:
    """The points in which the candidates of two codes differ, in words."""
    mine, other = (
        {
            "the scheme": one.scheme.name,
            "what is implicit": IMPLICIT[one.scheme.implicit].removesuffix(" implicit") or "no force",
            "the number of equal steps in a step": str(one.scheme.parts),
            "how positions move": one.chart.words(mechanism),
            "a fault": _altered(mechanism, one.alteration),
        }
        for one in (first, second)
    )
    return [f"{what} ({mine[what]} in {names[0]}, {other[what]} in {names[1]})" for what in mine if mine[what] != other[what]]


def _altered(mechanism: Mechanism, alteration: Alteration | None) -> str:
    return f"as if {alteration.words(mechanism)}" if alteration else "none"


def parted(mechanism: Mechanism, names: tuple[str, str], named: tuple[Named, Named], apart: str) -> tuple[str, bool]:
    """One sentence about the steps of two codes, and whether they are the same. ``apart`` says how far apart they are."""
    pairs = [
        (one, other, differences(mechanism, names, one, other)) for one, other in product(*(each.candidates for each in named))
    ]
    # Where forces are linear in v, two schemes are one: what is implicit says more.
    *_, points = min(pairs, key=lambda pair: (len(pair[2]), pair[0].scheme.name != pair[1].scheme.name))
    both = f"{names[0]} and {names[1]}"
    follows = [one.candidates[0].scheme.words if one.is_explained else "no scheme that was tried" for one in named]
    if not apart:
        return f"{both} take the same steps: {follows[0]}", True
    if not all(one.is_explained for one in named):
        return f"{both} part by {apart}: {names[0]} follows {follows[0]}, and {names[1]} follows {follows[1]}", False
    if not points:
        return f"{both} part by {apart}, though both follow {follows[0]}: they start at or are given other numbers", False
    return f"{both} part by {apart}, because they differ in {listing(points)}, and in nothing else to the last digits", False


def apart_in_steps(mechanism: Mechanism, first: Step, second: Step) -> str:
    """How far apart two steps from the same states are, in relation to how far they move; empty if they are the same."""
    off = np.hstack([nearest_position(mechanism, second.next_q, first.next_q) - first.next_q, second.next_v - first.next_v])
    moves = [np.hstack([one.next_q - one.q, one.next_v - one.v]) for one in (first, second)]
    size = np.maximum(*(np.abs(x) for x in moves))
    found = []
    for part in (slice(mechanism.nq, None), slice(0, mechanism.nq)):
        largest = size[:, part].max(axis=1, keepdims=True)
        share = np.nan_to_num(np.abs(off[:, part]) / np.where(largest > 0, largest, 1.0), nan=np.inf)
        k, n = np.unravel_index(int(share.argmax()), share.shape)
        place = int(n) + (part.start or 0)
        length = f"in a step of {float(first.h[k, 0]):.2g} s"
        words = f"{_number(mechanism, off[k], place)} {length} ({100 * share[k, n]:.3g} % of the largest change there)"
        found.append((float(share[k, n]), words))
    # Velocities come first: what moves them moves positions, too.
    return next((words for share, words in found if share > SAME), "")


def apart_along(mechanism: Mechanism, first: Run, second: Run) -> str:
    """When two runs from the same state part, and how far they get; empty if they are the same."""
    rows = min(len(first.q), len(second.q))
    q, v = first.q[:rows], first.v[:rows]
    off = np.hstack([nearest_position(mechanism, second.q[:rows], q) - q, second.v[:rows] - v])
    size = np.maximum(1.0, np.abs(np.hstack([q, v])).max(axis=0))
    differ = np.flatnonzero((np.abs(off) > SAME * size).any(axis=1))
    if not differ.size:
        return ""
    k, end = int(differ[0]), rows - 1
    places = [int(np.abs(off[row]).argmax()) for row in (k, end)]
    return (
        f"{_number(mechanism, off[k], places[0])} at {first.times[k]:.3g} s, and by "
        f"{_number(mechanism, off[end], places[1])} at {first.times[end]:.3g} s"
    )


def _number(mechanism: Mechanism, off: Array, place: int) -> str:
    unit = [*units_of(mechanism, "q"), *units_of(mechanism, "v")][place]
    return f"{abs(off[place]):.3g} {unit}".strip() + f" in {entries(mechanism, STEP.axes[0])[place]}"
