"""The claims that are proven. Each has two sides, which are functions of the numbers that are drawn.

The claim of a certificate is a :class:`Statement`: its left side is an algorithm, its right side is the oracle.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from cross_check.equations import equation
from cross_check.proof.exact import Exact, OnTape, on_tape
from cross_check.proof.generic import Draw, generic, generic_state
from cross_check.proof.scalars import RuleError, rules
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.reference import PROVABLE
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES
from oracle import EulerLagrange

Sides = tuple[list[Any], list[Any]]
"""The numbers of the left side and those of the right side, in the same order."""

Build = Callable[[Mechanism, Exact], Model]


class ProofError(Exception):
    """No proof is possible, because the algorithm breaks a rule that proofs rest on. The message is one sentence."""


class Claim(Protocol):
    """The claim that two functions are equal."""

    @property
    def name(self) -> str:
        """The name of the claim."""

    @property
    def modular(self) -> bool:
        """Whether the proof computes modulo primes; otherwise it computes in fractions."""

    def sides(self, field: Exact, draw: Draw) -> Sides:
        """The values of both functions at the point that ``draw`` gives."""

    def component(self, k: int) -> list[int]:
        """The indices of the k-th number of a side."""


class Setting:
    """A mechanism, its state and the oracle over ``field``: what all statements about the mechanism have in common.

    With ``in_general`` the numbers of the mechanism are drawn first. Then follow q, v and a, and f where a statement needs it.
    """

    def __init__(self, mechanism: Mechanism, build: Build, in_general: bool, field: Exact, draw: Draw) -> None:
        self._subject, self._in_general = mechanism, in_general
        self.mechanism = generic(mechanism, draw) if in_general else mechanism
        self.truth = EulerLagrange(self.mechanism, field).keeping()
        self.field, self._build, self._draw = field, build, draw
        drawn = generic_state(self.mechanism, draw)
        self._state = {name: np.array([values], dtype=object) for name, values in drawn.items()}

    def on_another_tape(self, merges: bool) -> tuple[Setting, OnTape]:
        """The same setting with new numbers."""
        field = on_tape(merges)
        return Setting(self._subject, self._build, self._in_general, field, field.tape.input), field

    def state(self, quantity: str) -> dict[str, Tensor]:
        """q, v, a and the other arguments of ``quantity``, batch first."""
        arguments = ALL_QUANTITIES[quantity].arguments
        if "f" in arguments and "f" not in self._state:
            forces = [[[self._draw() for _ in range(6)] for _ in self.mechanism.bodies]]
            self._state["f"] = np.array(forces, dtype=object)
        if "tau" in arguments and "tau" not in self._state:
            self._state["tau"] = self.truth.inverse_dynamics(*(self._state[name] for name in "qva"))
        # A velocity before an impact may be any, as v is.
        return self._state | {"v_minus": self._state["v"]}

    def model(self, quantity: str, algorithm: Callable[..., Tensor]) -> Model:
        """The model for an algorithm. Only those of the reference share one: another algorithm might write into it."""
        return self._shared if algorithm is PROVABLE.get(quantity) else self._build(self.mechanism, self.field)

    @cached_property
    def _shared(self) -> Model:
        return self._build(self.mechanism, self.field)


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
    build: Build
    in_general: bool

    @property
    def name(self) -> str:
        return self.quantity

    @property
    def modular(self) -> bool:
        return self.in_general

    def sides(self, field: Exact, draw: Draw) -> Sides:
        return self.sides_in(Setting(self.mechanism, self.build, self.in_general, field, draw))

    def sides_in(self, setting: Setting) -> Sides:
        """The values of the algorithm and of the oracle in a ``setting`` of the statement's mechanism.

        Where the quantity is defined by an equation, the sides are those of the equation
        (:mod:`cross_check.equations`).
        """
        quantity, state = ALL_QUANTITIES[self.quantity], setting.state(self.quantity)
        answer = np.moveaxis(self._answer(setting, state), -1, 0)
        left, right = equation(quantity).sides(lambda name, *given: getattr(setting.truth, name)(*given), quantity, state, answer)
        return left.ravel().tolist(), right.ravel().tolist()

    def _answer(self, setting: Setting, state: dict[str, Tensor]) -> Tensor:
        """The algorithm's answer, as numbers of the field.

        The reference's own algorithms are called once. On a tape, any other one is called again with the numbers of another tape,
        and must do the same there. So it has a tape of its own. Raises :class:`~cross_check.proof.scalars.RuleError`.
        """
        answer = self._called(setting, state)
        if isinstance(setting.field, OnTape) and self.algorithm is not PROVABLE.get(self.quantity):
            setting.field.tape.require_unchanged()
            program = setting.field.program(answer)
            again, field = setting.on_another_tape(setting.field.tape.merges)
            if field.program(self._called(again, again.state(self.quantity))) != program:
                raise RuleError("the algorithm has another answer when it is called again")
        return answer

    def _called(self, setting: Setting, state: dict[str, Tensor]) -> Tensor:
        # Copies: an algorithm that wrote into its arguments would change the truth.
        given = [np.moveaxis(state[name].copy(), 0, -1) for name in ALL_QUANTITIES[self.quantity].arguments]
        with rules():
            got = self.algorithm(setting.model(self.quantity, self.algorithm), *given)
        # Nothing is asked of an answer of another class: what it says could depend on who asks.
        if type(got) is not np.ndarray:
            raise RuleError(f"the algorithm returns a {type(got).__name__}, not an array of NumPy")
        self._require_shape(got.shape)
        return setting.field.taken(got)

    def _require_shape(self, shape: tuple[int, ...]) -> None:
        """Raise :class:`ProofError` unless an answer for a batch of one state has this ``shape``."""
        expected = (*ALL_QUANTITIES[self.quantity].dimensions(self.mechanism), 1)
        if shape != expected:
            raise ProofError(
                f"{self.quantity} cannot be proven: the algorithm returns an array of the shape {shape}, "
                f"but an answer for one state has the shape {expected}; the batch is the last axis"
            )

    def component(self, k: int) -> list[int]:
        quantity = ALL_QUANTITIES[self.quantity]
        return equation(quantity).component(self.mechanism, quantity, k)


def in_one_setting() -> Callable[[Statement, Exact, Draw], Sides]:
    """Computes the sides of statements about one mechanism; those over one field share their setting."""
    known: list[tuple[Exact, Setting]] = []

    def sides(statement: Statement, field: Exact, draw: Draw) -> Sides:
        if not known or known[0][0] is not field:
            known[:] = [(field, Setting(statement.mechanism, statement.build, statement.in_general, field, draw))]
        return statement.sides_in(known[0][1])

    return sides
