"""The claims that are proven. Each has two sides, which are functions of the numbers that are drawn.

The claim of a certificate is a :class:`Statement`: its left side is an algorithm, its right side is the oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from cross_check.comparison.judgements import judge
from cross_check.proof.degree import ComparisonError, Drawn, Incomparable, RuleError, of
from cross_check.proof.exact import DEGREES, Exact
from cross_check.proof.generic import Draw, generic, generic_state
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES
from oracle import EulerLagrange

Sides = tuple[list[Any], list[Any]]
"""The numbers of the left side and those of the right side, in the same order."""


class ProofError(Exception):
    """No proof is possible, because the algorithm breaks a rule that proofs rest on. The message is one sentence."""


class Claim(Protocol):
    """The claim that two functions are equal."""

    @property
    def name(self) -> str:
        """The name of the claim. Together with the seed it determines the points that are drawn."""

    @property
    def modular(self) -> bool:
        """Whether the proof computes modulo a prime; otherwise it computes in fractions."""

    def sides(self, field: Exact, draw: Draw) -> Sides:
        """The values of both functions at the point that ``draw`` gives."""

    def degree(self) -> int:
        """An upper bound on the degree of the numerator of the difference, over all components; at least 1."""

    def component(self, k: int) -> list[int]:
        """The indices of the k-th number of a side."""


def bound(claim: Claim) -> int:
    """The degree of a claim, found by running both sides on :class:`Degree`.

    Raises :class:`ProofError` for an algorithm that does more with its numbers than +, −, × and ÷.
    """
    try:
        left, right = claim.sides(DEGREES, lambda: Drawn(1))
        return max(1, *((of(x) - of(y)).top for x, y in zip(left, right, strict=True)))
    except RuleError as error:
        raise ProofError(f"{claim.name} cannot be proven: {error}") from error
    except TypeError as error:
        raise ProofError(f"{claim.name} cannot be proven: it does more with its numbers than +, −, × and ÷ ({error})") from error
    except ZeroDivisionError as error:
        raise ProofError(f"{claim.name} cannot be proven: it divides by the function zero") from error


@dataclass(frozen=True)
class Statement:
    """The claim that ``algorithm`` computes ``quantity``.

    With ``in_general`` it is about all mechanisms with the tree and the kinds of joints of ``mechanism``, otherwise about
    ``mechanism`` itself. The arguments of ``algorithm`` are the model that ``build`` makes of a mechanism over a field, and
    arrays whose last axis is the batch.
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
        """The values of the algorithm and of the oracle at the point that ``draw`` gives.

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
        # Copies: an algorithm that wrote into its arguments would change the truth.
        given = (np.moveaxis(state[name].copy(), 0, -1) for name in arguments)
        refused = Incomparable.comparisons
        got = self.algorithm(self.build(mechanism, field), *given)
        if Incomparable.comparisons != refused:
            raise ComparisonError
        quantity = QUANTITIES[self.quantity]
        self._require_shape(np.shape(got))
        answer = np.moveaxis(got, -1, 0)
        left, right = judge(quantity).sides(lambda name, *given: getattr(truth, name)(*given), quantity, state, answer)
        return left.ravel().tolist(), right.ravel().tolist()

    def _require_shape(self, shape: tuple[int, ...]) -> None:
        """Raise :class:`ProofError` unless an answer for a batch of one state has this ``shape``."""
        expected = (*QUANTITIES[self.quantity].dimensions(self.mechanism), 1)
        if shape != expected:
            raise ProofError(
                f"{self.quantity} cannot be proven: the algorithm returns an array of the shape {shape}, "
                f"but an answer for one state has the shape {expected}; the batch is the last axis"
            )

    def degree(self) -> int:
        return bound(self)

    def component(self, k: int) -> list[int]:
        quantity = QUANTITIES[self.quantity]
        return judge(quantity).component(self.mechanism, quantity, k)
