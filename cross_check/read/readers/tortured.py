"""What a reader makes of the files of the torture set (:mod:`mechanisms.urdf_traits`), judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from cross_check.read.readers.compare import FEW_DIGITS
from implementations.processes.remote import Refusal
from implementations.protocol import Failure, Unsupported
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Reading
from mechanisms.source import source_text
from mechanisms.urdf_traits import Trait, wrong

Tone = Literal["right", "digits", "refuses", "refuses what is right", "warns", "misreads", "accepts", "breaks", "not asked"]

TONES: dict[Tone, str] = {
    "right": "reads the file rightly",
    "digits": "reads the file rightly, but keeps about seven digits",
    "refuses": "refuses the file, which is right or allowed",
    "refuses what is right": "refuses a file that has a right reading",
    "warns": "reads something else, and prints a message",
    "misreads": "reads something else in silence",
    "accepts": "reads a file that has no right reading",
    "breaks": "ends its process, hangs, or raises an exception that is no refusal",
    "not asked": "is not asked: it takes text, and the file is not text",
}
"""How a reader does on a file, and what that means."""


LAST = 200
"""So many characters of what a reader printed are shown: the last ones say why it refuses."""


@dataclass(frozen=True)
class Outcome:
    """How a reader does on one file; ``words`` say what is wrong."""

    tone: Tone
    words: str = ""


class AskedReader(Protocol):
    """An engine's own reader, in a process of its own: :class:`implementations.processes.remote.Remote`."""

    def read(self, text: str, form: Form, free_base: bool) -> tuple[Reading, str]: ...


def outcome(trait: Trait, reader: AskedReader) -> Outcome:
    """What ``reader`` makes of the file of ``trait``."""
    text = source_text(trait.content)
    if text is None:
        return Outcome("not asked")
    try:
        reading, printed = reader.read(text, "urdf", False)
    except Unsupported as refusal:
        return Outcome("refuses" if trait.may_refuse else "refuses what is right", _reason(refusal))
    except Failure as failure:
        return Outcome("breaks", one_line(str(failure), 120))
    found = wrong(trait, reading)
    if not found:
        return Outcome("right")
    if trait.joints is None:
        return Outcome("accepts", _printed(printed))
    if not wrong(trait, reading, FEW_DIGITS):
        return Outcome("digits", found[0])
    return Outcome("warns" if reading.said or printed.strip() else "misreads", found[0])


def _reason(refusal: Unsupported) -> str:
    """The reader's own words: what it printed, if it printed something, says more than its exception."""
    _, _, words = str(refusal).partition("refuses the file: ")
    printed = refusal.output if isinstance(refusal, Refusal) else ""
    return one_line(printed[-LAST:] or words or str(refusal), LAST)


def _printed(text: str) -> str:
    return "with a message" if text.strip() else "in silence"
