"""A small engine in several releases, as real wheels in a folder that serves as the index; and NumPy, as a link to ours."""

from __future__ import annotations

import os
from pathlib import Path

import numpy
from hatchling.builders.wheel import WheelBuilder

RIGHT = "9.81 * 0.4 * 1.2 * np.sin(q)"
REORDERED = "1.2 * (9.81 * (np.sin(q) * 0.4))"
WRONG = "-9.81 * 0.4 * 1.2 * np.sin(q)"

RELEASES = {"1.0": RIGHT, "1.1": REORDERED, "1.2": WRONG, "1.10": WRONG}
"""What each release computes for the torque of gravity at the textbook pendulum."""

CODE = "import numpy as np\n\nVERSION = {version!r}\n\n\ndef torque(q):\n    return {torque}\n"

MINE = """
import toy_engine

version = toy_engine.VERSION


def gravity(mechanism, q):
    return toy_engine.torque(q)
"""
"""A user's code, which asks the engine."""


def write_index(folder: Path, source: Path) -> None:
    """Wheels of the engine, of one for another Python, of one that cannot be imported, and of NumPy, into ``folder``."""
    for version, torque in RELEASES.items():
        _build(source, folder, "toy-engine", version, {"toy_engine/__init__.py": CODE.format(version=version, torque=torque)})
    (built,) = folder.glob("toy_engine-1.1-*.whl")
    (folder / "toy_engine-1.1.1-cp27-cp27m-any.whl").write_bytes(built.read_bytes())
    broken = "raise ImportError('libtoy.so.4: cannot open shared object file')\n"
    _build(source, folder, "toy-engine", "1.3", {"toy_engine/__init__.py": broken})
    outer = source / "numpy_alone"
    outer.mkdir()
    for name in ("numpy", "numpy.libs"):
        if (found := Path(numpy.__file__).parents[1] / name).exists():
            (outer / name).symlink_to(found)
    _build(source, folder, "numpy", numpy.__version__, {"outer_numpy.pth": f"{outer}\n"})


def _build(source: Path, folder: Path, name: str, version: str, files: dict[str, str]) -> None:
    project = source / f"{name}-{version}"
    for path, text in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    included = "\n".join(f'"{path}" = "{path}"' for path in files)
    (project / "pyproject.toml").write_text(
        f'[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        f'[project]\nname = "{name}"\nversion = "{version}"\n'
        f"[tool.hatch.build.targets.wheel]\nbypass-selection = true\n"
        f"[tool.hatch.build.targets.wheel.force-include]\n{included}\n"
    )
    here = Path.cwd()
    os.chdir(project)
    try:
        list(WheelBuilder(str(project)).build(directory=str(folder), versions=["standard"]))
    finally:
        os.chdir(here)
