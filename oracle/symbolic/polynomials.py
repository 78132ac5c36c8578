"""Polynomials evaluated by a few NumPy calls.

The distinct monomials of all polynomials are evaluated once, each as a shorter one times one generator. So a monomial of
degree d costs one multiplication and has d − 1 roundings. A polynomial is the dot product of its coefficients with its monomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracle.symbolic.ring import Poly

Array = NDArray[Any]

BLOCK = 2**21
"""How many values of monomials are in memory at a time, for large batches."""


class Program:
    """Compiled polynomials: a call with the generators' values (generators, batch) returns theirs (polynomials, batch).

    ``coefficients`` makes numbers of the generators' kind from fractions p/q, each given as a pair.
    """

    def __init__(
        self, polynomials: list[Poly], generators: int, coefficients: Callable[[Iterable[tuple[int, int]]], Any]
    ) -> None:
        self.count = len(polynomials)
        # A symmetric matrix contains each entry below its diagonal twice, as the same object. It is evaluated once.
        same: dict[int, list[int]] = {}
        for k, p in enumerate(polynomials):
            if p:
                same.setdefault(id(p), []).append(k)
        tables = [(positions, _table(polynomials[positions[0]])) for positions in same.values()]
        one = (0,) * generators
        needed = {one}
        for _, table in tables:
            for monomial in table:
                while monomial not in needed:
                    needed.add(monomial)
                    monomial = _shorter(monomial)[0]
        monomials = sorted(needed, key=sum)
        index = {monomial: k for k, monomial in enumerate(monomials)}
        steps = [_shorter(monomial) for monomial in monomials[1:]]
        self.parents = np.array([0, *(index[parent] for parent, _ in steps)])
        self.factors = np.array([0, *(factor for _, factor in steps)])
        self.levels = np.searchsorted([sum(monomial) for monomial in monomials], range(1, sum(monomials[-1]) + 2))
        self.rows = [
            (positions, np.array([index[m] for m in table]), coefficients(table.values())) for positions, table in tables
        ]

    def __call__(self, generators: Array) -> Array:
        batch, block = generators.shape[1], max(1, BLOCK // len(self.parents))
        out = np.empty_like(generators, shape=(self.count, batch))
        out[:] = 0
        for start in range(0, batch, block):
            part = slice(start, start + block)
            monomials = self._monomials(generators[:, part])
            for positions, indices, coefficients in self.rows:
                out[positions, part] = coefficients @ monomials[indices]
        return out

    def _monomials(self, generators: Array) -> Array:
        values = np.empty_like(generators, shape=(len(self.parents), generators.shape[1]))
        values[:1] = 1
        for start, stop in zip(self.levels, self.levels[1:], strict=False):
            level = slice(start, stop)
            values[level] = values[self.parents[level]] * generators[self.factors[level]]
        return values


def _table(p: Poly) -> dict[tuple[int, ...], tuple[int, int]]:
    return {tuple(map(int, monomial)): (int(c.p), int(c.q)) for monomial, c in p.to_dict().items()}


def _shorter(monomial: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """``monomial`` divided by its last generator, and the index of that generator."""
    k = max(k for k, power in enumerate(monomial) if power)
    return (*monomial[:k], monomial[k] - 1, *monomial[k + 1 :]), k
