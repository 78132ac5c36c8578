"""What a reader makes of the files of the torture set (:mod:`mechanisms.urdf_traits`), judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from cross_check.read.readers.compare import FEW_DIGITS
from implementations.processes.remote import Refusal
from implementations.protocol import Failure, Unsupported
from mechanisms.plain_text import one_line
from mechanisms.reading import Form, Numbers, Reading, ReadJoint
from mechanisms.source import source_text
from mechanisms.urdf_traits import Trait

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


SMALL = 1e-6
"""Distances (m) and moments of inertia per mass (m²) below this are compared absolutely, for rounding around zero."""


def wrong(trait: Trait, reading: Reading, tolerance: float = 1e-9) -> list[str]:
    """What ``reading`` has wrong, the first cause first; empty if it is right.

    Joints are matched by name, because no specification has an order of them. What a reader does not keep, such as damping, is
    not compared. ``tolerance`` is relative to the largest component of a vector.
    """
    if trait.joints is None:
        return ["reads what has no right reading"]
    found = {joint.name: joint for joint in reading.joints}
    right = {joint.name: joint for joint in trait.joints}
    missing = [f"{name} is missing" for name in right if name not in found]
    more = [f"{name} is added" for name in found if name not in right]
    if missing or more:
        return missing + more
    return [phrase for name in right for phrase in _joint(right[name], found[name], tolerance)]


NAMED = {"lifted": "lifted mass"}
"""What numbers are called where their own names do not do."""


def _joint(right: ReadJoint, got: ReadJoint, tolerance: float) -> Iterator[str]:
    if got.kind != right.kind:
        yield f"{right.name} is {got.kind}, not {right.kind}"
        return
    if got.parent != right.parent:
        yield f"{right.name} hangs on {got.parent or 'the root'}, not on {right.parent or 'the root'}"
        return
    if right.mimic != got.mimic:
        yield f"{right.name} moves on its own" if got.mimic is None else f"{right.name} follows with {_mimic(got)}"
    if not _near(right.origin, got.origin, tolerance, SMALL):
        yield f"origin {_words(got.origin)}, not {_words(right.origin)}"
    if not _near(right.axis, got.axis, tolerance, 0):
        yield f"axis {_words(got.axis)}, not {_words(right.axis)}"
    yield from _mass(right, got, tolerance)
    for what in ("damping", "armature", "friction", "lifted"):
        a, b = getattr(right, what), getattr(got, what)
        if a is not None and b is not None and not _near((a,), (b,), tolerance, SMALL):
            yield f"{NAMED.get(what, what)} {b:.6g}, not {a:.6g}"


def _mass(right: ReadJoint, got: ReadJoint, tolerance: float) -> Iterator[str]:
    ours, theirs = right.carries, got.carries
    if not _near((ours.mass,), (theirs.mass,), tolerance, 0):
        yield f"mass {theirs.mass:.6g} kg, not {ours.mass:.6g}"
        return
    # The centre of no mass is anywhere.
    if ours.mass and not _near(ours.com, theirs.com, tolerance, SMALL):
        yield f"centre of mass {_words(theirs.com)}, not {_words(ours.com)}"
    # Readers that keep inertias about other points lose digits to the distance.
    distance = max(1.0, *map(abs, ours.com))
    if not _near(ours.inertia, theirs.inertia, tolerance, SMALL * abs(ours.mass) * distance * distance):
        yield f"inertia {_words(theirs.inertia)}, not {_words(ours.inertia)}"


def _near(right: Numbers, got: Numbers, tolerance: float, least: float) -> bool:
    if len(right) != len(got):
        return False
    size = max([least, *map(abs, right)])
    return all(abs(a - b) <= tolerance * size for a, b in zip(right, got, strict=True))


def _mimic(joint: ReadJoint) -> str:
    assert joint.mimic
    return f"{joint.mimic.multiplier:g} · {joint.mimic.leader} + {joint.mimic.offset:g}"


def _words(numbers: Sequence[float]) -> str:
    return " ".join(f"{x + 0.0:.4g}" for x in numbers) or "none"
