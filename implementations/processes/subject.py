"""How code under test is asked: one quantity of one mechanism at a batch of states, answered by an array or by one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from implementations.plugins.user_code import UserCodeError, described
from implementations.protocol import Array, Implementation, Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES, Quantity


class Failure(Exception):
    """An implementation broke the protocol; one sentence that says how. ``output`` is what it printed meanwhile."""

    def __init__(self, sentence: str, output: str = "") -> None:
        super().__init__(sentence)
        self.output = output


@dataclass(frozen=True)
class Answer:
    """What an implementation answered: float64 (batch, …), the seconds that it took, and what it printed meanwhile."""

    value: Array
    seconds: float
    output: str = ""


class Loaded(Protocol):
    """One mechanism in an implementation under test."""

    def offers(self, quantity: str) -> bool:
        """Whether it has this quantity. Raises :class:`Failure`."""

    def ask(self, quantity: str, *arguments: Array) -> Answer:
        """The quantity at a batch of states; arguments and answer as :class:`implementations.protocol.Dynamics` says.

        Raises :class:`Failure`, and :class:`implementations.protocol.Unsupported` if the implementation says so.
        """


class Subject(Protocol):
    """An implementation under test."""

    name: str
    version: str

    def load(self, mechanism: Mechanism) -> Loaded:
        """Raises :class:`Failure`, and :class:`implementations.protocol.Unsupported` if it cannot represent the mechanism."""

    def close(self) -> None:
        """End what runs for it. It may be used again afterwards."""


class InProcess:
    """An implementation that is called in this process: for debuggers, and inside a worker process."""

    def __init__(self, implementation: Implementation) -> None:
        self._implementation = implementation
        self.name = str(getattr(implementation, "name", type(implementation).__name__))
        self.version = str(getattr(implementation, "version", "unknown"))

    def load(self, mechanism: Mechanism) -> LoadedInProcess:
        try:
            return LoadedInProcess(self._implementation.load(mechanism), mechanism)
        except Unsupported:
            raise
        except BaseException as error:
            _reraise_interrupt(error)
            raise Failure(f"load raised {described(error)}") from error

    def close(self) -> None:
        """There is nothing to end."""


class LoadedInProcess:
    """A mechanism that an implementation in this process has loaded: ``dynamics`` offers quantities as methods."""

    def __init__(self, dynamics: Any, mechanism: Mechanism) -> None:
        self.dynamics, self.mechanism = dynamics, mechanism

    def offers(self, quantity: str) -> bool:
        try:
            return callable(getattr(self.dynamics, quantity, None))
        except BaseException as error:
            _reraise_interrupt(error)
            raise Failure(f"reading {quantity} raised {described(error)}") from error

    def ask(self, quantity: str, *arguments: Array) -> Answer:
        given = tuple(x.copy() for x in arguments)
        function = getattr(self.dynamics, quantity)
        start = perf_counter()
        answer = _returned(quantity, function, given)
        seconds = perf_counter() - start
        value = _real(answer, quantity)
        _require_valid(QUANTITIES[quantity], self.mechanism, value, arguments, given)
        return Answer(value, seconds)


def _returned(quantity: str, function: Callable[..., Any], given: tuple[Array, ...]) -> Any:
    try:
        return function(*given)
    except (Unsupported, Failure):
        raise
    except UserCodeError as error:
        raise Failure(str(error)) from error
    except BaseException as error:
        _reraise_interrupt(error)
        raise Failure(f"{quantity} raised {described(error)}") from error


def _require_valid(
    quantity: Quantity, mechanism: Mechanism, answer: Array, arguments: tuple[Array, ...], given: tuple[Array, ...]
) -> None:
    name = quantity.name
    expected = (len(arguments[0]), *quantity.dimensions(mechanism))
    if answer.shape != expected:
        raise Failure(f"{name} returned shape {answer.shape}, not {expected}")
    if not np.isfinite(answer).all():
        state = int(np.argwhere(~np.isfinite(answer))[0][0])
        raise Failure(f"{name} returned {answer[state][~np.isfinite(answer[state])].flat[0]} in state {state}")
    for argument, before, after in zip(quantity.arguments, arguments, given, strict=True):
        if not np.array_equal(before, after):
            raise Failure(f"{name} writes into its input {argument}; let it work on a copy")


def _real(answer: Any, name: str) -> Array:
    """The answer as float64; refuses what NumPy would convert in silence: imaginary parts, dates, text that spells numbers."""
    refused = f"{name} returned {type(answer).__name__}, not an array of real numbers"
    try:
        given = np.asarray(answer)
        if answer is not None and given.dtype.kind in "buifO":
            with np.errstate(over="ignore"):
                return given.astype(np.float64)
    except BaseException as error:
        _reraise_interrupt(error)
        raise Failure(f"{refused} ({described(error)})") from error
    raise Failure(f"{refused} ({given.dtype})")


def _reraise_interrupt(error: BaseException) -> None:
    """Ctrl-C is the user's, not the code's."""
    if isinstance(error, KeyboardInterrupt):
        raise error
