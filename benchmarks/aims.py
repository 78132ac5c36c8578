"""What the project aims at: how fast it is beside the engines, how long runs take, how much memory they need.

One run measures all of it, and the page has one table. A reason stands next to an aim that is missed; it names the cause.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchmark_page import Table


class Aim(NamedTuple):
    """Work, and the largest number that is wanted. ``unit`` is empty for ratios."""

    work: str
    most: float
    unit: str = ""
    missed: str = ""
    """Why it is missed, where it is."""


DOUBLE_DOUBLE = "double-double, and more operations than the recursion"
RUN = {
    1: "recording, comparing, [coverage](#the-harness)",
    2: "both processes start and record",
}
"""Why a run in one process, or in two, takes longer than wanted."""

CALLS = "the engines' own calls"
RECORDING = "recording, compiling, the engines' own calls"

AIMS = {
    "rnea ur5": Aim("RNEA, ur5, batches ÷ Pinocchio's core, one thread", 0.1),
    "rnea tree": Aim("RNEA, random tree of 30 with skew axes ÷ Pinocchio's core, one thread", 0.3),
    "crba ur5": Aim("CRBA, ur5 ÷ `pinocchio.crba` from Python", 0.15),
    "aba ur5": Aim("ABA, ur5 ÷ `pinocchio.aba` from Python", 0.15),
    "derivatives ur5": Aim("∂τ/∂q, ∂τ/∂v and M, ur5 ÷ `computeRNEADerivatives` from Python", 0.5),
    "derivatives talos": Aim("the same, talos", 0.5, missed="the answers are large, and new memory for them takes long"),
    **{
        f"truth {robot}": Aim(f"truth of τ, {robot} ÷ `pinocchio.rnea` from Python", 1, missed=DOUBLE_DOUBLE)
        for robot in ("ur5", "panda", "g1", "talos")
    },
    **{
        f"run {robot}, {jobs}": Aim(f"a check of {robot}, {how} ÷ the engines' own calls", 1.5, missed=RUN[jobs])
        for robot in ("ur5", "panda", "solo12", "talos")
        for jobs, how in {1: "in one process", 2: "in two processes"}.items()
    },
    "memory": Aim("peak memory, talos, all quantities, 4096 states", 1024, "MiB"),
    "more memory": Aim("the same, 16384 states", 1024, "MiB"),
    "default run": Aim(
        "default run: all default mechanisms, three implementations, all quantities, nothing kept", 20, "s", RECORDING
    ),
    "default run again": Aim("the same, with the programs that the run before has kept", 20, "s", CALLS),
    "certificate": Aim("certificate of a random tree of 100 bodies with every joint", 2, "s"),
    "first answer": Aim("first answer for a new robot of 30 bodies, recording and compiling included", 1, "s"),
}


def table_of_aims(measured: Mapping[str, float]) -> Table:
    """The table of all aims, in the order of :data:`AIMS`."""
    return Table("aims", ("work", "aim", "measured", "where it is missed, why"), tuple(map(_row, AIMS.values(), _all(measured))))


def _all(measured: Mapping[str, float]) -> list[float]:
    return [measured[name] for name in AIMS]


def _row(aim: Aim, measured: float) -> tuple[str, ...]:
    unit = f" {aim.unit}" * bool(aim.unit)
    missed = (aim.missed or "the cause is not known") if measured > aim.most else ""
    number = f"{measured:.2g}" if measured < 100 else f"{measured:.0f}"
    return aim.work, f"≤ {aim.most:g}{unit}", f"{number}{unit}", missed
