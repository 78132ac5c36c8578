"""Makes files of test vectors: states for a reason, correctly rounded values, and flags that say what a vector stresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from cross_check.exchange.vectors.document import document, text_of
from cross_check.exchange.vectors.files import Made, Task
from cross_check.explain.faults.flags import FLAGS, flags_of
from cross_check.judge.comparison.recipes import RECIPES, states_for
from cross_check.judge.comparison.rounded_values import Values
from mechanisms import Mechanism
from mechanisms.errors import Unsupported
from mechanisms.quantities import INTEGRATION, QUANTITIES, Quantity

MOST_NUMBERS = 1_000_000
"""The most expected numbers of a file; so many take about 30 MB."""

WHY = {recipe.name: recipe.why for recipe in RECIPES}

MEANINGS = {flag.name: (flag.meaning, flag.fault.name) for flag in FLAGS}

Report = Callable[[str, int, int], None]
"""Called with what is being done, and how many files of how many are done."""


def make(tasks: Sequence[Task], report: Report) -> Iterator[Made]:
    """The files of ``tasks``, one after the other; those of a mechanism should follow each other.

    Raises :class:`oracle.OracleError` for values that stay undecided.
    """
    values: tuple[Mechanism, Values] | None = None
    for k, task in enumerate(tasks):
        show = lambda doing, k=k, task=task: report(f"{task.spec}: {doing}", k, len(tasks))  # noqa: E731
        show(task.quantity.replace("_", " "))
        if values is None or values[0] is not task.mechanism:
            values = task.mechanism, Values(task.mechanism, show)
        if why := _left_out(task):
            yield Made(task, left_out=why)
            continue
        try:
            made = vectors_of(task.spec, task.mechanism, QUANTITIES[task.quantity], values[1])
        except Unsupported as reason:
            yield Made(task, left_out=str(reason))
        else:
            yield Made(task, text_of(made), len(made["vectors"]))


def vectors_of(spec: str, mechanism: Mechanism, quantity: Quantity, values: Values) -> dict[str, Any]:
    """The document of one quantity. Raises what :meth:`Values.expected` and :func:`document` raise."""
    states = states_for(mechanism, quantity)
    if quantity.needs_regular_mass_matrix:
        values.require_regular()
        states = states.pick(np.flatnonzero(values.regular(states.q)))
        if not len(states):
            raise Unsupported("M is singular at every state of the vectors, so q̈ is undefined")
    states = values.with_forces(states)
    expected, size = values.expected(quantity, states)
    flagged = [[flag.name for flag in row] for row in flags_of(mechanism, quantity, states.columns)]
    columns = {name: getattr(states, name) for name in quantity.arguments}
    kinds = [(kind, WHY[kind]) for kind in states.kinds]
    return document(spec, mechanism, quantity, kinds, MEANINGS, flagged, {**columns, "expected": expected, "size": size})


def _left_out(task: Task) -> str:
    """Why there is no file, as far as one can know without computing; empty if there is one."""
    quantity = QUANTITIES[task.quantity]
    if why := no_vectors(quantity):
        return why
    size = prod(quantity.dimensions(task.mechanism)) * len(states_for(task.mechanism, quantity))
    return f"it has {size} numbers; {MOST_NUMBERS} are the most" if size > MOST_NUMBERS else ""


def no_vectors(quantity: Quantity) -> str:
    """Why a quantity has no vectors; empty if it has some."""
    if quantity.name in INTEGRATION:
        return "the states of vectors have no dv and no second position; check compares it with code that runs"
    if quantity.has_value or quantity.name == "forward_dynamics":
        return ""
    if quantity.name == "coriolis_matrix":
        return "many matrices C are right, so that no number can be expected; nonlinear_effects has vectors"
    return "it solves an equation with M, by which it is judged; take inverse_dynamics, its derivatives and mass_matrix"
