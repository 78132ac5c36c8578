"""What the protocol costs: the same code in process and behind a program, on one batch of 4096 states of ur5."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from implementations.languages.command import Command
from implementations.recorded.traced import TRACED
from mechanisms.robots import robot

STATES = 4096


def test_a_batch_through_the_protocol(race: Callable[..., Any], say: Callable[[str], None]) -> None:
    ur5 = robot("ur5")
    state = [np.random.default_rng(k).normal(size=(STATES, ur5.nv)) for k in range(3)]
    program = Path(__file__).with_name("traced_program.py")
    code: dict[str, Any] = {"in process": TRACED.load(ur5)}
    code |= {numbers: Command(f"cmd:{sys.executable} {program} {numbers}").load(ur5) for numbers in ("raw", "hex", "decimal")}
    contenders = {name: lambda dynamics=dynamics: dynamics.inverse_dynamics(*state) for name, dynamics in code.items()}
    assert len({contender().tobytes() for contender in contenders.values()}) == 1
    seconds = race(contenders, 10)
    for name in code:
        ratio = seconds[name] / seconds["in process"]
        say(f"inverse dynamics of ur5, {STATES} states, {name}: {seconds[name] / STATES * 1e6:.2f} µs a state, {ratio:.1f}")
