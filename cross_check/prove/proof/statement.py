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
from cross_check.prove.proof.exact import Exact, OnTape, on_tape
from cross_check.prove.proof.generic import Draw, generic, generic_state
from cross_check.prove.proof.scalars import RuleError, rules
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


class Subject:
    """What statements are about: a mechanism, or ``in_general`` all mechanisms with its tree and its kinds of joints.

    ``build`` makes the models of algorithms. Statements about one subject share their setting on a tape.
    """

    def __init__(self, mechanism: Mechanism, build: Build, in_general: bool) -> None:
        self.mechanism, self.build, self.in_general = mechanism, build, in_general

    def over(self, field: Exact, draw: Draw) -> Setting:
        """The setting over ``field``; on a tape its numbers are drawn at the first call."""
        return field.once(self, lambda: Setting(self, field, draw))


class Setting:
    """A mechanism, its state and the oracle over ``field``: what all statements about a ``subject`` have in common.

    In general position the numbers of the mechanism are drawn first. Then follow q, v and a, and f where a statement needs it.
    """

    def __init__(self, subject: Subject, field: Exact, draw: Draw) -> None:
        self._subject = subject
        self.mechanism = generic(subject.mechanism, draw) if subject.in_general else subject.mechanism
        self.truth = EulerLagrange(self.mechanism, field).keeping()
        self.field, self._draw = field, draw
        drawn = generic_state(self.mechanism, draw)
        self._state = {name: np.array([values], dtype=object) for name, values in drawn.items()}

    def on_another_tape(self, merges: bool) -> tuple[Setting, OnTape]:
        """The same setting with new numbers."""
        field = on_tape(merges)
        return Setting(self._subject, field, field.tape.input), field

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
        return self._shared if algorithm is PROVABLE.get(quantity) else self._subject.build(self.mechanism, self.field)

    @cached_property
    def _shared(self) -> Model:
        return self._subject.build(self.mechanism, self.field)


@dataclass(frozen=True)
class Statement:
    """The claim that ``algorithm`` computes ``quantity`` of a ``subject``.

    The arguments of ``algorithm`` are the model that the subject builds of a mechanism over a field, and arrays whose last axis
    is the batch.
    """

    subject: Subject
    quantity: str
    algorithm: Callable[..., Tensor]

    @property
    def name(self) -> str:
        return self.quantity

    @property
    def modular(self) -> bool:
        return self.subject.in_general

    def sides(self, field: Exact, draw: Draw) -> Sides:
        """The values of the algorithm and of the oracle.

        Where the quantity is defined by an equation, the sides are those of the equation
        (:mod:`cross_check.equations`).
        """
        setting = self.subject.over(field, draw)
        quantity, state = ALL_QUANTITIES[self.quantity], setting.state(self.quantity)
        answer = np.moveaxis(self._answer(setting, state), -1, 0)
        left, right = equation(quantity).sides(lambda name, *given: getattr(setting.truth, name)(*given), quantity, state, answer)
        return left.ravel().tolist(), right.ravel().tolist()

    def _answer(self, setting: Setting, state: dict[str, Tensor]) -> Tensor:
        """The algorithm's answer, as numbers of the field.

        The reference's own algorithms are called once. On a tape, any other one is called again with the numbers of another tape,
        and must do the same there. So it has a tape of its own. Raises :class:`~cross_check.prove.proof.scalars.RuleError`.
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
        expected = (*ALL_QUANTITIES[self.quantity].dimensions(self.subject.mechanism), 1)
        if shape != expected:
            raise ProofError(
                f"{self.quantity} cannot be proven: the algorithm returns an array of the shape {shape}, "
                f"but an answer for one state has the shape {expected}; the batch is the last axis"
            )

    def component(self, k: int) -> list[int]:
        quantity = ALL_QUANTITIES[self.quantity]
        return equation(quantity).component(self.subject.mechanism, quantity, k)
