"""What the wheel contains, and how its imports are rewritten."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from built import ROOT, Installed, build

hatch_build = pytest.importorskip("hatch_build", reason="hatchling is among the development tools")

PARTS = ("reports", "cross_check", "oracle", "implementations", "mechanisms", "machine")


@cache
def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_every_file_of_the_checkout_is_inside_and_nothing_else(wheel: Path) -> None:
    folders = ("dalembert", *PARTS, "docs/findings", "docs/example.py")
    listed = subprocess.run(["git", "ls-files", *folders], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout, so there is no list of its files")
    moved = {"docs/findings": "cross_check/explain/findings/pages", "docs/example.py": "example.py"}
    names = (re.sub("|".join(moved), lambda match: moved[match[0]], name) for name in listed.stdout.split())
    expected = {name if name.startswith("dalembert/") else f"dalembert/{name}" for name in names}
    assert {name for name in contents(wheel) if ".dist-info/" not in name} == expected
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in contents(wheel))


def test_no_absolute_import_and_no_string_names_a_module_of_a_part(wheel: Path) -> None:
    """The build rewrites imports only; code that imports by name has to use a relative name."""
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in contents(wheel)}
    imported, named = [], []
    for name, text in contents(wheel).items():
        for node in ast.walk(ast.parse(text)) if name.endswith(".py") else ():
            if isinstance(node, ast.ImportFrom | ast.Import):
                absolute = [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
                absolute += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                imported += [f"{name}:{module}" for module in absolute if module.partition(".")[0] in PARTS]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
                is_module = f"dalembert.{node.value.partition(':')[0]}" in modules
                named += [f"{name}:{node.lineno}: {node.value}"] if is_module else []
    assert imported == []
    assert named == []


@pytest.mark.slow
def test_every_module_imports_where_only_the_wheel_is(installed: Installed, tmp_path: Path) -> None:
    code = """
import importlib, pkgutil, sys, dalembert
names = [found.name for found in pkgutil.walk_packages(dalembert.__path__, "dalembert.") if not found.name.endswith("__main__")]
for name in names:
    importlib.import_module(name)
print(len(names), *({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
"""
    done = installed.run("python", "-c", code, *PARTS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    count, *loose = done.stdout.split()
    assert int(count) > 150
    assert loose == []


INSTALLED = """
import json, pathlib, sys
import dalembert, dalembert.implementations.plugins.user_code as user_code
from dalembert.cli.demo import example
from dalembert.cli.languages import LANGUAGES, write_project

for language in LANGUAGES:
    write_project(language, pathlib.Path(language))
ours = [*map(str, user_code.OURS), dalembert.__path__[0]]
json.dump({"example": example(), "ours": ours, "languages": [*LANGUAGES]}, sys.stdout)
"""


def test_the_installed_package_has_the_example_and_the_projects_of_the_checkout_and_knows_its_own_code(
    installed: Installed, tmp_path: Path
) -> None:
    """Errors name the last line of the user's code, and skip ours."""
    done = installed.run("python", "-c", INSTALLED, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["example"] == (ROOT / "docs" / "example.py").read_text("utf-8")
    assert found["ours"] == [str((installed.site / "dalembert").resolve()), str(installed.site / "dalembert")]
    for language in found["languages"]:
        files = [path for path in (tmp_path / language).rglob("*") if path.is_file()]
        assert len(files) >= 4
        for path in files:
            assert path.read_bytes() == (ROOT / "dalembert" / "skeletons" / path.relative_to(tmp_path)).read_bytes(), path


@pytest.mark.nightly
def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    with tarfile.open(build(ROOT, tmp_path, "sdist")) as archive:
        # CPython before 3.11.4 has no filters.
        archive.extractall(tmp_path, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    (source,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert contents(build(source, tmp_path, "wheel")) == contents(wheel)


def test_an_editable_install_is_the_checkout(tmp_path: Path) -> None:
    code = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, check=True, capture_output=True)
    (built,) = tmp_path.glob("*.whl")
    files = {name: text for name, text in contents(built).items() if ".dist-info/" not in name}
    assert [Path(text.decode().strip()).resolve() for text in files.values()] == [ROOT]


ALREADY = (
    '"""from mechanisms import Body"""',
    "# import oracle",
    "text = 'import oracle'",
    "from . import oracle",
    "from .mechanisms import Body",
    "from mechanisms_of_mine import Body",
    "import oracle_of_mine.oracle",
    "from dalembert.session import entry",
    "mechanisms = oracle = reports",
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from mechanisms.joint import Joint", "from dalembert.mechanisms.joint import Joint"),
        ("from mechanisms import (\n    Body,\n)", "from dalembert.mechanisms import (\n    Body,\n)"),
        ("import oracle", "import dalembert.oracle as oracle"),
        ("import oracle as o, numpy", "import dalembert.oracle as o, numpy"),
        ("import numpy, oracle.fields", "import numpy, dalembert.oracle.fields, dalembert.oracle as oracle"),
        ("import oracle.fields as f", "import dalembert.oracle.fields as f"),
        ("def λ():  # ẍ\n    ẍ = 1; import reports\n", "def λ():  # ẍ\n    ẍ = 1; import dalembert.reports as reports\n"),
        ("from a import x; from oracle import b", "from a import x; from dalembert.oracle import b"),
        ("x = 1\r\nfrom oracle import b\r\n", "x = 1\r\nfrom dalembert.oracle import b\r\n"),
        *((source, source) for source in ALREADY),
    ],
)
def test_imports_of_parts_are_rewritten_and_nothing_else(source: str, expected: str) -> None:
    assert rewritten(source) == expected


def test_an_import_that_cannot_be_rewritten_stops_the_build() -> None:
    with pytest.raises(ValueError, match=r"some\.py:2: write this import with single spaces"):
        rewritten("\nfrom  oracle import b")


def test_a_module_with_the_name_of_a_part_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "dalembert").mkdir()
    (tmp_path / "dalembert" / "oracle.py").touch()
    for part in PARTS:
        (tmp_path / part).mkdir()
    with pytest.raises(FileExistsError, match=r"dalembert/oracle\.py and oracle/ would have one name"):
        hatch_build.nest(tmp_path, tmp_path / "target")


def rewritten(source: str) -> Any:
    return hatch_build.rewritten(source.encode(), "some.py").decode()
