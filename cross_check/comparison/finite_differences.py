"""Derivatives that code declares as finite differences: how far off they may be.

A difference of f with the step h is off by rounding, about ε |f| / h, and by truncation, about h |f''|. At the best h both are
about √ε times the size of f and of its derivative, in SI units. So declared differences have lost digits if, at every component,

    |error| ≤ the bar × √ε (size of f + size of f')                                    (docs/notes/error-scale.md, eq. 70)

and are wrong beyond that. Differences that are not declared are compared as every other answer is.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.judgements import compared_at
from cross_check.comparison.sampling import States
from cross_check.error_scale.sizes import EPSILON
from cross_check.memory import Array
from cross_check.results.objects import DECLARED
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms.quantities import Quantity, base_of


def explained_by_differences(case: Case, loaded: Loaded, quantity: Quantity, declared: Collection[str], bar: float) -> str | None:
    """Why errors above the bar are those of declared finite differences, in words with the largest; None if they are not."""
    if quantity.name not in declared:
        return None
    try:
        compared = compared_at(case, loaded, quantity)
    except (Unsupported, Failure):
        return None
    with np.errstate(all="ignore"):
        allowed = bar * np.sqrt(EPSILON) * (compared.magnitude + size_of_base(case, quantity))
        largest = np.nan_to_num(np.abs(compared.error) / allowed, nan=np.inf)[compared.error != 0].max(initial=0.0)
    if not largest <= 1:
        return None
    return f"{DECLARED}: it is off by {largest:.2g} of what differences may be off by"


def arguments_of_base(quantity: Quantity, states: States) -> dict[str, Array]:
    """What the base is given, by name. What the quantity does not take is zero: the derivative does not depend on it."""
    base = base_of(quantity)
    assert base is not None
    given = zip(base.arguments, states.arguments(base.arguments), strict=True)
    return {name: x if name in quantity.arguments else np.zeros_like(x) for name, x in given}


def size_of_base(case: Case, quantity: Quantity) -> Array:
    """The size of what is differenced, shaped as the answer or with ones for its last axes.

    It counts as zero if its components do not correspond to those of the answer.
    """
    base = base_of(quantity)
    if base is None or base.needs_independent_rows or base.axes != quantity.axes[: len(base.axes)]:
        return np.zeros(1)
    q, v, a = case.states.arguments(("q", "v", "a"))
    if base.name == "forward_dynamics":
        force = case.scale.shared_force(q, v, a)
        size = np.einsum("bij,bj->bi", np.abs(case.mass_matrix.inverse(q)), force)
    else:
        size = case.scale.size(base.name, *arguments_of_base(quantity, case.states).values())
    return size.reshape(*size.shape, *[1] * (1 + len(quantity.axes) - size.ndim))
