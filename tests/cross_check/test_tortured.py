"""How readers are judged on the torture set."""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tortured import TONES, outcome

from implementations.processes.remote import Refusal, Remote, can_isolate
from implementations.protocol import Failure, Unsupported
from mechanisms import Mechanism
from mechanisms.files.urdf.reading import reading_of
from mechanisms.reading import Reading
from mechanisms.urdf_traits import TRAITS

DOCS = Path(__file__).parents[2] / "docs"


class Stub:
    """A reader that answers so about a file's text, or raises."""

    def __init__(self, answer: Callable[[str], Reading], printed: str = "") -> None:
        self.answer, self.printed = answer, printed

    def read(self, text: str, form: str, free_base: bool) -> tuple[Reading, str]:
        return self.answer(text), self.printed


def moved(by: float) -> Callable[[str], Reading]:
    def answer(text: str) -> Reading:
        reading = reading_of(text)[0]
        (joint,) = reading.joints
        return dataclasses.replace(reading, joints=(dataclasses.replace(joint, origin=(0, 0, 1 + by)),))

    return answer


def raising(error: Exception) -> Callable[[str], Reading]:
    def answer(text: str) -> Reading:
        raise error

    return answer


CASES = {
    "right": ("plain file", moved(0), ""),
    "digits": ("plain file", moved(1e-7), ""),
    "misreads": ("plain file", moved(0.1), ""),
    "warns": ("plain file", moved(0.1), "Warning: moved"),
    "refuses what is right": ("plain file", raising(Refusal("DART refuses the file", "Error: link 'a' has no mass")), ""),
    "refuses": ("second origin", raising(Unsupported("no")), ""),
    "breaks": ("plain file", raising(Failure("its reader ended with signal 11", ended=True)), ""),
    "not asked": ("unknown encoding", moved(0), ""),
    "accepts": ("axis of zero", lambda text: Reading("r", (), (0, 0, 0)), ""),
}
SAID = {"accepts": "in silence", "refuses what is right": "Error: link 'a' has no mass"}


@pytest.mark.parametrize("tone", CASES)
def test_every_outcome_has_its_tone(tone: str) -> None:
    name, change, printed = CASES[tone]
    found = outcome(TRAITS[name], Stub(change, printed))
    assert found.tone == tone
    assert found.words == SAID.get(tone, found.words)
    assert CASES.keys() == TONES.keys()


class Hostile:
    """An implementation whose reader ends its process on some files."""

    name, version = "hostile", "1"

    def load(self, mechanism: Mechanism) -> None:
        raise Unsupported("it only reads")

    def read(self, text: str, form: str, free_base: bool) -> Reading:
        if 'version="1.1"' in text:
            ctypes.string_at(0)
        if 'version="1.2"' in text:
            os._exit(7)
        if 'version="1.3"' in text:
            raise ZeroDivisionError("no such version")
        return reading_of(text)[0]


@pytest.mark.nightly
@pytest.mark.slow
def test_a_reader_that_ends_its_process_is_asked_about_the_next_file() -> None:
    if not can_isolate():
        pytest.skip("this system has no processes to isolate code in")
    reader = Remote("hostile", implementation=Hostile())
    found = {name: outcome(TRAITS[name], reader) for name in ("version 1.1", "version 1.2", "version 1.3", "plain file")}
    reader.close()
    assert [one.tone for one in found.values()] == ["breaks", "breaks", "breaks", "right"]
    assert "signal 11" in found["version 1.1"].words
    assert "exit status 7" in found["version 1.2"].words
    assert "raised ZeroDivisionError: no such version" in found["version 1.3"].words


def test_the_answers_have_every_trait() -> None:
    data = json.loads((DOCS / "urdf-traits.json").read_text("utf-8"))
    kept = {name: (one["right"], one["why"]) for name, one in data["traits"].items()}
    assert kept == {name: (trait.right, trait.why) for name, trait in TRAITS.items()}, "run `python docs/write_urdf_traits.py`"


@pytest.mark.parametrize("name", ["write_urdf_traits", "write_engine_matrix"])
def test_a_page_follows_from_its_data(name: str) -> None:
    loader: Any = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    script = importlib.util.module_from_spec(loader)
    loader.loader.exec_module(script)
    page = script.render(json.loads(script.DATA.read_text("utf-8")))
    assert page == script.PAGE.read_text("utf-8"), f"run `python docs/{name}.py --page`"
