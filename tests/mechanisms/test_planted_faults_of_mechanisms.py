"""The bank of faults in mechanisms/, of which docs/shared.md says what guards them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from shared.bank import FAULTS
from shared.fault import Fault

import mechanisms

HOME = Path(mechanisms.__file__).parent


def test_faults_have_sentences_of_their_own() -> None:
    assert len({(fault.module, fault.sentence) for fault in FAULTS}) == len(FAULTS) >= 80


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.module}: {fault.sentence}")
def test_a_fault_is_one_edit_of_what_is_there(fault: Fault) -> None:
    text = (HOME / f"{fault.module}.py").read_text("utf-8")
    edited = ast.parse(fault.edited(text))
    assert ast.dump(edited) != ast.dump(ast.parse(text))
