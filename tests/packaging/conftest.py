"""The wheel, built once, and an environment that has it installed and does not see the checkout."""

from __future__ import annotations

import sysconfig
import venv
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from built import ROOT, Installed, build


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling is among the development tools")
    return build(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel installed as pip would do it, its console script included."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # Python reads .pth files here, but not those in the folders that they name: an editable install stays invisible.
    outer = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (site / "dependencies.pth").write_text("\n".join(outer) + "\n")
    (ours,) = distributions(name="dalembert", path=[str(site)])
    scripts = [*ours.entry_points, *distribution("pytest").entry_points]
    for point in (point for point in scripts if point.group == "console_scripts"):
        script = folder / "bin" / point.name
        script.write_text(
            f"#!{folder}/bin/python\nimport sys\nfrom {point.module} import {point.attr}\n"
            f"if __name__ == '__main__':\n    sys.exit({point.attr}())\n"
        )
        script.chmod(0o755)
    return Installed(folder, site)
