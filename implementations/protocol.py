"""The interface of an implementation: our own algorithms, engines, and users' code.

An implementation is any object with ``load(mechanism)``. What ``load`` returns offers any of the quantities as methods
(:class:`Dynamics`); a quantity without a method is reported as not offered. ``name`` and ``version`` are optional.

An engine's adapter lets the engine do whatever the engine offers. What it computes itself, it says in ``workarounds``: one phrase
each, such as "damping is added to the forces". The results show them, because a fault of the engine there would not be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mechanisms import Mechanism
from mechanisms.errors import Unsupported
from mechanisms.quantities.steps import quantity_named

__all__ = [
    "Array",
    "DoesNotLoad",
    "Dynamics",
    "Evaluation",
    "Failure",
    "Implementation",
    "Missing",
    "NotAMessage",
    "Unsupported",
    "UserCodeError",
    "require_unchanged",
]

Array = NDArray[np.float64]


class Dynamics(Protocol):
    """One mechanism, ready to be evaluated: any of the quantities of :data:`mechanisms.quantities.QUANTITIES`, as methods.

    The table has every method's name, meaning, arguments and axes; ``dalembert quantities`` prints it. Arrays are batch-first
    float64 in SI units: q is (batch, nq); v, a and tau are (batch, nv); forces f = [n; f] on the bodies are (batch, bodies, 6).
    An answer is (batch, …) with the axes of the table. It depends on the arguments alone, not on what was called before, and
    later calls do not change it. docs/conventions.md has the conventions.
    """

    def __getattr__(self, quantity: str) -> Callable[..., Array]: ...


@runtime_checkable
class Implementation(Protocol):
    """A source of :class:`Dynamics`."""

    def load(self, mechanism: Mechanism) -> Any:
        """The :class:`Dynamics` of the mechanism. Raises :class:`Unsupported` if this implementation cannot represent it."""


class Missing(Exception):
    """An implementation is not installed; the message says how to install it."""


class UserCodeError(ValueError):
    """What the user named cannot serve as an implementation; one sentence: the name, what is wrong, the remedy."""


class DoesNotLoad(UserCodeError):
    """The code that the user named is there, and fails while it is loaded."""


class Failure(Exception):
    """An implementation broke the protocol; one sentence that says how.

    ``output`` is what it printed meanwhile. ``of_a_state`` says whether one state of the batch may be the cause. ``ended``
    says that its process ended, or was ended because it did not answer in time.
    """

    def __init__(self, sentence: str, output: str = "", of_a_state: bool = False, ended: bool = False) -> None:
        super().__init__(sentence)
        self.output, self.of_a_state, self.ended = output, of_a_state, ended


class NotAMessage(ValueError):
    """What a process sent is no message of the protocol that it should speak; a clause that says why."""


def require_unchanged(quantity: str, before: Sequence[Array], after: Sequence[Array]) -> None:
    """Raise :class:`Failure` if code wrote into an argument of the quantity: the data of its caller are other data then."""
    for argument, then, now in zip(quantity_named(quantity).arguments, before, after, strict=True):
        if not np.array_equal(then, now):
            raise Failure(f"{quantity} writes into its input {argument}; let it work on a copy")


@dataclass(frozen=True)
class Evaluation:
    """A program that asks code under test for one quantity at one state."""

    lines: tuple[str, ...]
    """Python source; ``got`` becomes the answer. It imports NumPy as ``np``."""
    expected: Array
    """The right answer, in the coordinates of the code."""
