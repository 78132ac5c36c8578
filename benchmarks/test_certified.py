"""Certified values beside extended precision: what correct rounding, with proof, costs per state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import oracle
from cross_check.comparison.certified import Certified
from cross_check.comparison.sampling import sample
from mechanisms.robots import robot

STATES = 14


@pytest.mark.parametrize("name", ["ur5", "g1", "talos"])
def test_certified(name: str, race: Any, say: Callable[[str], None]) -> None:
    mechanism = robot(name)
    states = sample(mechanism, 0, STATES)
    certified, extended = Certified(mechanism), oracle.EulerLagrange(mechanism, oracle.Real(np.longdouble))
    asked: dict[str, Any] = {"inverse_dynamics": (states.q, states.v, states.a), "mass_matrix": (states.q,)}
    bits = {}
    for quantity, at in asked.items():
        certified.bits = 0
        certified.high_low(quantity, *at)
        bits[quantity] = certified.bits

    def one_state() -> object:
        """As it comes, with the mechanism's constants to be made first."""
        return Certified(mechanism).high_low("inverse_dynamics", states.q[1:2], states.v[1:2], states.a[1:2])

    contenders: dict[tuple[str, str], Callable[[], object]] = {("inverse_dynamics", "once"): one_state}
    for quantity, at in asked.items():
        contenders[quantity, "certified"] = partial(certified.high_low, quantity, *at)
        contenders[quantity, "extended"] = partial(getattr(extended, quantity), *at)
    best = race(contenders, rounds=3)
    first = 1e3 * best["inverse_dynamics", "once"]
    say(f"certified {name} ({mechanism.nv} DoF), first state {first:.0f} ms; ms per state, and in extended precision:")
    for quantity in asked:
        slow, fast = (1e3 * best[quantity, kind] / STATES for kind in ("certified", "extended"))
        say(f"    {quantity:18} {slow:8.2f} with up to {bits[quantity]:4} bits, {fast:8.3f}, {slow / fast:4.0f} : 1")
