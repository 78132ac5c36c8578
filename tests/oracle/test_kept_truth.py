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

import numpy as np
import pytest
import sympy

import hatch_build
from machine.caching.cached_programs import PERMISSION
from mechanisms import Mechanism, find_mechanism, random_mechanism
from mechanisms.files.document import described
from mechanisms.library import textbook
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
@pytest.mark.parametrize("place", ["", "dalembert"], ids=["checkout", "wheel"])
def test_no_edit_of_a_file_is_hidden(place: str, home: Path, tmp_path: Path) -> None:
    checkout(tmp_path / "code", place)

    def answer() -> str:
        command = [sys.executable, "-B", "-c", ASK.format(home=place and f"{place}.")]
        done = subprocess.run(command, cwd=tmp_path / "code", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    first = answer()
    assert programs(home) == 1
    file = tmp_path / "code" / place / "oracle" / "by_jets" / "variation.py"
    text = file.read_text(encoding="utf-8")
    wrong = text.replace("+ dL_dv.rate.now - dL_dq", "+ dL_dv.rate.now + dL_dq")
    assert wrong != text
    file.write_text(wrong, encoding="utf-8")
    assert answer() != first
    assert programs(home) == 2
    file.write_text(text, encoding="utf-8")
    assert answer() == first
    assert programs(home) == 2, "the first program is used again"


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


def test_symbolic_equations_are_not_derived_where_the_program_or_their_size_is_there(home: Path) -> None:
    mechanism = find_mechanism("scara")
    size = derive(mechanism).size
    state = [np.full((1, n), 0.25) for n in (mechanism.nq, mechanism.nv, mechanism.nv)]
    for expected in (1, 0):
        recorded.equations_of.cache_clear()
        quantities = RecordedQuantities(mechanism, SYMBOLIC)
        assert quantities.has("gravity") and not quantities.has("mass_matrix_rate")
        assert quantities.high_low("inverse_dynamics", *state)[0].shape == (1, mechanism.nv)
        assert RecordedQuantities(mechanism, SYMBOLIC).equations_of_at_most(size - 1) is None
        assert recorded.equations_of.cache_info().currsize == expected
    equations = RecordedQuantities(mechanism, SYMBOLIC).equations_of_at_most(size)
    assert equations is not None
    assert equations.size == size
    (file,) = home.glob("*.number")
    file.write_bytes(hashlib.sha256(b"-1").digest() + b"-1")
    assert RecordedQuantities(mechanism, SYMBOLIC).equations_of_at_most(size - 1) is None


class Own(Mechanism):
    """A class of others."""


def test_exactly_what_decides_something_is_described_and_symbols_and_classes_of_others_are_not() -> None:
    mechanism = find_mechanism("pendulum")
    (body,) = mechanism.bodies
    assert described(mechanism) == described(replace(mechanism, read_from=None, written=()))
    assert described(mechanism) != described(replace(mechanism, gravity=(0, 0, Fraction(-981, 100) + Fraction(1, 10**30))))
    mass = float(body.inertia.mass)
    for other in (nextafter(mass, 2), Fraction(mass) + Fraction(1, 2**200)):
        heavier = replace(body, inertia=replace(body.inertia, mass=other))
        assert described(mechanism) != described(replace(mechanism, bodies=(heavier,)))
    assert described(textbook.pendulum(mass=sympy.Symbol("m"))) is None
    assert described(Own(mechanism.name, mechanism.bodies)) is None
