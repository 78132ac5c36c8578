"""`dalembert demo`: what a newcomer sees first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dalembert.cli import demo


def test_the_planted_sign_is_shown_found_and_named(invoke: Any) -> None:
    shown = invoke("demo")
    assert shown.exit_code == 0
    assert "n[i] = m.inertias[i] @ dw[i] - np.cross(w[i], m.inertias[i] @ w[i])" in shown.stdout
    assert "In my_dynamics, ω × I ω has the wrong sign" in shown.stdout
    assert shown.stdout.endswith("for one robot\n")


@pytest.mark.nightly
def test_a_fault_that_is_not_found_is_no_success(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "WRONG", demo.RIGHT)
    shown = invoke("demo")
    assert (shown.exit_code, shown.stderr.splitlines()[-1]) == (3, "Error: the fault was not found; please report this")


@pytest.mark.nightly
def test_the_code_is_kept_if_this_is_asked(invoke: Any) -> None:
    assert invoke("demo", "--keep").exit_code == 0
    assert demo.WRONG in Path(demo.NAME).read_text("utf-8")


def test_the_code_is_never_written_over_other_code(invoke: Any) -> None:
    Path(demo.NAME).write_text("mine")
    again = invoke("demo", "--keep")
    assert (again.exit_code, again.stdout) == (2, "")
    assert Path(demo.NAME).read_text() == "mine"
