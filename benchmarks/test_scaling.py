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
from engines import pinocchio, pinocchio_call, state_by_state

from implementations.recorded.traced import TracedDynamics
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.generate import Shape, random_mechanism

SIZES = (6, 12, 25, 50, 100)
STATES = 4096


@pytest.mark.parametrize("shape", ["chain", "tree"])
def test_scaling(shape: Shape, race: Any, say: Callable[[str], None]) -> None:
    mechanisms = [random_mechanism(seed=1, bodies=n, shape=shape) for n in SIZES]
    contenders = {(name, m.nv): call for m in mechanisms for name, call in contenders_for(m).items()}
    best = race(contenders, rounds=3)

    say(f"random {shape}s, {STATES} states, µs per state (recording: ms) at n = {', '.join(map(str, SIZES))}")
    for name in dict.fromkeys(name for name, _ in contenders):
        seconds = [best[name, n] for n in SIZES]
        slope = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
        unit = 1e3 if name == "recording" else 1e6 / STATES
        say(f"    {name:18} " + "".join(f"{unit * t:10.2f}" for t in seconds) + f"    ~ n^{slope:.2f}")
    for name, sizes in zip(("operations", "registers"), zip(*map(program_size, mechanisms), strict=True), strict=True):
        say(f"    {name + ' per n':18} " + "".join(f"{size / n:10.1f}" for n, size in zip(SIZES, sizes, strict=True)))


def contenders_for(mechanism: Mechanism) -> dict[str, Callable[[], object]]:
    q, v, a = np.random.default_rng(0).normal(size=(3, STATES, mechanism.nv))
    reference, traced = REFERENCE.load(mechanism), TracedDynamics(mechanism)
    rnea, crba, aba = (pinocchio_call(mechanism, name) for name in ("rnea", "crba", "aba"))
    pool, columns = pinocchio.ModelPool(rnea.args[0], 1), [np.asfortranarray(x.T) for x in (q, v, a)]
    return {
        "reference RNEA": partial(reference.inverse_dynamics, q, v, a),
        "reference CRBA": partial(reference.mass_matrix, q),
        "reference ABA": partial(reference.forward_dynamics, q, v, a),
        "traced RNEA": partial(traced.inverse_dynamics, q, v, a),
        "recording": partial(program_size, mechanism),
        "pinocchio rnea": lambda: state_by_state(rnea, q, v, a),
        "pinocchio crba": lambda: state_by_state(crba, q),
        "pinocchio aba": lambda: state_by_state(aba, q, v, a),
        "pinocchio core": lambda: pinocchio.rneaInParallel(1, pool, *columns),
    }


def program_size(mechanism: Mechanism) -> tuple[int, int]:
    """Record RNEA: how many operations it takes, and how many registers."""
    program = TracedDynamics(mechanism).function("inverse_dynamics").program
    return len(program.code), program.registers
