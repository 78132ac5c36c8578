"""Two faults at once: pairs whose effects add up to what is seen.

If faults do not act on each other, the residual r is the sum of their effects d, or of multiples of them where a number is to be
fitted. All pairs are compared at once by the inner products of effects:

    |r − d_i − d_j|² = |r|² + |d_i|² + |d_j|² − 2 r·d_i − 2 r·d_j + 2 d_i·d_j

The pairs that leave least are tried as they are: composed, at all states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from cross_check.explain.diagnosis.numbers.fits import HUGE, fit, flat
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.families import Family
from cross_check.explain.faults.fault import Fault, both
from cross_check.memory import Array

MOST_TRIED = 24
"""So many pairs are composed and tried."""

REST = 0.7
"""Pairs that leave a larger share of the residual are not tried: faults that act on each other leave some."""


def pairs(
    symptom: Symptom, few: Symptom, given: Fault, faults: Sequence[Fault], families: Sequence[Family]
) -> Iterator[tuple[Fault, Fault]]:
    """The first pair of faults that, beside ``given``, explains ``symptom``. Effects are compared at the states of ``few``."""

    def explains(one: Fault, other: Fault) -> bool:
        return symptom.trial.explains(symptom.quantity, both(both(given, one), other))

    is_over, r = symptom.trial.laboratory.is_over, flat(few, given)
    listed = [(fault, r - flat(few, both(given, fault))) for fault in faults if not is_over()]
    listed = [(fault, d) for fault, d in listed if _counts(d)]
    fitted = [(f, r - flat(few, both(given, f.at(f.right + f.step)))) for f in families if not is_over()]
    fitted = [(family, d / np.linalg.norm(d)) for family, d in fitted if _counts(d)]
    D = np.array([d for _, d in listed]).reshape(len(listed), len(r))
    U = np.array([d for _, d in fitted]).reshape(len(fitted), len(r))

    def proposed() -> Iterator[tuple[Fault, Fault]]:
        for i, j in _best(_two(r, D), r):
            first, second = listed[i][0], listed[j][0]
            yield from ((first, second), (second, first))
        for i, k in _best(_one_fitted(r, D, U), r):
            fault, family = listed[i][0], fitted[k][0]
            if found := fit(symptom, [family], both(given, fault)):
                yield fault, found[0]
        for k, m in _best(_two_fitted(r, U), r):
            several = [fitted[k][0], fitted[m][0]]
            if found := fit(symptom, several, given):
                one, other = (family.at(x) for family, x in zip(several, found[1], strict=True))
                yield one, other

    yield from islice((pair for pair in proposed() if explains(*pair)), 1)


def _counts(effect: Array) -> bool:
    return bool(0 < np.abs(effect).max(initial=0) < HUGE)


def _best(rest: Array, r: Array) -> Iterator[tuple[int, int]]:
    """The index pairs with the smallest squares of what is left."""
    order = np.argsort(rest, axis=None)[:MOST_TRIED]
    for i, j in zip(*np.unravel_index(order, rest.shape), strict=True):
        if rest[i, j] < REST**2 * (r @ r):
            yield int(i), int(j)


def _two(r: Array, D: Array) -> Array:
    along, size = D @ r, (D * D).sum(axis=1)
    rest = r @ r - 2 * (along[:, None] + along) + size[:, None] + size + 2 * D @ D.T
    rest[np.tril_indices(len(D))] = np.inf
    return rest


def _one_fitted(r: Array, D: Array, U: Array) -> Array:
    left = r - D
    return (left * left).sum(axis=1)[:, None] - (left @ U.T) ** 2


def _two_fitted(r: Array, U: Array) -> Array:
    c, along = U @ U.T, U @ r
    with np.errstate(divide="ignore", invalid="ignore"):
        caught = (along[:, None] ** 2 + along**2 - 2 * c * np.outer(along, along)) / (1 - c * c)
    rest = r @ r - np.nan_to_num(caught, nan=0.0, posinf=0.0, neginf=0.0)
    rest[np.abs(c) > 1 - 1e-9] = np.inf
    rest[np.tril_indices(len(U))] = np.inf
    return rest
