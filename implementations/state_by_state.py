"""Functions of one state, in which engines answer, as the quantities of batches that the protocol asks for.

An adapter has a class with a method for every quantity that its engine has, of the same name and of one state. The motions of
bodies and of frames have a function of one place each: :func:`of_places` asks for one place after the other. Where the calls are
text, adapters evaluate it at every state, and programs for an engine alone contain it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES, POSITIONS, Axis
from mechanisms.quantities.steps import is_step, quantity_named

OfState = Callable[..., Any]
"""A function of one state's arguments."""


class Coordinates(Protocol):
    """An engine's own coordinates, where an adapter converts them itself. Arrays are batches."""

    def position(self, q: Array) -> Array:
        """The engine's q (batch, its nq) of ours."""

    def rates(self, x: Array) -> Array:
        """v, a or τ (batch, nv), from our coordinates to the engine's."""

    def to_ours(self, x: Array, axis: int, entries: Axis) -> Array:
        """An answer with one axis, which has these ``entries``, from the engine's coordinates to ours."""


def for_each_state(answer: Callable[..., ArrayLike], shape: tuple[int, ...], *batches: Array) -> Array:
    """``answer`` evaluated at every state. Row k of ``batches``, each (batch, n), gives entry k of the result (batch, *shape).

    A state has the type of its batch, which is that of the precision in which the code computes.
    """
    states = [np.ascontiguousarray(batch, dtype=batch.dtype if batch.dtype.kind == "f" else np.float64) for batch in batches]
    out = np.empty((len(states[0]), *shape))
    for k, state in enumerate(zip(*states, strict=True)):
        out[k] = answer(*state)
    return out


class StateByState:
    """The quantities of ``calls``, of one state each, on batches; see :class:`implementations.protocol.Dynamics`."""

    def __init__(self, mechanism: Mechanism, calls: Any, coordinates: Coordinates | None = None) -> None:
        self._mechanism, self._calls, self._coordinates = mechanism, calls, coordinates

    def __dir__(self) -> list[str]:
        return dir(self._calls)

    def __getattr__(self, name: str) -> Callable[..., Array]:
        if not (name in ALL_QUANTITIES or is_step(name)):
            raise AttributeError(name)
        return partial(self._answer, name, self._of_batches(name))

    def _of_batches(self, name: str) -> Callable[..., Array]:
        """The quantity as a function of the shape of one state's answer, and of batches in the engine's coordinates."""
        return partial(for_each_state, getattr(self._calls, name))

    def _answer(self, name: str, ask: Callable[..., Array], *state: Array) -> Array:
        quantity, coordinates = quantity_named(name), self._coordinates
        quantity.require_defined(self._mechanism)
        if coordinates is None:
            return ask(quantity.dimensions_for(self._mechanism, state[0]), *state)
        given = [self._converted(coordinates, *pair) for pair in zip(quantity.arguments, state, strict=True)]
        answer = ask(quantity.dimensions_for(self._mechanism, given[0]), *given)
        for axis, entries in enumerate(quantity.axes, 1):
            answer = coordinates.to_ours(answer, axis, entries)
        return answer

    @staticmethod
    def _converted(coordinates: Coordinates, argument: str, x: Array) -> Array:
        if argument in POSITIONS:
            return coordinates.position(x)
        return x if argument in ("f", "h") else coordinates.rates(x)


def after(at: OfState, asked: Mapping[str, Callable[[], Any]]) -> dict[str, OfState]:
    """Functions of one state: what is ``asked``, by the name of the quantity; ``at`` brings the engine to the state before."""

    def answer(ask: Callable[[], Any], *state: Array) -> Any:
        at(*state)
        return ask()

    return {name: partial(answer, ask) for name, ask in asked.items()}


def of_places(
    at: OfState, places: Sequence[Any], asked: Mapping[str, Callable[[Any], Any]], prefix: str = ""
) -> dict[str, OfState]:
    """Functions of one state for the motions of ``places``, which are an engine's bodies or frames.

    ``asked`` has a function of one place by the name of every quantity, without the ``prefix`` "frame_"; ``at`` brings the engine
    to a state before. Without places there are none.
    """

    def of_all(ask: Callable[[Any], Any]) -> list[Any]:
        return [ask(place) for place in places]

    return after(at, {f"{prefix}{name}": partial(of_all, ask) for name, ask in asked.items() if places})


def at_one_state(expression: str, arguments: Sequence[str], names: Mapping[str, Any]) -> Callable[..., Any]:
    """``expression`` as a function of the ``arguments``; ``names`` has everything else that it refers to."""
    function: Callable[..., Any] = eval(f"lambda {', '.join(arguments)}: {expression}", dict(names))
    return function


def at_every_state(expression: str, arguments: Sequence[str], names: Mapping[str, Any]) -> Callable[..., Array]:
    """``expression`` as a function of the shape of one state's answer, and of a batch for every one of the ``arguments``.

    ``names`` has everything else that the expression refers to. The expression is compiled together with the loop, because a call
    of a function at every state takes longer.
    """
    program = (
        "def evaluate(shape, *batches):",
        "    out = np.empty((len(batches[0]), *shape))",
        f"    for k, ({', '.join(arguments)},) in enumerate(zip(*batches, strict=True)):",
        f"        out[k] = {expression}",
        "    return out",
    )
    scope = {"np": np, **names}
    exec("\n".join(program), scope)
    evaluate: Callable[..., Array] = scope["evaluate"]
    return evaluate
