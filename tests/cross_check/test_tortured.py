"""How readers are judged on the torture set."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from cross_check.readers.tortured import TONES, outcome
from implementations.protocol import Failure, Unsupported
from mechanisms.plain_text import markdown
from mechanisms.reading import Reading
from mechanisms.urdf_reading import reading_of
from mechanisms.urdf_traits import TRAITS

PAGE = Path(__file__).parents[2] / "docs" / "urdf-traits.md"


class Stub:
    """A reader that changes our reading, or raises."""

    def __init__(self, change: Callable[[Reading], Reading], printed: str = "") -> None:
        self.change, self.printed = change, printed

    def read(self, text: str, form: str, free_base: bool) -> tuple[Reading, str]:
        return self.change(reading_of(text)[0]), self.printed


def moved(by: float) -> Callable[[Reading], Reading]:
    def change(reading: Reading) -> Reading:
        (joint,) = reading.joints
        return dataclasses.replace(reading, joints=(dataclasses.replace(joint, origin=(0, 0, 1 + by)),))

    return change


def raising(error: Exception) -> Callable[[Reading], Reading]:
    def change(reading: Reading) -> Reading:
        raise error

    return change


CASES = {
    "right": ("plain file", moved(0), ""),
    "digits": ("plain file", moved(1e-7), ""),
    "misreads": ("plain file", moved(0.1), ""),
    "warns": ("plain file", moved(0.1), "Warning: moved"),
    "refuses what is right": ("plain file", raising(Unsupported("no")), ""),
    "refuses": ("second origin", raising(Unsupported("no")), ""),
    "breaks": ("plain file", raising(Failure("its reader ended with signal 11", ended=True)), ""),
    "not asked": ("unknown encoding", moved(0), ""),
}


@pytest.mark.parametrize("tone", CASES)
def test_every_outcome_has_its_tone(tone: str) -> None:
    name, change, printed = CASES[tone]
    assert outcome(TRAITS[name], Stub(change, printed)).tone == tone


def test_a_reader_that_takes_what_has_no_reading_is_said_to_accept_it() -> None:
    class Careless:
        def read(self, text: str, form: str, free_base: bool) -> tuple[Reading, str]:
            return Reading("r", (), (0, 0, 0)), ""

    one = outcome(TRAITS["axis of zero"], Careless())
    assert (one.tone, one.words) == ("accepts", "in silence")
    assert {"accepts", *CASES} == TONES.keys()


def test_the_page_has_every_trait() -> None:
    page = PAGE.read_text("utf-8")
    missing = [name for name in TRAITS if f"\n| {markdown(name)} | " not in page]
    assert not missing, "run `python docs/write_urdf_traits.py`"


@pytest.mark.engines
@pytest.mark.slow
def test_pinocchio_is_asked_in_a_process_of_its_own() -> None:
    pytest.importorskip("pinocchio")
    from implementations.processes.remote import Remote

    reader = Remote("pinocchio-urdf")
    tones = {
        "plain file": "right",
        "flat plate, turned obliquely": "right",
        "quaternion of another length": "right",
        "two turned welds in a row": "right",
        "loop": "refuses",
        "mass between spaces": "warns",
        "planar joint along y": "misreads",
        "axis of zero": "accepts",
    }
    assert {name: outcome(TRAITS[name], reader).tone for name in tones} == tones
    reader.close()
