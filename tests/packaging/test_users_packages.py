"""Users' own modules of any name work beside the installed package, in every way of starting."""

from __future__ import annotations

from pathlib import Path

import pytest
from built import Installed

INSIDE = {
    "reports": "html",
    "oracle": "errors",
    "mechanisms": "joint",
    "implementations": "field",
    "cross_check": "harness",
    "machine": "program",
}
"""The names of our parts, each with a module inside it."""

DYNAMICS = """
def gravity(mechanism, q):
    from late import PITCH
    return -mechanism.arrays.masses * PITCH * mechanism.arrays.gravity[2]
"""
"""The torque that holds a lead screw's nut."""


def write_project(folder: Path, site: Path, users_first: bool) -> None:
    """The user's packages, all at once, ``my_dynamics.py``, and a test of it."""
    for name, inside in INSIDE.items():
        (folder / name).mkdir()
        for file in ("__init__", inside):
            (folder / name / f"{file}.py").write_text("WHOSE = 'mine'\n")
    (folder / "late.py").write_text("PITCH = 0.002\n")
    lines = [f"import {name}, {name}.{inside} as x; assert {name}.WHOSE == x.WHOSE == 'mine'" for name, inside in INSIDE.items()]
    theirs = "\n".join([*lines, "open('imported', 'w').write('MINE')"])
    ours = "import dalembert; assert dalembert.find_mechanism('pendulum').nv == 1; dalembert.check\n"
    ours += f"assert dalembert.__file__.startswith({str(site)!r}), dalembert.__file__"
    imports = f"{theirs}\n{ours}" if users_first else f"{ours}\n{theirs}"
    (folder / "my_dynamics.py").write_text(f"{imports}\n{DYNAMICS}")
    (folder / "test_mine.py").write_text(
        f'{imports}\n\ndef test_mine(dalembert_gate):\n    dalembert_gate("my_dynamics", "lead-screw", states=7)\n'
    )


def start(way: str, folder: Path, elsewhere: bool) -> list[object]:
    """The words of one way of starting: with names from within ``folder``, with paths from another folder."""
    module = folder / "my_dynamics.py" if elsewhere else "my_dynamics"
    test = folder / "test_mine.py" if elsewhere else "test_mine.py"
    gate = ["gate", module, "lead-screw", "--states", 7, "--update-baseline"]
    pytest_options = ["-q", "-s", "-p", "no:cacheprovider", test]
    return {
        "dalembert": ["dalembert", *gate],
        "python -m dalembert": ["python", "-m", "dalembert", *gate],
        "pytest": ["pytest", *pytest_options],
        "python -m pytest": ["python", "-m", "pytest", *pytest_options],
    }[way]


WAYS = ("dalembert", "python -m dalembert", "pytest", "python -m pytest")


@pytest.mark.nightly
@pytest.mark.parametrize("users_first", [True, False], ids=["mine first", "dalembert first"])
@pytest.mark.parametrize("way", WAYS)
def test_users_modules_of_any_name_work(installed: Installed, tmp_path: Path, way: str, users_first: bool) -> None:
    """From the project's folder and from elsewhere in turn."""
    project, other, elsewhere = tmp_path / "project", tmp_path / "other", (WAYS.index(way) + users_first) % 2 == 1
    project.mkdir()
    other.mkdir()
    write_project(project, installed.site, users_first)
    folder = other if elsewhere else project
    done = installed.run(*start(way, project, elsewhere), cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "imported").read_text() == "MINE"
    assert ("1 passed" if "pytest" in way else "agrees") in done.stdout
