"""The gate, tried on code that is known to be wrong, and on the same code where it is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from planted_faults import ALL, FAULTS, TWO_ROOTS, WEIGHED, Fault, plant

from mechanisms import find_mechanism, write_urdf
from mechanisms.library.textbook import planar_pendulum
from mechanisms.quantities import USUAL


@pytest.fixture
def weighed(tmp_path: Path) -> None:
    (tmp_path / WEIGHED).write_text(write_urdf(planar_pendulum(2, mass=["1.0", "1.234"])))


def red(document: dict[str, Any], part: str, name: str) -> set[str]:
    return {item[name] for item in document[part] if item["verdict"] != "agrees"}


def test_they_differ_and_their_mechanisms_suit_them() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) == 14
    parents = find_mechanism(TWO_ROOTS).parents
    assert parents[1] == -1
    assert 1 not in parents


@pytest.mark.nightly
def test_the_unplanted_copy_is_green_on_every_mechanism(invoke: Any, tmp_path: Path, weighed: None) -> None:
    copy = plant(tmp_path, "right_", None)
    mechanisms = sorted({fault.mechanism for fault in FAULTS})
    result = invoke("gate", copy, *mechanisms, "--states", 14, "--update-baseline", "-o", "results.json")
    document = json.loads((tmp_path / "results.json").read_text())
    assert result.exit_code == 0, result.output
    assert len(document["cells"]) == len(USUAL) * len(mechanisms)
    assert not red(document, "cells", "quantity") | red(document, "invariants", "name")


@pytest.mark.nightly
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_gate_turns_red_where_the_fault_shows_and_nowhere_else(
    fault: Fault, invoke: Any, tmp_path: Path, weighed: None
) -> None:
    copy = plant(tmp_path, f"fault{FAULTS.index(fault)}_", fault)
    result = invoke("gate", copy, fault.mechanism, "--states", 14, "--update-baseline", "-o", "results.json", "--no-explain")
    document = json.loads((tmp_path / "results.json").read_text())
    assert result.exit_code == 1, result.output
    assert red(document, "cells", "quantity") & ALL == set(fault.cells)
    assert red(document, "invariants", "name") == set(fault.invariants)
    assert find_mechanism(fault.mechanism).name in result.stdout
    assert "disagrees with the truth" in result.stdout
    worst = min(cell["error"] for cell in document["cells"] if cell["verdict"] == "discrepancy")
    assert worst > 1e6, "a wrong term is off by orders of magnitude, not by a rounding error"
