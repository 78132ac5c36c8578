"""Asking an implementation for one quantity, and checking that the answer keeps to the protocol."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from cross_check.memory import Array
from implementations.plugins.user_code import UserCodeError, described
from implementations.protocol import Dynamics, Unsupported
from mechanisms.quantities import Quantity


class Failure(Exception):
    """An implementation broke the protocol; one sentence that says how."""


def call(
    dynamics: Dynamics, quantity: Quantity, arguments: tuple[Array, ...], dimensions: tuple[int, ...]
) -> tuple[Array, float]:
    """The implementation's answer (batch, *dimensions), checked, and the seconds it took.

    Raises :class:`Failure` when the implementation raises, returns another shape or values that are not finite, or writes into
    its inputs, and :class:`implementations.protocol.Unsupported` when it raises that.
    """
    method: Callable[..., Any] = getattr(dynamics, quantity.name)
    given = tuple(x.copy() for x in arguments)
    start = perf_counter()
    try:
        answer = method(*given)
    except Unsupported:
        raise
    except UserCodeError as error:
        raise Failure(str(error)) from error
    except (Exception, SystemExit) as error:
        raise Failure(f"{quantity.name} raised {described(error)}") from error
    seconds = perf_counter() - start
    got = _real(answer, quantity.name)
    expected = (len(arguments[0]), *dimensions)
    if got.shape != expected:
        raise Failure(f"{quantity.name} returned shape {got.shape}, not {expected}")
    if not np.isfinite(got).all():
        state = int(np.argwhere(~np.isfinite(got))[0][0])
        raise Failure(f"{quantity.name} returned {got[state][~np.isfinite(got[state])].flat[0]} in state {state}")
    for name, before, after in zip(quantity.arguments, arguments, given, strict=True):
        if not np.array_equal(before, after):
            raise Failure(f"{quantity.name} writes into its input {name}; let it work on a copy")
    return got, seconds


def _real(answer: Any, name: str) -> Array:
    """The answer as float64; refuses what NumPy would convert in silence: imaginary parts, dates, text that spells numbers."""
    refused = f"{name} returned {type(answer).__name__}, not an array of real numbers"
    try:
        given = np.asarray(answer)
        if answer is not None and given.dtype.kind in "buifO":
            with np.errstate(over="ignore"):
                return given.astype(np.float64)
    except Exception as error:
        raise Failure(f"{refused} ({described(error)})") from error
    raise Failure(f"{refused} ({given.dtype})")
