"""What moved from one release of a package to the next, as frozen objects; a part of the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from cross_check.exchange.results.codec import Error, Frozen, Natural, Size
from mechanisms.plain_text import count, listing, one_line

Verdict = Literal["agrees", "lost digits", "discrepancy", "known", "failed", "not offered", "unsupported"]
"""The verdict on a cell or an invariant."""

ReleaseChange = Literal["broke", "repaired", "lost", "new", "changed"]

TrialState = Literal["as before", "as after", "neither", "not run"]


@dataclass(frozen=True)
class Installed(Frozen):
    """The environment of a release; ``name`` is the requirement, and the name of the implementation."""

    name: str
    python: str
    packages: Mapping[str, str]
    seconds: Size
    """What it took to make it."""
    megabytes: Size


@dataclass(frozen=True)
class VerdictChange:
    """A cell whose verdict is another one in the later release. Errors and distance are in ε-units.

    ``broke``: it was right, and is wrong or fails. ``repaired``: it was wrong and is right. ``lost``: it was compared and is not
    any more. ``new``: it was not compared. ``changed``: one kind of right, wrong or absent became another.
    """

    mechanism: str
    quantity: str
    before: Verdict
    now: Verdict
    kind: ReleaseChange
    error_before: Error = None
    error_now: Error = None
    moved: Error = None


@dataclass(frozen=True)
class Step(Frozen):
    """From one release to the next: of ``compared`` cells that both answered, ``moved`` have other bits; None if not known."""

    before: str
    now: str
    compared: Natural
    moved: Annotated[int | None, {"minimum": 0}]
    largest: Error
    """How far the cell that moved most did, in ε-units."""
    changes: Sequence[VerdictChange] = ()


@dataclass(frozen=True)
class Trial:
    """A release that was tried in a bisection; ``why`` says more of one that is neither, or did not run."""

    version: str
    state: TrialState
    why: str = ""


@dataclass(frozen=True)
class Bisection(Frozen):
    """Where the verdicts change between two releases.

    ``first`` is the first release that is otherwise than the earlier end, ``last`` the last tested one that is as the earlier end
    was; both are empty if nothing was found.
    """

    sentence: str
    tested: Sequence[Trial]
    first: str = ""
    last: str = ""
    untested: Sequence[str] = ()


@dataclass(frozen=True)
class Versions(Frozen):
    """Releases of one package in one run."""

    environments: Sequence[Installed]
    steps: Sequence[Step] = ()
    bisection: Bisection | None = None

    @property
    def has_regressions(self) -> bool:
        """Whether a release lost an answer, or right ones. Then a run does not end with exit code 0."""
        return any(change.kind in ("broke", "lost") for step in self.steps for change in step.changes)


PHRASES: dict[ReleaseChange, tuple[str, str]] = {
    "broke": ("cell broke", "cells broke"),
    "lost": ("cell is not compared any more", "cells are not compared any more"),
    "repaired": ("cell was repaired", "cells were repaired"),
    "new": ("cell is new", "cells are new"),
    "changed": ("cell has another verdict", "cells have other verdicts"),
}
"""What a sentence says about changes of each kind, for one and for several; the gravest first."""


def step_sentence(step: Step) -> str:
    """What happened from one release to the next, without a full stop."""
    kinds = [change.kind for change in step.changes]
    parts = [f"{n} {phrase[n > 1]}" for kind, phrase in PHRASES.items() if (n := kinds.count(kind))] or ["no verdict changed"]
    return f"From {one_line(step.before, 60)} to {one_line(step.now, 60)}: {listing(parts)}; {moves(step)}"


def moves(step: Step) -> str:
    """How many answers moved, and how far."""
    if step.moved is None:
        return "whether answers moved was not compared"
    if not step.compared:
        return "nothing was answered by both"
    if not step.moved:
        return f"all {step.compared} answers have the same bits"
    return f"{step.moved} of {count(step.compared, 'answer')} moved, by {step.largest:.3g} ε-units at most"
