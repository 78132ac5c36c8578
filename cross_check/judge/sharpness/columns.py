"""Which columns the errors of a quantity are fitted to, and the size of every row.

τ, with and without external forces, and forward dynamics, judged by the forces that its answer needs, have one set of columns; h
has it without accelerations, g at rest. Of M, M x is fitted, with x of random signs and sizes 1/√J, so that every column of M has
the same weight. Energies and momentum have columns of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from cross_check.judge.comparison.case import Case
from cross_check.judge.sharpness import response
from cross_check.judge.sharpness.motion import Motion
from cross_check.judge.sharpness.response import Columns
from cross_check.judge.sharpness.variation import Sizes
from cross_check.memory import Array
from mechanisms.quantities import QUANTITIES
from mechanisms.states import tree_matrix, tree_position

At = Literal["state", "speed", "rest", "push"]
"""Which v, a and gravity a quantity takes: (v, a, g), (v, 0, g), (0, 0, g), or (0, x, 0)."""

LARGEST = 2**20
"""The columns of so many numbers at most are computed; there are fewer states if they have more."""


DECIMALS = 6
"""Positions that differ by less than 10^−DECIMALS are one."""

NEGLIGIBLE = 1e-9
"""A number whose column is shorter than this part of the longest has none, but for rounding."""


class Source(NamedTuple):
    """The columns that a quantity is fitted to."""

    response: Callable[..., Iterator[Columns]]
    at: At
    sign: int = 1


SOURCES = {
    "inverse_dynamics": Source(response.forces, "state"),
    "inverse_dynamics_with_forces": Source(response.forces, "state"),
    # Code that is right for other numbers reaches other forces: too small ones where its own are too large.
    "forward_dynamics": Source(response.forces, "state", -1),
    "nonlinear_effects": Source(response.forces, "speed"),
    "gravity": Source(response.forces, "rest"),
    "mass_matrix": Source(response.forces, "push"),
    "kinetic_energy": Source(response.kinetic_energy, "speed"),
    "potential_energy": Source(response.potential_energy, "rest"),
    "centroidal_momentum": Source(response.centroidal_momentum, "speed"),
}
"""The quantities that are fitted."""


@dataclass(frozen=True)
class Rows:
    """The problem of one quantity, in ε-units. Numbers that the quantity does not depend on are left out."""

    names: tuple[str, ...]
    unit: Array
    """(rows, numbers): the columns, of length one."""
    length: Array
    """(numbers,): the lengths that they had."""
    weights: Array
    """(states, components): one over the size; zero where the size is."""
    epsilon: float
    """What a rounding is, as a part of a number."""

    @staticmethod
    def of(names: tuple[str, ...], columns: Array, weights: Array, epsilon: float) -> Rows:
        """``columns`` (states, components, numbers) in the quantity's units."""
        columns = (columns * weights[..., None]).reshape(-1, len(names))
        length = np.sqrt(np.einsum("rk,rk->k", columns, columns))
        kept = np.flatnonzero(length > NEGLIGIBLE * length.max(initial=0.0))
        return Rows(tuple(names[k] for k in kept), columns[:, kept] / length[kept], length[kept], weights, epsilon)

    @cached_property
    def gram(self) -> Array:
        return self.unit.T @ self.unit

    @property
    def count(self) -> int:
        return int(np.count_nonzero(self.weights))


class Problems:
    """The fits of one case. What one implementation needs is computed once for all."""

    def __init__(self, case: Case) -> None:
        mechanism = case.mechanism.independent
        numbers = sum(16 + 2 * (body.joint.nv == 1) for body in mechanism.bodies)
        self.given = len(case.states)
        """How many states the case has."""
        # Answers at one position are rounded alike, which is no evidence of a wrong number.
        positions = np.unique(np.round(case.states.q, DECIMALS), axis=0, return_index=True)[1]
        self.chosen = np.sort(positions)[: max(1, LARGEST // (case.mechanism.nv * numbers))]
        """The indices of the states that are fitted."""
        self.states = len(self.chosen)
        self._case = case.pick(self.chosen)
        self._tree = mechanism
        self._motions: dict[At, Motion] = {}
        self._columns: dict[tuple[str, At], Columns] = {}
        self._rows: dict[str, Rows] = {}

    @cached_property
    def push(self) -> Array:
        """x (states, nv)."""
        inertia = self._case.scale.subtree_inertias(self._case.states.q)
        root = np.divide(1, np.sqrt(inertia), out=np.zeros_like(inertia), where=inertia > 0)
        return root * np.random.default_rng(0).choice((-1.0, 1.0), inertia.shape)

    def residual(self, quantity: str, error: Array) -> Array:
        """The errors (batch, …) of a quantity's answers as the rows that its columns are fitted to, in their own units."""
        error = error[self.chosen]
        if quantity == "mass_matrix":
            error = (error @ self.push[..., None])[..., 0]
        return error.reshape(self.states, -1)

    def rows(self, quantity: str) -> Rows:
        if quantity not in self._rows:
            source, precision = SOURCES[quantity], self._case.mechanism.precision
            size = self._size(quantity) / precision.coarseness
            names, values = self._values(source)
            weights = np.divide(1, size, out=np.zeros_like(size), where=(size > 0) & np.isfinite(size))
            columns = source.sign * values.reshape(self.states, -1, len(names))
            self._rows[quantity] = Rows.of(names, columns, weights, precision.epsilon)
        return self._rows[quantity]

    def _size(self, quantity: str) -> Array:
        scale, states = self._case.scale, self._case.states
        if quantity == "mass_matrix":
            size = (scale.size(quantity, states.q) @ np.abs(self.push)[..., None])[..., 0]
        elif quantity == "forward_dynamics":
            size = scale.shared_force(states.q, states.v, states.a)
        else:
            size = scale.size(quantity, *states.arguments(QUANTITIES[quantity].arguments))
        return size.reshape(self.states, -1)

    def _values(self, source: Source) -> Columns:
        key = (source.response.__name__, source.at)
        if key not in self._columns:
            motion = self._motion(source.at)
            blocks = list(source.response(motion))
            if self._tree.lifted and source.response in (response.forces, response.potential_energy):
                still = Motion.of(self._tree.lifted, motion.q, 0 * motion.v, 0 * motion.v, motion.weight[:, 0])
                blocks = list(response.without_lifted(blocks, source.response(still, Sizes.of(self._tree))))
            values = np.concatenate([block.values for block in blocks], axis=-1)
            if source.response is response.forces and self._case.mechanism.has_mimics:
                values = tree_matrix(self._case.mechanism).T @ values
            self._columns[key] = Columns(tuple(name for block in blocks for name in block.names), values)
        return self._columns[key]

    def _motion(self, at: At) -> Motion:
        if at not in self._motions:
            mechanism, states = self._case.mechanism, self._case.states
            still, full = np.zeros_like(states.v), np.ones(self.states)
            v, a, weight = {
                "state": (states.v, states.a, full),
                "speed": (states.v, still, full),
                "rest": (still, still, full),
                "push": (still, self.push, 0 * full),
            }[at]
            q = states.q
            if mechanism.has_mimics:
                G = tree_matrix(mechanism)
                q, v, a = tree_position(mechanism, q), v @ G.T, a @ G.T
            self._motions[at] = Motion.of(self._tree, q, v, a, weight)
        return self._motions[at]
