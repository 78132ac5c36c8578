"""A program that was kept is the truth of exactly this code and this mechanism: every edit makes it recorded again."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from math import nextafter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hatch_build
from machine.caching.cached_programs import PERMISSION
from mechanisms import Mechanism, find_mechanism, random_mechanism
from mechanisms.document import described
from oracle import derive, recorded
from oracle.by_jets.euler_lagrange import OF_STATES
from oracle.recorded import BY_JETS, SYMBOLIC, RecordedQuantities

ROOT = Path(__file__).parents[2]
MECHANISM = random_mechanism(4, 3)

ASK = """
import numpy as np
from {home}machine.caching.cached_programs import PERMISSION
from {home}mechanisms import random_mechanism
from {home}oracle.recorded import BY_JETS, RecordedQuantities
PERMISSION.allowed = True
m = random_mechanism(4, 3)
q, v, a = (np.linspace(-1, 1, n)[None] for n in (m.nq, m.nv, m.nv))
print(RecordedQuantities(m, BY_JETS).high_low("inverse_dynamics", q, v, a)[0].sum().hex())
"""

EDITS = {
    "a sign of the oracle": ("oracle/by_jets/variation.py", "+ dL_dv.rate.now - dL_dq", "+ dL_dv.rate.now + dL_dq"),
    "a sign of the mechanisms": ("mechanisms/geometry.py", "(x * y - w * z) / n", "(x * y + w * z) / n"),
    "a sign of the sine": ("machine/arithmetic/sine.py", "(-1) ** n, factorial(2 * n + 1)", "-((-1) ** n), factorial(2 * n + 1)"),
    "what recording simplifies": ("machine/recording/tape.py", "a == 0 or b == 0 or a == -b", "a == 0 or b == 0"),
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("DALEMBERT_NO_CACHE")
    monkeypatch.setattr(PERMISSION, "allowed", True)
    # Other tests may have changed the code of this process.
    recorded._code.cache_clear()
    return tmp_path / "dalembert" / "machine"


def programs(home: Path) -> int:
    """How many were kept."""
    return len(list(home.glob("*.program")))


def checkout(folder: Path, home: str) -> None:
    """The parts that record, as in the checkout, or nested and with other imports, as in the wheel."""
    for part in ("machine", "mechanisms", "oracle"):
        shutil.copytree(ROOT / part, folder / home / part, ignore=shutil.ignore_patterns("__pycache__"))
    if home:
        (folder / home / "__init__.py").touch()
    for path in (folder / home).rglob("*.py") if home else ():
        path.write_bytes(hatch_build.rewritten(path.read_bytes(), path.name))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "place, edits", [("", tuple(EDITS)), ("dalembert", ("a sign of the oracle",))], ids=["checkout", "wheel"]
)
def test_no_edit_of_a_file_is_hidden(place: str, edits: tuple[str, ...], home: Path, tmp_path: Path) -> None:
    checkout(tmp_path / "code", place)

    def answer() -> str:
        command = [sys.executable, "-B", "-c", ASK.format(home=place and f"{place}.")]
        done = subprocess.run(command, cwd=tmp_path / "code", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = answer()
    assert programs(home) == 1
    for number, edit in enumerate(edits, 2):
        name, old, new = EDITS[edit]
        file = tmp_path / "code" / place / name
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new), encoding="utf-8")
        wrong = answer()
        assert programs(home) == number, edit
        assert (wrong != first) or edit == "what recording simplifies"
        file.write_text(text, encoding="utf-8")
    assert answer() == first
    assert programs(home) == 1 + len(edits), "the first program is used again"


def with_mass(mechanism: Mechanism, mass: Any) -> Mechanism:
    body = mechanism.bodies[-1]
    changed = replace(body, inertia=replace(body.inertia, mass=mass))
    return replace(mechanism, bodies=(*mechanism.bodies[:-1], changed))


def test_a_mass_that_differs_in_its_last_bit_is_another_mechanism(home: Path) -> None:
    q = np.zeros((1, MECHANISM.nq))
    mass = float(MECHANISM.bodies[-1].inertia.mass)
    energies = set()
    for x in (mass, nextafter(mass, 2), Fraction(mass) + Fraction(1, 2**200)):
        high, low = RecordedQuantities(with_mass(MECHANISM, x), BY_JETS).high_low("potential_energy", q)
        energies.add((float(high[0]), float(low[0])))
    assert programs(home) == 3
    assert len(energies) >= 2


def test_a_fault_in_memory_is_not_hidden_and_leaves_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    q = np.full((1, MECHANISM.nq), 0.5)
    right = RecordedQuantities(MECHANISM, BY_JETS).high_low("gravity", q)[0]
    assert programs(home) == 1
    with monkeypatch.context() as patched:
        true = OF_STATES["gravity"]
        patched.setitem(OF_STATES, "gravity", lambda system, q: -true(system, q))
        quantities = RecordedQuantities(MECHANISM, BY_JETS)
        assert np.array_equal(quantities.high_low("gravity", q)[0], -right)
    assert np.array_equal(quantities.high_low("gravity", q)[0], -right), "what is in memory stays until it is released"
    assert programs(home) == 1
    assert np.array_equal(RecordedQuantities(MECHANISM, BY_JETS).high_low("gravity", q)[0], right)


def test_symbolic_equations_are_not_derived_where_the_program_is_there(home: Path) -> None:
    mechanism = find_mechanism("scara")
    state = [np.full((1, n), 0.25) for n in (mechanism.nq, mechanism.nv, mechanism.nv)]
    first = RecordedQuantities(mechanism, SYMBOLIC).high_low("inverse_dynamics", *state)
    assert programs(home) == 1
    quantities = RecordedQuantities(mechanism, SYMBOLIC)
    assert quantities.has("gravity")
    assert not quantities.has("mass_matrix_rate")
    again = quantities.high_low("inverse_dynamics", *state)
    assert [x.tobytes() for x in again] == [x.tobytes() for x in first]
    assert "_shared" not in vars(quantities)


def test_equations_that_are_too_long_to_show_are_derived_once(home: Path) -> None:
    mechanism = find_mechanism("scara")
    size = derive(mechanism).size
    for expected in (1, 0):
        recorded.equations_of.cache_clear()
        assert RecordedQuantities(mechanism, SYMBOLIC).equations_of_at_most(size - 1) is None
        assert recorded.equations_of.cache_info().currsize == expected
    equations = RecordedQuantities(mechanism, SYMBOLIC).equations_of_at_most(size)
    assert equations is not None
    assert equations.size == size
    (file,) = home.glob("*.number")
    file.write_bytes(hashlib.sha256(b"-1").digest() + b"-1")
    assert RecordedQuantities(mechanism, SYMBOLIC).equations_of_at_most(size - 1) is None


def test_what_decides_nothing_is_not_described() -> None:
    mechanism = find_mechanism("pendulum")
    assert described(mechanism) == described(replace(mechanism, read_from=None, written=()))
    assert described(mechanism) != described(replace(mechanism, gravity=(0, 0, Fraction(-981, 100) + Fraction(1, 10**30))))


@pytest.mark.slow
def test_a_mechanism_with_symbols_or_classes_of_others_is_not_described() -> None:
    import sympy

    from mechanisms import textbook

    class Own(Mechanism):
        pass

    pendulum = textbook.pendulum()
    assert described(textbook.pendulum(mass=sympy.Symbol("m"))) is None
    assert described(Own(pendulum.name, pendulum.bodies)) is None
