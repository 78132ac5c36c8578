"""What the protocol costs: the same code in process and behind a program, on one batch of states of ur5."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from implementations.languages.command import Command
from implementations.recorded.traced import TRACED
from mechanisms.library.robots import robot

STATES = 4096

IN_PROCESS = "in process"


def test_a_batch_through_the_protocol(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    ur5, states = robot("ur5"), scaled(STATES, 16)
    state = [np.random.default_rng(k).normal(size=(states, ur5.nv)) for k in range(3)]
    program = Path(__file__).with_name("traced_program.py")
    code: dict[str, Any] = {IN_PROCESS: TRACED.load(ur5)}
    code |= {numbers: Command(f"cmd:{sys.executable} {program} {numbers}").load(ur5) for numbers in ("raw", "hex", "decimal")}
    contenders = {name: lambda dynamics=dynamics: dynamics.inverse_dynamics(*state) for name, dynamics in code.items()}
    assert len({contender().tobytes() for contender in contenders.values()}) == 1
    best = race(contenders, rounds=5)
    rows = [(name, f"{1e6 * best[name] / states:.2f}", f"{best[name] / best[IN_PROCESS]:.1f}") for name in code]
    table("protocol", ("numbers", "µs per state", f"÷ {IN_PROCESS}"), rows)
