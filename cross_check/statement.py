"""What a certificate is about: an algorithm and the oracle, as functions of everything that is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cross_check.degree import Degree
from cross_check.exact import DEGREES, Exact
from cross_check.generic import Draw, generic, generic_state
from cross_check.quantities import QUANTITIES
from implementations.field import Tensor
from implementations.model import Model
from mechanisms import Mechanism
from oracle import EulerLagrange


@dataclass(frozen=True)
class Statement:
    """``algorithm`` computes ``quantity`` of ``mechanism``: on its own numbers, or in general on any with its tree and joints.

    ``algorithm`` is a function of what ``build`` makes of a mechanism over a field, and of batch-last arrays.
    """

    mechanism: Mechanism
    quantity: str
    algorithm: Callable[..., Tensor]
    build: Callable[[Mechanism, Exact], Model]
    in_general: bool

    def sides(self, field: Exact, draw: Draw) -> tuple[list[Any], list[Any]]:
        """What the algorithm and what the oracle make of the point that ``draw`` gives, number by number.

        Forward dynamics is to undo the oracle's inverse dynamics: q̈ is what it was. Where M is regular, as it has to be
        for q̈ to exist, every τ is the inverse dynamics of some q̈, so nothing is left out.
        """
        mechanism = generic(self.mechanism, draw) if self.in_general else self.mechanism
        truth = EulerLagrange(mechanism, field)
        state = {name: np.array([values], dtype=object) for name, values in generic_state(mechanism, draw).items()}
        arguments = QUANTITIES[self.quantity].arguments
        if self.quantity == "forward_dynamics":
            state["tau"] = truth.inverse_dynamics(state["q"], state["v"], state["a"])
            expected = state["a"]
        else:
            expected = getattr(truth, self.quantity)(*(state[name] for name in arguments))
        got = self.algorithm(self.build(mechanism, field), *(state[name].T for name in arguments))
        return np.moveaxis(got, -1, 0).ravel().tolist(), expected.ravel().tolist()

    def degree(self) -> int:
        """A bound on the degree of the numerator of the difference in every component; 1 at least."""
        sides = zip(*self.sides(DEGREES, lambda: Degree(1)), strict=True)
        return max(1, *((got - expected).top for got, expected in sides))
