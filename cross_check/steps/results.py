"""What is known of the steps of one code: a file (JSON), and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cross_check.exchange.about_code import AboutCode
from cross_check.exchange.results.codec import Frozen, Natural, Size

Form = Literal["dalembert steps 1"]
FORM: Form = "dalembert steps 1"


@dataclass(frozen=True)
class MechanismSteps(Frozen):
    """The steps of one mechanism."""

    mechanism: str
    """The word that names it."""
    step: str
    """The function's name."""
    schemes: Sequence[str]
    """The schemes with which all states agree, the simplest first; the nearest one if none does."""
    moves: str
    """How positions move, and along which axes velocities are added; empty where no joint turns freely."""
    altered: str
    """What has to be altered for the scheme to agree; empty if nothing has."""
    miss: Size
    """By how much the step misses the equations of the first scheme, altered so, in ε-units."""
    off: float
    """What q⁺ or v⁺, whichever is further off, misses the scheme's by, as a share of how far the code moves it: the median
    of the states that do not agree, or of all if they do."""
    agreeing: Natural
    """At how many states the step satisfies the equations of the first scheme."""
    worst: str
    """The coordinate that misses most there."""
    repeats: bool
    """Whether the code answers alike where states are asked in another order; asked only if it follows no scheme."""
    earlier: str
    """The method of several steps that it follows, if it answers otherwise; empty if none is known."""
    known: Sequence[str]
    """The pages of the engine's known faults without which it follows no scheme."""
    wraps: bool
    """Whether it takes whole turns away from angles. They are put back here."""
    only_drawn: bool
    """Whether it follows the first scheme at the states that are drawn, and at those to which these steps lead it does not. Then
    all else is about the latter."""
    order: float | None
    """p, where one step and two half steps differ by h^(p + 1)."""
    states: Natural
    agrees: bool


@dataclass(frozen=True)
class Steps(AboutCode):
    """The steps of one code."""

    form: Form
    steps: Sequence[MechanismSteps]


def common(found: Sequence[MechanismSteps]) -> str:
    """The scheme of one function with which all mechanisms agree; empty if there is none."""
    if not found or not all(one.agrees for one in found):
        return ""
    return next((name for name in found[0].schemes if all(name in one.schemes for one in found)), "")
