"""How time grows with the degrees of freedom: random chains and trees of revolute and prismatic joints.

An exponent is the slope of log time against log n. In theory RNEA and ABA go with n; CRBA goes with n · depth, which is
n² in a chain. Recording is RNEA's, from nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from benchmark_page import growth
from engines import pinocchio_call, pinocchio_core, state_by_state

from implementations.recorded.traced import TracedDynamics
from implementations.spatial_algebra.reference import REFERENCE
from machine.code_cache import OFF
from mechanisms import Mechanism
from mechanisms.library.generate import Shape, random_mechanism

SIZES = (6, 12, 25, 50, 100)
STATES = 4096

ROUNDS = 2

RECORDING = "recording RNEA (ms, once)"


@pytest.mark.parametrize("shape", ["chain", "tree"])
def test_scaling(
    shape: Shape, race: Any, table: Callable[..., None], scaled: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OFF, "programs")  # else a program would be read, and not recorded
    states, counts = scaled(STATES, 16), scaled(SIZES, SIZES[:2])
    mechanisms = [random_mechanism(seed=1, bodies=n, shape=shape) for n in counts]
    contenders = {(name, m.nv): call for m in mechanisms for name, call in contenders_for(m, states).items()}
    best = race(contenders, rounds=ROUNDS)
    rows = growth(counts, best, lambda name, t: f"{(1e3 if name == RECORDING else 1e6 / states) * t:.3g}")
    for name, sizes in zip(
        ("operations per n", "registers per n"), zip(*map(program_size, mechanisms), strict=True), strict=True
    ):
        rows.append((name, *(f"{size / n:.1f}" for n, size in zip(counts, sizes, strict=True)), ""))
    table(f"scaling-{shape}", ("n", *map(str, counts), "exponent"), rows)


def contenders_for(mechanism: Mechanism, states: int) -> dict[str, Callable[[], object]]:
    q, v, a = np.random.default_rng(0).normal(size=(3, states, mechanism.nv))
    reference, traced = REFERENCE.load(mechanism), TracedDynamics(mechanism)
    rnea, crba, aba = (pinocchio_call(mechanism, name) for name in ("rnea", "crba", "aba"))
    return {
        "reference RNEA": partial(reference.inverse_dynamics, q, v, a),
        "reference CRBA": partial(reference.mass_matrix, q),
        "reference ABA": partial(reference.forward_dynamics, q, v, a),
        "traced RNEA": partial(traced.inverse_dynamics, q, v, a),
        RECORDING: partial(program_size, mechanism),
        "Pinocchio's RNEA, from Python": lambda: state_by_state(rnea, q, v, a),
        "Pinocchio's CRBA, from Python": lambda: state_by_state(crba, q),
        "Pinocchio's ABA, from Python": lambda: state_by_state(aba, q, v, a),
        "Pinocchio's RNEA, core": pinocchio_core(mechanism, "rneaInParallel", q, v, a),
    }


def program_size(mechanism: Mechanism) -> tuple[int, int]:
    """Record RNEA: how many operations it takes, and how many registers."""
    program = TracedDynamics(mechanism).function("inverse_dynamics").program
    return len(program.code), program.registers
