"""What is known of one simulation: a file (JSON), and the material of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cross_check.exchange.about_code import AboutCode
from cross_check.exchange.results.codec import Frozen, Natural

Form = Literal["dalembert simulation 1"]
FORM: Form = "dalembert simulation 1"


@dataclass(frozen=True)
class Stray(Frozen):
    """A step that does not follow the scheme of the others."""

    time: float
    """At its end (s)."""
    where: str
    """The number that is furthest off, such as "q⁺ of joint2"."""
    share: float
    """By how much it is off, as a share of how far the run moves in the step."""


@dataclass(frozen=True)
class Balance(Frozen):
    """The drift of energy, or of a momentum that the true motion conserves, at the times of the simulation."""

    name: str
    unit: str
    drift: Sequence[float]
    scheme: Sequence[float | None]
    """The drift that the scheme must have; None where it leads nowhere."""
    is_the_schemes: bool
    """Whether both are the same but for roundings."""


@dataclass(frozen=True)
class AtLength(Frozen):
    """The error at the end with steps of one length (SI units)."""

    h: float
    off: float


@dataclass(frozen=True)
class AtTime(Frozen):
    """The error at one time of a certified trajectory (SI units)."""

    time: float
    off: float
    where: str
    """The number that is most off, such as "v of joint2"."""
    order: float | None = None
    """p, where the errors with several lengths of steps shrink as h^p; None where they do not, and for a recording."""
    is_other_motion: bool = False
    """Whether no shorter step would help."""


@dataclass(frozen=True)
class Simulation(Frozen):
    """One run of one mechanism; SI units."""

    mechanism: str
    step: str
    """The name of the function, or empty for a recording."""
    rows: Natural
    h: float
    """The longest step."""
    schemes: Sequence[str]
    """The schemes that the steps follow as far as their digits tell, the simplest first; the nearest one if they follow none."""
    moves: str
    altered: str
    is_named: bool
    """Whether most steps follow the first scheme, with what is ``altered``."""
    structure: str
    """What the scheme keeps of the geometry of motion; empty where the motion is damped."""
    missed: float
    """The largest miss of a step that follows it, in ε-units; where rows have few digits, in sixteenths of what these allow."""
    strays: Sequence[Stray]
    """The first ones."""
    stray_steps: Natural
    times: Sequence[float]
    off: Sequence[float]
    """The error at each time, of the number that is most off."""
    scheme_off: Sequence[float | None]
    """The error of the scheme's own run from the same start, with true accelerations."""
    truth_off: Sequence[float]
    """By how much the true motion itself may be off."""
    where: str
    """The number that is most off at the end."""
    balances: Sequence[Balance]
    lengths: Sequence[AtLength]
    """With several lengths; empty for a recording."""
    order: float | None
    """Of the scheme."""
    is_rounded: bool
    """Whether its numbers have few digits, which hide roundings."""
    certified: Sequence[AtTime]
    notes: Sequence[str]

    @property
    def follows(self) -> bool:
        """Whether every step follows a scheme, without alteration."""
        return self.is_named and not self.altered and not self.stray_steps

    @property
    def is_right(self) -> bool:
        """Whether it follows a scheme, and leads where a certified trajectory does."""
        return self.follows and not any(each.is_other_motion for each in self.certified)


@dataclass(frozen=True)
class Simulations(AboutCode):
    """The simulations of one code."""

    form: Form
    simulations: Sequence[Simulation]
