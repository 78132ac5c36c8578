"""The recipes of CONTRIBUTING.md, followed in a copy of the checkout: the files that they name are enough."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FOLDERS = ("cross_check", "dalembert", "implementations", "machine", "mechanisms", "oracle", "reports")

Edits = dict[str, tuple[tuple[str, str], ...]]
"""By file: what stands there, and what is written before it; a new file has the one pair of an empty text and its own."""

JOINT: Edits = {
    "mechanisms/joint_kinds.py": (
        ('    "euler-zyx",\n', '    "euler-xzy",\n'),
        ('    "euler-zyx": euler(', '    "euler-xzy": euler("x", "z", "y"),\n'),
    )
}

QUANTITY: Edits = {
    "mechanisms/quantities.py": (
        (
            '_motion("jacobians"',
            '_quantity("lagrangian", "L", "L = T − V", QV, (), Unit(1, 2, -2), title="Lagrangian")\n',
        ),
    ),
    "implementations/spatial_algebra/lagrangian.py": (
        (
            "",
            "from implementations.spatial_algebra.energy import kinetic_energy, potential_energy\n\n\n"
            "def lagrangian(model, q, qd):\n    return kinetic_energy(model, q, qd) - potential_energy(model, q)\n",
        ),
    ),
    "implementations/spatial_algebra/reference.py": (
        ('            "potential_energy": potential_energy,\n', '            "lagrangian": lagrangian,\n'),
        (
            "from implementations.spatial_algebra.mimic",
            "from implementations.spatial_algebra.lagrangian import lagrangian\n",
        ),
    ),
    "oracle/by_jets/euler_lagrange.py": (
        (
            "    def mass_matrix_rate(self",
            "    def lagrangian(self, q, v):\n        return self.kinetic_energy(q, v) - self.potential_energy(q)\n\n",
        ),
    ),
    "cross_check/error_scale/force_sizes.py": (
        (
            "def potential_energy(",
            "def lagrangian(bounds, q, v):\n    return kinetic_energy(bounds, q, v) + potential_energy(bounds, q)\n\n\n",
        ),
    ),
}

ENGINE: Edits = {
    "implementations/engines/newcomer/__init__.py": (("", ""),),
    "implementations/engines/newcomer/adapter.py": (
        (
            "",
            "from implementations.classical.newton_euler import NEWTON_EULER\n\n\n"
            "class Newcomer:\n    name, version = 'newcomer', '1.0'\n\n"
            "    def load(self, mechanism):\n        return NEWTON_EULER.load(mechanism)\n",
        ),
    ),
    "implementations/engines/declared.py": (('    Engine("sympy-kane"', '    Engine("newcomer", "Newcomer"),\n'),),
}

RELATIONS = ["-q", "scaled_mass", "-q", "scaled_length", "-q", "scaled_time", "-q", "reversed_time", "-q", "split_bodies"]


def copy_with(edits: Edits, to: Path) -> None:
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name, pairs in edits.items():
        path = to / name
        path.parent.mkdir(exist_ok=True)
        text = path.read_text("utf-8") if path.exists() else ""
        for before, written in pairs:
            assert before in text, f"{name} has no {before!r}"
            text = text.replace(before, written + before, 1) if before else written
        path.write_text(text, encoding="utf-8")


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
def test_a_recipe_names_every_file_that_has_to_change(title: str, edits: Edits) -> None:
    text = recipe(title)
    for name in edits:
        folder = name.replace("newcomer", "<engine>").rpartition("/")[0]
        is_named = f"`{name}`" in text if (ROOT / name).exists() else f"`{folder}/" in text
        assert is_named or f"a module of `{folder}/`" in text, f"{name} is not in the recipe {title!r}"


@pytest.mark.nightly
def test_a_new_kind_of_joint_is_checked_in_every_derivation(tmp_path: Path) -> None:
    copy_with(JOINT, tmp_path)
    shown = checked(tmp_path, "random:3:4:euler-xzy", "-i", "reference", "-i", "traced", "-i", "newton-euler", "-i", "screws")
    assert "All 4 implementations agree" in shown


@pytest.mark.nightly
def test_a_new_quantity_is_checked_with_every_relation(tmp_path: Path) -> None:
    copy_with(QUANTITY, tmp_path)
    shown = checked(tmp_path, "cart-pole", "random:3:4", "-q", "lagrangian", *RELATIONS, "-i", "reference", "-i", "traced")
    assert "All 2 implementations agree" in shown


@pytest.mark.nightly
def test_a_wrong_unit_of_a_new_quantity_breaks_a_relation(tmp_path: Path) -> None:
    wrong = {name: tuple((a, b.replace("(1, 2, -2)", "(1, 2, -1)")) for a, b in pairs) for name, pairs in QUANTITY.items()}
    copy_with(wrong, tmp_path)
    with pytest.raises(AssertionError, match="2 of 2 cells and invariants: scaled_time, reversed_time"):
        checked(tmp_path, "cart-pole", "-q", "lagrangian", *RELATIONS, "-i", "reference")


@pytest.mark.nightly
def test_a_new_engine_is_checked_by_its_name(tmp_path: Path) -> None:
    copy_with(ENGINE, tmp_path)
    assert "newcomer agrees with the truth" in checked(tmp_path, "cart-pole", "-i", "newcomer")


def test_pages_for_contributors_name_files_that_exist() -> None:
    folders = "|".join((*FOLDERS, "docs", "benchmarks", "tests"))
    for page in ("CONTRIBUTING.md", "docs/life-of-a-check.md"):
        named = set(re.findall(rf"`((?:{folders})/[\w./-]+)`", (ROOT / page).read_text("utf-8")))
        assert len(named) > 20
        assert not {name for name in named if not (ROOT / name).exists()}, page
