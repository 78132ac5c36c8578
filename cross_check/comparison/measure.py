"""One cell: call an implementation on every state, and say how far its answers are from the truth.

Errors are given in ε-units: |got − truth| / (ε · magnitude), where the magnitude is the size of what is summed to make
that component. A float64 implementation that makes no mistake stays within a few of them on any robot and at any
state; a wrong term is off by ten orders of magnitude.

Forward dynamics is judged by its backward error: the returned q̈ is put through the truth's inverse dynamics, and
what it misses of the given τ counts, so that an ill-conditioned mass matrix is not held against anyone. So are its
derivatives and the Coriolis matrix (:mod:`cross_check.comparison.residuals`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from cross_check.comparison.residuals import EQUATIONS, held_against_equation
from cross_check.comparison.sampling import Array, States
from cross_check.comparison.truth import Truth, in_epsilons
from cross_check.results import INFINITE, Cell, Ulps, Verdict, Worst
from implementations.plugins.user_code import UserCodeError, described
from implementations.protocol import Dynamics, Unsupported
from mechanisms.quantities import IMPLICIT, INVERTING, Quantity

BAR = 16.0
"""The largest error that agrees, in ε-units. On real robots, Pinocchio and RBDL are never off by more than six."""


class Failure(Exception):
    """An implementation broke the protocol; one sentence that says how."""


def call(
    dynamics: Dynamics, quantity: Quantity, arguments: tuple[Array, ...], dimensions: tuple[int, ...]
) -> tuple[Array, float]:
    """The implementation's answer (batch, *dimensions), checked, and the seconds it took.

    Raises :class:`Failure` when it raises, returns another shape, values that are not finite, or spoils its inputs,
    and :class:`implementations.protocol.Unsupported` when it says that it cannot.
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


def measure(
    truth: Truth,
    dynamics: Dynamics,
    implementation: str,
    quantity: Quantity,
    states: States,
    bar: float,
    state: int | None = None,
) -> tuple[Cell, float]:
    """The cell of one implementation and quantity, and the seconds the implementation took.

    With ``state`` the verdict, the coordinates and the details are those of this state, not of the worst.
    """
    mechanism = truth.mechanism
    cell_id = f"{mechanism.name}/{implementation}/{quantity.name}"

    def cell(verdict: Verdict, message: str = "", **found: Any) -> Cell:
        return Cell(cell_id, mechanism.name, implementation, quantity.name, verdict, message, **found)

    if not callable(getattr(dynamics, quantity.name, None)):
        return cell("not offered", f"{implementation} has no {quantity.name}"), 0.0
    arguments = states.arguments(quantity.arguments)
    try:
        quantity.require_defined(mechanism)
        if quantity.name in INVERTING:
            truth.require_regular(states.q)
        got, seconds = call(dynamics, quantity, arguments, quantity.dimensions(mechanism))
    except Unsupported as reason:
        return cell("unsupported", str(reason)), 0.0
    except Failure as failure:
        return cell("failed", str(failure)), 0.0

    value, expected, error, magnitude = held_against_truth(truth, quantity, states, got)
    units = np.nan_to_num(np.minimum(in_epsilons(error, magnitude), INFINITE), nan=INFINITE)
    per_state = units.reshape(len(states), -1).max(axis=1)
    k = int(per_state.argmax()) if state is None else state
    judged = units if state is None else units[[k]]
    by_coordinate = np.moveaxis(judged, 1, 0).reshape(mechanism.nv, -1).max(axis=1) if quantity.axes[:1] == ("nv",) else []
    at = tuple(map(int, np.unravel_index(int(units[k].argmax()), units[k].shape)))
    largest = float(per_state[k])
    worst = Worst(
        k,
        states.kinds[k],
        quantity.component(mechanism, at),
        {name: x[k].tolist() for name, x in zip(quantity.arguments, arguments, strict=True)},
        *(finite(array[k][at]) for array in (value, expected, magnitude)),
    )
    found: dict[str, Any] = {
        "error": rounded(largest),
        "errors": [rounded(x) for x in per_state],
        "coordinates": [rounded(x) for x in by_coordinate],
        "worst": worst,
    }
    if truth.certificate and quantity.name not in IMPLICIT:
        found["ulps"] = in_ulps(got, expected)
    return cell("agrees" if largest <= bar else "discrepancy", **found), seconds


def held_against_truth(truth: Truth, quantity: Quantity, states: States, got: Array) -> tuple[Array, Array, Array, Array]:
    """What is compared, with what, their difference, and its magnitude: all (batch, …) in float64."""
    with np.errstate(over="ignore", invalid="ignore"):
        if quantity.name in EQUATIONS:
            return held_against_equation(truth, quantity.name, states, got)
        if quantity.name == "forward_dynamics":
            reached, rest = truth.forces(states.q, states.v, got)
            return reached, states.tau, reached - states.tau + rest, truth.shared_magnitudes(states.q, states.v, got)
        arguments = states.arguments(quantity.arguments)
        expected, rest = truth.halves(quantity.name, *arguments)
        return got, expected, got - expected - rest, truth.magnitudes(quantity.name, *arguments)


def in_ulps(got: Array, nearest: Array) -> Ulps | None:
    """How far answers are from the correctly rounded ones (any shape); nothing where all of these are zero.

    A unit is the gap to the next smaller float64, so that no neighbour is nearer than one.
    """
    got, nearest = got[nearest != 0], nearest[nearest != 0]
    if not nearest.size:
        return None
    with np.errstate(over="ignore", under="ignore"):
        units = np.minimum(np.abs(got - nearest) / np.spacing(np.nextafter(np.abs(nearest), 0)), INFINITE)
    quantiles = np.quantile(units, (0.5, 0.99, 1), method="higher")
    # No share is rounded up: one is all.
    return Ulps(math.floor(1e4 * np.mean(units == 0)) / 1e4, *map(rounded, quantiles))


def finite(number: Any) -> float:
    """As float64, with :data:`INFINITE` for what JSON has no number for."""
    with np.errstate(over="ignore"):
        return float(np.nan_to_num(np.float64(number), nan=INFINITE, posinf=INFINITE, neginf=-INFINITE))


def rounded(units: float) -> float:
    """Three significant digits: all that an error deserves, and the same on every machine that computes alike."""
    return float(f"{float(units):.3g}")
