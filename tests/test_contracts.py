"""The import contracts hold, and the check of them can fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from implementations.engines import declared

pytest.importorskip("importlinter", reason="import-linter is among the development tools")

ROOT = Path(__file__).parents[1]
PACKAGES = ("dalembert", "reports", "cross_check", "oracle", "implementations", "mechanisms", "machine")
LAYERS = "An import only ever points down the list; oracle and implementations never import each other"
REPORTS = "Reports are made from results, not from the oracle or an implementation"
DERIVATIONS = "The three derivations from forces never import each other"
ROOMS = "The derivations do not know engines, recorded programs or users' code"
ENGINES = "The engines do not know each other"
BY_NAME = "Engines are loaded by name, in worker processes"
CIRCLES = "No modules and no folders import each other in a circle"
CONTRACTS = (LAYERS, REPORTS, DERIVATIONS, ROOMS, ENGINES, BY_NAME, CIRCLES)


def lint(tree: Path) -> tuple[int, str]:
    words = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200"}
    found = subprocess.run(words, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return found.returncode, found.stdout + found.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contracts_hold(tree: Path) -> None:
    code, said = lint(tree)
    assert code == 0, said
    assert f"{len(CONTRACTS)} kept, 0 broken" in said


def test_the_contract_of_engines_names_them_all() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (modules,) = (contract["modules"] for contract in contracts if contract["name"] == ENGINES)
    assert {*modules} == {f"implementations.engines.{engine.folder}" for engine in declared.ENGINES}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("oracle/symbolic/energies.py", "from implementations.spatial_algebra import rnea", LAYERS),
        ("machine/run.py", "from mechanisms.numbers.exact import Scalar", LAYERS),
        ("cross_check/judge/comparison/measure.py", "def late():\n    from reports import words", LAYERS),
        ("reports/html.py", "import oracle", REPORTS),
        ("implementations/classical/newton_euler.py", "from implementations.screws import product_of_exponentials", DERIVATIONS),
        ("implementations/screws/adjoints.py", "from implementations.spatial_algebra.crba import crba", DERIVATIONS),
        ("implementations/spatial_algebra/rnea.py", "from implementations.classical.link_frames import about", DERIVATIONS),
        ("implementations/spatial_algebra/aba.py", "from implementations.recorded import traced", (ROOMS, CIRCLES)),
        ("implementations/recorded/traced.py", "from implementations.plugins import registry", ROOMS),
        ("implementations/engines/rbdl/adapter.py", "from implementations.engines.pinocchio import adapter", ENGINES),
        ("cross_check/part.py", "def late():\n    from implementations.engines.rbdl import adapter", BY_NAME),
        ("dalembert/session.py", "from implementations.processes import worker", BY_NAME),
        ("mechanisms/arrays.py", "if TYPE_CHECKING:\n    from mechanisms.mechanism import Mechanism", CIRCLES),
        ("cross_check/prove/proof/exact.py", "from cross_check.prove.catalogue import run", CIRCLES),
    ],
)
def test_the_check_can_fail(tree: Path, module: str, line: str, broken: str | tuple[str, ...]) -> None:
    with (tree / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    code, said = lint(tree)
    assert code == 1, said
    expected = (broken,) if isinstance(broken, str) else broken
    assert [contract for contract in CONTRACTS if f"{contract} BROKEN" in said] == list(expected)
    assert [contract for contract in CONTRACTS if f"{contract} KEPT" not in said] == list(expected)
