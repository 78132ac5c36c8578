"""The loops in Python and in LLVM append the same values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from implementations.field import Recorded
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS
from machine.compiling import routines
from machine.compiling.target import works
from machine.program import Op
from machine.recording import tape
from machine.recording.recording import Recording
from machine.recording.values import new_inputs
from mechanisms import random_mechanism
from oracle import EulerLagrange
from oracle.fields import Recorded as RecordedNumbers

needs_llvm = pytest.mark.skipif(not works(), reason="llvmlite is not installed, or its code does not run here")
MECHANISM = random_mechanism(4, 3)


def recorded_by(llvm: bool, monkeypatch: pytest.MonkeyPatch, algorithm: Any) -> Recording:
    with monkeypatch.context() as patched:
        patched.setattr(routines, "works", lambda: llvm)
        recording = Recording()
        algorithm(recording, *(new_inputs(recording, n) for n in (MECHANISM.nq, MECHANISM.nv, MECHANISM.nv)))
        return recording


def by_jets(recording: Recording, q: Any, v: Any, a: Any) -> None:
    oracle = EulerLagrange(MECHANISM, RecordedNumbers(recording)).keeping()
    oracle.inverse_dynamics(q[None], v[None], a[None])
    oracle.inverse_dynamics_dv(q[None], v[None])


def by_reference(recording: Recording, q: Any, v: Any, a: Any) -> None:
    model = build(MECHANISM, Recorded(recording))
    for quantity in ("forward_dynamics", "mass_matrix"):
        ALGORITHMS[quantity](model, *(x[:, None] for x in (q, v, a)[: 3 if quantity == "forward_dynamics" else 1]))


@needs_llvm
@pytest.mark.slow
@pytest.mark.parametrize("algorithm", [by_jets, by_reference])
def test_python_and_llvm_record_the_same(algorithm: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (recorded_by(llvm, monkeypatch, algorithm) for llvm in (False, True))
    assert one.size == other.size > 2000
    assert one.exact == other.exact
    for name in tape.VALUES:
        assert np.array_equal(getattr(one, name)[: one.size], getattr(other, name)[: one.size]), name
    last = np.array([one.size - 1])
    assert np.array_equal(one.needed(last), other.needed(-last))


@pytest.mark.parametrize("llvm", [False, pytest.param(True, marks=needs_llvm)])
def test_instructions_are_found_again_after_the_arrays_grew(llvm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routines, "works", lambda: llvm)
    recording = Recording()
    x = recording.new_inputs(3000)
    first = recording.multiply(x, x[::-1])
    recording.add(first[:1499], first[1:1500])
    size = recording.size
    assert size == 2 + 3000 + 1500 + 1499, "products of the same numbers are one instruction"
    assert np.array_equal(recording.multiply(x[::-1], x), first)
    assert np.array_equal(recording.multiply(-x, x[::-1], place=np.array(7)), -first)
    assert recording.size == size


@pytest.mark.parametrize("llvm", [False, pytest.param(True, marks=needs_llvm)])
def test_an_instruction_moves_to_earlier_places_behind_its_operands(llvm: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routines, "works", lambda: llvm)
    recording = Recording()
    x = recording.new_inputs(3)
    total = recording.add(x, x[0])
    late = recording.multiply(total, x, place=np.array(100))
    assert recording.place[late].tolist() == [100, 100, 100]
    recording.multiply(recording.add(x[:1], x[0]), x[:1], place=np.array(50))
    recording.multiply(recording.add(x[1:2], x[0]), x[1:2], place=np.array(3))
    recording.multiply(recording.add(x[2:], x[0]), x[2:])
    assert recording.place[late].tolist() == [50, recording.place[total[1]], 100]
    assert recording.op[late].tolist() == [Op.MUL] * 3
