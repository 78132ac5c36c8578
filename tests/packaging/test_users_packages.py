"""Users' own modules of any name work beside the installed package, in every way of starting."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from built import Installed

NAMES = ("reports", "oracle", "mechanisms", "implementations", "cross_check", "machine")
INSIDE = {
    "reports": "html",
    "oracle": "errors",
    "mechanisms": "joint",
    "implementations": "field",
    "cross_check": "harness",
    "machine": "program",
}
"""A module inside each package that exists in ours too."""

DYNAMICS = """
def gravity(mechanism, q):
    from late import PITCH
    return -mechanism.arrays.masses * PITCH * mechanism.arrays.gravity[2]
"""
"""The torque that holds a lead screw's nut."""


def imports_of_the_user(packages: bool) -> str:
    lines = [f"import {name}; assert {name}.WHOSE == 'mine', {name}" for name in NAMES]
    if packages:
        lines += [f"from {name}.{inside} import WHOSE; assert WHOSE == 'mine'" for name, inside in INSIDE.items()]
    return "\n".join([*lines, "open('imported', 'w').write('MINE')"])


def imports_of_ours(site: Path) -> str:
    return (
        "import dalembert; assert dalembert.find_mechanism('pendulum').nv == 1; dalembert.check\n"
        f"assert dalembert.__file__.startswith({str(site)!r}), dalembert.__file__"
    )


def write_project(folder: Path, site: Path, packages: bool, users_first: bool) -> None:
    """The user's modules, all at once, ``my_dynamics.py``, and a test of it."""
    for name in NAMES:
        if packages:
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text("WHOSE = 'mine'\n")
            (folder / name / f"{INSIDE[name]}.py").write_text("WHOSE = 'mine'\n")
        else:
            (folder / f"{name}.py").write_text("WHOSE = 'mine'\n")
    (folder / "late.py").write_text("PITCH = 0.002\n")
    both = [imports_of_the_user(packages), imports_of_ours(site)]
    imports = "\n".join(both if users_first else reversed(both))
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
KINDS = {"packages, mine first": (True, True), "packages, dalembert first": (True, False), "modules, mine first": (False, True)}
"""Whether the user has packages or modules, and whether they are imported before ours."""

PAIRS = [
    pytest.param(way, (i + j) % 2 == 1, *KINDS[kind], id=f"{way}, {kind}")
    for (i, way), (j, kind) in product(enumerate(WAYS), enumerate(KINDS))
]
"""Every way of starting with every kind of project, from the project's folder and from elsewhere in turn."""


@pytest.mark.nightly
@pytest.mark.parametrize(("way", "elsewhere", "packages", "users_first"), PAIRS)
def test_users_modules_of_any_name_work(
    installed: Installed, tmp_path: Path, way: str, elsewhere: bool, packages: bool, users_first: bool
) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    project.mkdir()
    other.mkdir()
    write_project(project, installed.site, packages, users_first)
    done = installed.run(*start(way, project, elsewhere), cwd=other if elsewhere else project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ((other if elsewhere else project) / "imported").read_text() == "MINE"
    assert ("1 passed" if "pytest" in way else "agrees") in done.stdout
