"""What a comparison of readers has found, as frozen data that becomes JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from cross_check.read.readers.compare import Difference

SCHEMA = "dalembert-diff-1"

Verdict = Literal["agrees", "reading", "digits", "fault", "refuses", "failed", "unknown", "apart"]

WORDS: dict[Verdict, str] = {
    "agrees": "reads the file as we do, and computes right where that was compared",
    "reading": "reads the file otherwise, and computes right from what it read where that was compared",
    "digits": "loses digits",
    "fault": "computes wrong from what it has read",
    "refuses": "does not read the file",
    "failed": "ended, hung, or broke the protocol",
    "unknown": "differs, and no hypothesis explains it",
    "apart": "reads what dalembert refuses, and the readers of it differ: none of them is the standard",
}

NO_ACCUSATION: tuple[Verdict, ...] = ("agrees", "digits", "refuses")
"""The verdicts on a reader that makes nothing else of the file than we do."""


@dataclass(frozen=True)
class Element:
    """A link or a joint of the file, with line and column from 1; 0 where they are not known."""

    tag: str
    name: str
    line: int
    column: int


@dataclass(frozen=True)
class Reason:
    """A hypothesis that was retested: with it undone, and with the others, nothing differs any more."""

    sentence: str
    """Completes "The reader of …"."""
    remedy: str
    verdict: Verdict
    elements: tuple[Element, ...]
    rows: tuple[str, ...]
    """The rows that differ because of it: the first one directly, the others follow from it."""
    alternatives: tuple[str, ...] = ()
    """Other sentences that explain the same of this file."""
    page: str = ""
    """The page of docs/findings about this reader; empty if there is none."""


@dataclass(frozen=True)
class Computed:
    """One quantity that the engine computes from what it read, compared with the truth about what it read."""

    quantity: str
    verdict: str
    """That of :class:`cross_check.exchange.results.objects.Cell`."""
    error: float | None
    """In ε-units."""
    message: str = ""


@dataclass(frozen=True)
class Reader:
    """One reader of the file."""

    name: str
    version: str
    verdict: Verdict
    message: str = ""
    """Its words where it refuses the file or fails; the cause where it computes wrong."""
    reasons: tuple[Reason, ...] = ()
    partly: tuple[str, ...] = ()
    """Sentences of hypotheses that explain a part, where the whole is not explained."""
    differences: tuple[Difference, ...] = ()
    """From our reading, as it is."""
    remaining: tuple[Difference, ...] = ()
    """What the reasons do not explain."""
    ruled_out: tuple[str, ...] = ()
    """The hypotheses that were tried in vain, where something remains."""
    compared: tuple[str, ...] = ()
    """The rows of which both readers have something."""
    computed: tuple[Computed, ...] = ()
    other_order: bool = False
    """Whether it numbers the joints in another order than we do."""
    said: tuple[str, ...] = ()
    """Its own warnings."""


@dataclass(frozen=True)
class Comparison:
    """One file, read by several readers."""

    file: str
    robot: str
    free_base: bool
    joints: int
    readers: tuple[Reader, ...]
    compared_with: str = "dalembert"
    """Whose reading the others are compared with: ours, or that of an engine, where we refuse the file."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Readers that are not installed, and how to install them."""
    refused: str = ""
    """Why we refuse the file; empty if we do not."""
    notes: tuple[str, ...] = ()
    """What our reader ignores in the file though it may matter."""

    @property
    def odd(self) -> tuple[Reader, ...]:
        """The readers that do not agree, refusals and lost digits among them."""
        return tuple(reader for reader in self.readers if reader.verdict != "agrees")

    @property
    def wrong(self) -> tuple[Reader, ...]:
        """The readers that make something else of the file, or fail."""
        return tuple(reader for reader in self.readers if reader.verdict not in NO_ACCUSATION)

    @property
    def is_read(self) -> bool:
        """Whether a reader reads the file."""
        return any(reader.verdict != "refuses" for reader in self.readers)

    @property
    def verdict(self) -> Literal["agrees", "known", "discrepancy"]:
        """The worst: "discrepancy" if a reader makes something else of the file, if nobody reads it, or if we refuse it."""
        if self.wrong or self.refused or not self.is_read:
            return "discrepancy"
        return "known" if self.odd else "agrees"

    def shared(self, reason: Reason) -> int:
        """How many of the readers share this reason."""
        return sum(reason.sentence in {other.sentence for other in reader.reasons} for reader in self.readers)


def to_document(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Several files as JSON data."""
    return {"schema": SCHEMA, "files": [asdict(one) for one in comparisons]}


def to_json(comparisons: Sequence[Comparison]) -> str:
    """The document of several files."""
    return json.dumps(to_document(comparisons), indent=1, allow_nan=False) + "\n"


Known = tuple[str, str, tuple[tuple[str, tuple[str, ...]], ...], tuple[tuple[str, str], ...]]
"""The verdict on a reader, its message, the sentences of its reasons with links and joints, and what they do not explain."""


def known_of(document: Any) -> dict[tuple[str, str], Known]:
    """By file and reader of a document: what is known of the reader. Raises ValueError for another document."""
    try:
        if document["schema"] != SCHEMA:
            raise ValueError
        return {
            (str(one["file"]), str(reader["name"])): (
                str(reader["verdict"]),
                str(reader["message"]),
                tuple(
                    (str(reason["sentence"]), tuple(f"{e['tag']} {e['name']}" for e in reason["elements"]))
                    for reason in reader["reasons"]
                ),
                tuple((str(left["row"]), str(left["joint"])) for left in reader["remaining"]),
            )
            for one in document["files"]
            for reader in one["readers"]
        }
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"this is no document of `dalembert diff` ({SCHEMA}); write one with --json") from None
