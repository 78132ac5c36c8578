"""The page of released packages: each has its adapter, and where a package is installed, its verdict is that of the page."""

from __future__ import annotations

import ast
import io
import re
import shlex
import subprocess
import sys
import tokenize
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PAGE = ROOT / "docs" / "wild.md"

FOLDER = ROOT / "docs" / "wild"

NOTHING = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@dataclass(frozen=True)
class Row:
    package: str
    version: str
    adapter: str
    words: str
    verdict: str
    lines: int


ROW = re.compile(r"\| `(\S+)` (\S+) \| .+? \| \[(\w+\.py)\]\(wild/\3\) \| `(.+?)` \| (.+) \| (\d+) \| \d+ \|")

ROWS = [
    Row(*match.group(1, 2, 3, 4), match[5].replace("\\", ""), int(match[6]))
    for line in PAGE.read_text("utf-8").splitlines()
    if (match := ROW.match(line))
]


def code_lines(path: Path) -> int:
    """Lines that are neither blank nor comments nor docstrings."""
    text = path.read_text("utf-8")
    places = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)]
    first = [node.body[0] for node in places if ast.get_docstring(node) is not None]
    documented = {line for one in first for line in range(one.lineno, (one.end_lineno or one.lineno) + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    used = {line for token in tokens if token.type not in NOTHING for line in range(token.start[0], token.end[0] + 1)}
    return len(used - documented)


def test_every_package_has_its_adapter() -> None:
    assert len(ROWS) >= 8
    assert {row.adapter for row in ROWS} == {path.name for path in FOLDER.iterdir() if path.suffix == ".py"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.package)
def test_an_adapter_compiles_and_has_as_many_lines_as_the_page_says(row: Row) -> None:
    path = FOLDER / row.adapter
    compile(path.read_text("utf-8"), path.name, "exec")
    assert code_lines(path) == row.lines


@pytest.mark.nightly
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.package)
def test_the_verdict_is_that_of_the_page(row: Row, tmp_path: Path) -> None:
    try:
        installed = version(row.package)
    except PackageNotFoundError:
        pytest.skip(f"{row.package} is not installed")
    if installed != row.version:
        pytest.skip(f"{row.package} {installed} is installed; the page is about {row.version}")
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    if "--recorded" in row.words:
        subprocess.run([sys.executable, f"docs/wild/{row.adapter}"], cwd=tmp_path, capture_output=True, check=True)
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from dalembert.cli.main import main; main(prog_name='dalembert')"
    words = shlex.split(row.words)
    done = subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    expected = "agrees with the truth" if row.verdict.startswith("agrees") else f"In {Path(row.adapter).stem}, {row.verdict}"
    assert expected in " ".join(done.stdout.split()), done.stdout + done.stderr
