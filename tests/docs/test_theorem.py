"""The proofs in docs/theorem: Rocq accepts them, they use no axiom, and they break where the model of a loop is wrong."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

THEOREM = Path(__file__).parents[2] / "docs" / "theorem"
FILES = ("SpatialAlgebra", "Loops", "EveryTree", "Lagrange", "Example")

UNPROVEN = r"Admitted|admit|Axioms?|Conjectures?|Parameters?|give_up|bypass_check|Unset (Guard|Positivity|Universe) Checking"
"""What would let Rocq accept a statement without its proof. Variables and hypotheses of sections become premises."""

FAULTS = {
    "another sign of v × v_J": ("cJ i + crm (v i)", "cJ i - crm (v i)", "first_loop"),
    "the force on a body with v × in place of v ×*": (
        "+ crf (v i) *m (I i *m v i) - fx i) (fun i f",
        "+ crm (v i) *m (I i *m v i) - fx i) (fun i f",
        "inverse_dynamics",
    ),
    "inertias of single bodies": ("climb j j (Ic j *m S j) i", "climb j j (I j *m S j) i", "mass_matrix"),
}
"""A line of the model, the same with a fault, and the first theorem that is false then."""


def coqc(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["coqc", "-w", "none", f"{name}.v"], cwd=folder, capture_output=True, text=True, timeout=300)


def source(name: str) -> str:
    return (THEOREM / f"{name}.v").read_text("utf-8")


def without_comments(text: str) -> str:
    return re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the compiled files."""
    if not shutil.which("coqc"):
        pytest.skip("Rocq is not installed; on Debian: apt install coq libcoq-mathcomp-algebra")
    where = subprocess.run(["coqc", "-where"], capture_output=True, text=True, check=True).stdout.strip()
    if not (Path(where) / "user-contrib" / "mathcomp" / "algebra").is_dir():
        pytest.skip("Rocq has no mathcomp; on Debian: apt install libcoq-mathcomp-algebra")
    folder = tmp_path_factory.mktemp("theorem")
    for name in FILES:
        shutil.copy(THEOREM / f"{name}.v", folder)
        compiled = coqc(folder, name)
        assert compiled.returncode == 0, compiled.stderr
    return folder


@pytest.mark.slow
def test_the_theorems_of_the_page_are_proven_without_axioms(built: Path) -> None:
    rows = [line for line in (THEOREM / "README.md").read_text("utf-8").splitlines() if line.startswith("| `")]
    names = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    assert len(names) >= 8
    theorems = ", ".join(f"@{name}" for name in names)
    lines = [f"Require Import {' '.join(FILES)}.", f"Definition theorems := ({theorems}).", "Print Assumptions theorems."]
    (built / "Assumptions.v").write_text("\n".join(lines) + "\n", "utf-8")
    printed = coqc(built, "Assumptions")
    assert printed.returncode == 0, printed.stderr
    assert printed.stdout == "Closed under the global context\n"


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_admitted(name: str) -> None:
    assert not re.search(rf"\b({UNPROVEN})\b", without_comments(source(name)))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_model_breaks_a_proof(built: Path, tmp_path: Path, fault: str) -> None:
    right, wrong, theorem = FAULTS[fault]
    text = source("EveryTree")
    assert text.count(right) == 1
    for name in ("SpatialAlgebra", "Loops"):
        shutil.copy(built / f"{name}.vo", tmp_path)
    (tmp_path / "EveryTree.v").write_text(text.replace(right, wrong), "utf-8")
    compiled = coqc(tmp_path, "EveryTree")
    assert compiled.returncode == 1
    found = re.search(r"line (\d+), characters .*\nError", compiled.stderr)
    assert found, compiled.stderr
    above = "\n".join(text.splitlines()[: int(found[1])])
    assert re.findall(r"^(?:Theorem|Lemma|Definition) (\w+)", above, re.MULTILINE)[-1] == theorem
