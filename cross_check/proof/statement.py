"""What is proven: two sides, as functions of everything that is drawn; of a certificate, an algorithm and the oracle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from cross_check.comparison.judgements import judge
from cross_check.proof.degree import Degree, of
from cross_check.proof.exact import DEGREES, Exact
from cross_check.proof.generic import Draw, generic, generic_state
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from oracle import EulerLagrange

Sides = tuple[list[Any], list[Any]]
"""Left and right, number by number."""


class Claim(Protocol):
    """Two functions that are said to be equal."""

    @property
    def name(self) -> str:
        """What the points that are drawn depend on, beside the seed."""

    @property
    def modular(self) -> bool:
        """Whether to prove it modulo a prime, or in fractions."""

    def sides(self, field: Exact, draw: Draw) -> Sides:
        """Both functions at the point that ``draw`` gives."""

    def degree(self) -> int:
        """A bound on the degree of the numerator of the difference in every component; 1 at least."""

    def component(self, k: int) -> list[int]:
        """The indices of the k-th number of a side."""


def bound(claim: Claim) -> int:
    """A claim's degree, by running both sides on degrees."""
    pairs = zip(*claim.sides(DEGREES, lambda: Degree(1)), strict=True)
    return max(1, *(of(left - right).top for left, right in pairs))


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

    @property
    def name(self) -> str:
        return self.quantity

    @property
    def modular(self) -> bool:
        return self.in_general

    def sides(self, field: Exact, draw: Draw) -> Sides:
        """What the algorithm and what the oracle make of the point that ``draw`` gives, number by number.

        Where the quantity is defined by an equation, the sides are those of the equation
        (:mod:`cross_check.comparison.judgements`).
        """
        mechanism = generic(self.mechanism, draw) if self.in_general else self.mechanism
        truth = EulerLagrange(mechanism, field)
        state = {name: np.array([values], dtype=object) for name, values in generic_state(mechanism, draw).items()}
        arguments = QUANTITIES[self.quantity].arguments
        if "f" in arguments:
            state["f"] = np.array([[[draw() for _ in range(6)] for _ in mechanism.bodies]], dtype=object)
        if "tau" in arguments:
            state["tau"] = truth.inverse_dynamics(state["q"], state["v"], state["a"])
        got = self.algorithm(self.build(mechanism, field), *(np.moveaxis(state[name], 0, -1) for name in arguments))
        quantity = QUANTITIES[self.quantity]
        answer = np.moveaxis(got, -1, 0)
        left, right = judge(quantity).sides(lambda name, *given: getattr(truth, name)(*given), quantity, state, answer)
        return left.ravel().tolist(), right.ravel().tolist()

    def degree(self) -> int:
        return bound(self)

    def component(self, k: int) -> list[int]:
        quantity = QUANTITIES[self.quantity]
        return judge(quantity).component(self.mechanism, quantity, k)
