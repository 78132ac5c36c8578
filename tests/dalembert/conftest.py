from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dalembert.cli.main import main
from implementations.processes.find import find_subject

Invoke = Callable[..., Result]


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands compute in this process unless they are given ``--jobs``: to start others takes longer than most tests."""
    monkeypatch.setattr("dalembert.commands.comparing.cores", lambda: 1)


@pytest.fixture(autouse=True, scope="module")
def only_these(only_the_verdicts: None) -> None:
    """A test about what a run would miss uses ``with_coverage``, and one about the line of a fault ``with_lines``."""


@pytest.fixture
def invoke(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Runs the command line in an empty folder; whatever happens, nobody gets to see a traceback."""
    monkeypatch.chdir(tmp_path)

    def invoke(*words: object) -> Result:
        result = CliRunner().invoke(main, [str(word) for word in words])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        assert "Traceback" not in result.output
        return result

    return invoke


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is called in this process. For a short run, to start processes for it takes ten times as long as all the rest."""

    def find(spec: str, in_process: bool = False, *how: Any) -> Any:
        return find_subject(spec, True, *how)

    monkeypatch.setattr("dalembert.session.find_subject", find)
