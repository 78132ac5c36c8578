"""No module imports itself by way of others, not even for type checking, and the check of it can fail."""

from __future__ import annotations

import ast
import shutil
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("dalembert", "reports", "cross_check", "oracle", "implementations", "mechanisms", "machine")


def modules_of(tree: Path) -> dict[str, Path]:
    """Every module of the packages by its dotted name."""
    files = (file for package in PACKAGES for file in (tree / package).rglob("*.py"))
    names = ((".".join(file.relative_to(tree).with_suffix("").parts), file) for file in files)
    return {name.removesuffix(".__init__"): file for name, file in names}


def imports_of(tree: Path) -> dict[str, set[str]]:
    """The modules that every module imports when it is imported, or for type checking; imports within functions are left out."""
    modules = modules_of(tree)
    graph: dict[str, set[str]] = {}
    for name, file in modules.items():
        graph[name] = set()
        for statement in at_import(ast.parse(file.read_text("utf-8"))):
            if isinstance(statement, ast.Import):
                graph[name] |= {alias.name for alias in statement.names if alias.name in modules}
            if isinstance(statement, ast.ImportFrom) and statement.module in modules:
                inner = {f"{statement.module}.{alias.name}" for alias in statement.names}
                graph[name] |= inner & modules.keys() or {statement.module}
    return graph


def at_import(node: ast.AST) -> list[ast.AST]:
    """The nodes below ``node`` that run when the module is imported."""
    below = [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.FunctionDef, ast.Lambda))]
    return [*below, *(inner for child in below for inner in at_import(child))]


@pytest.mark.slow
def test_there_are_none() -> None:
    TopologicalSorter(imports_of(ROOT)).prepare()


def test_one_for_type_checking_is_seen(tmp_path: Path) -> None:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "mechanisms/arrays.py").open("a", encoding="utf-8") as file:
        file.write("\nif TYPE_CHECKING:\n    from mechanisms.mechanism import Mechanism\n")
    with pytest.raises(CycleError, match=r"mechanisms\.arrays"):
        TopologicalSorter(imports_of(tmp_path)).prepare()
