"""A formulation in the place of an algorithm of the reference, with the same arguments and axes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, get_type_hints

import numpy as np

from cross_check.explain import formulations
from cross_check.explain.formulations import ANSWERS, FORMULATIONS
from cross_check.explain.formulations.bodies import Bodies, Result
from implementations.algorithms import Algorithm
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.rnea import rnea


@cache
def bodies_of(module: str) -> type[Bodies]:
    """What the formulation computes with."""
    function = getattr(import_module(f"{formulations.__name__}.{module}"), module)
    kind: type[Bodies] = get_type_hints(function)["m"]
    return kind


def arguments(module: str, model: Model, q: Tensor, *rest: Any) -> tuple[Any, ...]:
    """The arguments of a formulation, from those of the algorithm in whose place it stands. Raises :class:`Unsupported`."""
    kind = bodies_of(module)
    moved = rest[: FORMULATIONS[module].takes - 1]
    m = kind(model, q, rest[0] if rest else q, *rest[2:])
    return m, *(m.by_joint(x) for x in moved)


def answer(module: str, result: Any, batch: int) -> Tensor:
    """What the algorithm returns, from the result of the formulation."""
    if FORMULATIONS[module].takes == 1:
        return np.broadcast_to(np.moveaxis(result, 0, -1), (*result.shape[1:], batch))
    if FORMULATIONS[module].takes == 2:
        return np.broadcast_to(result[:, 0, 0], batch)
    τ = result.τ if isinstance(result, Result) else result
    joints = τ if isinstance(τ, list) else [τ]
    return np.concatenate([np.broadcast_to(x[..., 0].T, (x.shape[1], batch)) for x in joints])


def algorithm(module: str, text: bytes) -> Algorithm:
    """The algorithm that a source of the formulation has."""
    function = function_of(module, text)

    def answered(model: Model, q: Tensor, *rest: Any) -> Tensor:
        found = answer(module, function(*arguments(module, model, q, *rest)), q.shape[-1])
        if not bodies_of(module).has_forces and rest[2:] and rest[2] is not None:
            # The effect of forces on bodies is linear, and the reference's.
            still = (q, 0 * rest[0], 0 * rest[1])
            return found + rnea(model, *still, rest[2]) - rnea(model, *still)
        return found

    # Dynamics that are made from it know it by the name of what it stands for.
    answered.__name__ = ANSWERS[FORMULATIONS[module].stands_for][-1].removesuffix("_with_forces")
    return answered


def function_of(module: str, text: bytes) -> Callable[..., Any]:
    """The function that a source of the formulation has."""
    names: dict[str, Any] = {}
    exec(compile(text, f"{formulations.__name__}.{module}", "exec", dont_inherit=True), names)
    function: Callable[..., Any] = names[module]
    return function
