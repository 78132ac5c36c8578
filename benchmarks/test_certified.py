"""Certified values beside double-double: what correct rounding, with proof, costs per state."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from cross_check.judge.comparison.certified import Certified
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.comparison.truth import Truth
from mechanisms import Mechanism
from mechanisms.library.robots import robot
from mechanisms.quantities import QUANTITIES

ROBOTS = ("ur5", "g1", "talos")
STATES, MANY = 14, 4096
"""For certified values, and for double-double."""

ASKED = ("inverse_dynamics", "mass_matrix")


def test_certified(race: Any, table: Callable[..., None], scaled: Callable[..., Any]) -> None:
    few, many = scaled((STATES, MANY), (2, 2))
    robots = {name: robot(name) for name in scaled(ROBOTS, ROBOTS[:1])}
    certified = {name: Certified(mechanism) for name, mechanism in robots.items()}
    contenders: dict[tuple[str, str, str], Callable[[], object]] = {}
    bits = {}
    for name, mechanism in robots.items():
        for quantity in ASKED:
            at = arguments(mechanism, quantity, few)
            certified[name].bits = 0
            certified[name].high_low(quantity, *at)
            bits[name, quantity] = certified[name].bits
            once = tuple(x[1:2] for x in at)
            contenders[name, quantity, "once"] = lambda m=mechanism, quantity=quantity, at=once: Certified(m).high_low(
                quantity, *at
            )
            contenders[name, quantity, "certified"] = partial(certified[name].high_low, quantity, *at)
            contenders[name, quantity, "double-double"] = double_double(mechanism, quantity, many)
    best = race(contenders, rounds=3)
    rows = []
    for name, quantity in bits:
        first, exact, near = (1e3 * best[name, quantity, kind] for kind in ("once", "certified", "double-double"))
        dof, words = f"{name} ({robots[name].nv} DoF)", quantity.replace("_", " ")
        rows.append((dof, words, f"{first:.2g}", f"{exact / few:.2g}", bits[name, quantity], f"{near / many:.2g}"))
    table("certified", ("robot", "quantity", "first state", "certified", "largest precision, bits", "double-double"), rows)


def arguments(mechanism: Mechanism, quantity: str, states: int) -> tuple[Any, ...]:
    return sample(mechanism, 0, states).arguments(QUANTITIES[quantity].arguments)


def double_double(mechanism: Mechanism, quantity: str, states: int) -> Callable[[], object]:
    """What every run computes that is not certified, without what it remembers."""
    truth, at = Truth(mechanism), arguments(mechanism, quantity, states)
    return lambda: truth.afresh().high_low(quantity, *at)
