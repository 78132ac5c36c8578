"""Code that is asked in batches of few sizes, which it declares: ``batch_sizes = (1, 128)``.

A function that is compiled for the shapes of its arguments, as by ``jax.jit``, is compiled again for every size of a batch. A run
asks batches of ten sizes. Code that declares sizes gets batches of these sizes alone: as many of the largest one as the states
fill, and the rest in the smallest one that holds them. Places that are left over are filled with the same states again, and what
is answered there is dropped.

So nobody sees whether other sizes are answered right. Whether an answer depends on what else is in the batch is seen as before:
a state comes in several batches, in other places and beside other states (:mod:`cross_check.judge.history.experiment`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from implementations.arrays_of_frameworks import as_numpy
from implementations.protocol import Array, UserCodeError, require_unchanged
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.quantities.steps import is_step


def sizes_declared(given: Any, spec: str) -> tuple[int, ...]:
    """The declared sizes, ascending; none for an empty list or None. Raises :class:`UserCodeError`, which names ``spec``."""
    sizes = [given] if isinstance(given, int) else [] if given is None else given
    if not isinstance(sizes, (list, tuple)) or not all(type(size) is int and size > 0 for size in sizes):
        raise UserCodeError(f"{spec!r} cannot be used: batch_sizes is {given!r}; give whole numbers of states, such as (1, 128)")
    return tuple(sorted(set(sizes)))


class InSizes:
    """``dynamics`` of a mechanism, asked in batches of these sizes."""

    def __init__(self, dynamics: Any, sizes: Sequence[int]) -> None:
        self._dynamics, self._sizes = dynamics, sizes

    def __dir__(self) -> list[str]:
        return dir(self._dynamics)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._dynamics, name)
        if not (name in ALL_QUANTITIES or is_step(name)) or not callable(function):
            return function
        of_batches = partial(self._answer, name, function)
        of_batches.__wrapped__ = function  # type: ignore[attr-defined]  # As functools.wraps does, for those who inspect it.
        return of_batches

    def _answer(self, name: str, function: Callable[..., Any], *arguments: Array) -> Any:
        count = len(arguments[0])
        if count in self._sizes:
            return function(*arguments)
        answers = []
        for rows, own in pieces(count, self._sizes):
            before = [x[rows] for x in arguments]
            given = [x.copy() for x in before]
            answer = as_numpy(function(*given))
            require_unchanged(name, before, given)
            if answer.shape[:1] != (len(rows),):
                raise UserCodeError(f"{name} returned shape {answer.shape} for {len(rows)} states; return one row for each")
            # The code may answer in the same memory again.
            answers.append(answer[:own].copy())
        return np.concatenate(answers)


def pieces(count: int, sizes: Sequence[int]) -> Iterator[tuple[Array, int]]:
    """For every batch: the indices of the states in it, and how many of them are its own; the others fill it."""
    first = 0
    while first < count:
        size = next((size for size in sizes if size >= count - first), sizes[-1])
        rows = np.arange(first, first + size)
        yield np.where(rows < count, rows, rows % count), min(size, count - first)
        first += size
