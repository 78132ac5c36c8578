"""What energy and momenta do in each step of a run, beside what they must do.

Along the true motion for h seconds from the row x, a quantity E changes by E(φ(x)) − E(x): the work of forces and of damping, or
nothing if it is conserved. The run has E(x⁺) − E(x), and its scheme E(S(x)) − E(x). So for each step

    E(x⁺) − E(φ(x)) is the drift,        E(S(x)) − E(φ(x)) the drift that the scheme must have,        E(x⁺) − E(S(x)) a fault

and sums over the steps are drifts along the run. All three start at the run's own row, so that chaotic motion parts nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cross_check.judge.comparison.truth import Truth
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import component_units
from mechanisms.states import integrate

CONSERVED = 1e-10
"""A momentum is conserved if no step of the true motion changes it by more than this share of the largest one of its kind."""

EXCESS = 1e-6
"""The share of the scheme's drift, or of the quantity, by which the run's drift may differ from it by roundings."""


ROUNDINGS = 1e-14
"""By so much of the quantity a step may change it by roundings alone."""

LOOKED_AT = 5
"""Rows at which the effect of few digits is computed."""


Measured = tuple[Array, Array]
"""High and low words (n, numbers)."""


class States(NamedTuple):
    """Positions and velocities, (n, …)."""

    q: Array
    v: Array


@dataclass(frozen=True)
class Balance:
    """One quantity along a run; arrays (n,), one number for every step."""

    name: str
    unit: str
    drift: Array
    """The sum of E(x⁺) − E(φ(x)) up to and with each step."""
    scheme: Array
    """The same for the scheme; NaN where it leads nowhere."""
    size: float
    """The largest magnitude of the quantity, or of its parts."""
    rounded: float
    """By how much it may be off at a row, because of few digits."""

    @property
    def excess(self) -> Array:
        """What of the drift is not the scheme's."""
        return self.drift - self.scheme

    @property
    def is_the_schemes(self) -> bool:
        """Whether the scheme has the same drift, but for roundings."""
        room = EXCESS * float(np.nanmax(np.abs(self.scheme), initial=0.0)) + len(self.drift) * ROUNDINGS * self.size
        room += 2 * self.rounded
        return bool((np.abs(self.excess) <= room).all())


def balances(
    truth: Truth, start: States, run: States, flow: States, scheme: States, slack: Mapping[str, Array]
) -> Iterator[Balance]:
    """Energy, and the momenta that the true motion conserves. ``start`` are the rows; the others come one step later.

    ``slack`` says by how much q and v of the rows may be off.
    """
    for names, unit, measure, always in _quantities(truth):
        before, after, true, made = (measure(x) for x in (start, run, flow, scheme))
        # High and low words are subtracted each, so that little is lost.
        drift, own, wanted = ((x[0] - y[0]) + (x[1] - y[1]) for x, y in ((after, true), (made, true), (true, before)))
        largest = np.maximum(*(np.abs(x[0]).max(axis=0, initial=0.0) for x in (before, after)))
        size, rounded = float(largest.max()), _rounded(truth.mechanism, measure, start, slack)
        for k, name in enumerate(names):
            is_conserved = np.abs(wanted[:, k]).max(initial=0.0) <= CONSERVED * size < largest[k]
            if always or is_conserved:
                yield Balance(name, unit[k], np.cumsum(drift[:, k]), np.cumsum(own[:, k]), size, float(rounded[k]))


def _rounded(mechanism: Mechanism, measure: Callable[[States], Measured], start: States, slack: Mapping[str, Array]) -> Array:
    """By how much each number may be off at some rows, because q and v are: to first order."""
    dq, dv = (float(slack[name].max(initial=0.0)) for name in ("q", "v"))
    rows = np.linspace(0, len(start.q) - 1, LOOKED_AT).astype(int)
    q, v = start.q[rows], start.v[rows]
    here, off = measure(States(q, v))[0], 0.0
    for unit in np.eye(mechanism.nv) if dq or dv else ():
        off = off + np.abs(measure(States(integrate(mechanism, q, np.tile(dq * unit, (len(q), 1))), v))[0] - here)
        off = off + np.abs(measure(States(q, v + dv * unit))[0] - here)
    return np.asarray(np.broadcast_to(off, here.shape).max(axis=0))


def _quantities(truth: Truth) -> Iterator[tuple[list[str], list[str], Callable[[States], Measured], bool]]:
    """Names, units, and the function of states; and whether it is shown though it changes."""
    mechanism = truth.mechanism

    def energy(x: States) -> Measured:
        parts = [truth.high_low("kinetic_energy", x.q, x.v), truth.high_low("potential_energy", x.q)]
        high, low = (np.stack([part[k] for part in parts], axis=1) for k in (0, 1))
        return high.sum(axis=1, keepdims=True), low.sum(axis=1, keepdims=True) + _lost(high)

    def centroidal(x: States) -> Measured:
        return truth.high_low("centroidal_momentum", x.q, x.v)

    def generalized(x: States) -> Measured:
        p = (truth.high_low("mass_matrix", x.q)[0] @ x.v[..., None])[..., 0]
        return p, np.zeros_like(p)

    yield ["energy"], ["J"], energy, True
    if sum(float(body.inertia.mass) for body in mechanism.bodies) > 0:
        kinds = (("angular momentum", "kg m²/s", slice(0, 3)), ("momentum", "kg m/s", slice(3, 6)))
        for kind, unit, part in kinds:
            names = [f"{kind} along {axis}" for axis in "xyz"]
            yield names, [unit] * 3, lambda x, part=part: tuple(word[:, part] for word in centroidal(x)), False  # type: ignore[misc]
    units = ["kg m/s" if unit == "N" else "kg m²/s" for unit in component_units.units_of(mechanism, "inverse_dynamics")]
    yield [f"momentum of {name}" for name in mechanism.coordinates], units, generalized, False


def _lost(parts: Array) -> Array:
    """What the float64 sum of two columns (n, 2) loses (n, 1) (D. Knuth, TAOCP 2, 4.2.2)."""
    a, b = parts[:, :1], parts[:, 1:]
    s = a + b
    t = s - a
    return np.asarray((a - (s - t)) + (b - t))
