"""Causes: why cells disagree, as frozen objects. :mod:`cross_check.explain.diagnosis` finds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from cross_check.exchange.results.codec import LATER, Frozen, Natural, Positive

CauseKind = Literal["model", "convention", "term", "line", "condition", "arithmetic", "history", "failed", "known", "unknown"]
"""Another model: a number of the mechanism. A convention: of q, v, a, forces or answers. A term of the equations. A line of the
user's code, of which nothing else is known. Only under a condition. Too few digits. An earlier call changes an answer. The code
failed. A finding with a page. Not known."""


Inputs = Mapping[str, Sequence[Annotated[Any, {"type": ["number", "array"], "items": {"type": "number"}}]]]
"""By argument: one number per coordinate; for forces on bodies, six numbers per body."""


@dataclass(frozen=True)
class Observation(Frozen):
    """One experiment: what was asked, and what was seen."""

    asked: str
    """A clause, such as "accelerations alone"."""
    seen: str
    """A clause, such as "agrees" or "off by 0.07 N m"."""


@dataclass(frozen=True)
class Example(Frozen):
    """The smallest mechanism and state that show a cause."""

    bodies: Positive
    mechanism: str
    """JSON, of :func:`mechanisms.files.document.to_document`."""
    urdf: str
    """The same mechanism as URDF; empty if URDF cannot describe it."""
    quantity: str
    inputs: Inputs
    components: Sequence[str]
    """A name for every number of the answer, in the order of the flattened array."""
    units: Sequence[str]
    """Of every number of the answer, such as "N m"; empty where there is none."""
    got: Sequence[float]
    expected: Sequence[float]
    exact: Sequence[str]
    """The expected numbers as fractions; empty if they are not short fractions."""
    calculation: str
    """A calculation by hand of the expected answer, on a few lines; empty if it is long."""
    script: str
    """A Python program that shows the cause with the engine alone, without this project; empty if none can be written."""
    test: str
    """A pytest module that shows the cause."""
    issue: str
    """Markdown for an issue."""


@dataclass(frozen=True)
class ChangedLines(Frozen):
    """A change of the user's code: mostly of one line."""

    file: str
    line: int
    """The first line that changes, counted from 1."""
    before: str
    """The lines as they are, without the indentation of the first one."""
    after: str
    """The lines with the change."""


@dataclass(frozen=True)
class Mend(Frozen):
    """Changes of the user's code with which every quantity that a cause explains is right."""

    changes: Sequence[ChangedLines]
    states: int
    """At so many states, of so many ``mechanisms``, the changed code agrees."""
    mechanisms: int

    @property
    def proof(self) -> str:
        """A clause that says how it is known."""
        where = "of one mechanism" if self.mechanisms == 1 else f"of {self.mechanisms} mechanisms"
        these = "this change" if len(self.changes) == 1 else "these changes"
        return f"with {these} {self.states} states {where} agree"


@dataclass(frozen=True)
class Cause(Frozen):
    """One cause of cells that disagree."""

    id: str
    """``implementation/word-word``; the same from run to run."""
    implementation: str
    kind: CauseKind
    sentence: str
    """What is wrong and where: one sentence without a full stop."""
    cells: Sequence[str]
    """The ids of the cells and invariants that it explains. No cell has two causes unless both act on it."""
    term: str = ""
    """The term of the equations that it concerns, such as "armature"; empty if none or several."""
    where: Sequence[str] = ()
    """The names of the bodies and joints that are at fault; empty if it is everywhere."""
    tried: Natural = 0
    """How many cells and experiments were compared with the answers that this cause predicts; all agreed."""
    evidence: Sequence[Observation] = ()
    alternatives: Sequence[str] = ()
    """What else would explain the same: sentences, each with the experiment that would decide."""
    ruled_out: Sequence[str] = ()
    """What was tried and does not explain it."""
    untried: Sequence[str] = ()
    """Experiments that were not possible, and why."""
    elsewhere: Natural = field(default=0, metadata=LATER)
    """On so many mechanisms with general numbers, beside those of the run, the code answers as this cause predicts."""
    remedy: str = ""
    """What to do, in one sentence."""
    wrapper: str = ""
    """Python code that undoes the cause around the code under test; empty if there is none."""
    mend: Mend | None = None
    example: Example | None = None
    page: str = ""
    """Of a known finding: the path of its page."""
    text: str = ""
    """Of a known finding: its page in Markdown."""

    @property
    def is_known(self) -> bool:
        return self.kind == "known"

    @property
    def is_certain(self) -> bool:
        """Whether it predicts every answer that was compared with it, and nothing else does."""
        return self.kind != "unknown" and not self.alternatives
