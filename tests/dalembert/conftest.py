from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dalembert.cli.main import main

Invoke = Callable[..., Result]


@pytest.fixture(autouse=True)
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands compute in this process unless they are given ``--jobs``: to start others takes longer than most tests."""
    monkeypatch.setattr("dalembert.cli.comparing.cores", lambda: 1)


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
