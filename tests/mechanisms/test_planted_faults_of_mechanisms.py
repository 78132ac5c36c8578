"""The bank of faults in mechanisms/, of which docs/shared.md says what guards them."""

from __future__ import annotations

import ast
from pathlib import Path

from shared.bank import FAULTS

import mechanisms

HOME = Path(mechanisms.__file__).parent


def test_faults_have_sentences_of_their_own() -> None:
    assert len({(fault.module, fault.sentence) for fault in FAULTS}) == len(FAULTS) >= 80


def test_every_fault_is_one_edit_of_what_is_there() -> None:
    for fault in FAULTS:
        text = (HOME / f"{fault.module}.py").read_text("utf-8")
        edited = ast.parse(fault.edited(text))
        assert ast.dump(edited) != ast.dump(ast.parse(text)), fault.sentence
