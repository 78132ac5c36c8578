"""Measures and draws the paper's figure: ``python paper/figure.py`` writes ``paper/errors.png``.

It checks inverse dynamics of engines, of docs/example.py, and of the example with two planted faults. Needs the extra
``all-engines`` and the dependency group ``paper``. Seeds are fixed; the numbers depend on the engines' versions alone.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
MECHANISMS = ("ur5", "panda")
ENGINES = {
    "pinocchio": "Pinocchio",
    "rbdl": "RBDL",
    "mujoco": "MuJoCo",
    "drake": "Drake",
    "dart": "DART",
    "idyntree": "iDynTree",
}
FAULTS = {
    "heavier": ("one mass is 10⁻¹³ too large", "= m.masses[i] * (", "= m.masses[i] * (1 + 1e-13 * (i == 2)) * ("),
    "wrong_sign": ("ω × I ω has the wrong sign", "+ np.cross(w[i], m.inertias", "- np.cross(w[i], m.inertias"),
}
BAR = 16


def measured(folder: Path) -> dict[str, np.ndarray]:
    """The error at every state of every mechanism in ε-units, by the implementation's name."""
    example = (HERE.parent / "docs" / "example.py").read_text("utf-8")
    (folder / "example.py").write_text(example, "utf-8")
    for name, (_, right, wrong) in FAULTS.items():
        assert example.count(right) == 1
        (folder / f"{name}.py").write_text(example.replace(right, wrong), "utf-8")
    modules = [f"{name}.py" for name in ("example", *FAULTS)]
    words = [word for name in (*ENGINES, *modules) for word in ("-i", name)]
    words += ["-q", "inverse_dynamics", "--no-explain", "--errors", "errors.npz"]
    command = [sys.executable, "-m", "dalembert", "check", *MECHANISMS, *words]
    code = subprocess.run(command, cwd=folder, check=False).returncode
    if code != 1:
        raise SystemExit(f"the planted faults should end the check with exit code 1; it was {code}")
    with np.load(folder / "errors.npz") as errors:
        names = [*ENGINES, "example", *FAULTS]
        return {name: np.concatenate([errors[f"{one}/{name}/inverse_dynamics"] for one in MECHANISMS]) for name in names}


def draw(errors: dict[str, np.ndarray]) -> None:
    labels = {**ENGINES, "example": "docs/example.py", **{name: fault[0] for name, fault in FAULTS.items()}}
    mpl.rcParams.update({"font.size": 8})
    figure, axes = plt.subplots(figsize=(6.3, 2.6), layout="constrained")
    for row, (name, values) in enumerate(errors.items()):
        spread = row + 0.5 * (np.arange(len(values)) / len(values) - 0.5)
        axes.plot(np.maximum(values, 1e-3), spread, ".", markersize=2, color="#c0392b" if name in FAULTS else "#1f4e79")
    axes.axvline(BAR, color="black", linewidth=0.8)
    axes.annotate("the bar", (BAR, -0.7), xytext=(3, -2), textcoords="offset points", va="top")
    axes.set(xscale="log", xlabel="error of τ in ε-units, one point for each state", ylim=(len(errors) - 0.4, -0.8))
    axes.set_yticks(range(len(errors)), [labels[name] for name in errors])
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "errors.png", dpi=200, metadata={"Software": None})


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        draw(measured(Path(folder)))
