"""Build hook of the wheel: nests the parts inside ``dalembert``, so that one package is installed.

In the checkout the parts ``machine``, ``mechanisms``, ``oracle``, ``implementations``, ``cross_check`` and ``reports`` are
folders at the root, where people and tools find them. In site-packages these common names would hide users' own packages, or be
hidden by them. So the wheel contains ``dalembert.mechanisms`` and so on, and every import of a part is rewritten:
``from mechanisms.joint import Joint`` becomes ``from dalembert.mechanisms.joint import Joint``. Line numbers stay the same.

Why this way:

- Relative imports cannot leave a top-level package, so they cannot serve the folders at the root.
- An import hook at run time that maps the short names to ``dalembert`` would still take these names from users, and editors and
  type checkers would not understand it.
- Moving the folders into ``dalembert/`` would give up the layout of the checkout.

A module name in a string is not rewritten. Code that imports by name uses a relative name and its own package:
``import_module("..recorded.traced", __package__)``. Editable installs expose the checkout as it is.
"""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HOME = "dalembert"
PARTS = ("reports", "cross_check", "oracle", "implementations", "mechanisms", "machine")


class NestParts(BuildHookInterface):
    """Replaces the content of the wheel by the nested tree."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Fill ``build_data["force_include"]``; an editable wheel needs only the path to the checkout."""
        if version == "editable":
            return
        self._folder = TemporaryDirectory()
        nest(Path(self.root), Path(self._folder.name))
        build_data["force_include"][str(Path(self._folder.name, HOME))] = HOME

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the nested tree."""
        if version != "editable":
            self._folder.cleanup()


def nest(root: Path, target: Path) -> None:
    """Write ``target/dalembert`` with the parts of ``root`` inside and their imports rewritten.

    Raises :class:`FileExistsError` where ``dalembert`` has a module of a part's name.
    """
    ignored = shutil.ignore_patterns("__pycache__", "*.py[co]", ".*")
    shutil.copytree(root / HOME, target / HOME, ignore=ignored)
    for part in PARTS:
        if (target / HOME / f"{part}.py").exists():
            raise FileExistsError(f"{HOME}/{part}.py and {part}/ would have one name in the wheel; rename the module")
        shutil.copytree(root / part, target / HOME / part, ignore=ignored)
    shutil.copy(root / "docs" / "example.py", target / HOME / "example.py")
    shutil.copytree(root / "docs" / "findings", target / HOME / "cross_check" / "explain" / "findings" / "pages", ignore=ignored)
    for path in (target / HOME).rglob("*.py"):
        path.write_bytes(rewritten(path.read_bytes(), str(path.relative_to(target))))


def rewritten(source: bytes, name: str) -> bytes:
    """``source`` (UTF-8) with every absolute import of a part turned into one of ``dalembert.part``; ``name`` is for errors."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    edits: list[tuple[int, int, str]] = []
    for node in ast.walk(ast.parse(source, name)):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and _is_part(node.module):
            begin = starts[node.lineno - 1] + node.col_offset + len("from ")
            if not source.startswith(f"{node.module} ".encode(), begin):
                raise ValueError(f"{name}:{node.lineno}: write this import with single spaces, as `from module import name`")
            edits.append((begin, begin, f"{HOME}."))
        elif isinstance(node, ast.Import):
            for alias in filter(lambda alias: _is_part(alias.name), node.names):
                assert alias.end_lineno is not None
                assert alias.end_col_offset is not None
                begin = starts[alias.lineno - 1] + alias.col_offset
                end = starts[alias.end_lineno - 1] + alias.end_col_offset
                edits.append((begin, end, _nested(alias)))
    for begin, end, text in sorted(edits, reverse=True):
        source = source[:begin] + text.encode() + source[end:]
    return source


def _is_part(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] in PARTS


def _nested(alias: ast.alias) -> str:
    """The alias in ``import alias``; without "as" it binds the part's short name, also where a module inside is imported."""
    part = alias.name.partition(".")[0]
    if alias.asname or alias.name == part:
        return f"{HOME}.{alias.name} as {alias.asname or part}"
    return f"{HOME}.{alias.name}, {HOME}.{part} as {part}"
