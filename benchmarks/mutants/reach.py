"""Which tests reach a file of the product: by the imports, those by the fewest steps first."""

from __future__ import annotations

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path


def nearest_tests(root: Path) -> dict[str, list[str]]:
    """For every file of the checkout, the files of tests that import it, the nearest first, and of those the shortest."""
    files = [path.relative_to(root) for folder in root.iterdir() if folder.is_dir() for path in _modules(folder)]
    options = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
    short = [Path(folder) for folder in options["pythonpath"]]
    known = {_name(file): str(file) for file in files}
    known |= {_name(file.relative_to(folder)): str(file) for folder in short for file in files if file.is_relative_to(folder)}
    imported = {str(file): {known[name] for name in _imports(root / file) if name in known} for file in files}
    found: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for test in (str(file) for file in files if file.parts[0] == "tests" and file.name.startswith("test_")):
        steps, edge = {test: 0}, [test]
        while edge:
            edge = [new for file in edge for new in imported[file] if steps.setdefault(new, steps[file] + 1) > steps[file]]
            edge = list(dict.fromkeys(edge))
        size = (root / test).stat().st_size
        for file, distance in steps.items():
            found[file].append((distance, size, test))
    for file in map(str, files):  # A module that is loaded by its name has the tests of its folder, or of the folder above.
        folder = Path(file).parent
        while file not in found and folder.name:
            found[file] += {one for other in imported if other.startswith(f"{folder}/") for one in found.get(other, ())}
            folder = folder.parent
    return {file: list(dict.fromkeys(test for *_, test in sorted(tests))) for file, tests in found.items()}


def _modules(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*.py") if not {"build", ".venv", ".tox"} & set(path.parts))


def _name(file: Path) -> str:
    return ".".join(file.with_suffix("").parts).removesuffix(".__init__")


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
