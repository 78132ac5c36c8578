"""The public names: cheap to import, typed where they are installed, and listed on the page."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from built import ROOT, Installed

import dalembert

USER = """
import dalembert
from dalembert import Mechanism, MechanismError

arm: Mechanism = dalembert.find_mechanism("ur5")
reveal_type(dalembert.check)
reveal_type(dalembert.__version__)
dalembert.find_mechanism(7)
dalembert.chekc
"""


@pytest.mark.slow
def test_import_loads_nothing(installed: Installed, tmp_path: Path) -> None:
    code = "import sys; before = set(sys.modules); import dalembert; print(*(set(sys.modules) - before))"
    loaded = set(installed.run("python", "-c", code, cwd=tmp_path).stdout.split())
    assert {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names == {"dalembert"}
    assert {name for name in loaded if name.startswith("dalembert")} == {"dalembert"}
    assert "importlib.metadata" not in loaded, "it takes longer than everything else"


def test_a_worker_process_imports_nothing_slow_that_it_may_never_need() -> None:
    """Python's writers of XML import an HTTP client, which takes a tenth of the time in which a process starts."""
    code = "import sys, implementations.processes.worker, implementations.plugins.user_code; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"urllib.request", "importlib.metadata", "sympy", "jsonschema"} & set(done.stdout.split())


def test_star_import_and_dir_give_the_public_names_and_each_says_what_it_is() -> None:
    names: dict[str, object] = {}
    exec("from dalembert import *", names)
    assert names.keys() - {"__builtins__"} == set(dalembert.__all__) == set(dir(dalembert))
    for name in dalembert.__all__:
        doc = getattr(names[name], "__doc__", "")
        # A dataclass without a docstring has its signature instead.
        assert doc and not doc.startswith(f"{name}("), name


def test_the_page_lists_what_there_is() -> None:
    spec = importlib.util.spec_from_file_location("write_api", ROOT / "docs" / "write_api.py")
    assert spec and spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.render(), "run `python docs/write_api.py`"


@pytest.mark.nightly
def test_type_checkers_see_the_types_of_the_installed_package(installed: Installed, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is among the development tools")
    (tmp_path / "mine.py").write_text(USER)
    words = [sys.executable, "-m", "mypy", "--strict", "--python-executable", installed.python, "mine.py"]
    done = subprocess.run(words, cwd=tmp_path, env={"PATH": ""}, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("mine.py")]
    assert len(lines) == 4, done.stdout + done.stderr
    assert 'Revealed type is "def (mechanisms: ' in lines[0]
    assert "dalembert.mechanisms.mechanism.Mechanism" in lines[0]
    assert lines[0].endswith('-> dalembert.cross_check.exchange.results.objects.Results"')
    assert lines[1].endswith('Revealed type is "str"')
    assert lines[2].endswith('expected "str"  [arg-type]')
    assert 'has no attribute "chekc"' in lines[3]
