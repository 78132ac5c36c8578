"""One cell: ask an implementation for a quantity at every state, and measure how far its answers are from the truth.

Errors are given in ε-units: |answer − truth| / (ε · magnitude), where the magnitude is the size of what is summed to make that
component (:mod:`cross_check.error_scale.sizes`). A float64 implementation that makes no mistake stays within a few of them on
any robot and at any state; a wrong term is off by ten orders of magnitude. :mod:`cross_check.comparison.judgements` has the
ways of comparing.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.judgements import compare
from cross_check.memory import Array
from cross_check.results import INFINITE, Cell, Ulps, Verdict, Worst
from implementations.plugins.user_code import UserCodeError, described
from implementations.protocol import Dynamics, Unsupported
from mechanisms.quantities import Quantity

BAR = 16.0
"""The largest error that agrees, in ε-units. On real robots, Pinocchio and RBDL are never off by more than six."""


class Failure(Exception):
    """An implementation broke the protocol; one sentence that says how."""


def call(
    dynamics: Dynamics, quantity: Quantity, arguments: tuple[Array, ...], dimensions: tuple[int, ...]
) -> tuple[Array, float]:
    """The implementation's answer (batch, *dimensions), checked, and the seconds it took.

    Raises :class:`Failure` when the implementation raises, returns another shape or values that are not finite, or writes into
    its inputs, and :class:`implementations.protocol.Unsupported` when it raises that.
    """
    given = tuple(x.copy() for x in arguments)
    start = perf_counter()
    try:
        answer = getattr(dynamics, quantity.name)(*given)
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
    except (Exception, SystemExit) as error:
        raise Failure(f"{refused} ({described(error)})") from error
    raise Failure(f"{refused} ({given.dtype})")


def measure(
    case: Case, dynamics: Dynamics, implementation: str, quantity: Quantity, bar: float, state: int | None = None
) -> tuple[Cell, float]:
    """The cell of one implementation and quantity, and the seconds that the implementation took.

    With ``state`` the verdict, the coordinates and the details are those of this state, not of the worst.
    """
    mechanism, states = case.mechanism, case.states
    cell_id = f"{mechanism.name}/{implementation}/{quantity.name}"

    def cell(verdict: Verdict, message: str = "", **measured: Any) -> Cell:
        return Cell(cell_id, mechanism.name, implementation, quantity.name, verdict, message, **measured)

    try:
        offered = callable(getattr(dynamics, quantity.name, None))
    except (Exception, SystemExit) as error:
        return cell("failed", f"reading {quantity.name} raised {described(error)}"), 0.0
    if not offered:
        return cell("not offered", f"{implementation} has no {quantity.name}"), 0.0
    arguments = states.arguments(quantity.arguments)
    try:
        quantity.require_defined(mechanism)
        if quantity.needs_regular_mass_matrix:
            case.mass_matrix.require_regular(states.q)
        answer, seconds = call(dynamics, quantity, arguments, quantity.dimensions(mechanism))
    except Unsupported as reason:
        return cell("unsupported", str(reason)), 0.0
    except Failure as failure:
        return cell("failed", str(failure)), 0.0

    compared = compare(case, quantity, answer)
    units = np.nan_to_num(np.minimum(compared.units, INFINITE), nan=INFINITE)
    per_state = units.reshape(len(states), -1).max(axis=1)
    k = int(per_state.argmax()) if state is None else state
    shown = units if state is None else units[[k]]
    by_coordinate = np.moveaxis(shown, 1, 0).reshape(mechanism.nv, -1).max(axis=1) if quantity.axes[:1] == ("nv",) else []
    indices = tuple(map(int, np.unravel_index(int(units[k].argmax()), units[k].shape)))
    worst = Worst(
        k,
        states.kinds[k],
        quantity.component(mechanism, indices),
        {name: x[k].tolist() for name, x in zip(quantity.arguments, arguments, strict=True)},
        *(finite(array[k][indices]) for array in (compared.value, compared.expected, compared.magnitude)),
    )
    ulps = in_ulps(answer, compared.expected) if case.truth.certificate and quantity.has_value else None
    largest = float(per_state[k])
    return cell(
        "agrees" if largest <= bar else "discrepancy",
        error=rounded(largest),
        errors=[rounded(x) for x in per_state],
        coordinates=[rounded(x) for x in by_coordinate],
        worst=worst,
        ulps=ulps,
    ), seconds


def in_ulps(answer: Array, nearest: Array) -> Ulps | None:
    """How far answers are from the correctly rounded values (any shape). None if all correctly rounded values are zero.

    A unit is the gap between the correctly rounded value and the next smaller float64 (in magnitude). No neighbour is nearer
    than one unit; a neighbour above a power of two is two units away.
    """
    answer, nearest = answer[nearest != 0], nearest[nearest != 0]
    if not nearest.size:
        return None
    with np.errstate(over="ignore", under="ignore"):
        units = np.minimum(np.abs(answer - nearest) / np.spacing(np.nextafter(np.abs(nearest), 0)), INFINITE)
    quantiles = np.quantile(units, (0.5, 0.99, 1), method="higher")
    # Round the share down, so that 1 means every answer.
    return Ulps(math.floor(1e4 * np.mean(units == 0)) / 1e4, *map(rounded, quantiles))


def finite(number: Any) -> float:
    """As float64. JSON has no infinity or NaN; both become :data:`INFINITE`."""
    with np.errstate(over="ignore"):
        return float(np.nan_to_num(np.float64(number), nan=INFINITE, posinf=INFINITE, neginf=-INFINITE))


def rounded(units: float) -> float:
    """Three significant digits: all that an error deserves, and the same on every machine that computes alike."""
    return float(f"{float(units):.3g}")
