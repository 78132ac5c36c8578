"""The recipes of CONTRIBUTING.md, followed in a copy of the checkout: the files that they name are enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FOLDERS = ("cross_check", "dalembert", "implementations", "machine", "mechanisms", "oracle", "reports")

Edit = dict[str, str]
"""In a ``file``, what is ``written`` before the text ``before``, which stands there; a new file has no such text."""

RECIPES: dict[str, list[Edit]] = tomllib.loads(Path(__file__).with_name("recipes.toml").read_text("utf-8"))
JOINT, QUANTITY, ENGINE = RECIPES["joint"], RECIPES["quantity"], RECIPES["engine"]

RELATIONS = "-q scaled_mass -q scaled_length -q scaled_time -q reversed_time -q split_bodies"
OURS = "-i reference -i traced"


def copy_with(edits: list[Edit], to: Path) -> None:
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for edit in edits:
        path = to / edit["file"]
        path.parent.mkdir(exist_ok=True)
        before, text = edit.get("before", ""), path.read_text("utf-8") if path.exists() else ""
        assert before in text, f"{edit['file']} has no {before!r}"
        path.write_text(text.replace(before, edit["written"] + before, 1) if before else edit["written"], encoding="utf-8")


def checked(folder: Path, *words: str) -> str:
    """What a check in the copy prints. It has to end with exit code 0."""
    command = [sys.executable, "-m", "dalembert", "check", *words, "--no-explain", "--states", "20", "-o", "results.json"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "DALEMBERT_CACHE": str(folder / "cache")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def recipe(title: str) -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return re.split(r"\n## ", text.partition(f"\n## {title}\n")[2])[0]


@pytest.mark.parametrize(
    ("title", "edits"), [("A new kind of joint", JOINT), ("A new quantity", QUANTITY), ("A new engine", ENGINE)]
)
def test_a_recipe_names_every_file_that_has_to_change(title: str, edits: list[Edit]) -> None:
    text = recipe(title)
    for name in {edit["file"] for edit in edits}:
        folder = name.replace("newcomer", "<engine>").rpartition("/")[0]
        is_named = f"`{name}`" in text if (ROOT / name).exists() else f"`{folder}/" in text
        assert is_named or f"a module of `{folder}/`" in text, f"{name} is not in the recipe {title!r}"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("edits", "words", "said"),
    [
        (JOINT, f"random:3:4:euler-xzy {OURS} -i newton-euler -i screws", "All 4 implementations agree"),
        (QUANTITY, f"cart-pole random:3:4 -q lagrangian {RELATIONS} {OURS}", "All 2 implementations agree"),
        (ENGINE, "cart-pole -i newcomer", "newcomer agrees with the truth"),
    ],
    ids=RECIPES,
)
def test_what_is_new_is_checked(edits: list[Edit], words: str, said: str, tmp_path: Path) -> None:
    copy_with(edits, tmp_path)
    assert said in checked(tmp_path, *words.split())


@pytest.mark.nightly
def test_a_wrong_unit_of_a_new_quantity_breaks_a_relation(tmp_path: Path) -> None:
    wrong = [edit | {"written": edit["written"].replace("(1, 2, -2)", "(1, 2, -1)")} for edit in QUANTITY]
    copy_with(wrong, tmp_path)
    with pytest.raises(AssertionError, match="2 of 2 cells and invariants: scaled_time, reversed_time"):
        checked(tmp_path, "cart-pole", "-q", "lagrangian", *RELATIONS.split(), "-i", "reference")


def test_pages_for_contributors_name_files_that_exist() -> None:
    folders = "|".join((*FOLDERS, "docs", "benchmarks", "tests"))
    for page in ("CONTRIBUTING.md", "docs/life-of-a-check.md"):
        named = set(re.findall(rf"`((?:{folders})/[\w./-]+)`", (ROOT / page).read_text("utf-8")))
        assert len(named) > 20
        assert not {name for name in named if not (ROOT / name).exists()}, page
